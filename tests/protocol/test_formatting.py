"""Text that is shortened, in a code block, and numbers with their nouns."""

from __future__ import annotations

import pytest

from acp_jupyter.protocol.formatting import (
    code_block,
    first_names,
    quantity,
    shorten,
    shorten_end,
    shorten_middle,
)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (shorten("abcdef", 6), "abcdef"),
        (shorten("abcdef", 4), "abc…"),
        (shorten_end("abcdef", 6), "abcdef"),
        (shorten_end("abcdef", 4), "abcd\n… 2 characters left out"),
        (shorten_middle("abcdef", 6), "abcdef"),
        (shorten_middle("abcdef" * 1000, 5), "ab\n… 5,996 characters left out …\nef"),
        (code_block("x", "sh"), "```sh\nx\n```"),
        (code_block("a ```` b"), "`````\na ```` b\n`````"),
        (quantity(0, "turn"), "0 turns"),
        (quantity(1, "turn"), "1 turn"),
        (first_names(["a", "b"], 2), "a, b"),
        (first_names(["a", "b", "c", "d"], 2), "a, b and 2 more"),
    ],
)
def test_text_is(made: str, text: str) -> None:
    assert made == text
