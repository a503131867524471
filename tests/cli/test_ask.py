"""`convotui ask`: what goes to the model, what comes back, what is kept."""

from __future__ import annotations

import json
import shlex
import socket
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.llm.server import (
    OpenAIServer,
    Script,
    Thought,
    break_off,
    failure,
    say,
)

from .asking import Asking, configure, kept, said
from .program import Program
from .stores import make
from .stores import said as stored
from .terminal import on_terminal
from .test_readme import blocks, section

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def ask(
    convotui: Program,
    server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Asking:
    configure(convotui, server)
    return Asking(convotui, monkeypatch, capfd)


def sent(server: OpenAIServer) -> list[Any]:
    """What went to the model with the last request."""
    messages: list[Any] = server.requests[-1].body["messages"]
    return messages


def contents(server: OpenAIServer) -> list[Any]:
    return [message["content"] for message in sent(server)]


# Where it goes on


def test_the_reply_is_on_stdout_and_its_id_on_stderr(
    ask: Asking, server: OpenAIServer, project: Path
) -> None:
    server.script(say("Hel", "lo."))

    outcome = ask("ask", "Who", "are", "you?")

    prompt, reply = kept(project)
    assert (prompt.text, reply.text) == ("Who are you?", "Hello.")
    assert outcome.out == "Hello.\n"
    assert outcome.err == f"{reply.id}\n"
    assert contents(server) == ["Who are you?"]


@pytest.mark.parametrize(
    ("arguments", "parent"),
    [
        (["more"], "fG0hI1"),
        (["-c", "--", "more"], "fG0hI1"),
        (["more", "-c"], "fG0hI1"),
        (["-c", "tell me more"], "fG0hI1"),
        (["--continue", "tell me more"], "fG0hI1"),
        (["-c", "lM0", "more"], "lM0nO1"),
        (["--continue=lM0", "more"], "lM0nO1"),
        (["more", "--continue", "lM0nO1"], "lM0nO1"),
        (["-n", "more"], None),
        (["-n", "-c", "lM0", "more"], None),
        (["--session", "go", "more"], "lM0nO1"),
        (["--session", "another", "more"], None),
        (["-n", "--session", "go", "more"], None),
    ],
)
@pytest.mark.usefixtures("forked")
def test_it_goes_on_where_the_user_says(
    arguments: list[str], parent: str | None, ask: Asking, project: Path
) -> None:
    ask("ask", *arguments)

    prompt, reply = kept(project)[-2:]
    assert "more" in prompt.text
    assert (prompt.parent_id, reply.parent_id) == (parent, prompt.id)


def test_an_old_id_that_begins_with_a_dash_can_be_named(
    ask: Asking, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        stored("-abc12", "old"),
        stored("xyz", "new", at="2026-02-14 11:00", role="assistant"),
    )

    ask("ask", "--continue=-abc", "more")

    assert kept(project)[-2].parent_id == "-abc12"


def test_a_session_begins_with_its_label_and_goes_on_at_its_newest_message(
    ask: Asking, server: OpenAIServer, project: Path
) -> None:
    ask("ask", "--session", " the  plan ", "one")
    ask("ask", "-n", "elsewhere")
    ask("ask", "--session", "the plan", "two")

    first, reply, _, _, second, _ = kept(project)
    assert (first.title, reply.title, second.title) == ("the plan", None, None)
    assert (second.text, second.parent_id) == ("two", reply.id)
    assert contents(server) == ["one", "You said: one", "two"]


def test_there_must_be_something_to_continue(ask: Asking, project: Path) -> None:
    assert "No conversation to continue" in ask.fails("ask", "-c", "--", "more")
    assert "No message 'gone'" in ask.fails("ask", "-c", "gone", "more")
    assert "No message 'gone'" in ask.fails("ask", "--resume", "gone")
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("-c -G hi", "-c cannot be used with -G"),
        ("--session x -G hi", "--session cannot be used with -G"),
        ("--resume x -G", "--resume cannot be used with -G"),
        ("-c abc --session x hi", "-c cannot be used with --session"),
        ("--resume abc more", "--resume goes on"),
        ("--resume abc -f file", "--resume goes on"),
        ("-s x --persona pirate hi", "-s cannot be used with --persona"),
        ("--persona nobody hi", "there are: pirate"),
        ("--session subagent:x:1 hi", "cannot be the name"),
        ("", "nothing to ask"),
        ("-", "nothing to ask"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: str, words: str, ask: Asking, server: OpenAIServer, project: Path
) -> None:
    assert words in ask.fails("ask", *arguments.split(), code=2)
    assert server.requests == []
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("option", ["-G", "-n", "-m x", "-c x"])
def test_what_is_said_of_the_screen_is_not_taken_for_the_command(
    option: str, ask: Asking, project: Path
) -> None:
    assert "after it" in ask.fails(*option.split(), "ask", "a secret", code=2)
    assert list(project.iterdir()) == []


# What is asked


def test_what_is_piped_in_comes_after_what_was_typed(
    ask: Asking, server: OpenAIServer
) -> None:
    ask("ask", "-n", "Explain:", stdin=b"line 1\nline 2\n\n")
    assert contents(server) == ["Explain:\n\nline 1\nline 2"]

    ask("ask", "-n", "-", stdin="\ufeffgrüße".encode())
    assert contents(server) == ["grüße"]

    ask("ask", "-n", "What is this?", stdin=PNG)
    [[text, image]] = contents(server)
    assert text["text"] == "What is this?"
    assert image["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xff", b"a" * 1_000_001])
