"""`convotui ask`: a question, and the reply on standard output."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from convotui.cli.arguments import MESSAGE_ID
from convotui.cli.context import Session, end, notice
from convotui.cli.format import write
from convotui.cli.options import json_option, pass_session
from convotui.conversations.attachments import (
    MAX_MEDIA,
    AttachError,
    attach,
    media_of,
    text_of,
)
from convotui.conversations.labels import clean_label
from convotui.conversations.sessions import newest_of_session
from convotui.secrets import find_secret
from convotui.storage import Block, MessageId, ReplyFacts, is_subagent

if TYPE_CHECKING:
    from convotui.cli.replying import Received
    from convotui.conversations.reply import Reply
    from convotui.storage import Store

_STDIN = "-"
_ID = re.compile(r"(?!-$)[\w-]+", re.ASCII)


class _AskCommand(click.Command):
    """`--continue=ID` also takes an id that begins with a dash, as old ones do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = args[: args.index("--")] if "--" in args else args
        for position, option in enumerate(options):
            if option.startswith("--continue="):
                # click would take it for another option, if its value can be left out.
                args[position] = option.replace("--continue=", "--from=", 1)
        return super().parse_args(ctx, args)


@click.command("ask", cls=_AskCommand, short_help="Ask a model.")
@click.argument("words", metavar="[TEXT | -]...", nargs=-1)
@click.option(
    "-c",
    "--continue",
    "start",
    metavar="[ID]",
    type=MESSAGE_ID,
    is_flag=False,
    flag_value="",
    help="Reply to message ID; without ID to the newest reply, as without -c.",
)
@click.option("--from", "exact", type=MESSAGE_ID, hidden=True)
@click.option("-n", "--new", "begin_new", is_flag=True, help="Begin a conversation.")
@click.option(
    "-G",
    "--incognito",
    "--no-save",
    "incognito",
    is_flag=True,
    help="Begin a conversation that is kept nowhere.",
)
@click.option(
    "--resume", metavar="ID", type=MESSAGE_ID, help="Go on with a reply that broke off."
)
@click.option(
    "--session",
    "label",
    metavar="NAME",
    help="Go on with the newest message below the label NAME, or begin it.",
)
@click.option("-m", "--model", default="", help="The model to ask.")
@click.option("-s", "--system", metavar="TEXT", help="The system prompt.")
@click.option("--persona", metavar="NAME", help="A system prompt of the settings.")
@click.option(
    "-f",
    "--file",
    "files",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Attach a text, an image or a PDF; can be repeated.",
)
@click.option(
    "--allow-secrets", is_flag=True, help="Ask even with what looks like a key."
)
@json_option
@pass_session
def ask_command(session: Session, /, as_json: bool, **options: Any) -> None:
    """Ask a model TEXT, what is piped in, or both, and print the reply as it comes.

    Without an option it goes on with the newest reply, or begins a conversation if
    there is none. The id of the new reply is on standard error.
    """
    question = _Question(**options)
    question.refuse_contradictions()
    received = _ask(session, question, show=not as_json)
    is_kept = not question.incognito
    if as_json:
        write([json.dumps(_json(received, is_kept), indent=2) + "\n"])
    _tell(received, is_kept)


