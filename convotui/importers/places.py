"""Where other programs keep their conversations on this machine.

A format names its places as patterns, in which `{home}`, `{config}` and `{data}` are
the user's directories, `{project}` is the project's, and `{dashed_project}` is the
project's path with a dash for all but letters and digits. A name in capitals is of an
environment variable; where that is not set, there is no such place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from glob import escape, iglob
from pathlib import Path

from platformdirs import user_config_path, user_data_path

from convotui.importers.formats import Format, formats

_NAME = re.compile(r"\{(\w+)\}")


def find_places(project: Path) -> Iterator[tuple[Format, Path]]:
    """Yield what is there of the places of each format, each once."""
    known = {
        "home": Path.home(),
        "config": user_config_path(roaming=True),
        "data": user_data_path(),
        "project": project,
        "dashed_project": re.sub(r"[^A-Za-z0-9]", "-", str(project)),
        **{name: Path(value).expanduser() for name, value in _set_variables()},
    }
    names = {name: escape(str(path)) for name, path in known.items()}
    for format_ in formats():
        found: dict[str, str] = {}
        for pattern in format_.places:
            if all(name in names for name in _NAME.findall(pattern)):
                place = pattern.format_map(names)
                for path in iglob(place, recursive=True):
                    found.setdefault(os.path.realpath(path), path)
        yield from ((format_, Path(path)) for path in sorted(found.values()))


def _set_variables() -> Iterator[tuple[str, str]]:
    patterns = (pattern for format_ in formats() for pattern in format_.places)
    for name in {name for pattern in patterns for name in _NAME.findall(pattern)}:
        if name.isupper() and (value := os.environ.get(name, "").strip()):
            yield name, value
