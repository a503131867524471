"""Files of an earlier convotui: read as they are, brought up to date by a write."""

from __future__ import annotations

from pathlib import Path

import pytest

from convotui.storage import MessageId, ReplyFacts, Store

from .helpers import LOOKS, bytes_beside, chain, draft, is_whole, other_program, rows

FACTS = ReplyFacts("m", 1, 2, cost=0.5, state="interrupted")
REPLIES = "PRAGMA table_xinfo(convotui_replies)"


@pytest.fixture
def first_version(path: Path) -> Path:
    """A file with a reply and some trash, as the first version left it."""
    with Store(path) as store:
        ids = store.save(chain(["question", "answer", "thanks"]))
        store.set_facts(ids[1], FACTS)
        store.delete(ids[2:])
    with other_program(path) as connection:
        connection.execute(
            "ALTER TABLE convotui_replies DROP COLUMN error;"
            "ALTER TABLE convotui_replies DROP COLUMN beat_at;"
            "DROP INDEX convotui_trashed_ids;"
            "UPDATE convotui_meta SET value = '1' WHERE key = 'schema_version'"
        )
    return path


def test_it_is_read_without_changing_it(first_version: Path) -> None:
    before = bytes_beside(first_version)
    with Store(first_version) as store:
        for look in LOOKS.values():
            look(store)
        assert [message.facts for message in store.list_messages()] == [FACTS, None]
        assert [row.state for row in store.list_rows()] == ["interrupted", "complete"]
    assert bytes_beside(first_version) == before


def test_a_write_makes_it_the_same_as_a_new_one(
    first_version: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    with Store(new) as store:
        store.save([draft("x")])
    with Store(first_version) as reader, Store(first_version) as writer:
        reply = MessageId(reader.list_messages()[0].id)
        writer.grow(reply, [], ReplyFacts(state="failed", error="why"))
        assert reader.get([reply])[0].facts == ReplyFacts(state="failed", error="why")
        assert writer.undo().message_count == 1
        assert [message.text for message in reader.thread(reply)] == ["question", ""]
        assert len(reader.outline()) == 3
    for described in (
        REPLIES,
        "PRAGMA index_list(convotui_trashed_messages)",
        "SELECT * FROM convotui_meta WHERE key = 'schema_version'",
    ):
        assert rows(first_version, described) == rows(new, described)
    assert is_whole(first_version)
