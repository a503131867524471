"""What is said in the stores: prose, lists and code of the lengths that people meet."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import accumulate, cycle

from convotui.storage import Role

NEEDLE = "needle"
"""A word in one of ten thousand messages."""
COMMON = "lorem"
"""A word in most of the messages."""
_NEEDLE_EVERY = 10_000
_WORDS = 4_000
_PARAGRAPHS = 600
_SYLLABLES = (
    "ba",
    "ke",
    "li",
    "mo",
    "nu",
    "ra",
    "se",
    "ti",
    "vo",
    "za",
    "en",
    "or",
    "ist",
)


class Writer:
    """Puts messages together from paragraphs that were written beforehand."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._paragraphs = list(_paragraphs(random.Random(0)))

    def message(self, number: int, role: Role) -> str:
        """Return what is said: a line or two by the user, a page by the model."""
        chance = self._chance
        parts = [f"Message {number}"]
        if number % _NEEDLE_EVERY == _NEEDLE_EVERY - 500:
            parts.append(NEEDLE)
        count = min(int(chance.lognormvariate(0.0, 0.8)) + 1, 12)
        parts += chance.choices(self._paragraphs, k=count)
        text = "\n\n".join(parts)
        return text if role == "assistant" else text[: _short(chance)]


def _short(chance: random.Random) -> int:
    return 40 + int(chance.lognormvariate(4.5, 1.0))


def tokens() -> Iterator[str]:
    """Yield a reply without end, word by word, in which every kind of text recurs."""
    text = "".join(f"{part}\n\n" for part in _paragraphs(random.Random(0))[:24])
    return cycle(re.findall(r"\S+\s*", text))


def code_tokens() -> Iterator[str]:
    """Yield a reply that is one block of code without end."""
    yield "```python\n"
    yield from cycle(["name ", "= ", "call(", "other, ", "1)  ", "# why\n"])


def _paragraphs(chance: random.Random) -> list[str]:
    words = [COMMON] + [
        "".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4)))
        for _ in range(_WORDS)
    ]
    # Few words make up most of any text.
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(words))))

    def some(least: int, most: int) -> str:
        count = chance.randint(least, most)
        return " ".join(chance.choices(words, cum_weights=weights, k=count))

    def paragraph(number: int) -> str:
        if number % 8 == 0:
            return "\n".join(f"- **{some(1, 2)}**: {some(3, 14)}" for _ in range(4))
        if number % 8 == 1:
            lines = "\n".join(f"    {some(1, 1)} = {some(1, 1)}()" for _ in range(5))
            return f"```python\ndef {some(1, 1)}():\n{lines}\n```"
        return f"{some(15, 110)}."

    return [paragraph(number) for number in range(_PARAGRAPHS)]
