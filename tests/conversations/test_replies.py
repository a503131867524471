"""Asking: the prompt is kept first, the reply as it comes, and however it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from convotui.conversations.models import Models, NoModelError
from convotui.conversations.replies import Asked, AskError, Replies
from convotui.conversations.reply import Reply
from convotui.conversations.turns import GENERATOR, SIGNATURE
from convotui.llm import (
    Endpoint,
    FinishPiece,
    ModelError,
    Piece,
    Request,
    TextPiece,
    Thinking,
    ThinkingPiece,
    ToolCallPiece,
    UsagePiece,
)
from convotui.settings import Settings
from convotui.storage import (
    Block,
    ChatMessage,
    DiskError,
    MessageId,
    MessageNotFoundError,
    ReplyFacts,
    StorageError,
    Store,
    utc_now,
)
from tests.storage.helpers import draft

from .talking import Pause, ScriptedClient, Step, models

HELLO = [Block("Hello?")]
HALF: list[Step] = [TextPiece("Half a")]
HI: list[Step] = [TextPiece("Hi"), TextPiece("!"), FinishPiece("stop")]
CUT = ModelError("The reply broke off.", "cut")


def replies(store: Store, client: ScriptedClient, tmp_path: Path) -> Replies:
    return Replies(lambda: store, models(tmp_path), client)


async def over(asked: Asked) -> ChatMessage:
    """The reply when it is over."""
    async for _ in asked.reply.changes():
        pass
    return asked.reply.message


def facts_of(message: ChatMessage) -> ReplyFacts:
    assert message.facts is not None
    return message.facts


def stored(store: Store, message: ChatMessage) -> ChatMessage:
    return store.get([message.id])[0]


async def test_a_reply_is_kept_with_all_that_is_known_of_it(
    store: Store, tmp_path: Path
) -> None:
    client = ScriptedClient(
        [
            ThinkingPiece("Hm"),
            ThinkingPiece("m.", "signed"),
            *HI[:2],
            ToolCallPiece(0, "c1", "look", '{"a":'),
            ToolCallPiece(1, "c2", "stop"),
            ToolCallPiece(0, arguments=" 1}"),
            UsagePiece(11, 7, 3, 2, 0.5),
            FinishPiece("tool_calls"),
        ]
    )

    asked = await replies(store, client, tmp_path).ask(None, HELLO, title="greeting")
    reply = await over(asked)

    prompt, kept = store.thread(reply.id)
    assert (prompt.id, prompt.text, prompt.title) == (
        asked.prompt_id,
        "Hello?",
        "greeting",
    )
    assert kept.blocks == reply.blocks
    thought, said, *calls = kept.blocks
    assert (thought.type, thought.content, thought.extra) == (
        "thinking",
        "Hmm.",
        {GENERATOR: "openai", SIGNATURE: "signed"},
    )
    assert said == Block("Hi!")
    assert [(it.id, json.loads(it.content)) for it in calls] == [
        ("c1", {"name": "look", "parameters": {"a": 1}}),
        ("c2", {"name": "stop", "parameters": {}}),
    ]
    facts = facts_of(kept)
    assert (facts.model, facts.state, facts.error) == (
        "openai/scripted",
        "complete",
        None,
    )
    assert (facts.input_tokens, facts.output_tokens, facts.cost) == (11, 7, 0.5)
    assert (facts.cached_tokens, facts.reasoning_tokens) == (3, 2)
    assert facts.finish_reason == "tool_calls"
    assert facts.first_token_seconds is not None
    assert facts.duration_seconds is not None


async def test_the_prompt_is_kept_before_anybody_is_asked(
    path: Path, tmp_path: Path
) -> None:
    found: list[tuple[str, str]] = []

    class Curious(ScriptedClient):
        def reply(
            self, endpoint: Endpoint, request: Request
        ) -> AsyncGenerator[Piece, None]:
            with Store(path) as other:
                rows = other.list_rows(ascending=True)
                found.extend((row.text, row.state) for row in rows)
            return super().reply(endpoint, request)

    with Store(path) as store:
        await over(await replies(store, Curious(HI), tmp_path).ask(None, HELLO))

    assert found == [("Hello?", "complete"), ("", "streaming")]


async def test_without_a_model_nothing_is_kept(path: Path, tmp_path: Path) -> None:
    nobody = Models(Settings(), {"OLLAMA_HOST": "127.0.0.1:9"}, tmp_path)
    with Store(path) as store, pytest.raises(NoModelError):
        await Replies(lambda: store, nobody, ScriptedClient()).ask(None, HELLO)

    assert not path.exists()


async def test_what_cannot_be_kept_is_not_asked(store: Store, tmp_path: Path) -> None:
    client = ScriptedClient(HI)

    with pytest.raises(MessageNotFoundError):
        await replies(store, client, tmp_path).ask(MessageId("gone"), HELLO)

    assert client.asked == []


async def test_the_whole_thread_is_sent(store: Store, tmp_path: Path) -> None:
    client = ScriptedClient(HI, HI, HI)
    asking = replies(store, client, tmp_path)
    first = await over(await asking.ask(None, HELLO))

    await over(await asking.ask(first.id, [Block("And?")]))
    fork = await over(await asking.ask(first.id, [Block("Or?")]))

    assert client.texts == [
        ["Hello?"],
        ["Hello?", "Hi!", "And?"],
        ["Hello?", "Hi!", "Or?"],
    ]
    assert [it.text for it in store.thread(fork.id)] == ["Hello?", "Hi!", "Or?", "Hi!"]


async def test_a_failure_keeps_what_came_and_says_why(
    store: Store, tmp_path: Path
) -> None:
    client = ScriptedClient([*HALF, CUT])

    reply = await over(await replies(store, client, tmp_path).ask(None, HELLO))

    kept = stored(store, reply)
    assert (kept.text, facts_of(kept).state) == ("Half a", "failed")
    assert facts_of(kept).error == "The reply broke off."


async def test_a_reply_that_ends_in_an_unknown_way_is_not_called_whole(
    store: Store, tmp_path: Path
) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    client = ScriptedClient([*HALF, RuntimeError("a mistake")])

    reply = await over(await replies(store, client, tmp_path).ask(None, HELLO))

    kept = stored(store, reply)
    assert (kept.text, facts_of(kept).state) == ("Half a", "interrupted")


async def test_stopping_keeps_what_came(store: Store, tmp_path: Path) -> None:
    pause = Pause()
    client = ScriptedClient([*HALF, pause])
    asking = replies(store, client, tmp_path)
    asked = await asking.ask(None, HELLO)
    reply_id = asked.reply.message.id
    await pause.reached.wait()
    assert list(asking.running) == [reply_id]

    assert asking.stop(reply_id)
    reply = await over(asked)

    kept = stored(store, reply)
    assert (kept.text, facts_of(kept).state) == ("Half a", "interrupted")
    assert (client.closed, asking.running) == (1, {})
    assert not asking.stop(reply_id)


async def test_stopping_at_once_ends_it_too(store: Store, tmp_path: Path) -> None:
    asking = replies(store, ScriptedClient([Pause()]), tmp_path)
    asked = await asking.ask(None, HELLO)

    asking.stop(asked.reply.message.id)
    asking.stop(asked.reply.message.id)
    reply = await over(asked)

    assert facts_of(stored(store, reply)).state == "interrupted"


async def test_leaving_stops_all_and_keeps_what_came(
    store: Store, tmp_path: Path
) -> None:
    pauses = [Pause(), Pause()]
    client = ScriptedClient(*([*HALF, pause] for pause in pauses))
    asking = replies(store, client, tmp_path)
    [root] = store.save([draft("root")])
    asked = [await asking.ask(root, HELLO) for _ in pauses]
    for pause in pauses:
        await pause.reached.wait()

    late = await asking.ask(root, HELLO)
    await asking.stop_all()

    assert asking.running == {}
    assert [stored(store, it.reply.message).text for it in asked] == ["Half a"] * 2
    states = [facts_of(stored(store, it.reply.message)).state for it in [*asked, late]]
    assert states == ["interrupted"] * 3


async def test_another_reply_stands_beside_the_first(
    store: Store, tmp_path: Path
) -> None:
    client = ScriptedClient(HI, HI, HI)
    asking = replies(store, client, tmp_path)
    asked = await asking.ask(None, HELLO)
    first = await over(asked)

    second = await over(await asking.regenerate(first.id))
    third = await over(await asking.regenerate(asked.prompt_id))

    assert len({first.id, second.id, third.id}) == 3
    assert {it.parent_id for it in (first, second, third)} == {asked.prompt_id}
    assert client.texts == [["Hello?"]] * 3


async def test_a_reply_to_nothing_cannot_be_given_again(
    store: Store, tmp_path: Path
) -> None:
    failed = ReplyFacts("m", state="failed")
    [root] = store.save([draft("I begin", role="assistant", facts=failed)])
    asking = replies(store, ScriptedClient(), tmp_path)

    for attempt in (asking.regenerate, asking.resume):
        with pytest.raises(AskError, match="no message to reply to"):
            await attempt(root)


async def test_a_reply_goes_on_where_it_broke_off(store: Store, tmp_path: Path) -> None:
    client = ScriptedClient(
        [TextPiece("One, "), UsagePiece(10, 2, cost=0.5), CUT],
        [TextPiece("two."), UsagePiece(20, 3, cost=0.25), FinishPiece("stop")],
    )
    asking = replies(store, client, tmp_path)
    broken = await over(await asking.ask(None, HELLO))

    asked = await asking.resume(broken.id)
    assert asked.reply.text == "One, "
    whole = await over(asked)

    kept = stored(store, whole)
    assert (kept.id, kept.blocks) == (broken.id, (Block("One, two."),))
    assert store.outline().ids[:] == [asked.prompt_id, broken.id]
    facts = facts_of(kept)
    assert (facts.state, facts.error) == ("complete", None)
    assert (facts.input_tokens, facts.output_tokens, facts.cost) == (30, 5, 0.75)
    said, begun, go_on = client.texts[1]
    assert (said, begun) == ("Hello?", "One, ")
    assert "Go on" in go_on


async def test_a_reply_that_never_began_is_asked_for_again(
    store: Store, tmp_path: Path
) -> None:
    client = ScriptedClient([CUT], HI)
    asking = replies(store, client, tmp_path)
    broken = await over(await asking.ask(None, HELLO))

    whole = await over(await asking.resume(broken.id))

    assert client.texts == [["Hello?"], ["Hello?"]]
    assert stored(store, whole).text == "Hi!"


async def test_only_what_broke_off_goes_on(store: Store, tmp_path: Path) -> None:
    pause = Pause()
    asking = replies(store, ScriptedClient(HI, [pause]), tmp_path)
    asked = await asking.ask(None, HELLO)
    whole = await over(asked)
    running = await asking.ask(None, HELLO)

    for message_id in (whole.id, asked.prompt_id):
        with pytest.raises(AskError, match="cut off"):
            await asking.resume(message_id)
    with pytest.raises(AskError, match="still being written"):
        await asking.resume(running.reply.message.id)
    await asking.stop_all()


async def test_a_thought_that_was_signed_is_not_changed(
    store: Store, tmp_path: Path
) -> None:
    client = ScriptedClient(
        [ThinkingPiece("One.", "first"), CUT],
        [
            ThinkingPiece("Two."),
            ThinkingPiece("", "second"),
            ThinkingPiece("Three."),
            CUT,
        ],
        HI,
    )
    asking = replies(store, client, tmp_path)
    broken = await over(await asking.ask(None, HELLO))
    await over(await asking.resume(broken.id))
    await over(await asking.ask(broken.id, HELLO))

    turns = client.asked[2][1].turns
    thoughts = [it for turn in turns for it in turn.parts if isinstance(it, Thinking)]
    assert thoughts == [Thinking("One.", "first"), Thinking("Two.", "second")]


async def test_another_model_can_go_on_with_a_thread(
    store: Store, tmp_path: Path
) -> None:
    client = ScriptedClient([ThinkingPiece("Hm.", "signed"), *HI], HI, HI)
    asking = replies(store, client, tmp_path)
    first = await over(await asking.ask(None, HELLO))

    asking.models.wanted = "other"
    second = await over(await asking.ask(first.id, HELLO))
    asking.models.wanted = ""
    third = await over(await asking.ask(second.id, HELLO))

    assert [it[0].model for it in client.asked] == [
        "openai/scripted",
        "anthropic/other",
        "anthropic/other",
    ]
    assert facts_of(stored(store, third)).model == "anthropic/other"
    sent = [part for turn in client.asked[1][1].turns for part in turn.parts]
    assert not any(isinstance(part, Thinking) for part in sent)


async def test_a_look_ahead_tells_who_would_be_asked_and_what_sent(
    store: Store, tmp_path: Path
) -> None:
    asking = replies(store, ScriptedClient(), tmp_path)
    [root] = store.save([draft("Hello there")])

    model, fitted = await asking.preview(store.thread(root))

    assert (model.name, fitted.left_out) == ("mine", 0)
    assert fitted.tokens > 0


class FullDisk(Store):
    """A store whose disk is full for a while."""

    failures = 0

    def grow(
        self, message_id: MessageId, blocks: Sequence[Block], facts: ReplyFacts
    ) -> None:
        if self.failures:
            self.failures -= 1
            raise DiskError(self.path, "the disk is full.")
        super().grow(message_id, blocks, facts)


async def test_a_full_disk_is_told_and_the_reply_kept_once_it_can_be(
    path: Path, tmp_path: Path
) -> None:
    problems: list[str] = []
    with FullDisk(path) as store:
        asking = replies(store, ScriptedClient(HI), tmp_path)
        asked = await asking.ask(None, HELLO)
        store.failures = 1
        async for _ in asked.reply.changes():
            problems.append(asked.reply.problem)

        assert stored(store, asked.reply.message).text == "Hi!"
    assert any("the disk is full" in problem for problem in problems)
    assert problems[-1] == ""


async def test_leaving_does_not_wait_for_a_disk_that_stays_full(
    path: Path, tmp_path: Path
) -> None:
    with FullDisk(path) as store:
        asking = replies(store, ScriptedClient(HI), tmp_path)
        asked = await asking.ask(None, HELLO)
        store.failures = 1_000_000
        async for _ in asked.reply.changes():
            if asked.reply.problem:
                break

        await asking.stop_all()

        assert asked.reply.is_over
        assert "the disk is full" in asked.reply.problem


async def test_a_reply_that_was_destroyed_meanwhile_ends_quietly(
    store: Store, tmp_path: Path
) -> None:
    pause = Pause()
    asking = replies(store, ScriptedClient([TextPiece("Hi"), pause]), tmp_path)
    asked = await asking.ask(None, HELLO)
    await pause.reached.wait()

    store.delete([asked.prompt_id], recursive=True)
    store.empty_trash()
    pause.released.set()
    await over(asked)

    assert store.list_messages() == []
    with pytest.raises(StorageError):
        store.get([asked.prompt_id])


async def test_whoever_looks_sees_every_state_of_a_reply_and_its_end() -> None:
    reply = Reply(
        ChatMessage(MessageId("r"), MessageId("q"), "assistant", (), utc_now()),
        "openai",
    )
    seen: list[str] = []

    async def look() -> None:
        async for _ in reply.changes():
            seen.append(reply.text)

    looking = asyncio.create_task(look())
    for piece in ("a", "b", "c"):
        reply.take(TextPiece(piece))
        await asyncio.sleep(0)
    reply.end("complete")
    reply.close()
    await looking

    assert seen[0] in ("", "a")
    assert seen[-1] == "abc"
