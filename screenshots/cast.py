"""One minute of convotui: find, fork, ask, compare, delete, undo."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator

from textual.pilot import Pilot

from convotui.conversations.replies import Replies
from convotui.llm import Endpoint, FinishPiece, Piece, Request, TextPiece, UsagePiece
from screenshots.animation import Frame, animate
from screenshots.scene import scene

SIZE = (120, 34)

_ANSWERS = (
    "Imagine a family tree on the wall. You want to take down one aunt **and** "
    "everybody below her.\n\n1. Put a sticker on the aunt.\n2. Put a sticker on every "
    "child of somebody who has one.\n3. Go on until nobody new gets a sticker.\n\n"
    "Then take down everybody with a sticker, all at once.",
    "It is like *dominoes*: the first one that falls is the message you chose, and "
    "each falls on the ones right behind it.\n\nThe query only counts who would fall. "
    "Nothing is deleted before it knows **all** of them.",
)


class Storyteller:
    """Says what it was given, a few words at a time."""

    def __init__(self) -> None:
        self._answers: Iterator[str] = iter(_ANSWERS)

    async def reply(
        self, endpoint: Endpoint, request: Request
    ) -> AsyncGenerator[Piece, None]:
        """Yield the next answer."""
        words = next(self._answers).split(" ")
        for number in range(0, len(words), 3):
            await asyncio.sleep(0.06)
            yield TextPiece("".join(f"{word} " for word in words[number : number + 3]))
        yield UsagePiece(input_tokens=1540, output_tokens=len(words), cost=0.0061)
        yield FinishPiece("stop")


class Camera:
    """Takes a picture after every key."""

    def __init__(self, pilot: Pilot[None], replies: Replies) -> None:
        self._pilot = pilot
        self._replies = replies
        self._caption = ""
        self.frames: list[Frame] = []

    def shoot(self, seconds: float) -> None:
        """Take a picture that is shown for a while."""
        svg = self._pilot.app.export_screenshot()
        self.frames.append(Frame(svg, self._caption, seconds))

    async def press(self, *keys: str, each: float = 0.1, hold: float = 0.0) -> None:
        """Press keys one after the other, and look at what came of them."""
        for key in keys:
            await self._pilot.press(key)
            await self._pilot.pause(0.15)
            self.shoot(each)
        await self._pilot.pause(0.4)
        self.shoot(hold)

    async def type(self, text: str) -> None:
        """Type a text."""
        names = {" ": "space", ".": "full_stop"}
        await self.press(*(names.get(letter, letter) for letter in text), hold=0.8)

    async def watch_reply(self) -> None:
        """Look on while a reply arrives."""
        while self._replies.running:
            await self._pilot.pause(0.05)
            self.shoot(0.25)
        await self._pilot.pause(0.5)
        self.shoot(3)

    def say(self, caption: str) -> None:
        """Say what is to be seen next."""
        self._caption = caption


async def play(camera: Camera) -> None:
    """Use convotui for a minute."""
    camera.say("Every conversation of a project is one tree")
    camera.shoot(3)
    await camera.press("k", "k", "k", each=0.6, hold=0.8)
    camera.say("/ finds any message")
    await camera.press("slash", each=0.8)
    await camera.type("recursive")
    await camera.press("enter", hold=2.5)
    camera.say("f forks from here: what was said before stays as it is")
    await camera.press("f", hold=1.2)
    await camera.type("Explain it to a child.")
    await camera.press("enter", each=0.3)
    await camera.watch_reply()
    camera.say("r asks once more, beside the first answer")
    await camera.press("escape", "r", each=0.6)
    await camera.watch_reply()
    camera.say("[ and ] compare them")
    await camera.press(*("left_square_bracket", "right_square_bracket") * 2, each=2)
    camera.say("d deletes a message with everything below it")
    await camera.press("k", "k", each=0.6)
    await camera.press("d", hold=2.5)
    await camera.press("d", hold=3)
    camera.say("u brings it all back, today or next month")
    await camera.press("u", hold=4)


async def cast() -> str:
    """Return the minute as a picture that moves."""
    async with scene(SIZE, "convotui-dark", Storyteller()) as (pilot, replies):
        camera = Camera(pilot, replies)
        await play(camera)
    return animate([frame for frame in camera.frames if frame.seconds], SIZE)
