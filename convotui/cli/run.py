"""One run of the command line, from the arguments to the exit code.

0 is done, 1 failed, 2 a mistake in how it was called, 130 interrupted. Whatever goes
wrong is said in one line on standard error.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from convotui.cli.context import end, end_quietly, notice
from convotui.cli.root import cli
from convotui.conversations.files import ExportError
from convotui.settings import SettingsError
from convotui.storage import StorageError

FAILED = 1
INTERRUPTED = 130


def run() -> NoReturn:
    """Run the command that the arguments name, and exit."""
    _prepare_streams()
    try:
        cli.main(prog_name="convotui", standalone_mode=False)
        sys.stdout.flush()
    except NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(error.exit_code)
    except click.UsageError as error:
        where = f"{error.ctx.command_path} --help" if error.ctx else "convotui --help"
        _fail(f"{error.format_message()} See '{where}'.", error.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except (StorageError, SettingsError, ExportError) as error:
        _fail(str(error), FAILED)
    except (KeyboardInterrupt, click.Abort):
        _fail("Interrupted.", INTERRUPTED)
    except BrokenPipeError:
        end_quietly()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}.", FAILED)
    sys.exit(0)


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # It was closed before we began.
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        else:
            # What a terminal's encoding lacks becomes a question mark, not a crash.
            stream.reconfigure(errors="replace")


def _fail(message: str, code: int) -> NoReturn:
    notice(f"convotui: {message}")
    end(code)
