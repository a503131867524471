"""Make the pictures of the README from the real program: `python -m screenshots`.

The names of some make only those; `cast` is the one that moves.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from screenshots.cast import cast
from screenshots.scene import scene

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Picture:
    """A file, the terminal's size and theme, and the keys pressed before."""

    name: str
    keys: tuple[str, ...]
    size: tuple[int, int] = (120, 34)
    theme: str = "convotui-dark"


PICTURES = (
    Picture("browser", ("g", *"jjjjjjj")),
    Picture("light", ("g", "j", "j"), theme="convotui-light"),
    Picture("narrow", ("k", "k"), size=(80, 24)),
    Picture("search", ("slash", *"recursive")),
    Picture("delete", ("g", "j", "d")),
    Picture("help", ("question_mark",)),
)


async def take(picture: Picture) -> str:
    """Return what the program shows after some keys."""
    async with scene(picture.size, picture.theme) as (pilot, _):
        for key in picture.keys:
            await pilot.press(key)
            await pilot.pause(0.15)
        await pilot.pause(0.5)
        return pilot.app.export_screenshot(title="convotui")


async def main(names: list[str]) -> None:
    """Make the pictures of these names, or all."""
    # A terminal with fewer colours would get another theme.
    os.environ["COLORTERM"] = "truecolor"
    for picture in PICTURES:
        if not names or picture.name in names:
            (HERE / f"{picture.name}.svg").write_text(await take(picture))
    if not names or "cast" in names:
        (HERE / "cast.svg").write_text(await cast())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
