"""Nothing is loaded early, printed, or fetched behind the user's back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.llm.server import OpenAIServer, break_off, failure, page, say

WATCHED = """
import asyncio, json, logging, sys, threading

heard, reached = [], []
class Listener(logging.Handler):
    def emit(self, record):
        heard.append(record.name)
logging.getLogger().addHandler(Listener())
logging.getLogger().setLevel(logging.DEBUG)
def watch(event, details):
    if event == "socket.connect":
        reached.append(str(details[1][0] if isinstance(details[1], tuple) else "local"))
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        reached.append(str(details[0]))
sys.addaudithook(watch)

from convotui.llm import Endpoint, ModelError, Request, Text, Turn
from convotui.llm.litellm_client import LitellmClient, warm_up

early = [name for name in ("litellm", "openai", "httpx") if name in sys.modules]
warming = threading.Thread(target=warm_up)
warming.start()
request = Request([Turn("user", [Text("Hello?")])])
texts = []

async def ask():
    text = ""
    try:
        async for piece in LitellmClient().reply(Endpoint("openai/gpt-4o"), request):
            text += getattr(piece, "text", "")
    except ModelError as error:
        text += error.kind
    texts.append(text)

async def main():
    await asyncio.gather(ask(), ask())
    for _ in range(4):
        await ask()

asyncio.run(main())
warming.join()
with open(sys.argv[1], "w") as file:
    told = {"early": early, "heard": heard, "reached": reached, "texts": sorted(texts)}
    json.dump(told, file)
"""


def test_only_the_server_is_reached_and_nothing_is_printed(
    server: OpenAIServer, tmp_path: Path
) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "OPENAI_API_KEY": "canary",
        "OPENAI_API_BASE": server.base_url,
        "LITELLM_LOG": "DEBUG",
    }
    server.script(
        say("fine"),
        say("fine", usage=None),
        failure(500, "oops"),
        break_off("half"),
        page("<html>"),
        failure(401, "canary"),
    )
    done = tmp_path / "done.json"

    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", WATCHED, str(done)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.stdout, run.stderr, run.returncode) == ("", "", 0)
    told = json.loads(done.read_text())
    assert told["early"] == []
    assert set(told["heard"]) <= {"asyncio"}
    assert set(told["reached"]) == {"127.0.0.1"}
    assert told["texts"] == ["bad_key", "fine", "fine", "halfcut", "nonsense", "server"]


def test_a_file_in_the_project_does_not_lead_the_key_elsewhere(
    server: OpenAIServer, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text(f"OPENAI_API_BASE={server.base_url}\n")
    code = (
        "import os; from convotui.llm.litellm_client import warm_up; warm_up();"
        "assert 'OPENAI_API_BASE' not in os.environ"
    )

    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.stdout, run.stderr, run.returncode) == ("", "", 0)
