"""`convotui list` beside `git log`, over as many commits with the same first lines."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Bar, Plan, Sample, compare, wall
from benchmarks.stores import planned
from convotui.storage import Store


def bars(plan: Plan) -> Iterator[Bar]:
    """Measure how long it takes to print everything."""
    repository = plan.stores.made(
        f"git-{plan.large}", lambda path: _make_repository(path, plan)
    )
    git = ["git", "-C", str(repository), "log", "--graph", "--oneline", "--all"]
    yield compare(
        plan,
        f"list / git log --graph --oneline --all ({plan.large:,})",
        1.3,
        printed(["--db", str(plan.stores.of(plan.large)), "list"]),
        wall(lambda: _run(git)),
    )


def printed(arguments: list[str]) -> Sample:
    """Return a sample of the time in which a command prints everything."""
    command = [sys.executable, "-m", "convotui", *arguments]
    return wall(lambda: _run(command))


def _run(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def _make_repository(path: Path, plan: Plan) -> None:
    """Make a repository with a commit for each message of a store, and its forks."""
    with Store(plan.stores.of(plan.large)) as store:
        subjects = [row.text for row in store.list_rows(ascending=True)]
    messages = list(planned(plan.large))
    forked = {message.parent for message in messages}
    subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    git = subprocess.Popen(
        ["git", "-C", str(path), "fast-import", "--quiet"], stdin=subprocess.PIPE
    )
    assert git.stdin is not None
    for message, subject in zip(messages, subjects, strict=True):
        number, text = message.number, subject.encode()
        branch = f"heads/{number}" if number not in forked else f"inner/{number}"
        above = "" if message.parent is None else f"from :{message.parent + 1}\n"
        git.stdin.write(
            f"commit refs/{branch}\nmark :{number + 1}\n"
            f"committer nobody <> {number} +0000\n"
            f"data {len(text)}\n".encode()
            + text
            + f"\n{above}\n".encode()
        )
    git.stdin.close()
    if git.wait():
        raise RuntimeError("git could not make the repository.")
    _forget_inner_commits(path)


def _forget_inner_commits(path: Path) -> None:
    """Leave only the references that a repository of branches has, in one file."""
    git = ["git", "-C", str(path)]
    form = "--format=delete %(refname)"
    listed = subprocess.run(
        [*git, "for-each-ref", form, "refs/inner"], capture_output=True, check=True
    )
    subprocess.run([*git, "update-ref", "--stdin"], input=listed.stdout, check=True)
    subprocess.run([*git, "pack-refs", "--all"], check=True)