def test_what_is_piped_in_must_be_fit_to_send(
    data: bytes, ask: Asking, project: Path
) -> None:
    assert "standard input: is" in ask.fails("ask", "hi", stdin=data)
    assert list(project.iterdir()) == []


def test_files_go_with_the_prompt(
    ask: Asking, server: OpenAIServer, project: Path
) -> None:
    (project / "notes.md").write_text("some notes")
    (project / "shot").write_bytes(PNG)

    ask("ask", "Look:", "-f", "notes.md", "-f", "shot")

    [parts] = contents(server)
    url = f"data:image/png;base64,{b64encode(PNG).decode()}"
    assert parts == [
        {"type": "text", "text": "Look:"},
        {"type": "text", "text": "notes.md:\n\n```\nsome notes\n```"},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    assert said(project)[0].startswith("Look:")


def test_a_file_that_cannot_be_sent_stops_it(ask: Asking, project: Path) -> None:
    assert "gone: there is no such file" in ask.fails("ask", "hi", "-f", "gone")
    assert list(project.iterdir()) == []


def test_model_and_system_prompt_are_those_that_were_named(
    ask: Asking, server: OpenAIServer
) -> None:
    ask("ask", "-n", "hi", "-m", "small")
    body = server.requests[-1].body
    assert (body["model"], body["temperature"]) == ("small", 0.5)
    assert sent(server)[0] == {"role": "system", "content": "Be brief."}

    ask("ask", "-n", "hi", "-m", "small", "-s", "Be long.")
    assert contents(server) == ["Be long.", "hi"]

    ask("ask", "-n", "hi", "--persona", "pirate")
    assert contents(server) == ["Talk like a pirate.", "hi"]
    assert server.requests[-1].body["model"] == "scripted"


def test_what_does_not_fit_is_left_out_and_told(
    ask: Asking, server: OpenAIServer
) -> None:
    ask("ask", "-n", "-m", "small", "long " * 600)

    outcome = ask("ask", "short")

    assert "Left out the oldest 2 turns" in outcome.err
    assert contents(server) == ["Be brief.", "short"]


def test_nobody_is_asked_what_cannot_be_kept(
    ask: Asking, server: OpenAIServer, project: Path
) -> None:
    (project / ".cpeconvo").write_text("not a database at all")

    ask.fails("ask", "hi")

    assert server.requests == []


def test_without_a_model_it_says_how_to_get_one(
    ask: Asking, convotui: Program, project: Path
) -> None:
    Path(convotui.environment["XDG_CONFIG_HOME"], "convotui", "config.toml").unlink()

    assert "convotui models install" in ask.fails("ask", "hi")
    assert list(project.iterdir()) == []


def test_without_a_text_a_terminal_gets_one_line(convotui: Program) -> None:
    with on_terminal(convotui, "ask") as terminal:
        shown = terminal.rest()
        assert terminal.exit_code() == 2

    assert "nothing to ask" in shown
    assert shown.count("\n") <= 2


# What comes back


def test_json_tells_all_there_is_to_know(
    ask: Asking, server: OpenAIServer, project: Path
) -> None:
    server.script(say(Thought("Hm."), "Hello."))

    outcome = ask("ask", "--json", "hi")

    prompt, reply = kept(project)
    told = json.loads(outcome.out)
    assert told.pop("first_token_seconds") <= told.pop("duration_seconds")
    assert told == {
        "id": reply.id,
        "prompt_id": prompt.id,
        "kept": True,
        "text": "Hello.",
        "thinking": "Hm.",
        "left_out": 0,
        "model": "openai/scripted",
        "input_tokens": 11,
        "output_tokens": 7,
        "cached_tokens": None,
        "reasoning_tokens": None,
        "cost": None,
        "finish_reason": "stop",
        "state": "complete",
        "error": None,
    }


def test_a_pipe_gets_the_text_as_it_is_and_no_thoughts(
    ask: Asking, server: OpenAIServer
) -> None:
    server.script(say(Thought("Hm."), "\x1b[31mred\r", "\n\tö \ud83d", "\ude00\n"))

    assert ask("ask", "hi").stdout == "\x1b[31mred\r\n\tö 😀\n".encode()


def test_a_reply_that_may_not_be_longer_says_so(
    ask: Asking, server: OpenAIServer
) -> None:
    server.script(say("One, two", finish="length"))

    assert "may not be longer" in ask("ask", "count").err


@pytest.mark.usefixtures("forked")
def test_the_readme_asks_as_it_says(ask: Asking, project: Path) -> None:
    (project / "a.md").write_text("notes")
    (project / "b.png").write_bytes(PNG)
    [lines] = blocks(section("Ask from the shell"), "sh")

    for line in lines.splitlines():
        piped, _, command = line.rpartition("convotui ask")
        outcome = ask("ask", *shlex.split(command, comments=True), stdin=piped.encode())
        assert outcome.out

    assert len(lines.splitlines()) >= 8
    labels = [message.title for message in kept(project) if message.title]
    assert labels == ["go", "plan"]
    assert "Between you and me?" not in said(project)


# What goes wrong


@pytest.mark.parametrize(
    ("script", "words", "came"),
    [
        (failure(401, "Incorrect API key"), "refuses the key", ""),
        (failure(429, "Slow down", headers={"Retry-After": "7"}), "in 7 seconds", ""),
        (failure(500, "Oops"), "Oops", ""),
        (break_off("Half a"), "broke off", "Half a"),
        (break_off("Half a", end="quiet"), "broke off", "Half a"),
        (say(usage=None), "empty reply", ""),
        (Script([b"data: {nonsense\n\n"]), "no chat reply", ""),
    ],
)
def test_a_failure_is_told_in_one_line_and_nothing_is_lost(
    script: Script,
    words: str,
    came: str,
    ask: Asking,
    server: OpenAIServer,
    project: Path,
) -> None:
    server.script(script)

    outcome = ask("ask", "hi", code=1)

    prompt, reply = kept(project)
    assert (prompt.text, reply.text) == ("hi", came)
    assert reply.facts is not None
    assert reply.facts.state == "failed"
    assert outcome.out == (f"{came}\n" if came else "")
    assert outcome.err.count("\n") == 1
    assert words in outcome.err
    assert f"convotui ask --resume {reply.id}" in outcome.err


def test_a_server_that_is_not_there_is_told(
    ask: Asking, convotui: Program, project: Path
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        settings = Path(convotui.environment["XDG_CONFIG_HOME"], "convotui/config.toml")
        settings.write_text(
            f'[models.mine]\nmodel = "openai/x"\napi_base = "{address}"\n'
        )

        line = ask.fails("ask", "-m", "mine", "hi")

    assert "127.0.0.1" in line
    assert said(project) == ["hi", ""]


def test_a_missing_key_is_named(ask: Asking, project: Path) -> None:
    assert "OPENAI_API_KEY" in ask.fails("ask", "-m", "gpt-4o", "hi")
    assert said(project) == ["hi", ""]


def test_a_failure_is_in_the_json_too(ask: Asking, server: OpenAIServer) -> None:
    server.script(break_off("Half a"))

    outcome = ask("ask", "--json", "hi", code=1)

    told = json.loads(outcome.out)
    assert (told["state"], told["text"]) == ("failed", "Half a")
    assert told["error"] in outcome.err


def test_a_reply_that_broke_off_goes_on(
    ask: Asking, server: OpenAIServer, project: Path
) -> None:
    server.script(break_off("One, "), say("two."))
    ask("ask", "count", code=1)
    [_, broken] = kept(project)

    outcome = ask("ask", "--resume", broken.id[:4])

    assert outcome.out == "One, two.\n"
    assert outcome.err == f"{broken.id}\n"
    assert said(project) == ["count", "One, two."]
    assert contents(server)[:2] == ["count", "One, "]
    assert "cut off" in ask.fails("ask", "--resume", broken.id)
