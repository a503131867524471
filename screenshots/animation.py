"""Many pictures of a screen as one that moves.

A line of the screen is drawn once, however many pictures it is in, and shown while it
is there; what does not change takes no room.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

_STYLE = re.compile(r"\.terminal-\d+-(r\d+) \{ ([^}]*) \}")
_RECT = re.compile(
    r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="24\.65"'
)
_TEXT = re.compile(
    r'<text class="terminal-\d+-(r\d+)" x="([\d.]+)" y="([\d.]+)" '
    r'textLength="([\d.]+)"[^>]*>([^<]*)</text>'
)
_HEIGHT = 24.4
_BLANK = re.compile(r"(&#160;|\s)*")

_PAGE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">
<style>
text {{ font: 20px "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace }}
text.t {{ font: bold 18px sans-serif; fill: #c8d0e7; text-anchor: middle }}
{styles}
</style>
<rect width="{width:g}" height="{height:g}" rx="8" fill="{background}"/>
<circle cx="26" cy="22" r="7" fill="#ff5f57"/>
<circle cx="48" cy="22" r="7" fill="#febc2e"/>
<circle cx="70" cy="22" r="7" fill="#28c840"/>
{parts}
</svg>
"""


@dataclass(frozen=True)
class Frame:
    """What the screen shows for some seconds, and what is to be seen there."""

    svg: str
    caption: str
    seconds: float


def animate(frames: Sequence[Frame], size: tuple[int, int]) -> str:
    """Return the pictures as one SVG that begins again when it is over."""
    styles: dict[str, str] = {}
    shown: dict[str, list[tuple[float, float]]] = defaultdict(list)
    time = 0.0
    width, height = size[0] * 12.2 + 18, size[1] * _HEIGHT + 50
    background = _background(frames[0].svg)
    for frame in frames:
        until = time + frame.seconds
        title = f'<text class="t" x="{width / 2:g}" y="28">{escape(frame.caption)}'
        for part in (f"{title}</text>", *_lines(frame.svg, background, styles)):
            spans = shown[part]
            if spans and spans[-1][1] == time:
                spans[-1] = (spans[-1][0], until)
            else:
                spans.append((time, until))
        time = until
    return _PAGE.format(
        width=width,
        height=height,
        background=background,
        styles="\n".join(f".{name} {{ {style} }}" for style, name in styles.items()),
        parts="\n".join(_timed(part, spans, time) for part, spans in shown.items()),
    )


def _background(svg: str) -> str:
    """Return the colour that most of the screen has."""
    areas: dict[str, float] = defaultdict(float)
    for fill, _, _, width in _RECT.findall(svg):
        areas[fill] += float(width)
    return max(areas, key=lambda fill: areas[fill])


def _lines(svg: str, background: str, styles: dict[str, str]) -> Iterator[str]:
    """Yield what each line of a screen is drawn with."""
    own = dict(_STYLE.findall(svg))
    lines: dict[int, list[str]] = defaultdict(list)
    for fill, x, y, width in _RECT.findall(svg):
        if fill != background and float(width):
            lines[round((float(y) - 1.5) / _HEIGHT)].append(
                f'<rect fill="{fill}" x="{x}" y="{y}" width="{width}" height="24.7"/>'
            )
    for style, x, y, length, text in _TEXT.findall(svg):
        if not _BLANK.fullmatch(text):
            name = styles.setdefault(own[style], f"s{len(styles)}")
            lines[round((float(y) - 20) / _HEIGHT)].append(
                f'<text class="{name}" x="{x}" y="{y}" textLength="{length}">'
                f"{text}</text>"
            )
    for number in sorted(lines):
        yield f'<g transform="translate(9,41)">{"".join(lines[number])}</g>'


def _timed(part: str, spans: Sequence[tuple[float, float]], whole: float) -> str:
    """Return a part that is seen in these spans of time only."""
    if spans == [(0.0, whole)]:
        return part
    moments = {0.0: "hidden"}
    for begin, end in spans:
        moments[begin] = "visible"
        if end < whole:
            moments[end] = "hidden"
    times = ";".join(f"{moment / whole:.5f}".rstrip("0") for moment in moments)
    return (
        f'<g visibility="hidden">{part}<animate attributeName="visibility" '
        f'calcMode="discrete" dur="{whole:.2f}s" repeatCount="indefinite" '
        f'keyTimes="{times}" values="{";".join(moments.values())}"/></g>'
    )
