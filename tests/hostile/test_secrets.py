"""A key is in the request and nowhere else; nobody is reached unasked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from convotui.llm import Endpoint
from convotui.secrets import find_secret
from convotui.settings import NamedModel, Settings
from convotui.storage import Block, Draft, Store
from tests.llm.server import OpenAIServer, break_off, failure, say
from tests.ui.browsing import FORKED, Browser, browse, plant
from tests.ui.terminal import Terminal

from .faults import AUDIT, inject
from .strings import STRINGS

CANARY = "sk-canary-0123456789abcdefABCDEF"

KEYS = {
    "Anthropic": "sk-ant-api03-AbCdEf0123456789AbCdEf0123456789",
    "OpenAI": "sk-proj-AbCdEf0123456789AbCdEf0123456789",
    "OpenRouter": "sk-or-v1-0123456789abcdef0123456789abcdef",
    "Google": "AIzaSyA0123456789abcdefghijklmnopqrstuv",
    "Groq": "gsk_AbCdEf0123456789AbCdEf",
    "AWS": "AKIAIOSFODNN7EXAMPLE",
    "GitHub": "ghp_0123456789abcdef0123456789abcdef0123",
    "Hugging Face": "hf_AbCdEf0123456789AbCdEf01",
    "Slack": "xoxb-0123456789-abcdef",
    "private key": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk",
    "signs": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.dBjftJeZ4CVPmB92K27u",
    "address": "postgres://admin:s3cr3tpass@db.example/main",
    "setting": 'DB_PASSWORD="correct-horse-battery-1"',
}

HARMLESS = [
    "What is an API key, and why does sk- begin one?",
    "the sk-learn-contrib-packages-and-friends list",
    "password: hunter2",
    "api_key = os.environ['OPENAI_API_KEY']",
    "api_key=get_the_key_from_somewhere()",
    "https://user@example.org/path?key=value",
    "http://localhost:8080/a:b@c",
    "a task-force-of-twenty-people-and-more-0",
    "sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
]


@pytest.mark.parametrize("name", KEYS)
def test_81_a_key_is_known_for_what_it_is(name: str) -> None:
    found = find_secret(f"Why does this fail?\n{KEYS[name]}\nThanks")

    assert found is not None
    assert name in found or not name[0].isupper()


@pytest.mark.parametrize("text", HARMLESS)
def test_81_other_words_are_no_keys(text: str) -> None:
    assert find_secret(text) is None


def test_81_any_text_is_looked_through_at_once() -> None:
    for text in (*STRINGS.values(), "sk-" * 300_000, "a_" * 300_000, "x://" * 200_000):
        find_secret(text)


async def see_dialog(browser: Browser) -> None:
    await browser.until(lambda: len(browser.app.screen_stack) == 2)


async def test_81_a_key_in_the_prompt_is_asked_about_before_it_is_saved(
    store: Store,
) -> None:
    plant(store, FORKED)
    with OpenAIServer() as server:
        endpoint = Endpoint("openai/x", api_base=server.base_url)
        settings = Settings(model="x", models={"x": NamedModel(endpoint)})
        async with browse(store, settings=settings) as browser:
            browser.prompt.focus()
            browser.prompt.replace_text(KEYS["Anthropic"])
            await browser.press("enter")
            await see_dialog(browser)
            await browser.press("escape")
            await browser.until_done()
            assert browser.prompt.text == KEYS["Anthropic"]
            assert len(store.list_rows()) == len(FORKED)
            assert server.requests == []
            await browser.press("enter")
            await see_dialog(browser)
            await browser.press("y")
            await browser.until(lambda: browser.prompt.text == "")
            assert KEYS["Anthropic"] in [row.text for row in store.list_rows()]


def ask_in_a_shell(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "convotui", "ask", *arguments],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(project / "home"),
            "MY_KEY": CANARY,
        },
        check=False,
    )


@pytest.mark.parametrize("how", ["typed", "in a file"])
def test_81_a_key_on_the_command_line_is_refused_before_it_is_saved(
    project: Path, how: str
) -> None:
    file = project / "notes.txt"
    file.write_text(KEYS["GitHub"])
    words = [KEYS["GitHub"]] if how == "typed" else ["Look", "-f", str(file)]
    with OpenAIServer() as server:
        configure(project, server)
        refused = ask_in_a_shell(project, "-n", *words)
        assert refused.returncode == 2
        assert refused.stderr.count("\n") == 1
        assert "--allow-secrets" in refused.stderr
        assert KEYS["GitHub"] not in refused.stderr
        assert server.requests == []
        assert not (project / ".cpeconvo").exists()

        allowed = ask_in_a_shell(project, "-n", "--allow-secrets", *words)
        assert allowed.returncode == 0, allowed.stderr
        assert len(server.requests) == 1


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    return directory


def configure(project: Path, server: OpenAIServer) -> None:
    config = project / "home" / ".config" / "convotui"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(
        'model = "tester"\n[models.tester]\nmodel = "openai/tester"\n'
        f'api_base = "{server.base_url}"\nkey_variable = "MY_KEY"\n'
    )


def ask(terminal: Terminal, text: str) -> None:
    terminal.wait_for("enter Send")
    terminal.send(text)
    terminal.wait_for(text)
    terminal.send("\r")


def test_80_a_key_is_in_the_request_and_nowhere_else(project: Path) -> None:
    leaks = [
        failure(401, f"bad key {CANARY}"),
        failure(500, f"Authorization: Bearer {CANARY}"),
        break_off("half", end="cut"),
        say("fine"),
    ]
    with OpenAIServer() as server:
        configure(project, server)
        server.script(*leaks)
        with Terminal(
            "-n", cwd=project, MY_KEY=CANARY, LITELLM_LOG="DEBUG", size=(120, 40)
        ) as terminal:
            for number in range(len(leaks)):
                ask(terminal, f"question {number}")
                terminal.wait_for(f"❯ question {number}")
                server.next_request().wait_until_served()
            terminal.wait_for("fine")
            terminal.send("\x1b")
            terminal.wait_for("f Fork")
            terminal.send("q")
            assert terminal.wait_for_exit() == 0
        assert CANARY in str(server.requests[0].headers)
    assert CANARY.encode() not in terminal.output
    kept = [path for path in project.rglob("*") if path.is_file()]
    assert [path for path in kept if CANARY.encode() in path.read_bytes()] == []


def reached(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def test_82_85_browsing_reaches_nobody_whatever_is_on_show(
    project: Path, tmp_path: Path
) -> None:
    with Store(project / ".cpeconvo") as store:
        for text in (
            "![x](https://evil.example/x.png?d=1) <img src='http://evil.example/'>",
            "[x](https://evil.example/) https://evil.example/y",
        ):
            store.save([Draft("assistant", [Block(text)])])
    log = tmp_path / "reached"
    with Terminal(
        cwd=project,
        size=(120, 40),
        PYTHONPATH=inject(tmp_path / "faults", AUDIT),
        REACHED=str(log),
        ANTHROPIC_API_KEY=CANARY,
    ) as terminal:
        terminal.wait_for("evil.example/y")
        terminal.send("k")
        terminal.wait_for("x.png?d=1")
        terminal.send("/")
        terminal.wait_for("Search every message")
        terminal.send("evil")
        terminal.wait_for("hit 2/2")
        terminal.send("\x1b")
        terminal.wait_for("f Fork")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert reached(log) == []


def test_82_a_question_goes_to_the_chosen_provider_alone(
    project: Path, tmp_path: Path
) -> None:
    log = tmp_path / "reached"
    with OpenAIServer() as server:
        configure(project, server)
        server.script(say("![x](https://evil.example/x.png) fine"))
        with Terminal(
            "-n",
            cwd=project,
            size=(120, 40),
            PYTHONPATH=inject(tmp_path / "faults", AUDIT),
            REACHED=str(log),
            MY_KEY=CANARY,
        ) as terminal:
            ask(terminal, "Go on")
            terminal.wait_for("fine")
            terminal.send("\x1b")
            terminal.wait_for("f Fork")
            terminal.send("q")
            assert terminal.wait_for_exit() == 0
        host, _, port = server.address.partition(":")
    assert reached(log) != []
    assert [line for line in reached(log) if host not in line] == []
    connected = [line for line in reached(log) if line.startswith("socket.connect")]
    assert [line for line in connected if port not in line] == []


def test_84_browsing_does_not_load_what_asks_models(
    project: Path, tmp_path: Path
) -> None:
    with Store(project / ".cpeconvo") as store:
        plant(store, FORKED)
    code = (
        "import atexit, os, sys\n"
        "def tell():\n"
        "    open(os.environ['LOADED'], 'w').write(' '.join(sys.modules))\n"
        "atexit.register(tell)\n"
    )
    loaded = tmp_path / "loaded"
    with Terminal(
        cwd=project,
        PYTHONPATH=inject(tmp_path / "faults", code),
        LOADED=str(loaded),
        OLLAMA_HOST="127.0.0.1:9",
    ) as terminal:
        terminal.wait_for("reply to haiku1")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    modules = loaded.read_text().split()
    assert "textual" in modules
    assert not {"litellm", "openai", "httpx"} & set(modules)
