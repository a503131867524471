"""What every command shares: the project's store, its settings, the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from convotui.location import find_store, keep_out_of_git
from convotui.settings import Settings, read_settings
from convotui.text import visible_line
from convotui.tree import ASCII, UNICODE, Glyphs

if TYPE_CHECKING:
    from convotui.storage import Store


class CommandError(Exception):
    """Something that keeps a command from running; the text says what."""

    exit_code = 1


class Session:
    """One use of the command line."""

    def __init__(self, db: Path | None) -> None:
        self._db = db

    @cached_property
    def store_path(self) -> Path:
        """The file that was named, or else the project's."""
        try:
            if self._db is not None:
                # Naming a link is choosing what it leads to.
                return self._db.expanduser().resolve()
            return find_store(Path.cwd())
        except FileNotFoundError:
            raise CommandError("This directory no longer exists.") from None
        except (OSError, RuntimeError) as error:
            raise CommandError(f"{self._db}: leads nowhere ({error}).") from None

    @cached_property
    def settings(self) -> Settings:
        """What the user has chosen."""
        from platformdirs import user_config_path

        return read_settings(
            user_config_path("convotui"), self.store_path.parent, os.environ
        )

    @contextmanager
    def open_store(self) -> Iterator[Store]:
        """Open the store for as long as a command needs it."""
        # A setting that cannot be used is told before anything is written.
        from convotui.storage import Store

        on_made = self._keep_out_of_git if self.settings.git_exclude else None
        with Store(self.store_path, on_made=on_made) as store:
            yield store

    @cached_property
    def colour(self) -> bool:
        """Whether colours help: on a terminal, unless the user wants none."""
        return (
            sys.stdout.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )

    @cached_property
    def width(self) -> int | None:
        """How wide the terminal is; `None` where nothing needs to be cut."""
        return shutil.get_terminal_size().columns if sys.stdout.isatty() else None

    @cached_property
    def is_ascii(self) -> bool:
        """Whether the terminal, or the user, wants nothing but ASCII."""
        encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
        names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
        # Python writes UTF-8 in the C locale, too, which the terminal may not read.
        plain = next(filter(None, names), "") in ("C", "POSIX")
        return plain or encoding != "utf8" or self.settings.ascii

    @property
    def glyphs(self) -> Glyphs:
        """What the tree can be drawn with here."""
        return ASCII if self.is_ascii else UNICODE

    @property
    def ellipsis(self) -> str:
        """What stands for text that was cut."""
        return "…" if self.glyphs is UNICODE else "..."

    def style(self, text: str, **styles: Any) -> str:
        """Return `text` in colour, where colours help."""
        if not self.colour:
            return text
        import click

        return click.style(text, **styles)

    def _keep_out_of_git(self, path: Path) -> None:
        if keep_out_of_git(path):
            notice(
                f"{path.name} is in .git/info/exclude now, so that it stays private."
            )


def notice(message: str) -> None:
    """Say something that is not the command's output, on one line."""
    print(visible_line(message), file=sys.stderr, flush=True)  # noqa: T201


def end_quietly() -> NoReturn:
    """Exit as if all was read, where whoever was reading has read enough."""
    end(0)


def end(code: int) -> NoReturn:
    """Exit, whether or not what is still to be written can be."""
    try:
        sys.stdout.flush()
    except OSError:
        # Python would try it again at the end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
