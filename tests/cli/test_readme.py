"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
from dataclasses import fields
from pathlib import Path

from convotui.settings import Settings

from .program import COMMAND, Program
from .stores import FORKED, make_forked

README = (Path(__file__).parent.parent.parent / "README.md").read_text()


def section(title: str) -> str:
    _, _, rest = README.partition(f"\n## {title}\n")
    return rest.partition("\n## ")[0]


def blocks(text: str, language: str) -> list[str]:
    every = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for kind, block in every if kind == language]


def on_path(directory: Path) -> Path:
    """A directory with a `convotui` in it."""
    directory.mkdir()
    script = directory / "convotui"
    script.write_text(f'#!/bin/sh\nexec {COMMAND[0]} -m convotui "$@"\n')
    script.chmod(0o755)
    return directory


def shell(convotui: Program, line: str, path: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **convotui.environment,
        "PATH": f"{path}:{convotui.environment['PATH']}",
    }
    return subprocess.run(
        ["bash", "-c", line],
        cwd=convotui.directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_picture_is_what_list_prints(convotui: Program, project: Path) -> None:
    make_forked(project / ".cpeconvo")

    [picture, *_] = blocks(README, "")

    assert picture == convotui.prints("list") == FORKED


def test_the_first_minute_works_as_typed(
    convotui: Program, project: Path, tmp_path: Path
) -> None:
    make_forked(project / ".cpeconvo")
    path = on_path(tmp_path / "bin")
    [screen, commands, completion] = blocks(section("First minute"), "sh")
    assert screen == "convotui\n"
    lines = commands.splitlines()
    assert len(lines) >= 8

    for line in lines:
        done = shell(convotui, line, path)
        assert done.returncode == 0, (line, done.stderr)

    assert "[the good one]" in convotui.prints("list")
    assert "hI7jK8" in convotui.prints("list")
    assert "<html" in (project / "talk.html").read_text()
    done = shell(convotui, f"{completion}\ncomplete -p convotui", path)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_switch_is_in_the_table_of_settings() -> None:
    table = section("Settings")

    switches = [field for field in fields(Settings) if field.type == "bool"]
    assert switches
    for field in switches:
        variable, default = field.name.upper(), str(field.default).lower()
        assert f"| `{field.name}` | `CONVOTUI_{variable}` | `{default}` |" in table
