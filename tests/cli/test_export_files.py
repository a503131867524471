"""`convotui export -o`: into a file that only the user reads, over none unasked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from convotui.export import document

from .limits import let_no_file_exceed, obey_permissions
from .program import Program
from .stores import make, said

pytestmark = pytest.mark.usefixtures("forked")


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("talk.md", "# "),
        ("talk.html", "<!doctype html>"),
        ("TALK.HTM", "<!doctype html>"),
        ("talk.json", "{"),
        ("talk", "# "),
        ("talk.txt", "# "),
    ],
)
def test_the_name_tells_the_format(
    name: str, beginning: str, convotui: Program, project: Path
) -> None:
    assert convotui.says("export", "aB3", "-o", name) == f"Wrote {name}.\n"

    written = (project / name).read_text()
    assert written.lower().startswith(beginning) or written[:1] in "[{"
    assert "Hello, can you help me?" in written


def test_a_format_that_is_named_beats_the_name(
    convotui: Program, project: Path
) -> None:
    convotui.says("export", "aB3", "--format", "json", "--output", "talk.md")

    [message] = document.loads((project / "talk.md").read_text())
    assert message.id == "aB3xK9"


def test_a_file_and_standard_output_get_the_same(
    convotui: Program, project: Path
) -> None:
    for kind in ("md", "html", "json"):
        convotui.says("export", "hI7", "-o", f"talk.{kind}")
        printed = convotui.prints("export", "hI7", "--format", kind)
        assert (project / f"talk.{kind}").read_text() == printed


def test_only_the_user_can_read_it(convotui: Program, project: Path) -> None:
    convotui.says("export", "-o", "talk.md", before=lambda: os.umask(0) and None)

    assert (project / "talk.md").stat().st_mode & 0o777 == 0o600


def test_a_file_that_exists_is_overwritten_only_by_force(
    convotui: Program, project: Path
) -> None:
    (project / "talk.md").write_text("precious")

    line = convotui.refuses("export", "-o", "talk.md")
    assert "talk.md exists" in line
    assert "--force" in line

    convotui.says("export", "-o", "talk.md", "--force")
    assert "Hello, can you help me?" in (project / "talk.md").read_text()
    assert sorted(path.name for path in project.iterdir()) == [".cpeconvo", "talk.md"]


def test_force_needs_no_file_that_exists(convotui: Program, project: Path) -> None:
    convotui.says("export", "--force", "-o", "talk.md")

    assert (project / "talk.md").exists()


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_a_directory_is_no_target(
    force: tuple[str, ...], convotui: Program, project: Path
) -> None:
    (project / "folder").mkdir()

    assert "is a directory" in convotui.refuses("export", *force, "-o", "folder")


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_a_pipe_stays_one(
    force: tuple[str, ...], convotui: Program, project: Path
) -> None:
    os.mkfifo(project / "pipe")

    convotui.refuses("export", *force, "-o", "pipe")

    assert (project / "pipe").is_fifo()


@pytest.mark.parametrize("name", [".cpeconvo", "./.cpeconvo", ".cpeconvo-wal"])
def test_the_store_itself_is_never_overwritten(name: str, convotui: Program) -> None:
    convotui.refuses("export", "--force", "-o", name)


def test_a_link_is_not_followed(
    convotui: Program, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (project / "talk.md").symlink_to(tmp_path / "elsewhere")

    convotui.refuses("export", "-o", "talk.md")
    convotui("export", "--force", "-o", "talk.md")

    assert (tmp_path / "elsewhere").read_text() == "precious"


@pytest.mark.parametrize(
    "name", ["missing/talk.md", "x" * 300 + ".md", "talk.md/x"], ids=lambda n: n[:9]
)
@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_where_there_can_be_no_file_none_is_made(
    force: tuple[str, ...], name: str, convotui: Program, project: Path
) -> None:
    (project / "talk.md").write_text("no directory")

    assert "cannot be written" in convotui.refuses("export", *force, "-o", name)


def test_where_the_user_may_not_write_none_is_made(
    convotui: Program, project: Path
) -> None:
    closed = project / "closed"
    closed.mkdir(mode=0o000)
    try:
        line = convotui.refuses(
            "export", "-o", "closed/talk.md", before=obey_permissions
        )
    finally:
        closed.chmod(0o700)

    assert "Permission denied" in line


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_a_full_disk_leaves_what_was_there(
    force: tuple[str, ...], convotui: Program, project: Path
) -> None:
    make(project / "large", said("aaaaaa", "word " * 20_000))
    if force:
        (project / "talk.md").write_text("precious")

    line = convotui.refuses(
        "--db",
        "large",
        "export",
        *force,
        "-o",
        "talk.md",
        before=let_no_file_exceed(40_000),
    )

    assert "talk.md cannot be written" in line


def test_an_id_that_does_not_exist_makes_no_file(convotui: Program) -> None:
    convotui.refuses("export", "zzzzzz", "-o", "talk.md")
    convotui.refuses("export", "zzzzzz", "--force", "-o", "talk.md")
