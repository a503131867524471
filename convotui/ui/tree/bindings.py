"""The keys of the tree; each has an id by which it can be changed."""

from __future__ import annotations

from textual.binding import Binding, BindingType

_STEPS = (
    ("j,down", "down", "Down"),
    ("k,up", "up", "Up"),
    ("g,home", "top", "First row"),
    ("G,end", "bottom", "Last row"),
    ("h,left", "out", "Fold, or to the parent"),
    ("l,right", "into", "Unfold, or to the first reply"),
    ("z", "fold_others", "Fold all others"),
    ("Z", "unfold_all", "Unfold all"),
    ("left_square_bracket", "previous_sibling", "Previous sibling"),
    ("right_square_bracket", "next_sibling", "Next sibling"),
    ("left_curly_bracket", "previous_fork", "Previous fork"),
    ("right_curly_bracket", "next_fork", "Next fork"),
    ("at", "newest", "Newest message"),
)

BINDINGS: list[BindingType] = [
    *(
        Binding(keys, f"step('{step}')", description, show=False, id=f"tree.{step}")
        for keys, step, description in _STEPS
    ),
    Binding("space", "step('fold')", "Fold or unfold", show=False, id="tree.fold"),
    Binding("ctrl+d", "page(0.5)", "Half a page down", False, id="tree.half_down"),
    Binding("ctrl+u", "page(-0.5)", "Half a page up", False, id="tree.half_up"),
    Binding("pagedown", "page(1)", "Page down", show=False, id="tree.page_down"),
    Binding("pageup", "page(-1)", "Page up", show=False, id="tree.page_up"),
]
