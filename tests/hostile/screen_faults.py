"""What the screen has to survive, as often as wanted; each returns what it counted."""

from __future__ import annotations

import random
import re
import signal
import termios
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from convotui.storage import (
    BEAT_LIFETIME,
    Block,
    Draft,
    MessageId,
    ReplyFacts,
    Store,
    utc_now,
)
from tests.llm.server import OpenAIServer, say
from tests.ui.browsing import FORKED, plant
from tests.ui.terminal import PATIENCE, RESTORED, Terminal

from .faults import inject
from .strings import PROBE, STEERING, storable

Figures = Counter[str]

ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)

HIT = """
import os
from convotui.ui.guarded import GuardedApp

def action_hit(self):
    open(os.environ["HIT"], "a").write("hit")

GuardedApp.action_hit = action_hit
"""
"""Gives the program an action that writes down that it was run."""

TRAP = "[@click=app.hit]press[/] [@click=app.hit()]here[/] [x](app.hit)"
"""What would run that action if it were markup."""

_OWN = re.compile(
    r"\x1b\[(?:\?[0-9]+(?:[hl]|\$p)|[0-9;]*m|[0-9]+;[0-9]+H|[<>][0-9]*u|H)"
    r"|\x1b\]22;[a-z-]*(?:\x07|\x1b\\)"
)
"""What Textual writes itself, when it starts, draws, and ends."""


_DIALOGS = (("L", "removes"), ("'", "Jump to"), ("y", "its id"))
"""Keys that open a dialog about what is selected, and what stands in it."""


def steering(output: bytes) -> list[str]:
    """Return what of an output steers the terminal and is not Textual's own."""
    text = output.decode(errors="surrogateescape")
    left = _OWN.sub("", text).replace("\r\n", "").replace("\n", "")
    return STEERING.findall(left) + re.findall(r"\x1b\[99[678]", text)


def with_model(project: Path, server: OpenAIServer) -> Path:
    """Have a project ask a server."""
    config = project / "home" / ".config" / "convotui"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(
        'model = "tester"\n[models.tester]\nmodel = "openai/tester"\n'
        f'api_base = "{server.base_url}"\n'
    )
    return project


def modes(terminal: Terminal) -> list[object]:
    """How the terminal treats what is typed, as the shell would find it."""
    return termios.tcgetattr(terminal.child.child_fd)[:4]


def is_restored(terminal: Terminal, before: list[object]) -> bool:
    """Whether the terminal is as it was before the program began."""
    begun = terminal.output.rfind(b"\x1b[?1049h")
    left = terminal.output[max(0, begun) :].decode(errors="replace")
    on = [f"{mode}h" for mode in ("?1049", "?1000", "?1003", "?2004")] + ["?25l"]
    off = [f"{mode}l" for mode in ("?1049", "?1000", "?1003", "?2004")] + ["?25h"]
    is_over = all(left.rfind(b) > left.rfind(a) for a, b in zip(on, off, strict=True))
    is_told = all(code in left for code in RESTORED)
    return (begun < 0 or (is_over and is_told)) and modes(terminal) == before


def end_by(project: Path, number: signal.Signals, seed: int) -> Figures:
    """End the program by a signal: while it starts, or at some moment after that."""
    moments = random.Random(f"{number} {seed}")
    with Terminal(cwd=project) as terminal:
        before = modes(terminal)
        keys = "".join(moments.choices("jkgGzZ/oe\x1b", k=moments.randrange(8)))
        terminal.wait_for_output(b"\x1b[?1049h")
        if seed % 3:
            terminal.wait_for("How do we store branches?")
            terminal.send(keys)
        terminal.child.kill(number)
        code = terminal.wait_for_exit()
        restored = is_restored(terminal, before)
    figures = Figures(signals=1, restored=restored)
    figures["not restored"] = not restored
    figures["wrong codes"] = code != 128 + number
    figures["tracebacks"] = b"Traceback" in terminal.output
    return figures


