"""What goes to a model: every kind of turn, and every parameter."""

from __future__ import annotations

from typing import Any

import pytest

from convotui.llm import (
    Endpoint,
    Media,
    Part,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Turn,
)
from tests.llm.asking import ask, at
from tests.llm.server import OpenAIServer, failure

PIXEL = Media("image/png", "aGVsbG8=")


async def sent(server: OpenAIServer, *turns: Turn, system: str = "") -> Any:
    """Return the messages that a server gets."""
    reply = await ask(at(server), Request(turns, system))
    assert reply.error is None
    return server.next_request().body["messages"]


async def test_the_system_prompt_goes_first_and_text_goes_as_text(
    server: OpenAIServer,
) -> None:
    messages = await sent(
        server,
        Turn("user", [Text("One."), Text("Two.")]),
        Turn("assistant", [Text("Three.")]),
        Turn("user", [Text("Four.")]),
        system="Be brief.",
    )

    assert messages == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One.\n\nTwo."},
        {"role": "assistant", "content": "Three."},
        {"role": "user", "content": "Four."},
    ]


async def test_nothing_stands_for_what_is_empty(server: OpenAIServer) -> None:
    messages = await sent(
        server,
        Turn("user", [Text("One.")]),
        Turn("assistant", [Text(" ")]),
        Turn("user", []),
        system=" \n",
    )

    assert messages == [{"role": "user", "content": "One."}]


async def test_images_sounds_and_files_go_with_the_text(server: OpenAIServer) -> None:
    parts: list[Part] = [
        Text("Look:"),
        PIXEL,
        Media("application/pdf", "cGRm"),
        Media("audio/mpeg", "bXAz"),
    ]

    (message,) = await sent(server, Turn("user", parts))

    assert message["content"] == [
        {"type": "text", "text": "Look:"},
        {
            "type": "image_url",
            "image_url": {"url": "data:image/png;base64,aGVsbG8="},
        },
        {
            "type": "file",
            "file": {
                "filename": "file.pdf",
                "file_data": "data:application/pdf;base64,cGRm",
            },
        },
        {"type": "input_audio", "input_audio": {"data": "bXAz", "format": "mp3"}},
    ]


async def test_calls_go_with_their_results_and_images_after_them(
    server: OpenAIServer,
) -> None:
    messages = await sent(
        server,
        Turn("user", [Text("Look.")]),
        Turn(
            "assistant",
            [
                Text("I will."),
                ToolCall("c1", "see", '{"a": 1}'),
                ToolCall("c2", "go", ""),
            ],
        ),
        Turn(
            "user",
            [
                ToolResult("c1", "seen", media=[PIXEL]),
                ToolResult("c2", "no legs", is_error=True),
                Text("And?"),
            ],
        ),
    )

    see = {"name": "see", "arguments": '{"a": 1}'}
    go = {"name": "go", "arguments": "{}"}
    assert messages[1:] == [
        {
            "role": "assistant",
            "content": "I will.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": see},
                {"id": "c2", "type": "function", "function": go},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: no legs"},
        {
            "role": "user",
            "content": [
                {
                    "type": "image_url",
                    "image_url": {"url": "data:image/png;base64,aGVsbG8="},
                },
                {"type": "text", "text": "And?"},
            ],
        },
    ]


async def test_a_thought_that_nobody_signed_stays_here(server: OpenAIServer) -> None:
    messages = await sent(
        server,
        Turn("user", [Text("One.")]),
        Turn("assistant", [Thinking("secretly"), Text("Two.")]),
        Turn("user", [Text("Three.")]),
    )

    assert messages[1] == {"role": "assistant", "content": "Two."}


async def test_parameters_go_as_they_are(server: OpenAIServer) -> None:
    endpoint = at(
        server,
        temperature=0.5,
        max_tokens=77,
        extra={"top_p": 0.25, "extra_body": {"anything": [1]}, "stream": False},
    )

    assert (await ask(endpoint)).error is None

    body = server.next_request().body
    assert body["model"] == "scripted"
    assert (body["temperature"], body["max_tokens"]) == (0.5, 77)
    assert (body["top_p"], body["anything"]) == (0.25, [1])
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("model", ["qwen3:8b", "some-team/some-model"])
async def test_a_model_of_an_unknown_maker_is_asked_as_openai_would_be(
    server: OpenAIServer, model: str
) -> None:
    reply = await ask(Endpoint(model, api_base=server.base_url))

    assert reply.text == "You said: Hello?"
    assert server.next_request().body["model"] == model


async def test_a_failure_is_not_tried_again_in_secret(server: OpenAIServer) -> None:
    server.script(failure(500, "oops"), failure(429, "slow down"))

    for _ in range(2):
        assert (await ask(at(server))).error is not None

    assert len(server.requests) == 2
