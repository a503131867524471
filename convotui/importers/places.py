"""Where other programs keep their conversations on this machine.

A format names its places as patterns, in which `{home}`, `{config}` and `{data}` are
the user's directories, `{project}` is the project's, and `{dashed_project}` is the
project's path with a dash for all but letters and digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from glob import escape, iglob
from pathlib import Path

from platformdirs import user_config_path, user_data_path

from convotui.importers.formats import Format, formats


def find_places(project: Path) -> Iterator[tuple[Format, Path]]:
    """Yield what is there of the places of each format."""
    known = {
        "home": Path.home(),
        "config": user_config_path(roaming=True),
        "data": user_data_path(),
        "project": project,
        "dashed_project": re.sub(r"[^A-Za-z0-9]", "-", str(project)),
    }
    names = {name: escape(str(path)) for name, path in known.items()}
    for format_ in formats():
        for pattern in format_.places:
            for path in sorted(iglob(pattern.format_map(names), recursive=True)):
                yield format_, Path(path)
