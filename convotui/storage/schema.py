"""The tables, as Peewee models that are bound to no database.

`MessageRow` and `BlockRow` are the two tables that CPE defined, to the letter: names,
types, defaults, keys and indexes, so that both programs can share a file. All other
tables are convotui's own, begin with `convotui_` and hold nothing that the two cannot
do without. There are no triggers: another program's write must not run our code.
"""

from __future__ import annotations

from datetime import datetime

from peewee import (
    SQL,
    AutoField,
    BooleanField,
    Column,
    CompositeKey,
    DateTimeField,
    FloatField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

from convotui.storage.records import read_time

SEARCH_TABLE = "convotui_search"
CREATE_SEARCH_TABLE = (
    f"CREATE VIRTUAL TABLE IF NOT EXISTS {SEARCH_TABLE} USING fts5("
    "text, content='', contentless_delete=1, tokenize='ascii')"
)
"""The words of the indexed messages; the texts themselves stay in their blocks.

What goes in are plain words with spaces between them, so the tokenizer has nothing to
decide and agrees with `Query` on what a word is.
"""


class _Boolean(BooleanField):
    field_type = "BOOLEAN"


class _Timestamp(DateTimeField):
    """UTC without a zone, as `YYYY-MM-DD HH:MM:SS[.ffffff]`, which sorts as text."""

    field_type = "TIMESTAMP"

    def db_value(self, value: datetime | None) -> str | None:
        return None if value is None else str(value)

    def python_value(self, value: object) -> datetime:
        return read_time(value)


class MessageRow(Model):
    """One message. `parent` makes the rows a forest."""

    id = TextField(primary_key=True, null=True)
    parent = ForeignKeyField(
        "self", null=True, column_name="parent_id", on_delete="RESTRICT", index=False
    )
    parent_id: str | None
    title = TextField(null=True)
    role = TextField()
    tool_result_error = _Boolean(constraints=[SQL("DEFAULT 0")])
    created_at = _Timestamp(constraints=[SQL("DEFAULT CURRENT_TIMESTAMP")])

    class Meta:
        """Named as CPE names it."""

        table_name = "messages"


MessageRow.add_index(
    MessageRow.index(MessageRow.created_at, name="idx_messages_created_at")
)
MessageRow.add_index(MessageRow.index(MessageRow.parent, name="idx_messages_parent_id"))

ROW_NUMBER = Column(MessageRow, "rowid")
"""SQLite's own number of a message, which breaks ties between equal times."""


class BlockRow(Model):
    """One piece of a message's content."""

    id = TextField(null=True)
    message = ForeignKeyField(
        MessageRow, column_name="message_id", on_delete="CASCADE", index=False
    )
    message_id: str
    block_type = TextField()
    modality_type = IntegerField()
    mime_type = TextField()
    content = TextField()
    extra_fields = TextField(null=True)
    sequence_order = IntegerField()
    created_at = _Timestamp(constraints=[SQL("DEFAULT CURRENT_TIMESTAMP")])

    class Meta:
        """Named as CPE names it."""

        table_name = "blocks"
        primary_key = CompositeKey("message", "sequence_order")


class MetaRow(Model):
    """A fact about convotui's own tables, such as their version."""

    key = TextField(primary_key=True)
    value = TextField()

    class Meta:
        """One of convotui's own tables."""

        table_name = "convotui_meta"


class ReplyRow(Model):
    """How a reply came about. Without its message it means nothing and is swept."""

    message_id = TextField(primary_key=True)
    model = TextField(null=True)
    input_tokens = IntegerField(null=True)
    output_tokens = IntegerField(null=True)
    cached_tokens = IntegerField(null=True)
    reasoning_tokens = IntegerField(null=True)
    cost = FloatField(null=True)
    first_token_seconds = FloatField(null=True)
    duration_seconds = FloatField(null=True)
    finish_reason = TextField(null=True)
    state = TextField(constraints=[SQL("DEFAULT 'complete'")])
    error = TextField(null=True)
    beat_at = _Timestamp(null=True)
    """When it was known last that somebody is writing it, if anybody was."""

    class Meta:
        """One of convotui's own tables."""

        table_name = "convotui_replies"


class ChangeRow(Model):
    """One change that can be undone: a delete or a label."""

    id = AutoField()
    kind = TextField()
    message_ids = TextField()
    """The messages that were named, as a JSON list; not those below them."""
    message_count = IntegerField()
    before = TextField(null=True)
    after = TextField(null=True)
    undone = IntegerField(constraints=[SQL("DEFAULT 0")])
    """0, or a number that is higher the later it was undone."""
    created_at = _Timestamp()

    class Meta:
        """One of convotui's own tables."""

        table_name = "convotui_changes"


class TrashedMessageRow(Model):
    """A deleted message as it was, with the row number that decides ties in time."""

    change_id = IntegerField()
    position = IntegerField()
    id = TextField()
    parent_id = TextField(null=True)
    title = TextField(null=True)
    role = TextField()
    tool_result_error = _Boolean()
    created_at = _Timestamp()

    class Meta:
        """One of convotui's own tables."""

        table_name = "convotui_trashed_messages"
        primary_key = CompositeKey("change_id", "id")


TrashedMessageRow.add_index(
    TrashedMessageRow.index(TrashedMessageRow.id, name="convotui_trashed_ids")
)


class TrashedBlockRow(Model):
    """A deleted message's block as it was."""

    change_id = IntegerField()
    id = TextField(null=True)
    message_id = TextField()
    block_type = TextField()
    modality_type = IntegerField()
    mime_type = TextField()
    content = TextField()
    extra_fields = TextField(null=True)
    sequence_order = IntegerField()
    created_at = _Timestamp()

    class Meta:
        """One of convotui's own tables."""

        table_name = "convotui_trashed_blocks"
        primary_key = CompositeKey("change_id", "message_id", "sequence_order")


class IndexedRow(Model):
    """A message whose words are in the search index, under this document number."""

    document = AutoField()
    message_id = TextField(unique=True)

    class Meta:
        """One of convotui's own tables."""

        table_name = "convotui_indexed"


class OriginRow(Model):
    """Where a message came from. Without its message it means nothing and is swept."""

    message_id = TextField(primary_key=True)
    source = TextField()
    conversation = TextField()
    key = TextField()
    digest = TextField()
    """Of the content, as it came in last."""
    details = TextField()
    """Of what else was known of the message then."""
    meta = TextField(null=True)
    """What has no place elsewhere, as JSON."""
    continues_conversation = TextField(null=True)
    continues_key = TextField(null=True)
    """The message of the same source that it goes on from."""

    class Meta:
        """One of convotui's own tables."""

        table_name = "convotui_origins"


OriginRow.add_index(
    OriginRow.index(
        OriginRow.source,
        OriginRow.conversation,
        OriginRow.key,
        unique=True,
        name="convotui_origin_keys",
    )
)


SHARED_TABLES: tuple[type[Model], ...] = (MessageRow, BlockRow)
OWN_TABLES: tuple[type[Model], ...] = (
    MetaRow,
    ReplyRow,
    ChangeRow,
    TrashedMessageRow,
    TrashedBlockRow,
    IndexedRow,
    OriginRow,
)
