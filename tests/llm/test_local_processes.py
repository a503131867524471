"""What is left of the built-in model outside the process that asks it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from convotui.llm.local import BUILT_IN, LocalClient
from tests.llm.builtin import weights_directory

ASKING = """
import asyncio, os, signal, subprocess, sys
from pathlib import Path
from convotui.llm import Endpoint, ModelError, Request, Text, Turn
from convotui.llm.local import BUILT_IN, LocalClient

client = LocalClient(Path(sys.argv[1]))
request = Request([Turn("user", [Text("Tell a story.")])])

async def ask(**settings):
    try:
        async for piece in client.reply(Endpoint(BUILT_IN, **settings), request):
            yield piece
    except ModelError:
        pass
"""
QUIETLY = """
async def main():
    assert [piece async for piece in ask(max_tokens=20)]
    assert not [piece async for piece in ask(extra={"grammar": "root ::= ((("})]

asyncio.run(main())
"""
LEAVING = """
class Shown(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        print(self.pid, flush=True)

subprocess.Popen = Shown

def leave():
    sys.stdin.readline()
    LEAVE

async def main():
    REPLY

asyncio.run(main())
"""
IN_A_REPLY = 'async for _ in ask(max_tokens=8000, extra={"ignore_eos": True}): leave()'
AFTER_A_REPLY = "[piece async for piece in ask(max_tokens=5)]; leave()"
LISTENING = """
import sys, urllib.error, urllib.request
from convotui.llm.local_child import load

server = load(sys.argv[1], 512, 1)
for path in "/v1/chat/completions", "/completion", "/props", "/slots", "/v1/models":
    body = b"{}" if path.endswith(("completion", "completions")) else None
    try:
        print(urllib.request.urlopen(server.listening_address + path, body).status)
    except urllib.error.HTTPError as error:
        print(error.code)
        error.close()
print(server.listening_address)
"""


@pytest.fixture(scope="session")
def directory(pytestconfig: pytest.Config) -> Path:
    return weights_directory(pytestconfig)


def python(code: str, *arguments: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_convotuis_at_once_reply_and_print_nothing(directory: Path) -> None:
    both = [python(ASKING + QUIETLY, directory) for _ in "ab"]

    assert [process.communicate() for process in both] == [("", ""), ("", "")]
    assert [process.returncode for process in both] == [0, 0]


@pytest.mark.skipif(sys.platform != "linux", reason="waits for another's child")
@pytest.mark.parametrize(
    ("leave", "code"),
    [
        ("sys.exit(7)", 7),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ],
)
@pytest.mark.parametrize("reply", [IN_A_REPLY, AFTER_A_REPLY])
def test_the_model_goes_with_the_convotui_that_leaves(
    reply: str, leave: str, code: int, directory: Path
) -> None:
    leaving = LEAVING.replace("LEAVE", leave).replace("REPLY", reply)
    with python(ASKING + leaving, directory) as asking:
        assert asking.stdout is not None
        model = os.pidfd_open(int(asking.stdout.readline()))
        try:
            _, errors = asking.communicate("leave\n")
            ended, _, _ = select.select([model], [], [], 60)
        finally:
            os.close(model)

    assert asking.returncode == code
    assert errors == ""
    assert ended


def test_nobody_else_can_ask_the_model(directory: Path) -> None:
    path = LocalClient(directory).path_of(BUILT_IN)

    with python(LISTENING, path) as listening:
        output, errors = listening.communicate()

    *codes, address = output.split()
    assert errors == ""
    assert codes == ["401"] * 5
    assert address.startswith("http://127.0.0.1:")
