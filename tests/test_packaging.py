"""What is installed: the program, its style, its sample and its manual, no more."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from email.parser import BytesParser
from email.policy import default
from pathlib import Path

import pytest

from manual.page import page

TOP = Path(__file__).parent.parent
OWN = {"convotui/demo/sketch.png", "convotui/py.typed", "convotui/ui/convotui.tcss"}
MANUAL = "share/man/man1/convotui.1"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that pip makes for whoever installs this."""
    directory = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
            *("--disable-pip-version-check", "--wheel-dir", directory, TOP),
        ],
        check=True,
    )
    [made] = directory.iterdir()
    return made


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_is_for_every_machine(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    modules = {str(path.relative_to(TOP)) for path in TOP.glob("convotui/**/*.py")}
    assert "convotui/__main__.py" in modules
    name, version, *_ = wheel.name.split("-")
    about = {
        f"{name}-{version}.dist-info/{file}"
        for file in (
            *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"),
        )
    }

    expected = modules | OWN | about | {f"{name}-{version}.data/data/{MANUAL}"}
    assert names_in(wheel) == expected


def test_the_metadata_says_what_it_is_and_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [path] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        about = BytesParser(policy=default).parsebytes(archive.read(path))

    assert about["Requires-Python"] == ">=3.11"
    assert about["License-Expression"] == "MIT"
    assert "Typing :: Typed" in about.get_all("Classifier", [])
    assert set(about.get_all("Provides-Extra", [])) == {"local", "dev"}
    needed = about.get_all("Requires-Dist", [])
    assert [
        line for line in needed if "xllamacpp" in line and "extra" not in line
    ] == []


def test_what_is_installed_runs_and_brings_its_manual(
    wheel: Path, tmp_path: Path
) -> None:
    # What convotui needs comes from the environment of the tests.
    place = tmp_path / "venv"
    venv.create(place, with_pip=False, symlinks=True)
    python = str(place / "bin" / "python")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
            *("--no-deps", "--no-index", "--disable-pip-version-check", wheel),
        ],
        check=True,
    )
    [own] = place.glob("lib/python*/site-packages")
    (own / "rest.pth").write_text("\n".join(path for path in sys.path if path))

    done = subprocess.run(
        [place / "bin" / "convotui", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == f"convotui {wheel.name.split('-')[1]}\n"
    assert (place / MANUAL).read_text() == page()


def test_the_manual_tells_what_the_commands_do_now() -> None:
    kept = (TOP / "manual" / "convotui.1").read_text()

    assert kept == page(), "run `python -m manual`"
