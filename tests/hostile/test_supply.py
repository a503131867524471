"""What is installed is what was meant to be, and runs nothing by itself."""

from __future__ import annotations

import re
import site
import sysconfig
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, version
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
LOCK = TOP / "requirements.lock"

HOOKS = {
    "distutils-precedence.pth",  # setuptools
    "_virtualenv.pth",
    "_virtualenv.py",
    "a1_coverage.pth",
}
"""What may run when Python starts."""

OWN_PATH = re.compile(r"^(?:_editable_impl_|__editable__[.\w-]*)convotui.*\.pth$")


def installed_in() -> set[Path]:
    names = ("purelib", "platlib")
    return {Path(sysconfig.get_path(name)) for name in names} | {
        Path(path) for path in site.getsitepackages()
    }


def hooks(directory: Path) -> list[str]:
    """Return what of a directory would run when Python starts."""
    found = [path.name for path in directory.glob("*.pth")]
    modules = ("sitecustomize", "usercustomize")
    found += [path.name for it in modules for path in directory.glob(f"{it}*")]
    return sorted(it for it in found if it not in HOOKS and not OWN_PATH.match(it))


def locked() -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([^ ;\\]+)", LOCK.read_text(), re.MULTILINE))


def test_83_nothing_that_is_installed_runs_when_python_starts() -> None:
    assert {str(it): hooks(it) for it in installed_in() if hooks(it)} == {}


@pytest.mark.parametrize("name", ["litellm_init.pth", "cook.pth", "sitecustomize.py"])
def test_83_a_hook_is_found(tmp_path: Path, name: str) -> None:
    (tmp_path / "_editable_impl_convotui.pth").write_text(str(TOP))
    assert hooks(tmp_path) == []
    (tmp_path / name).write_text("import os")
    assert hooks(tmp_path) == [name]


def test_83_our_own_path_is_a_path_and_no_code() -> None:
    for directory in installed_in():
        for path in directory.glob("*.pth"):
            if OWN_PATH.match(path.name):
                lines = path.read_text().split("\n")
                assert not any(
                    line.startswith(("import ", "import\t")) for line in lines
                )


def test_83_everything_in_the_lock_has_a_hash_and_names_no_place() -> None:
    text = LOCK.read_text()
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]

    assert len(entries) > 50
    assert [it[:40] for it in entries if "--hash=sha256:" not in it] == []
    assert re.findall(r"://|--(?:extra-)?index-url|--find-links|@ file", text) == []


def test_83_the_lock_has_all_that_the_project_asks_for() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["dev"], *extras["local"]]
    names = {re.split(r"[^\w.-]", line, maxsplit=1)[0].lower() for line in wanted}

    assert names - locked().keys() == set()


def test_83_no_version_that_was_poisoned_is_locked_or_installed() -> None:
    bad = {"1.82.7", "1.82.8", "1.107.0"}

    assert locked()["litellm"] not in bad
    assert version("litellm") not in bad


def test_83_no_package_brings_a_hook_of_its_own() -> None:
    for name in locked():
        try:
            files = Distribution.from_name(name).files or []
        except PackageNotFoundError:
            continue
        hidden = [
            str(it)
            for it in files
            if len(it.parts) == 1 and it.suffix == ".pth" and it.name not in HOOKS
        ]
        assert hidden == [], name
