"""Small words of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convotui.text import visible_line

if TYPE_CHECKING:
    from convotui.conversations.models import ChosenModel
    from convotui.conversations.window import Fitted
    from convotui.llm.discovery import UsableModel
    from convotui.storage import Change


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things in words."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def short(number: int) -> str:
    """Return a number in as many digits as can be read at a glance."""
    if number < 1_000:
        return str(number)
    if number < 1_000_000:
        return f"{number / 1_000:.1f}k".replace(".0k", "k")
    return f"{number / 1_000_000:.1f}M".replace(".0M", "M")


def what_changed(change: Change) -> str:
    """Return what a change was about."""
    if change.kind == "delete":
        return count(change.message_count, "message")
    return f"the label {change.after!r}" if change.after else "no label"


def context_of(model: ChosenModel | None, fitted: Fitted | None) -> str:
    """Return who would be asked, about how much is sent, and what is left out."""
    if model is None or fitted is None:
        return "no model chosen"
    name = visible_line(model.name.split("/")[-1])
    room = f" / {short(fitted.window)}" if fitted.window else ""
    left = f", {count(fitted.left_out, 'turn')} left out" if fitted.left_out else ""
    return f"{name} ≈ {short(fitted.tokens)}{room}{left}"


def model_facts(model: UsableModel) -> str:
    """Return what is known of a model, in a few words."""
    facts = model.facts
    parts = ["on this machine" if model.source == "local" else model.why]
    if facts and facts.context_window:
        parts.append(short(facts.context_window))
    if facts and facts.input_price is not None and facts.output_price is not None:
        asked, given = facts.input_price * 1e6, facts.output_price * 1e6
        parts.append(f"${asked:.2f}/${given:.2f} per M")
    return "  ".join(parts)
