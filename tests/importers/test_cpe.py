"""Files of CPE from all its times, and what can be wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import MessageId, Store
from tests.storage.helpers import SEED_SQL, add_message, other_program, seed_file

from .helpers import FIXTURES, all_of, bring_in, database, texts, tree

MIGRATED = """
ALTER TABLE messages ADD COLUMN is_subagent BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN compaction_parent_id TEXT;
ALTER TABLE messages ADD COLUMN output_tokens INTEGER;
ALTER TABLE messages ADD COLUMN input_tokens INTEGER;
ALTER TABLE messages ADD COLUMN model_id TEXT;
ALTER TABLE messages ADD COLUMN message_extra_fields TEXT;
"""
"""What later versions added to a file of the seed's time."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "other.cpeconvo"


def test_ids_stay_and_old_ones_too(store: Store) -> None:
    bring_in(store, FIXTURES / "cpe_seed_era.cpeconvo")

    assert {"_x-9Zq", "aB3xK9"} <= {message.id for message in all_of(store)}


def test_a_migrated_file_is_read_with_all_it_has(file: Path, store: Store) -> None:
    seed_file(file, MIGRATED)
    with other_program(file) as connection:
        add_message(connection, "a", "one", title="my label")
        add_message(connection, "b", "two", parent="a", role="assistant")
        add_message(connection, "c", "three")
        connection.execute(
            "UPDATE messages SET model_id = 'm', input_tokens = 3, output_tokens = 4,"
            " message_extra_fields = '{\"phase\": 1}' WHERE id = 'b';"
            "UPDATE messages SET compaction_parent_id = 'b' WHERE id = 'c'"
        )
    bring_in(store, file)
    one, two, three = all_of(store)
    found = store.origins.of([two.id, three.id])

    assert one.title == "my label"
    assert two.facts is not None
    assert (two.facts.model, two.facts.input_tokens, two.facts.output_tokens) == (
        "m",
        3,
        4,
    )
    assert found[two.id].meta == {"message_extra_fields": {"phase": 1}}
    assert three.parent_id is None
    assert found[three.id].continues == two.id


def test_traces_of_subagents_are_marked_where_only_a_column_says_so(
    file: Path, store: Store
) -> None:
    seed_file(file, MIGRATED)
    with other_program(file) as connection:
        add_message(connection, "a", "one")
        add_message(connection, "b", "two", title="subagent:x:1")
        connection.execute("UPDATE messages SET is_subagent = 1")
    bring_in(store, file)

    assert [m.title for m in all_of(store)] == ["subagent:cpe", "subagent:x:1"]


def test_compaction_and_sessions_of_todays_file_are_kept(store: Store) -> None:
    bring_in(store, FIXTURES / "cpe_today.cpeconvo")
    root, end = MessageId("B3b3B3"), MessageId("B4b4B4")
    found = store.origins.of([root, end])

    assert found[root].continues == "B2b2B2"
    assert found[end].meta["acp_sessions"][0]["cwd"] == "/home/ada/src/großes Projekt"
    [message] = store.get([end])
    assert message.facts is not None
    assert message.facts.cost == 1.25


def test_what_was_compacted_was_held_where_it_went_on(store: Store) -> None:
    place = Path("/home/ada/src/großes Projekt")
    bring_in(store, FIXTURES / "cpe_today.cpeconvo", directory=place)

    assert {message.id[0] for message in all_of(store)} == {"B"}
    assert len(all_of(store)) == 4


def test_the_name_of_a_session_is_a_label(store: Store, file: Path) -> None:
    file.write_bytes((FIXTURES / "cpe_today.cpeconvo").read_bytes())
    database(file, "UPDATE acp_sessions SET title = 'sorting' WHERE id = 'Kx81Pa'")
    bring_in(store, file)

    assert {m.id: m.title for m in all_of(store) if m.title} == {"A1a1A1": "sorting"}


def test_the_cost_of_a_session_that_goes_on_counts_once(
    store: Store, file: Path
) -> None:
    file.write_bytes((FIXTURES / "cpe_today.cpeconvo").read_bytes())
    bring_in(store, file)
    with other_program(file) as connection:
        connection.execute(
            "INSERT INTO messages (id, parent_id, role, model_id)"
            " VALUES ('B5', 'B4b4B4', 'assistant', 'glm-5.1');"
            "UPDATE acp_sessions SET last_message_id = 'B5', cost_usd = 2.5"
            " WHERE id = 'Long77'"
        )
    bring_in(store, file)

    costs = {m.id: m.facts.cost for m in all_of(store) if m.facts and m.facts.cost}
    assert costs[MessageId("B5")] == 2.5
    assert MessageId("B4b4B4") not in costs


def test_orphans_are_roots_and_rings_are_cut(file: Path, store: Store) -> None:
    seed_file(file)
    with other_program(file) as connection:
        add_message(connection, "a", "orphan", parent="gone")
        add_message(connection, "b", "below", parent="a")
        add_message(connection, "r1", "ring 1", parent="r3")
        add_message(connection, "r2", "ring 2", parent="r1")
        add_message(connection, "r3", "ring 3", parent="r2")
        add_message(connection, "t", "tail", parent="r2")
        add_message(connection, "s", "self", parent="s")
    bring_in(store, file)

    assert set(tree(store)) == {
        ("orphan", None),
        ("below", "orphan"),
        ("ring 1", None),
        ("ring 2", "ring 1"),
        ("ring 3", "ring 2"),
        ("tail", "ring 2"),
        ("self", None),
    }


