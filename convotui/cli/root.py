"""The command `convotui` itself and the names of the others."""

from __future__ import annotations

import gc
from importlib import import_module
from pathlib import Path

import click

from convotui.cli.arguments import MESSAGE_ID
from convotui.cli.context import Session
from convotui.cli.examples import epilog_of

_COMMANDS = {
    "ask": "asking",
    "list": "listing",
    "print": "printing",
    "search": "searching",
    "label": "labelling",
    "delete": "deleting",
    "undo": "deleting",
    "redo": "deleting",
    "trash": "trash",
    "clean": "cleaning",
    "export": "exporting",
    "import": "importing",
    "stats": "statistics",
    "models": "models",
    "doctor": "doctor",
    "demo": "demo",
    "completion": "completion",
}
"""Each command and the module that it is in."""

_ALIASES = {
    "ls": "list",
    "show": "print",
    "view": "print",
    "rm": "delete",
    "remove": "delete",
}


class _Commands(click.Group):
    """Commands whose modules are loaded when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = _ALIASES.get(name, name)
        if name not in _COMMANDS:
            return None
        module = import_module(f"convotui.cli.{_COMMANDS[name]}")
        command: click.Command = getattr(module, f"{name}_command")
        command.epilog = epilog_of(name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        _, command, rest = super().resolve_command(ctx, args)
        return command.name if command else None, command, rest


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="ID is a message's id, or as much of it as is unique. Write -- before one "
    "that begins with a dash.",
)
@click.option(
    "--db",
    type=click.Path(path_type=Path),
    envvar="CONVOTUI_DB",
    help="The file of conversations. Default: the project's .cpeconvo, the nearest one "
    "at or above this directory within its repository.",
)
@click.option(
    "-c",
    "--continue",
    "start",
    metavar="ID",
    type=MESSAGE_ID,
    help="Open the screen at message ID.",
)
@click.option("-n", "--new", "begin_new", is_flag=True, help="Begin a conversation.")
@click.option(
    "-G", "--incognito", is_flag=True, help="Keep everything in memory, and no file."
)
@click.option("-m", "--model", default="", help="The model to ask.")
@click.version_option(package_name="convotui", message="convotui %(version)s")
@click.pass_context
def cli(
    ctx: click.Context,
    db: Path | None,
    start: str | None,
    begin_new: bool,
    incognito: bool,
    model: str,
) -> None:
    """Browse a project's conversations as one tree, beside the thread you are in.

    Without a command, the screen opens. Everything it does, a command does too.
    """
    ctx.obj = session = Session(db)
    if ctx.invoked_subcommand is not None:
        if start or begin_new or incognito or model:
            # Whoever asks for silence must not be overheard.
            raise click.UsageError(
                "-c, -n, -G and -m before a command are for the screen; write them "
                "after it."
            )
        gc.enable()
        return
    if incognito and start:
        raise click.UsageError(
            "-c cannot be used with -G: nothing is kept to go on from."
        )
    from convotui.cli.screen import open_screen

    open_screen(
        session,
        start=None if begin_new else start,
        begin_new=begin_new,
        incognito=incognito,
        model=model,
    )
