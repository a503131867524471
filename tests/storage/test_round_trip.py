"""Whatever a message is made of comes back as it was."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.storage import Block, ChatMessage, Draft, Modality, Role, Store

from .helpers import rows

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n\x00\xff").decode()

BLOCKS = {
    "text": Block("Hello, *world*"),
    "text without a mime type": Block("from Anthropic", mime_type=""),
    "text that is empty": Block(""),
    "text with every kind of line end": Block("a\r\nb\rc\nd\u2028e\x0bf"),
    "text with a NUL": Block("before\x00after"),
    "text with control characters": Block("\x1b[31mred\x07\x9b"),
    "text beyond the basic plane": Block("👩‍🚀 日本語 ﷽ 🂡 \U0010ffff"),
    "text with accents apart from letters": Block("e\u0301 \u212b ﬁ"),
    "thinking": Block(
        "hm",
        type="thinking",
        extra_fields='{"thinking_generator":"anthropic",'
        '"anthropic_thinking_signature":"Eq=="}',
    ),
    "redacted thinking": Block("b3BhcXVl", type="redacted_thinking"),
    "tool call": Block(
        '{"name":"read","parameters":{"path":"a \\u0026 b"}}',
        type="tool_call",
        mime_type="application/json",
        id="call_1",
    ),
    "tool result": Block("no such file", id="call_1"),
    "image": Block(PNG, modality=Modality.IMAGE, mime_type="image/png"),
    "image with no extra fields but a name": Block(
        PNG, modality=1, mime_type="image/png", id="img"
    ),
    "audio": Block(PNG, modality=Modality.AUDIO, mime_type="audio/wav"),
    "video": Block(PNG, modality=Modality.VIDEO, mime_type="video/mp4"),
    "PDF": Block(
        PNG, modality=1, mime_type="application/pdf", extra_fields='{"filename":"x"}'
    ),
    "unknown type": Block("{}", type="metadata"),
    "unknown modality": Block("??", modality=17, mime_type="model/gltf-binary"),
    "empty id": Block("x", id=""),
}

EXTRA_FIELDS = {
    "none": None,
    "empty": "",
    "empty object": "{}",
    "odd spacing": '{  "b" :1,\n\t"a":[ ]}  ',
    "unicode": '{"é":"\\u00e9 👩‍🚀"}',
    "big numbers": '{"n":123456789012345678901234567890,"f":1.0}',
    "the same key twice": '{"a":1,"a":2}',
    "no JSON": "not JSON at all: {",
    "JSON that is no object": "[1,2]",
    "deeper than Python reads": "[" * 100_000 + "]" * 100_000,
}


def saved(store: Store, message: Draft) -> ChatMessage:
    return store.get(store.save([message]))[0]


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_block_comes_back_as_it_was(store: Store, kind: str) -> None:
    block = BLOCKS[kind]
    message = saved(store, Draft(role="assistant", blocks=[block]))
    assert message.blocks == (block,)


def test_blocks_of_all_kinds_stand_side_by_side(store: Store) -> None:
    message = saved(store, Draft(role="assistant", blocks=list(BLOCKS.values())))
    assert message.blocks == tuple(BLOCKS.values())


@pytest.mark.parametrize("kind", EXTRA_FIELDS)
def test_extra_fields_are_kept_to_the_letter(
    store: Store, path: Path, kind: str
) -> None:
    fields = EXTRA_FIELDS[kind]
    message = saved(
        store, Draft(role="assistant", blocks=[Block("x", extra_fields=fields)])
    )
    assert message.blocks[0].extra_fields == fields
    assert rows(path, "SELECT extra_fields FROM blocks") == [(fields,)]


@pytest.mark.parametrize("kind", EXTRA_FIELDS)
def test_extra_fields_are_read_as_an_object_if_they_are_one(kind: str) -> None:
    fields = EXTRA_FIELDS[kind]
    expected = json.loads(fields) if fields and fields.strip().startswith("{") else {}
    assert Block("x", extra_fields=fields).extra == expected


@pytest.mark.parametrize("role", ["user", "assistant", "tool_result"])
@pytest.mark.parametrize("error", [False, True])
def test_the_role_and_the_error_mark_come_back(
    store: Store, role: Role, error: bool
) -> None:
    message = saved(
        store, Draft(role=role, blocks=[Block("x")], tool_result_error=error)
    )
    assert message.role == role
    assert message.tool_result_error is error


def test_cpe_reads_the_very_text_that_was_saved(store: Store, path: Path) -> None:
    call = BLOCKS["tool call"]
    saved(store, Draft(role="assistant", blocks=[BLOCKS["text"], call]))
    assert rows(
        path,
        "SELECT id, block_type, modality_type, mime_type, content, extra_fields,"
        " sequence_order FROM blocks ORDER BY sequence_order",
    ) == [
        (None, "content", 0, "text/plain", "Hello, *world*", None, 0),
        ("call_1", "tool_call", 0, "application/json", call.content, None, 1),
    ]


def test_half_characters_are_replaced_and_whole_ones_put_together(
    store: Store,
) -> None:
    draft = Draft(
        role="assistant",
        blocks=[
            Block(
                "a\ud800b \ud83d\ude00",
                type="content\udc80",
                mime_type="text/\udc80",
                id="call\udc80",
                extra_fields='{"a":"\udc80"}',
            )
        ],
        title="label \udc80",
    )
    message = saved(store, draft)
    assert message.blocks[0].content == "a\ufffdb 😀"
    assert message.title == "label \ufffd"


def test_a_large_file_comes_back(store: Store) -> None:
    block = Block("QUJD" * 2_000_000, modality=1, mime_type="image/png")
    assert saved(store, Draft(role="user", blocks=[block])).blocks == (block,)


text = st.text(st.characters(exclude_categories=["Cs"]))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.builds(
            Block,
            content=text,
            type=text,
            modality=st.integers(-(2**63), 2**63 - 1),
            mime_type=text,
            id=st.none() | text,
            extra_fields=st.none() | text,
        ),
        max_size=4,
    ),
    st.none() | text,
)
def test_any_blocks_and_title_come_back(blocks: list[Block], title: str | None) -> None:
    with Store(None) as store:
        message = saved(store, Draft(role="user", blocks=blocks, title=title))
    assert message.blocks == tuple(blocks)
    assert message.title == title
