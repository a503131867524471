"""A manual page out of the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click

from convotui.cli.examples import EXAMPLES
from convotui.cli.models import install_command
from convotui.cli.root import cli

_FILES = (
    (".cpeconvo", "The conversations of a project."),
    (".convotui.toml", "The settings of a project."),
    ("~/.config/convotui/config.toml", "Your own settings, on Linux."),
    ("~/.local/share/convotui/models", "The built-in model, on Linux."),
)
_VARIABLES = (
    ("CONVOTUI_DB", "The file of conversations."),
    ("CONVOTUI_MODEL", "The model to ask."),
    ("CONVOTUI_ASCII", "Draw the tree with ASCII only."),
    ("CONVOTUI_GIT_EXCLUDE", "Keep a new file of conversations out of git."),
    ("NO_COLOR", "Print no colours."),
)
_CODES = (
    ("0", "Done."),
    ("1", "Failed; the one line on standard error says why."),
    ("2", "A mistake in the arguments."),
    ("130", "Interrupted."),
)


def page() -> str:
    """Return the manual page of convotui."""
    root = click.Context(cli, info_name="convotui")
    lines = [
        '.TH CONVOTUI 1 "" "" "User Commands"',
        ".SH NAME",
        r"convotui \- conversations with language models as one tree",
        ".SH SYNOPSIS",
        ".B convotui",
        _escaped(" ".join(cli.collect_usage_pieces(root))),
        ".SH DESCRIPTION",
        *_paragraphs(cli.help or ""),
        *_paragraphs(cli.epilog or ""),
        ".SH OPTIONS",
        *_options(root),
        ".SH COMMANDS",
        *_commands(root),
    ]
    for title, pairs in (
        ("ENVIRONMENT", _VARIABLES),
        ("FILES", _FILES),
        ("EXIT STATUS", _CODES),
    ):
        lines.append(f".SH {title}")
        for name, text in pairs:
            lines += [".TP", f".B {_escaped(name)}", _escaped(text)]
    return "\n".join(lines) + "\n"


def _commands(root: click.Context) -> Iterator[str]:
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        assert command is not None
        context = click.Context(command, root, info_name=name)
        yield from _command(context)
        if isinstance(command, click.Group):
            for part in command.list_commands(context):
                below = command.get_command(context, part)
                assert below is not None
                yield from _command(click.Context(below, context, info_name=part))
        elif name == "models":
            yield from _command(click.Context(install_command, context, "install"))
        yield from _examples(name)


def _command(context: click.Context) -> Iterator[str]:
    pieces = context.command.collect_usage_pieces(context)
    yield f".SS {_escaped(' '.join([context.command_path, *pieces]))}"
    yield from _paragraphs(context.command.help or "")
    yield from _options(context)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        # Arguments are in the usage, and every command has help.
        if record and record[1] and "--help" not in parameter.opts:
            names, text = record
            yield from (".TP", f".B {_escaped(names)}", _escaped(text))


def _examples(name: str) -> Iterator[str]:
    yield from (".PP", ".nf", ".RS")
    for line, text in EXAMPLES[name]:
        yield _escaped(f"{line}  # {text}")
    yield from (".RE", ".fi")


def _escaped(text: str) -> str:
    r"""Return text as roff prints it: `\` and a dot or quote at the front mean more."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    text = text.replace('"', r"\(dq").replace("`", r"\(ga").replace("~", r"\(ti")
    return rf"\&{text}" if text.startswith(".") else text
