"""What is read from the head of a model file."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from convotui.llm import ModelError
from convotui.llm.gguf import LARGEST_WINDOW, USUAL_WINDOW, window_of

UINT8, UINT32, STRING, ARRAY, UINT64 = 0, 4, 8, 9, 10


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def field(name: str, kind: int, value: bytes) -> bytes:
    return string(name) + struct.pack("<I", kind) + value


def array(kind: int, *values: bytes) -> bytes:
    return struct.pack("<IQ", kind, len(values)) + b"".join(values)


def file_with(directory: Path, *fields: bytes) -> Path:
    path = directory / "model.gguf"
    path.write_bytes(
        b"GGUF" + struct.pack("<IQQ", 3, 0, len(fields)) + b"".join(fields)
    )
    return path


def context_length(tokens: int) -> bytes:
    return field("llama.context_length", UINT32, struct.pack("<I", tokens))


def test_a_file_says_how_much_its_model_takes(tmp_path: Path) -> None:
    path = file_with(
        tmp_path,
        field("general.architecture", STRING, string("llama")),
        field("general.tags", ARRAY, array(STRING, string("a"), string("bc"))),
        field("general.bytes", ARRAY, array(UINT8, b"x", b"y", b"z")),
        context_length(2048),
        field("llama.block_count", UINT32, struct.pack("<I", 30)),
    )

    assert window_of(path) == 2048


def test_no_more_is_taken_than_there_should_be_memory_for(tmp_path: Path) -> None:
    assert window_of(file_with(tmp_path, context_length(131_072))) == LARGEST_WINDOW


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [field("general.architecture", STRING, string("llama"))],
        [context_length(0)],
        [field("llama.context_length", STRING, string("2048"))],
        [field("general.kind", 99, b""), context_length(2048)],
        [string("cut")[:-1]],
        [field("a", STRING, struct.pack("<Q", 2**63)), context_length(2048)],
        [field("a", ARRAY, struct.pack("<IQ", UINT64, 2**62)), context_length(2048)],
        [field("a", ARRAY, struct.pack("<IQ", STRING, 2**62)), context_length(2048)],
        [field("a", ARRAY, struct.pack("<IQ", ARRAY, 2**62)), context_length(2048)],
    ],
)
def test_a_file_that_does_not_say_has_the_usual_window(
    fields: list[bytes], tmp_path: Path
) -> None:
    assert window_of(file_with(tmp_path, *fields)) == USUAL_WINDOW


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04 and so on"])
def test_another_kind_of_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)

    with pytest.raises(ModelError, match="not a GGUF file") as refused:
        window_of(path)

    assert refused.value.kind == "unknown_model"


@pytest.mark.parametrize("name", ["nothing.gguf", ".", "null\0byte", "pipe"])
def test_what_is_no_file_is_refused(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(ModelError, match="no such file") as refused:
        window_of(tmp_path / name)

    assert refused.value.kind == "unknown_model"
