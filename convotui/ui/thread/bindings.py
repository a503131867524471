"""The keys of the thread; each has an id by which it can be changed."""

from __future__ import annotations

from textual.binding import Binding, BindingType

_HIDDEN = (
    ("j,down", "scroll_rows(1)", "Line down", "down"),
    ("k,up", "scroll_rows(-1)", "Line up", "up"),
    ("ctrl+d", "scroll_pages(0.5)", "Half a page down", "half_down"),
    ("ctrl+u", "scroll_pages(-0.5)", "Half a page up", "half_up"),
    ("pagedown", "scroll_pages(1)", "Page down", "page_down"),
    ("pageup", "scroll_pages(-1)", "Page up", "page_up"),
    ("g,home", "scroll_home", "Beginning", "top"),
    ("G,end", "scroll_end", "End", "bottom"),
    ("J,shift+down", "highlight(1)", "Next message", "next_message"),
    ("K,shift+up", "highlight(-1)", "Previous message", "previous_message"),
    ("left_square_bracket", "sibling(-1)", "Previous sibling", "previous_sibling"),
    ("right_square_bracket", "sibling(1)", "Next sibling", "next_sibling"),
)

BINDINGS: list[BindingType] = [
    *(
        Binding(keys, action, description, show=False, id=f"thread.{name}")
        for keys, action, description, name in _HIDDEN
    ),
    Binding(
        "enter,space",
        "fold",
        "Open",
        tooltip="Open or fold tools and thinking",
        id="thread.fold",
    ),
]