@dataclass
class _Question:
    """What the command was given."""

    words: tuple[str, ...]
    start: str | None
    exact: str | None
    begin_new: bool
    incognito: bool
    resume: str | None
    label: str | None
    model: str
    system: str | None
    persona: str | None
    files: tuple[Path, ...]
    allow_secrets: bool

    def __post_init__(self) -> None:
        if self.exact is not None:
            self.start = self.exact
        elif self.start and not _ID.fullmatch(self.start):
            # What cannot be an id is the text that comes after `-c`.
            self.words = (self.start, *self.words)
            self.start = ""

    def refuse_contradictions(self) -> None:
        """Refuse what cannot all be meant."""
        places = {
            "-c": self.start is not None,
            "--session": self.label is not None,
            "--resume": self.resume is not None,
        }
        chosen = [option for option, is_chosen in places.items() if is_chosen]
        if self.incognito and chosen:
            raise click.UsageError(
                f"{chosen[0]} cannot be used with -G: nothing is kept to go on from."
            )
        if len(chosen) > 1:
            raise click.UsageError(f"{chosen[0]} cannot be used with {chosen[1]}.")
        if self.resume is not None and (self.words or self.files or self.begin_new):
            raise click.UsageError(
                "--resume goes on with a reply and says nothing; -c ID replies to one."
            )
        if self.system is not None and self.persona is not None:
            raise click.UsageError("-s cannot be used with --persona.")

    def system_prompt(self, session: Session) -> str | None:
        """Return the system prompt that was asked for, if one was."""
        if self.persona is None:
            return self.system
        personas = session.settings.personas
        if self.persona not in personas:
            choices = ", ".join(sorted(personas)) or "none"
            raise click.UsageError(
                f"There is no persona {self.persona!r}; there are: {choices}."
            )
        return personas[self.persona]

    def blocks(self) -> list[Block]:
        """Return all that is to be said: what was typed, piped in and attached."""
        text = " ".join(word for word in self.words if word != _STDIN)
        attached = [attach(path) for path in self.files]
        if _STDIN in self.words or not (sys.stdin and sys.stdin.isatty()):
            data = sys.stdin.buffer.read(MAX_MEDIA + 1) if sys.stdin else b""
            if media := media_of(data, "standard input"):
                attached.insert(0, media)
            else:
                piped = text_of(data, "standard input").rstrip("\n")
                text = "\n\n".join(filter(str.strip, (text, piped)))
        said = [Block(text)] if text.strip() else []
        if not said and not attached:
            raise click.UsageError("There is nothing to ask: type it or pipe it in.")
        self._refuse_secrets([*said, *attached])
        return [*said, *attached]

    def _refuse_secrets(self, blocks: list[Block]) -> None:
        """Refuse what would be sent and saved by mistake."""
        found = next(filter(None, (find_secret(it.content) for it in blocks)), None)
        if found is not None and not self.allow_secrets:
            raise click.UsageError(
                f"This looks like {found}; --allow-secrets asks all the same."
            )

    def place(self, store: Store) -> tuple[MessageId | None, str | None]:
        """Return the message to reply to, if any, and the label to begin with."""
        if self.label is not None:
            label = _session_label(self.label)
            newest = None
            if not self.begin_new:
                newest = newest_of_session(store.outline(), label)
            return newest, None if newest else label
        if self.begin_new:
            return None, None
        if self.start:
            return store.resolve(self.start), None
        newest = store.newest_reply()
        if newest is None and self.start is not None:
            raise click.ClickException("No conversation to continue; -n begins one.")
        return newest, None


def _session_label(name: str) -> str:
    label = clean_label(name)
    if label is None or is_subagent(label):
        raise click.UsageError(f"{name!r} cannot be the name of a session.")
    return label


def _ask(session: Session, question: _Question, *, show: bool) -> Received:
    from convotui.cli.replying import receive
    from convotui.cli.talking import models_of, replies_of
    from convotui.conversations.models import NoModelError
    from convotui.conversations.replies import AskError
    from convotui.storage import Store

    models = models_of(session, question.model, question.system_prompt(session))
    try:
        blocks = [] if question.resume is not None else question.blocks()
        with Store(None) if question.incognito else session.open_store() as store:
            replies = replies_of(lambda: store, models)
            if question.resume is not None:
                begin = replies.resume(store.resolve(question.resume))
            else:
                parent, label = question.place(store)
                begin = replies.ask(parent, blocks, label)
            return receive(replies, begin, show=show, is_kept=not question.incognito)
    except (AttachError, AskError, NoModelError) as error:
        raise click.ClickException(str(error)) from None


def _json(received: Received, is_kept: bool) -> dict[str, Any]:
    message = received.asked.reply.message
    facts = message.facts or ReplyFacts()
    thoughts = (block.content for block in message.blocks if block.type == "thinking")
    return {
        "id": message.id,
        "prompt_id": message.parent_id,
        "kept": is_kept,
        "text": message.text,
        "thinking": "\n\n".join(thoughts),
        "left_out": received.asked.fitted.left_out,
        **asdict(facts),
    }


def _tell(received: Received, is_kept: bool) -> None:
    """Say on standard error what there is to know beside the reply."""
    reply, left_out = received.asked.reply, received.asked.fitted.left_out
    facts = reply.message.facts or ReplyFacts()
    if left_out:
        notice(f"Left out the oldest {left_out} turns, for which there was no room.")
    whereabouts = _whereabouts(reply, facts, is_kept)
    if received.signal is not None:
        notice(f"convotui: Interrupted. {whereabouts}")
        end(128 + received.signal)
    if facts.state == "failed":
        raise click.ClickException(f"{facts.error} {whereabouts}")
    if reply.problem:
        raise click.ClickException(whereabouts)
    error = received.output_error
    if error is not None and not isinstance(error, BrokenPipeError):
        raise error
    if facts.finish_reason == "length":
        notice("The reply ends here because it may not be longer.")
    if is_kept:
        notice(reply.message.id)


def _whereabouts(reply: Reply, facts: ReplyFacts, is_kept: bool) -> str:
    """Say what has become of a reply that the user may not have seen whole."""
    message_id = reply.message.id
    if reply.problem:
        return f"The end of the reply {message_id} could not be kept: {reply.problem}"
    if not is_kept:
        return ""
    if facts.state == "complete":
        return f"The reply is kept as {message_id}."
    return f"What arrived is kept; 'convotui ask --resume {message_id}' goes on."
