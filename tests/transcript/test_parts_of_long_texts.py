"""A long text is read in parts, so that other threads go on: none of it is read otherwise."""

from __future__ import annotations

import pytest

from acp_jupyter.transcript.drawn_text import may_hide
from acp_jupyter.transcript.escaping import printable

_AROUND_AN_END = range(256 * 1024 - 4, 256 * 1024 + 2)

_SIGNS = ["\r\n", "\r", "\x1b[1m", "\u202e", "\u0915\u094d\u200d\u0937", "a\u200db", "\ufeff"]


@pytest.mark.parametrize("sign", _SIGNS, ids=ascii)
@pytest.mark.parametrize("before", ["a", " ", "\u0915"], ids=ascii)
def test_it_is_printed_as_a_short_one(before: str, sign: str) -> None:
    after = printable(f"{before}{sign}b")[1:]
    for length in _AROUND_AN_END:
        assert printable(f"{before * length}{sign}b").endswith(f"{before * 9}{after}"), length


@pytest.mark.parametrize("sign", ["\x1b[1m", "\u200b", "</b>", "&lt;", "&#60;"], ids=ascii)
def test_what_may_hide_is_found(sign: str) -> None:
    for length in _AROUND_AN_END:
        assert may_hide("a" * length + sign)
        assert not may_hide("a" * length + "< &")
