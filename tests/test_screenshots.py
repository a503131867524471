"""The picture that moves: drawn once a line, shown when it is its turn."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console
from rich.text import Text

from screenshots.animation import Frame, animate
from screenshots.cast import SIZE

CAST = Path(__file__).parent.parent / "screenshots" / "cast.svg"
SVG = "{http://www.w3.org/2000/svg}"


def picture(*lines: str) -> str:
    """What a screen with these lines looks like."""
    console = Console(width=20, record=True, file=io.StringIO())
    for line in lines:
        console.print(Text(line, style="#102030 on #fafafa"))
    return console.export_svg(title="")


def words_of(element: ElementTree.Element) -> str:
    return "".join(element.itertext()).replace("\xa0", " ").strip()


def timed(svg: str) -> dict[str, tuple[str, str]]:
    """When each part that comes and goes is seen, by the words in it."""
    root = ElementTree.fromstring(svg)
    return {
        words_of(part): (clock.attrib["keyTimes"], clock.attrib["values"])
        for part in root.iterfind(f"{SVG}g")
        if (clock := part.find(f"{SVG}animate")) is not None
    }


def test_what_stays_is_drawn_once_and_what_changes_in_its_time() -> None:
    frames = [
        Frame(picture("always", "first"), "one", 1),
        Frame(picture("always", "then"), "two", 2),
        Frame(picture("always", "first"), "one", 1),
    ]

    moving = animate(frames, (20, 2))

    assert moving.count("always") == moving.count("first") == 1
    assert timed(moving) == {
        "one": ("0.;0.25;0.75", "visible;hidden;visible"),
        "first": ("0.;0.25;0.75", "visible;hidden;visible"),
        "two": ("0.;0.25;0.75", "hidden;visible;hidden"),
        "then": ("0.;0.25;0.75", "hidden;visible;hidden"),
    }


def test_the_cast_shows_what_the_readme_promises_and_is_not_large() -> None:
    text = CAST.read_text()
    root = ElementTree.fromstring(text)

    captions = [
        words_of(title)
        for title in root.iter(f"{SVG}text")
        if title.get("class") == "t"
    ]
    beginnings = [
        "Every",
        "/ finds",
        "f forks",
        "r asks",
        "[ and ]",
        "d del",
        "u brings",
    ]
    assert len(captions) == len(beginnings)
    for caption, beginning in zip(captions, beginnings, strict=True):
        assert caption.startswith(beginning)
    assert root.attrib["viewBox"] == f"0 0 {SIZE[0] * 12.2 + 18:g} 879.6"
    assert len(text) < 1_500_000
