"""What a Markdown export says."""

from __future__ import annotations

from itertools import islice
from textwrap import dedent

import pytest

from convotui.export.markdown import markdown
from convotui.storage.records import UNKNOWN_TIME, Block, ReplyFacts
from convotui.text import visible

from .samples import chain, every_kind_of_block, message, one_hour_east, written


def test_every_kind_of_block_has_its_form() -> None:
    assert written(*every_kind_of_block(), title="A <dot>") == dedent(
        """\
        # A \\<dot\\>

        ## User `aB3xK9` · 2026-02-14 10:31

        **Label:** First \\*picture\\*

        What is in this picture?

        *[image/png, 70 bytes]*

        *[application/pdf, 5 bytes, a_b.pdf]*

        *[audio, 3 bytes]*

        ## Assistant `dE4fG5` · 2026-02-14 10:31 · gpt-5

        > **Thinking**
        >
        > A dot?
        >
        > Let me look.

        > **Thinking** (redacted)

        > **Thinking** (encrypted)

        I will *look*.

        **Tool call** `look` (`call_1`)

        ```json
        {
          "at": "<dot>",
          "zoom": 2
        }
        ```

        **Tool call** `wait` (`call_2`)

        **Tool call**

        `````text
        not ```` JSON
        `````

        **Block of type** `metadata`

        ```json
        {
          "tokens": 7
        }
        ```

        ## Tool result `hI6jK7` · 2026-02-14 10:31

        **Result of** `call_1`

        ```json
        {
          "found": [
            "dot"
          ]
        }
        ```

        ```text
        one dot
        ```

        ## Tool result `lM8nO9` · 2026-02-14 10:31 · error

        **Result of** `call_2`

        ```text
        timed out
        ```

        ## Assistant `pQ1rS2` · 2026-02-14 10:31 · my_model\\* · failed: Cut \\*off\\*.

        A do
        """
    )


def test_a_message_that_is_not_below_the_one_before_says_where_it_is() -> None:
    tree = [
        message("a", None, "x"),
        message("b", "a", "x"),
        message("c", "a", "x"),
        message("d", None, "x"),
    ]

    headings = [line for line in written(*tree).splitlines() if line.startswith("##")]

    assert headings == [
        "## User `a` · 2026-02-14 10:31",
        "## User `b` · 2026-02-14 10:31",
        "## User `c` · 2026-02-14 10:31 · below `a`",
        "## User `d` · 2026-02-14 10:31 · new conversation",
    ]


def test_a_subtree_begins_without_a_word_about_what_is_above() -> None:
    assert "below" not in written(message("b", "a", "x"))


def test_the_trace_of_a_subagent_is_no_label() -> None:
    text = written(message("a", None, "x", title="subagent:reviewer:r1"))

    assert "**Subagent:** reviewer:r1\n" in text
    assert "Label" not in text


@pytest.mark.parametrize("blocks", [(), ("",), (" \n",)])
def test_a_message_without_content_says_so(blocks: tuple[str, ...]) -> None:
    assert written(message("a", None, *blocks)).endswith("10:31\n\n*Empty*\n")


def test_a_time_that_cannot_be_read_is_unknown() -> None:
    heading = "## User `a` · time unknown\n"
    assert written(message("a", created_at=UNKNOWN_TIME)).startswith(heading)


def test_a_role_and_an_id_of_another_program_stay_on_the_heading() -> None:
    odd = message("a`b\nc", None, "x", role="## sys\ntem_")
    assert written(odd).startswith("## \\#\\# sys tem\\_ `` a`b c `` · 2026")


@pytest.mark.parametrize(
    "content",
    ['{"a":1,"a":2}', "[0.12345678901234567890]", "[NaN]", "[" * 100_000, "[1", "12"],
)
def test_json_that_would_change_when_indented_is_shown_as_text(content: str) -> None:
    result = message("a", None, Block(content), role="tool_result")
    assert f"```text\n{content}\n```\n" in written(result)


def test_a_call_with_more_than_parameters_is_shown_whole() -> None:
    call = Block('{"name":"f","parameters":{},"kind":"x"}', type="tool_call")
    text = written(message("a", None, call))
    assert "**Tool call** `f`\n" in text
    assert '"kind": "x"' in text


def test_other_data_of_an_unknown_type_is_named_and_not_printed() -> None:
    block = Block("AAAAAAAA", type="hologram", modality=9, mime_type="")
    text = written(message("a", None, block))
    assert "**Block of type** `hologram`\n\n*[unknown type, 6 bytes]*\n" in text
    assert "AAAA" not in text


def test_text_goes_into_a_file_as_it_was_stored_but_for_half_characters() -> None:
    text = "\x1b[31m \u202e \x00 \ud800"
    document = "".join(markdown([message("a", None, text)], local=one_hour_east))
    assert document.endswith("\n\n\x1b[31m \u202e \x00 \ufffd\n")


def test_nothing_in_a_safe_document_can_steer_a_terminal() -> None:
    evil = "\x1b]0;x\x07\u202e\x9b\r\x00\ud800"
    json_evil = '{"name":"\\u001b","parameters":{"\\u009b":"\\u202e"}}'
    text = written(
        message(
            evil,
            None,
            evil,
            Block(evil, type="thinking"),
            Block(json_evil, type="tool_call", id=evil),
            Block(evil, type=evil),
            Block(
                evil, modality=1, mime_type=evil, extra_fields='{"filename":"\\u001b"}'
            ),
            title=evil,
            role=evil,
            facts=ReplyFacts(model=evil, state="failed", error=evil),
        ),
        message("b", evil, Block(evil, id=evil), role="tool_result"),
        title=evil,
        safe=True,
    )

    assert visible(text) == text
    assert "␛" in text


def test_a_hundred_thousand_messages_are_written_one_by_one() -> None:
    pieces = markdown(iter(chain(100_000, "x")), local=one_hour_east)

    assert next(pieces).startswith("## User `m0`")
    assert next(islice(pieces, 99_998, None)).startswith("\n## User `m99999`")
    assert next(pieces, None) is None
