"""Other programs' conversations, all read into the same records.

Each format is one small module that gives a `FORMAT`. Adding one takes three steps:

1. Write `convotui/importers/NAME.py` with a function that reads a `Source` and yields
   a `Conversation` for each tree of messages in it, and `FORMAT = Format(...)`.
2. Put NAME into `_MODULES` in `formats.py`; formats are asked in that order.
3. Put a sample with the format's traps under `tests/fixtures/importers`.

A format is told by content, never by a file's name. SQLite files are told by their
tables (`knows_tables`), JSON by its first records (`knows_records`), other text by
itself (`knows_text`), and large documents by how they begin (`knows_head`). To read, a
`Source` gives

- `source.records()`: each element of a JSON array, each object of a file of lines, or
  the one object that a file is, with where it was; what is no JSON is skipped and told.
- `source.database("table", ...)`: a private copy, in which nothing can run and only
  these tables can be read; `select` gives `None` for columns that a version lacks.
- `source.text`, and `source.open()` for anything else.
- `source.skip(where, reason)`: tells what a format itself cannot use, and goes on.
- `source.modified`: the time of what has none.
- `source.shelf()`: where what messages say waits until it is known what they hang from,
  for files of any size that are one conversation.

A message is an `Arrival`. Its `key` is the program's own id, or for programs without
ids one of `ContentKeys`, and must be the same at every import: what has come in under
it is not taken twice, and what is new is hung below. `parent` is another key of the
conversation. Roles are `user`, `assistant` and `tool_result`: a result is a message of
its own, and each of its blocks has the id of the call. Model, tokens and cost go to
`facts`, whatever else belongs to a message to `meta`, and what belongs to a block to
its extra fields. A link to where a conversation goes on from is `continues`.

`shaping` has what most need: values of unsure type (`text_of`, `dict_of`, `time_of`),
blocks (`text_block`, `call_block`, `url_block`), and `chain` for a list of messages or
`parents_first` for a tree, which bring order, times and missing parents to rights. No
format imports another; none opens a file by itself or writes one.
"""

from convotui.importers.finding import find_sources
from convotui.importers.formats import Format, format_named, format_of, formats
from convotui.importers.records import (
    Conversation,
    Problem,
    Problems,
    UnreadableError,
)
from convotui.importers.sources import Source

__all__ = [
    "Conversation",
    "Format",
    "Problem",
    "Problems",
    "Source",
    "UnreadableError",
    "find_sources",
    "format_named",
    "format_of",
    "formats",
]
