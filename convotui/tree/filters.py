"""Which messages of an outline are shown."""

from __future__ import annotations

from enum import StrEnum

from convotui.storage.records import ROLES, Outline, Role, is_subagent
from convotui.tree.ancestry import ancestry


class Filter(StrEnum):
    """What to leave out of the tree."""

    ALL = "all"
    NO_TOOLS = "no-tools"
    PROMPTS = "prompts"
    LABELLED = "labelled"
    NO_SUBAGENTS = "no-subagents"


def shown(outline: Outline, by: Filter) -> bytearray | None:
    """One byte a message, nonzero where a filter shows it; `None` for everything."""
    match by:
        case Filter.ALL:
            return None
        case Filter.NO_TOOLS:
            return outline.roles.translate(_where("tool_result", 0, 1))
        case Filter.PROMPTS:
            return outline.roles.translate(_where("user", 1, 0))
        case Filter.LABELLED:
            return _labelled(outline)
        case Filter.NO_SUBAGENTS:
            return _without_subagents(outline)


def _where(role: Role, there: int, elsewhere: int) -> bytearray:
    table = bytearray([elsewhere]) * 256
    table[ROLES.index(role)] = there
    return table


def _labelled(outline: Outline) -> bytearray:
    mask = bytearray(len(outline))
    for position, title in outline.titles.items():
        if title and not is_subagent(title):
            mask[position] = 1
    return mask


def _without_subagents(outline: Outline) -> bytearray:
    mask = bytearray([1]) * len(outline)
    for position, title in outline.titles.items():
        if is_subagent(title):
            mask[position] = 0
    above = ancestry(outline)
    for position in above.order:
        parent = above.parents[position]
        if parent >= 0 and not mask[parent]:
            mask[position] = 0
    return mask
