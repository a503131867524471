"""What a run that failed says, and how it exits."""

from __future__ import annotations

from typing import NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from convotui.cli.context import CommandError, end, end_quietly, notice
from convotui.conversations.files import ExportError
from convotui.settings import SettingsError
from convotui.storage import StorageError

FAILED = 1
INTERRUPTED = 130


def end_with(error: BaseException) -> NoReturn:
    """Exit with a line about what went wrong.

    Raises:
        BaseException: The error itself, if it is none that anybody expected.
    """
    match error:
        case NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            end(error.exit_code)
        case click.UsageError():
            path = error.ctx.command_path if error.ctx else "convotui"
            line = f"{error.format_message()} See '{path} --help'."
            _fail(line, error.exit_code)
        case click.ClickException():
            _fail(error.format_message(), error.exit_code)
        case CommandError():
            _fail(str(error), error.exit_code)
        case StorageError() | SettingsError() | ExportError():
            _fail(str(error), FAILED)
        case KeyboardInterrupt() | click.Abort():
            _fail("Interrupted.", INTERRUPTED)
        case BrokenPipeError():
            end_quietly()
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            _fail(f"{where}{error.strerror or error}.", FAILED)
    raise error


def _fail(message: str, code: int) -> NoReturn:
    notice(f"convotui: {message}")
    end(code)
