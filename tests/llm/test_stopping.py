"""Stopping a reply: the server notices, and nothing else is stopped."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from contextlib import suppress

import pytest

from convotui.llm import TextPiece
from convotui.llm.litellm_client import LitellmClient
from tests.llm.asking import HELLO, Reply, ask, at
from tests.llm.server import PATIENCE, Gate, OpenAIServer, say

ASKING = """
import asyncio, sys
from convotui.llm import Endpoint, Request, Text, Turn
from convotui.llm.litellm_client import LitellmClient

async def main():
    endpoint = Endpoint("openai/scripted", api_base=sys.argv[1])
    request = Request([Turn("user", [Text("Hello?")])])
    async for piece in LitellmClient().reply(endpoint, request):
        print(piece.text, flush=True)

try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


def held(server: OpenAIServer, *before: str) -> Gate:
    """Have the server stop in the middle of its next reply."""
    gate = server.gate()
    server.script(say(*before, gate, "never"))
    return gate


async def test_closing_a_reply_hangs_up(server: OpenAIServer) -> None:
    held(server, "half ")
    pieces = LitellmClient().reply(at(server), HELLO)

    assert await anext(pieces) == TextPiece("half ")
    await pieces.aclose()

    await asyncio.to_thread(server.next_request().wait_for_hang_up)


@pytest.mark.parametrize("before", [[], ["half "]])
async def test_cancelling_the_one_who_asks_hangs_up(
    server: OpenAIServer, before: list[str]
) -> None:
    gate = held(server, *before)
    asking = asyncio.create_task(ask(at(server)))
    await asyncio.to_thread(gate.wait_until_reached)

    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking

    assert asking.cancelled()
    await asyncio.to_thread(server.next_request().wait_for_hang_up)


async def test_stopping_one_reply_leaves_the_others(server: OpenAIServer) -> None:
    gates = [held(server, "a "), held(server, "b ")]
    asking: list[asyncio.Task[Reply]] = []
    for gate in gates:
        asking.append(asyncio.create_task(ask(at(server))))
        await asyncio.to_thread(gate.wait_until_reached)

    asking[0].cancel()
    await asyncio.to_thread(server.next_request().wait_for_hang_up)
    gates[1].release()

    assert (await asking[1]).text == "b never"


async def test_stopping_ends_the_command_that_is_to_print_the_key(
    server: OpenAIServer,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = (
            f"import socket; socket.create_connection({listener.getsockname()}).recv(1)"
        )
        endpoint = at(server, key_command=(sys.executable, "-c", code))
        asking = asyncio.create_task(ask(endpoint))
        listener.settimeout(PATIENCE)
        connection, _ = await asyncio.to_thread(listener.accept)
        connection.settimeout(PATIENCE)

        asking.cancel()

        with connection:
            assert await asyncio.to_thread(connection.recv, 1) == b""
    assert server.requests == []


def test_replies_in_one_loop_after_another(server: OpenAIServer) -> None:
    for _ in range(2):
        assert asyncio.run(ask(at(server))).text == "You said: Hello?"


@pytest.mark.parametrize("before", [[], ["half"]])
def test_ctrl_c_ends_the_process_without_a_word(
    server: OpenAIServer, before: list[str]
) -> None:
    gate = held(server, *before)
    asking = subprocess.Popen(
        [sys.executable, "-c", ASKING, server.base_url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    gate.wait_until_reached()
    if before:
        assert asking.stdout is not None
        assert asking.stdout.readline() == "half\n"

    asking.send_signal(signal.SIGINT)

    assert asking.communicate(timeout=60) == ("", "")
    assert asking.returncode == 130
    server.next_request().wait_for_hang_up()
