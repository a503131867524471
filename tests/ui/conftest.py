"""The screen's tests see all colours, wherever they run."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def all_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
