"""Where a project's store is, and that git leaves it alone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from convotui.location import (
    find_store,
    is_in_git,
    keep_out_of_git,
    repository_root,
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with directories below and a store above it."""
    (tmp_path / ".cpeconvo").touch()
    root = tmp_path / "repository"
    (root / ".git" / "info").mkdir(parents=True)
    (root / "source" / "deep").mkdir(parents=True)
    return root


@pytest.fixture
def worktree(repository: Path) -> Path:
    """Another working tree of the repository, as git makes them."""
    place = repository / ".git" / "worktrees" / "tree"
    place.mkdir(parents=True)
    (place / "commondir").write_text("../..\n")
    tree = repository.parent / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {place}\n")
    return tree


def test_a_store_in_the_directory_is_the_nearest(repository: Path) -> None:
    (repository / ".cpeconvo").touch()
    (repository / "source" / ".cpeconvo").touch()

    assert find_store(repository / "source") == repository / "source" / ".cpeconvo"
    assert (
        find_store(repository / "source" / "deep")
        == repository / "source" / ".cpeconvo"
    )


def test_the_search_goes_up_to_the_root_of_the_repository(repository: Path) -> None:
    (repository / ".cpeconvo").touch()

    assert find_store(repository / "source" / "deep") == repository / ".cpeconvo"


def test_the_search_does_not_leave_the_repository(repository: Path) -> None:
    deep = repository / "source" / "deep"

    assert find_store(deep) == deep / ".cpeconvo"
    assert not (deep / ".cpeconvo").exists()


def test_outside_a_repository_only_the_directory_counts(tmp_path: Path) -> None:
    (tmp_path / ".cpeconvo").touch()
    (tmp_path / "below").mkdir()

    assert find_store(tmp_path) == tmp_path / ".cpeconvo"
    assert find_store(tmp_path / "below") == tmp_path / "below" / ".cpeconvo"


def test_a_worktree_is_a_repository_of_its_own(worktree: Path) -> None:
    (worktree / "below").mkdir()

    assert repository_root(worktree / "below") == worktree
    assert find_store(worktree / "below") == worktree / "below" / ".cpeconvo"


def test_a_broken_link_is_found_rather_than_passed_over(repository: Path) -> None:
    (repository / ".cpeconvo").symlink_to(repository / "nowhere")

    assert find_store(repository / "source") == repository / ".cpeconvo"


def excluded(repository: Path) -> str:
    return (repository / ".git" / "info" / "exclude").read_text()


def test_git_is_told_once(repository: Path) -> None:
    assert keep_out_of_git(repository / "source" / ".cpeconvo")
    assert not keep_out_of_git(repository / ".cpeconvo")

    assert excluded(repository) == ".cpeconvo*\n"


@pytest.mark.parametrize("present", ["*.log\n", "*.log", "# notes\n\n*.log"])
def test_what_git_was_told_before_stays(present: str, repository: Path) -> None:
    (repository / ".git" / "info" / "exclude").write_text(present)

    assert keep_out_of_git(repository / ".cpeconvo")

    assert excluded(repository).splitlines() == [*present.splitlines(), ".cpeconvo*"]


def test_a_comment_about_it_is_not_the_pattern(repository: Path) -> None:
    (repository / ".git" / "info" / "exclude").write_text("# not .cpeconvo* yet\n")

    assert keep_out_of_git(repository / ".cpeconvo")

    assert excluded(repository).endswith("\n.cpeconvo*\n")


def test_what_git_was_told_in_another_encoding_is_no_hindrance(
    repository: Path,
) -> None:
    exclude = repository / ".git" / "info" / "exclude"
    exclude.write_bytes(b"# f\xfcr mich\n")

    keep_out_of_git(repository / ".cpeconvo")

    assert exclude.read_bytes().startswith(b"# f\xfcr mich\n")


def test_a_repository_without_such_a_list_gets_one(repository: Path) -> None:
    (repository / ".git" / "info").rmdir()

    assert keep_out_of_git(repository / ".cpeconvo")

    assert excluded(repository) == ".cpeconvo*\n"


def test_a_worktree_shares_the_list_of_its_repository(
    repository: Path, worktree: Path
) -> None:
    assert keep_out_of_git(worktree / ".cpeconvo")

    assert excluded(repository) == ".cpeconvo*\n"


@pytest.mark.parametrize("marker", [b"gitdir: ../nowhere\n", b"", b"\xff\xfe", b"x"])
def test_a_marker_that_leads_nowhere_changes_nothing(
    marker: bytes, tmp_path: Path
) -> None:
    (tmp_path / ".git").write_bytes(marker)

    assert not keep_out_of_git(tmp_path / ".cpeconvo")

    assert [path.name for path in tmp_path.iterdir()] == [".git"]


def test_outside_a_repository_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert not keep_out_of_git(tmp_path / ".cpeconvo")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_itself_no_longer_sees_the_store(tmp_path: Path) -> None:
    def git(*arguments: str, directory: Path) -> str:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=directory,
            env={"PATH": str(Path(shutil.which("git") or "").parent), "HOME": "/"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    main, tree = tmp_path / "main", tmp_path / "tree"
    main.mkdir()
    git("init", "--quiet", directory=main)
    git("commit", "--quiet", "--allow-empty", "-m", "begin", directory=main)
    git("worktree", "add", "--quiet", str(tree), directory=main)
    (main / ".cpeconvo").touch()
    (tree / ".cpeconvo-wal").touch()

    keep_out_of_git(tree / ".cpeconvo")

    assert git("status", "--porcelain", directory=main) == ""
    assert git("status", "--porcelain", directory=tree) == ""


def test_git_tracks_what_was_added_and_nothing_else(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    for directory in (tmp_path, inner):
        (directory / ".cpeconvo").touch()
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    assert not is_in_git(tmp_path / ".cpeconvo")
    subprocess.run(["git", "-C", tmp_path, "add", "inner/.cpeconvo"], check=True)
    assert is_in_git(inner / ".cpeconvo")


def test_outside_a_repository_git_tracks_nothing(tmp_path: Path) -> None:
    assert not is_in_git(tmp_path / ".cpeconvo")
