"""What takes more than one key: a question, its answer, and what follows from it.

Each flow runs in a worker of the screen that began it and returns what came of it. It
loads its dialog, which the first frame does not need.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import App

from convotui.conversations.browsing import Conversations
from convotui.conversations.trees import Tree
from convotui.storage import Block, MessageId, StorageError, is_subagent
from convotui.text import visible
from convotui.ui.words import count

if TYPE_CHECKING:
    from convotui.conversations.models import Models
    from convotui.storage import Change


class NoLabelsError(StorageError):
    """There is no label to choose."""


async def delete(
    app: App[object], conversations: Conversations, message_id: MessageId
) -> Change | None:
    """Delete a message with everything below it, and ask first if there is anything."""
    from convotui.ui.screens.deleting import DeleteDialog

    weight = await conversations.weigh(message_id)
    if weight.messages > 1 and not await app.push_screen_wait(DeleteDialog(weight)):
        return None
    return await conversations.delete(message_id)


async def label(
    app: App[object],
    conversations: Conversations,
    message_id: MessageId,
    answer: str | None = None,
) -> Change | None:
    """Set a label, and ask for it if it is not given."""
    from convotui.ui.screens.labelling import LabelDialog

    if answer is None:
        message = await conversations.message(message_id)
        answer = await app.push_screen_wait(LabelDialog(message.title))
    if answer is None:
        return None
    return await conversations.label(message_id, answer)


async def choose_label(app: App[object], tree: Tree) -> int | None:
    """Let the user choose one of the labels; the row of its message."""
    from convotui.ui.screens.choosing import Choice, ChoiceDialog

    choices = [
        Choice(str(position), title, tree.outline.ids[position])
        for position, title in sorted(tree.outline.titles.items(), reverse=True)
        if not is_subagent(title)
    ]
    if not choices:
        raise NoLabelsError("There are no labels yet; L sets one.")
    chosen = await app.push_screen_wait(ChoiceDialog("Jump to a label", choices))
    return None if chosen is None else tree.forest.nearest_row(int(chosen))


async def export(
    app: App[object], conversations: Conversations, message_id: MessageId, below: int
) -> str | None:
    """Ask what to export where, and write it; what to tell the user."""
    from convotui.export.naming import file_name
    from convotui.ui.screens.exporting import ExportDialog

    message = await conversations.message(message_id)
    wanted = await app.push_screen_wait(ExportDialog(file_name(message, ""), below))
    if wanted is None:
        return None
    left_out = await conversations.export(
        message_id,
        wanted.path,
        wanted.kind,
        whole_subtree=wanted.whole_subtree,
        overwrite=wanted.overwrite,
    )
    return f"Wrote {wanted.path}. {left_out}".rstrip()


async def copy(
    app: App[object], conversations: Conversations, message_id: MessageId, marked: str
) -> str | None:
    """Ask what of a message to copy, and copy it; what to tell the user."""
    from convotui.ui.screens.choosing import Choice, ChoiceDialog

    choices = [
        Choice("text", "the text of this message"),
        Choice("id", "its id", message_id),
        Choice("thread", "the whole thread as Markdown"),
    ]
    if marked:
        choices.insert(0, Choice("marked", "what is selected"))
    chosen = await app.push_screen_wait(ChoiceDialog("Copy", choices))
    if chosen is None:
        return None
    texts = {"marked": marked, "id": str(message_id)}
    if chosen == "text":
        texts["text"] = (await conversations.message(message_id)).text
    elif chosen == "thread":
        texts["thread"] = await conversations.markdown(message_id)
    # A terminal would obey what it is given to copy, and some shells a last newline.
    app.copy_to_clipboard(visible(texts[chosen]).rstrip("\n"))
    what = next(choice.text for choice in choices if choice.key == chosen)
    return f"Copied {what}."


async def choose_model(app: App[object], models: Models) -> str | None:
    """Let the user choose one of the models that can be used now; its name."""
    from convotui.ui.screens.choosing import Choice, ChoiceDialog
    from convotui.ui.words import model_facts

    found = await asyncio.to_thread(models.usable)
    if not found:
        return "" if await offer_model(app, models) else None
    choices = [Choice(it.name, it.name, model_facts(it)) for it in found]
    return await app.push_screen_wait(ChoiceDialog("Ask which model?", choices))


async def offer_model(app: App[object], models: Models) -> bool:
    """Offer the built-in model to somebody who has none; whether it is there now."""
    from convotui.conversations.models import NO_MODEL
    from convotui.ui.screens.confirming import ConfirmDialog
    from convotui.ui.screens.fetching import FetchDialog

    if not models.can_install:
        app.notify(NO_MODEL, severity="warning", markup=False, timeout=10)
        return False
    question = ConfirmDialog(
        "There is no model to ask yet.",
        "A small one can run on this machine, without a key or a network: "
        "SmolLM2 135M (98 MB, Apache-2.0). It is good for trying things out and not "
        "for much more.\n\nFor others, set a key such as ANTHROPIC_API_KEY, or start "
        "Ollama.",
        "fetches it",
    )
    if not await app.push_screen_wait(question):
        return False
    problem = await app.push_screen_wait(FetchDialog(models))
    if problem:
        app.notify(problem, severity="error", markup=False)
    return problem == ""


async def may_send(app: App[object], blocks: Sequence[Block]) -> bool:
    """Ask before something that looks like a key is saved and sent."""
    from convotui.secrets import find_secret
    from convotui.ui.screens.confirming import ConfirmDialog

    found = next(filter(None, (find_secret(block.content) for block in blocks)), None)
    if found is None:
        return True
    question = ConfirmDialog(
        f"This looks like {found}.",
        "It would be sent to the model and saved in the project's file, where "
        "everybody who gets that file can read it.",
        "sends it all the same",
    )
    return await app.push_screen_wait(question) is True


async def may_leave(app: App[object], running: int) -> bool:
    """Ask before replies that are still being written are stopped."""
    from convotui.ui.screens.confirming import ConfirmDialog

    if not running:
        return True
    replies = count(running, "reply", "replies")
    question = ConfirmDialog(
        f"{replies} still being written.",
        "What has arrived is kept; c continues it later.",
        "stops and leaves",
    )
    return await app.push_screen_wait(question) is True


async def bring_in(app: App[object], conversations: Conversations) -> str | None:
    """Import conversations of other programs; what to tell the user."""
    from convotui.ui.screens.importing import ImportDialog

    report = await app.push_screen_wait(ImportDialog(conversations))
    if report is None:
        return None
    intake = report.intake
    skipped = f"; {report.skipped:,} skipped" if report.skipped else ""
    return f"Imported {count(intake.new + intake.grown, 'message')}{skipped}."


async def show_totals(
    app: App[object], conversations: Conversations, message_id: MessageId | None
) -> None:
    """Show what the thread, the branch and everything add up to."""
    from convotui.ui.screens.totals import TotalsDialog

    here, project = await conversations.statistics(message_id)
    await app.push_screen_wait(TotalsDialog(here, project))
