"""The built-in model's weights: fetched by the first run, kept for the next."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from convotui.llm import weights


def weights_directory(config: pytest.Config) -> Path:
    """Return a directory that holds the weights."""
    assert config.cache is not None
    directory = config.cache.mkdir("convotui-weights")
    weights.install(directory, lambda there, whole: None, lambda: False)
    return directory


def bare_python(directory: Path) -> str:
    """Return a Python that has nothing installed, not even pip."""
    venv.create(directory, with_pip=False, symlinks=True)
    return str(directory / "bin" / "python")
