"""A label or a text names a file in the place that was chosen, and no other."""

from __future__ import annotations

import os
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from convotui.conversations.files import ExportError, write_file
from convotui.export.naming import file_name
from convotui.storage import Block, Draft, Store

from .strings import STRINGS, odd_characters, storable

NAMES = [*STRINGS.values(), *odd_characters(), "", "-rf", "..", "a/../../b", "CON"]


def test_86_every_text_names_a_file_in_the_directory(
    store: Store, tmp_path: Path
) -> None:
    drafts = [
        Draft("user", [Block(name)], title=storable(name)[:2_000] or None)
        for name in NAMES
    ]
    for message in store.get(store.save(drafts)):
        name = file_name(message, ".md")
        assert len(name.encode()) <= 255
        assert name[0] not in "-."
        assert (tmp_path / name).parent == (tmp_path / name).resolve().parent
        (tmp_path / name).touch()


def test_86_an_export_is_the_users_own_and_overwrites_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    before = os.umask(0)
    try:
        write_file(path, ["words"])
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("mine")
    with pytest.raises(ExportError):
        write_file(path, ["words"])
    assert path.read_text() == "mine"


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("target", ["exists", "dangles"])
def test_86_an_export_follows_no_link(
    tmp_path: Path, target: str, overwrite: bool
) -> None:
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "out.md"
    if target == "exists":
        elsewhere.write_text("theirs")
    link.symlink_to(elsewhere)

    with nullcontext() if overwrite else pytest.raises(ExportError):
        write_file(link, ["words"], overwrite=overwrite)

    assert elsewhere.exists() is (target == "exists")
    assert target == "dangles" or elsewhere.read_text() == "theirs"