def test_a_reply_that_was_saved_before_its_parent_finds_it(
    file: Path, store: Store
) -> None:
    seed_file(file)
    with other_program(file) as connection:
        add_message(connection, "b", "reply", parent="a")
        add_message(connection, "x", "other")
        add_message(connection, "a", "root")
    bring_in(store, file)

    assert set(tree(store)) == {("root", None), ("reply", "root"), ("other", None)}


def test_messages_of_one_second_keep_their_order(file: Path, store: Store) -> None:
    seed_file(file)
    names = [f"m{number}" for number in (3, 1, 2, 5, 4)]
    with other_program(file) as connection:
        add_message(connection, "root", "root")
        for name in names:
            add_message(connection, name, name, parent="root")
    bring_in(store, file)

    assert texts(store) == ["root", *names]


def test_roles_and_times_that_nobody_knows_are_kept_beside(
    file: Path, store: Store
) -> None:
    seed_file(file)
    with other_program(file) as connection:
        add_message(connection, "a", "one", role="system", at="next tuesday")
    bring_in(store, file)
    [message] = all_of(store)

    assert message.role == "user"
    assert store.origins.of([message.id])[message.id].meta == {"cpe_role": "system"}


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "x" * 500, "../etc", "ü"])
def test_an_id_that_could_not_be_typed_is_replaced(
    name: str, file: Path, store: Store
) -> None:
    seed_file(file)
    with other_program(file) as connection:
        add_message(connection, name, "one")
        add_message(connection, "b", "two", parent=name)
    bring_in(store, file)

    assert {message.id for message in all_of(store)} & {name} == set()
    assert ("two", "one") in tree(store)


@pytest.mark.parametrize("name", ["", None])
def test_messages_without_an_id_are_told(
    name: str | None, file: Path, store: Store
) -> None:
    seed_file(file)
    with other_program(file) as connection:
        add_message(connection, "a", "one")
        add_message(connection, name)
    report = Importer(store).run([file])

    assert texts(store) == ["one"]
    assert [problem.where for problem in report.problems] == ["1 of its messages"]


def test_blocks_are_kept_to_the_letter(file: Path, store: Store) -> None:
    seed_file(file)
    with other_program(file) as connection:
        add_message(connection, "a")
        for order, (mime, extra) in enumerate([("", ""), ("x/y", "{}"), ("", "{not")]):
            connection.execute(
                "INSERT INTO blocks VALUES ('', 'a', 'new kind', 9, ?, 'x', ?, ?, 0)",
                (mime, extra, order),
            )
    bring_in(store, file)
    [message] = all_of(store)

    assert [
        (b.type, b.modality, b.mime_type, b.id, b.extra_fields) for b in message.blocks
    ] == [
        ("new kind", 9, "", "", ""),
        ("new kind", 9, "x/y", "", "{}"),
        ("new kind", 9, "", "", "{not"),
    ]


def test_a_file_from_before_april_2025_is_refused(file: Path, store: Store) -> None:
    sql = "CREATE TABLE conversations (id TEXT, parent_id TEXT, executor_data BLOB)"
    report = Importer(store).run([database(file, sql)])

    assert "only that can read it" in report.problems[0].reason
    assert report.files == ()


def test_of_two_messages_with_one_id_the_first_comes_in(
    file: Path, store: Store
) -> None:
    database(file, SEED_SQL.replace("TEXT PRIMARY KEY", "TEXT"))
    with other_program(file) as connection:
        for role in ("user", "assistant"):
            connection.execute(
                "INSERT INTO messages (id, role) VALUES ('a', ?)", [role]
            )
    report = Importer(store).run([file])

    [problem] = report.problems
    assert problem.where == "1 of its messages"
    assert [message.role for message in all_of(store)] == ["user"]


def test_a_message_whose_time_cannot_be_read_has_that_of_the_one_before(
    file: Path, store: Store
) -> None:
    database(file, SEED_SQL)
    with other_program(file) as connection:
        for row in (("a", None, "2025-05-01 10:00:00"), ("b", "a", "not a time")):
            connection.execute(
                "INSERT INTO messages (id, parent_id, role, created_at)"
                " VALUES (?, ?, 'user', ?)",
                row,
            )
    bring_in(store, file)

    assert [str(m.created_at) for m in all_of(store)] == ["2025-05-01 10:00:00"] * 2


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE blocks; CREATE VIEW blocks AS SELECT 1 AS message_id",
        "CREATE TRIGGER t AFTER INSERT ON messages BEGIN DELETE FROM messages; END",
        "PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql='nonsense'",
    ],
)
def test_a_schema_that_could_run_code_harms_nothing(
    sql: str, file: Path, store: Store
) -> None:
    seed_file(file)
    with other_program(file) as connection:
        add_message(connection, "a", "one")
        connection.execute(sql)
    Importer(store).run([file])

    assert texts(store) in (["one"], [])


def test_a_deep_thread_is_read(file: Path, store: Store) -> None:
    seed_file(file)
    with other_program(file) as connection:
        for number in range(5_000):
            parent = f"m{number - 1}" if number else None
            add_message(connection, f"m{number}", str(number), parent=parent)
    bring_in(store, file)

    assert len(store.thread(MessageId("m4999"))) == 5_000


def test_the_meta_of_what_was_imported_before_comes_along(
    store: Store, tmp_path: Path
) -> None:
    with Store(tmp_path / "other") as other:
        bring_in(other, FIXTURES / "importers" / "orcx_conversations.db")
    bring_in(store, tmp_path / "other")
    found = store.origins.of([message.id for message in all_of(store)])

    assert {one.origin.source for one in found.values()} == {"orcx"}
    assert json.dumps([one.meta for one in found.values()]).count("total_cost") == 1
