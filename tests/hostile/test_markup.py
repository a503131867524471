"""No text from outside can be markup: the code itself is read to see that."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

UI = Path(__file__).parents[2] / "convotui" / "ui"

WIDGETS = {
    *("Static", "Label", "Button", "Checkbox", "RadioButton", "Collapsible", "Option"),
    *("OptionList", "SelectionList", "Select", "Tab", "TabPane", "Link"),
}
"""What reads a plain text as markup."""

BANNED = {
    *("Tree", "DataTable", "RichLog", "Markdown", "MarkdownViewer", "from_markup"),
    *("escape", "MarkdownStream"),
}
"""What reads a plain text as markup and cannot be told not to, or hides some of it."""

ATTRIBUTES = {"border_title", "border_subtitle", "tooltip"}


class Module:
    """One file of the screen, and which of its names are never markup."""

    def __init__(self, code: str) -> None:
        self.nodes = list(ast.walk(ast.parse(code)))
        self._makers = {
            node.name
            for node in self.nodes
            if isinstance(node, ast.FunctionDef)
            and node.returns is not None
            and ast.unparse(node.returns) == "Content"
        }
        self._values: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._values.setdefault(name_of(target), []).append(node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._values.setdefault(name_of(node.target), []).append(node.value)

    def is_safe(self, value: ast.expr) -> bool:
        """Whether a value is written in the code or is `Content`."""
        match value:
            case ast.Constant():
                return True
            case ast.Starred():
                # `OptionList(*options)`: each option is looked at where it is made.
                return True
            case ast.JoinedStr(values=parts):
                return all(is_number(part) for part in parts)
            case ast.IfExp(body=body, orelse=other):
                return self.is_safe(body) and self.is_safe(other)
            case ast.Call(func=function):
                return self._makes_content(function)
            case ast.Name() | ast.Attribute():
                given = self._values.get(name_of(value), [])
                return bool(given) and all(self._is_content(it) for it in given)
            case ast.Subscript(value=ast.Name(id=table)):
                given = self._values.get(table, [])
                return bool(given) and all(is_table_of_words(it) for it in given)
        return False

    def _is_content(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and self._makes_content(value.func)

    def _makes_content(self, function: ast.expr) -> bool:
        match function:
            case ast.Name(id="Content"):
                return True
            case ast.Attribute(value=ast.Name(id="Content"), attr=name):
                return name != "from_markup"
            case ast.Attribute(value=ast.Call(func=inner), attr="join" | "stylize"):
                return self._makes_content(inner)
        return name_of(function) in self._makers


def is_table_of_words(value: ast.expr) -> bool:
    """Whether all that can be looked up in a table is written in the code."""
    return isinstance(value, ast.Dict) and all(
        isinstance(it, ast.Constant) for it in value.values
    )


def is_number(part: ast.expr) -> bool:
    """Whether a part of an f-string can be nothing but a number."""
    match part:
        case ast.Constant():
            return True
        case ast.FormattedValue(
            format_spec=ast.JoinedStr(values=[ast.Constant(","), *_])
        ):
            return True
    return False


def name_of(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def no_markup(call: ast.Call) -> bool:
    return any(
        word.arg == "markup"
        and isinstance(word.value, ast.Constant)
        and word.value.value is False
        for word in call.keywords
    )


def problems(code: str) -> list[str]:
    """Return the lines on which a text could be read as markup."""
    found = []
    module = Module(code)
    for node in module.nodes:
        match node:
            case ast.Call(func=function, args=arguments) if name_of(
                function
            ) in WIDGETS and not no_markup(node):
                bad = any(not module.is_safe(it) for it in arguments[:1])
            case ast.Call(func=ast.Attribute(attr="notify")):
                bad = not no_markup(node)
            case ast.Call(func=ast.Attribute(value=value, attr="update")) if (
                isinstance(value, ast.Call) and name_of(value.func) == "query_one"
            ):
                bad = any(not module.is_safe(it) for it in node.args)
            case ast.Assign(targets=targets, value=value):
                named = {name_of(target) for target in targets}
                bad = bool(named & ATTRIBUTES) and not module.is_safe(value)
            case ast.ImportFrom(module=str(source), names=names):
                is_theirs = source.partition(".")[0] in ("rich", "textual")
                bad = is_theirs and bool({it.name for it in names} & BANNED)
            case ast.Call(func=ast.Attribute(attr="from_markup")):
                bad = True
            case _:
                bad = False
        if bad and isinstance(node, ast.stmt | ast.expr):
            found.append(f"{node.lineno}: {ast.unparse(node)[:80]}")
    return found


def test_02_no_widget_takes_a_text_that_could_be_markup() -> None:
    files = sorted(UI.rglob("*.py"))
    found = {str(it.relative_to(UI)): problems(it.read_text()) for it in files}

    assert len(files) > 20
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "code",
    [
        "Static(text)",
        "Static(f'hello {name}')",
        "Label(message.title)",
        "self.notify(str(error))",
        "app.notify('x' + y, markup=True)",
        "self.border_title = title",
        "prompt.tooltip = f'{where}'",
        "self.query_one(Static).update(text)",
        "Option(choice.text)",
        "RadioButton(f'all below ({below})')",
        "Content.from_markup(text)",
        "from textual.widgets import Markdown",
        "from rich.markup import escape",
        "Static(Content.from_markup(text))",
        "hint = text\nself.border_title = hint",
        "NAMES = {'a': text}\nRadioButton(NAMES[kind])",
        "RadioButton(names[kind])",
        "def listing() -> str: ...\nStatic(listing())",
    ],
)
def test_02_what_could_be_markup_is_found(code: str) -> None:
    assert problems(code) != []


@pytest.mark.parametrize(
    "code",
    [
        "Static(Content(text))",
        "Static('Keys')",
        "Static(text, markup=False)",
        "self.notify(text, markup=False)",
        "self.border_title = Content(where)",
        "self.border_subtitle = Content(files) if names else ''",
        "RadioButton(f'all below ({below:,})')",
        "Option(Content.assemble(text, (hint, 'dim')))",
        "NAMES: Final = {'a': 'Markdown'}\nRadioButton(NAMES[kind])",
        "self.hint = Content(text)\nself.border_title = self.hint if x else 'y'",
        "def listing() -> Content: ...\nStatic(listing())",
    ],
)
def test_02_what_is_no_markup_is_let_pass(code: str) -> None:
    assert problems(code) == []
