"""Nodes that are no messages, and results that stand inside of replies."""

from __future__ import annotations

from datetime import datetime

from convotui.importers.shaping import call_block, text_block
from convotui.importers.trees import Result, Tree, spread
from convotui.storage import Arrival, Block, ReplyFacts

NOW = datetime(2026, 3, 1)


def node(key: str, parent: str | None = None, **meta: object) -> Arrival:
    return Arrival(key, "assistant", [text_block(key)], parent, meta=meta)


def drawn(tree: Tree) -> list[tuple[str, str | None]]:
    return [(message.key, message.parent) for message in tree.arrivals(NOW)]


def given(call: str, text: str) -> Result:
    return Result(call, [text_block(text)])


def test_calls_that_follow_one_another_were_made_together() -> None:
    content: list[Block | Result] = [
        text_block("I look."),
        call_block("c1", "f", {}),
        given("c1", "one"),
        call_block("c2", "f", {}),
        given("c2", "two"),
        text_block("Once more."),
        call_block("c3", "f", {}),
        given("c3", "three"),
        text_block("Done."),
    ]
    parts = spread(node("m", "above"), content)

    assert [(p.role, p.parent, len(p.blocks)) for p in parts] == [
        ("assistant", "above", 3),
        ("tool_result", "m", 1),
        ("tool_result", "m#c1", 1),
        ("assistant", "m#c2", 2),
        ("tool_result", "m#1", 1),
        ("assistant", "m#c3", 1),
    ]
    assert [p.blocks[0].id for p in parts if p.role == "tool_result"] == [
        "c1",
        "c2",
        "c3",
    ]


def test_what_a_reply_cost_is_counted_once() -> None:
    facts = ReplyFacts("m1", 10, 20, cost=0.5)
    message = Arrival("m", "assistant", (), facts=facts, title="t", meta={"a": 1})
    answer = [text_block("Done.")]
    first, _, last = spread(
        message, [call_block("c", "f", {}), given("c", "x"), *answer]
    )

    assert (first.facts, first.title, first.meta) == (facts, "t", {"a": 1})
    assert (last.facts, last.title, last.meta) == (ReplyFacts("m1"), None, {})


def test_a_message_of_results_has_no_reply_and_one_of_nothing_is_empty() -> None:
    results = spread(node("m"), [given("c1", "one"), given("c2", "two")])
    [nothing] = spread(node("m"), [])

    assert [p.role for p in results] == ["tool_result", "tool_result"]
    assert [block.content for block in nothing.blocks] == [""]


def test_what_follows_a_reply_hangs_from_its_last_message() -> None:
    tree = Tree()
    tree.add(node("below", "m"))
    tree.add(node("m"), [call_block("c", "f", {}), given("c", "x")])

    assert drawn(tree) == [("m", None), ("m#c", "m"), ("below", "m#c")]


def test_nodes_that_are_passed_over_are_noted_with_what_follows() -> None:
    tree = Tree()
    tree.add(node("a"))
    tree.pass_over("x", "a", notes=["one"], system="Be kind.")
    tree.pass_over("y", "x", notes=["two"], system="Be brief.")
    tree.add(node("b", "y"))
    tree.add(node("c", "y", notes=["own"]))
    _, b, c = tree.arrivals(NOW)

    assert (b.parent, c.parent) == ("a", "a")
    assert b.meta == {"notes": ["one", "two"], "system": "Be kind.\n\nBe brief."}
    assert c.meta["notes"] == ["own"]


def test_a_ring_of_nodes_leads_nowhere_and_a_long_way_is_gone_once() -> None:
    tree = Tree()
    tree.pass_over("x", "y")
    tree.pass_over("y", "x")
    tree.add(node("a", "x"))
    for number in range(50_000):
        tree.pass_over(f"n{number}", f"n{number - 1}" if number else "a")
    for number in range(1_000):
        tree.add(node(f"m{number}", "n49999"))

    assert {parent for _, parent in drawn(tree)} == {None, "a"}
