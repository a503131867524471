"""How a page shows a tree."""

from __future__ import annotations

from convotui.export.html import MAX_NESTING, html
from convotui.storage.records import ChatMessage

from .pages import Page
from .samples import chain, message, one_hour_east


def comb(forks: int) -> list[ChatMessage]:
    """A chain in which every message has a second reply that leads nowhere."""
    messages = [message("m0")]
    for number in range(1, forks + 1):
        messages.append(message(f"m{number}", f"m{number - 1}"))
    for number in range(1, forks + 1):
        messages.append(message(f"x{number}", f"m{number - 1}"))
    return messages


def test_a_chain_is_flat() -> None:
    assert Page(chain(5)).nesting == [(f"m-m{number}", 0) for number in range(5)]


def test_each_branch_is_whole_before_the_next_and_nested_at_its_fork() -> None:
    tree = [
        message("a"),
        message("b", "a"),
        message("c", "b", title="The *first*"),
        message("d", "b", "The second\nline", role="assistant"),
        message("e", "c"),
        message("f", "d"),
    ]
    page = Page(tree)

    assert page.nesting == [
        ("m-a", 0),
        ("m-b", 0),
        ("m-c", 1),
        ("m-e", 1),
        ("m-d", 1),
        ("m-f", 1),
    ]
    assert page.text.count("Branch 1 of 2") == page.text.count("Branch 2 of 2") == 1
    assert page.text.count("2 messages") == 2
    assert "The *first*" in page.text
    assert "The second line" in page.text
    assert page.source.count('<details class="branch" open>') == 2


def test_several_conversations_stand_side_by_side() -> None:
    page = Page([message("a"), message("b"), message("c", "a")])
    assert page.nesting == [("m-a", 1), ("m-c", 1), ("m-b", 1)]
    assert "Conversation 2 of 2" in page.text


def test_a_message_whose_parent_is_not_exported_begins_a_conversation() -> None:
    assert Page([message("b", "a"), message("c", "b")]).nesting == [
        ("m-b", 0),
        ("m-c", 0),
    ]


def test_forks_below_forks_nest_no_deeper_than_the_limit() -> None:
    forks = MAX_NESTING + 10
    page = Page(comb(forks))

    depths = dict(page.nesting)
    assert len(depths) == 2 * forks + 1
    assert max(depths.values()) == MAX_NESTING
    assert f"Branch 2 of 2, below m{forks - 1} · 1 message" in page.text


def test_messages_that_share_an_id_or_are_their_own_parent_are_shown() -> None:
    page = Page([message("a", "a"), message("a", "a"), message("a", "b")])
    assert len(page.nesting) == 3


def test_a_hundred_thousand_messages_below_each_other_are_a_page() -> None:
    pieces = html(chain(100_000), "Deep", local=one_hour_east)
    assert sum("<article" in piece for piece in pieces) == 100_000


def test_a_hundred_thousand_forks_below_each_other_are_a_page() -> None:
    pieces = html(comb(50_000), "Deep", local=one_hour_east)
    assert sum("<article" in piece for piece in pieces) == 100_001


def test_a_hundred_thousand_branches_of_one_message_are_a_page() -> None:
    wide = [message("m"), *(message(f"m{number}", "m") for number in range(100_000))]
    pieces = html(wide, "Wide", local=one_hour_east)
    assert sum(piece.startswith("<details") for piece in pieces) == 100_000
