"""The keys of the browser; each has an id by which it can be changed."""

from __future__ import annotations

from textual.binding import Binding, BindingType

BINDINGS: list[BindingType] = [
    Binding(
        "enter", "write('reply to')", "Reply", key_display="enter", id="message.reply"
    ),
    Binding("f", "write('fork from')", "Fork", id="message.fork"),
    Binding("e", "edit", "Edit and resend", show=False, id="message.edit"),
    Binding("r", "regenerate", "Regenerate", show=False, id="message.regenerate"),
    Binding("c", "resume", "Continue a cut-off reply", False, id="message.continue"),
    Binding("m", "model", "Model", id="model.choose"),
    Binding("escape", "stop", "Stop the reply", show=False, id="message.stop"),
    Binding("S", "keep", "Keep an incognito thread", show=False, id="message.keep"),
    Binding("o", "new", "New", id="message.new"),
    Binding("L", "label", "Label", id="message.label"),
    Binding("apostrophe", "jump", "Jump to a label", False, id="message.jump"),
    Binding("d", "delete", "Delete", id="message.delete"),
    Binding("u", "undo", "Undo", id="message.undo"),
    Binding("U", "redo", "Redo", show=False, id="message.redo"),
    Binding("slash", "search", "Search", id="search.open"),
    Binding("n", "hit(1)", "Next hit", show=False, id="search.next_hit"),
    Binding("N", "hit(-1)", "Previous hit", show=False, id="search.previous_hit"),
    Binding("x", "export", "Export", show=False, id="message.export"),
    Binding("dollar_sign", "totals", "Totals and cost", False, id="screen.totals"),
    Binding("i", "import", "Import", show=False, id="screen.import"),
    Binding("y", "copy", "Copy", show=False, id="message.copy"),
    Binding("F", "filter", "Filter", show=False, id="tree.filter"),
    Binding("tab", "switch", "Other pane", show=False, id="screen.switch"),
    Binding("plus", "resize(0.05)", "Wider tree", show=False, id="screen.wider"),
    Binding(
        "underscore", "resize(-0.05)", "Narrower tree", False, id="screen.narrower"
    ),
    Binding("question_mark", "help", "Keys", id="screen.help"),
]