def show_all(project: Path, strings: Sequence[str]) -> Figures:
    """Show texts wherever a text is shown, and click on all of them."""
    with Store(project / ".cpeconvo") as store:
        parent: MessageId | None = None
        for number, text in enumerate(strings):
            body = f"{TRAP} {PROBE}{text[:400]}"
            facts = ReplyFacts(
                model=f"m/{PROBE}{storable(text)[:40]}", error=body, state="failed"
            )
            blocks = [Block(body), Block(body, "thinking"), Block(body, PROBE)]
            title = f"{TRAP} {PROBE}{storable(text)[:60]}"
            draft = Draft("assistant", blocks, parent, title=title, facts=facts)
            (parent,) = store.save([draft])
            if number % 3 == 0:
                store.save([Draft("tool_result", [Block(body)], parent)])
        store.save([Draft("user", [Block("the last")], parent)])
    hits = project / "hits"
    faults = inject(project / "faults", HIT)
    size = (160, 50)
    with Terminal(cwd=project, size=size, PYTHONPATH=faults, HIT=str(hits)) as terminal:
        terminal.wait_for("the last")
        _page(terminal, "g", *["\x04"] * (2 + len(strings) // 15), "G")
        terminal.send("\t")
        _page(terminal, "g", " ", *["J J "] * (1 + len(strings) // 2), "G")
        _click(terminal, size)
        # What is typed after all that shows when all that has been done.
        terminal.click(size[0] - 20, size[1] - 4)
        terminal.send("now")
        terminal.wait_for("│ now ")
        terminal.send("\x1b")
        terminal.wait_for("f Fork")
        for key, shows in _DIALOGS:
            _open(terminal, key, shows)
        terminal.send("q")
        code = terminal.wait_for_exit()
    figures = Figures({"strings rendered": len(strings)})
    figures["escape bytes out"] = len(steering(terminal.output))
    figures["actions fired"] = hits.exists()
    figures["crashes"] = code != 0
    assert b"[997m" in terminal.output, "no text was shown"
    return figures


def _page(terminal: Terminal, *keys: str) -> None:
    """Press keys, and take in all that is drawn for them."""
    for key in keys:
        terminal.send(key)
        terminal.read()
    _take_in(terminal)


def _take_in(terminal: Terminal) -> None:
    """Take in what is drawn until nothing more comes."""
    size = -1
    while size < len(terminal.output):
        size = len(terminal.output)
        terminal.read()


def _click(terminal: Terminal, size: tuple[int, int]) -> None:
    """Click everywhere but on the keys at the bottom."""
    for row in range(size[1] - 1):
        places = [f"0;{column};{row + 1}" for column in range(1, size[0], 8)]
        terminal.send("".join(f"\x1b[<{it}M\x1b[<{it}m" for it in places))
        terminal.read()
    _take_in(terminal)


def _open(terminal: Terminal, key: str, shows: str) -> None:
    """Open a dialog and close it."""
    deadline = time.monotonic() + PATIENCE
    terminal.send(key)
    while not any(shows in line for line in terminal.lines):
        assert time.monotonic() < deadline, f"{key} {terminal.lines[-8:]}"
        terminal.read()
    terminal.send("\x1b")
    while any(shows in line for line in terminal.lines):
        assert time.monotonic() < deadline, f"{key} {terminal.lines[-8:]}"
        terminal.read()


def split(text: str, chance: random.Random) -> Iterable[str]:
    """Divide a text at random."""
    places = sorted(chance.sample(range(1, len(text)), k=min(len(text) - 1, 40)))
    for start, end in pairwise([0, *places, len(text)]):
        yield text[start:end]


def stream_all(project: Path, strings: Sequence[str], seed: int) -> Figures:
    """Have texts arrive in pieces that end anywhere."""
    chance = random.Random(seed)
    with Store(project / ".cpeconvo") as store:
        plant(store, FORKED)
    pieces = [
        piece for text in strings for piece in split(f"{PROBE}{text[:300]}\n\n", chance)
    ]
    with OpenAIServer() as server:
        with_model(project, server)
        server.script(say(*pieces, "the end"))
        with Terminal(cwd=project, size=(120, 40)) as terminal:
            terminal.wait_for("reply to haiku1")
            terminal.send("o")
            terminal.wait_for("enter Send")
            terminal.send("Go on\r")
            terminal.wait_for_output(b"the end")
            alive = terminal.child.isalive()
    return Figures(
        {
            "strings rendered": len(strings),
            "escape bytes out": len(steering(terminal.output)),
            "crashes": not alive,
        }
    )


def kill_reply(project: Path, seed: int) -> Figures:
    """Kill the program at some moment of a reply; what is kept of it."""
    chance = random.Random(seed)
    words = [f"word{number} " for number in range(400)]
    shown_first = chance.randrange(1, 300)
    with OpenAIServer() as server:
        with_model(project, server)
        gate = server.gate()
        server.script(say(*words[:shown_first], gate, *words[shown_first:]))
        with Terminal(
            "ask", "-n", f"question {seed}", cwd=project, size=(200, 50)
        ) as terminal:
            terminal.wait_for_output(words[shown_first - 1].encode())
            if chance.random() < 0.5:
                gate.release()
            terminal.child.kill(signal.SIGKILL)
            terminal.wait_for_exit()
    with Store(project / ".cpeconvo", clock=lambda: utc_now() + BEAT_LIFETIME) as store:
        reply = store.list_rows()[0]
        prompt, kept = store.thread(reply.id)[-2:]
    figures = Figures(kills=1)
    figures["questions lost"] = prompt.text != f"question {seed}"
    figures["replies made up"] = not "".join(words).startswith(kept.text)
    figures["called whole"] = kept.facts is None or kept.facts.state == "complete"
    return figures
