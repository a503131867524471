"""Messages as text for other programs and people: Markdown, a web page, JSON.

Everything here is pure. The writers take messages that list parents before children
and yield pieces, so that any number of them fits in memory at any depth. No text in a
message can break out of the place that the export gives it.

Each format is a module of its own, so that nobody loads what they do not write.
"""
