"""What an export has no place for, told in one line."""

from __future__ import annotations

from collections import Counter
from typing import Literal

Loss = Literal["thinking", "file", "hidden text", "error mark", "other block"]


class LeftOut(Counter[Loss]):
    """How much of what was left out; filled while an export is written."""

    def __str__(self) -> str:
        parts = [_counted(what, count) for what, count in self.items()]
        return f"Left out, for want of a place: {', '.join(parts)}." if parts else ""


def _counted(what: Loss, count: int) -> str:
    name = "block of thinking" if what == "thinking" else what
    if count == 1:
        return f"1 {name}"
    plural = "blocks of thinking" if what == "thinking" else f"{what}s"
    return f"{count:,} {plural}"
