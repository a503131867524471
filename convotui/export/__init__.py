"""Messages as text for other programs and people: Markdown, a web page, JSON.

Everything here is pure. The writers take messages that list parents before children
and yield pieces, so that any number of them fits in memory at any depth. No text in a
message can break out of the place that the export gives it.

The page is written by `convotui.export.html.html`, which is not imported here because
it loads a Markdown parser.
"""

from convotui.export.document import DocumentError, dumps, loads
from convotui.export.markdown import markdown
from convotui.export.naming import file_name

__all__ = ["DocumentError", "dumps", "file_name", "loads", "markdown"]
