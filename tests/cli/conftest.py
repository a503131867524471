"""A project with nothing in it, and the program in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .program import Program
from .stores import FIXTURES, make_forked


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    return directory


@pytest.fixture
def convotui(project: Path, tmp_path: Path) -> Program:
    return Program(project, home=tmp_path / "home")


@pytest.fixture
def forked(project: Path) -> Path:
    """A store with one conversation that forks."""
    return make_forked(project / ".cpeconvo")


@pytest.fixture
def seed_era(project: Path) -> Path:
    """A file that CPE of the seed's time left behind."""
    return Path(shutil.copy(FIXTURES / "cpe_seed_era.cpeconvo", project / ".cpeconvo"))


@pytest.fixture
def today(project: Path) -> Path:
    """A file of today's CPE, whose tables are others."""
    return Path(shutil.copy(FIXTURES / "cpe_today.cpeconvo", project / ".cpeconvo"))
