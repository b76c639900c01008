"""What turns, hides or splits a text is shown as what it is, and what a script needs stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.transcript.escaping import (
    agent_markdown,
    inert,
    one_line,
    printable,
    show_control_characters,
)

LEFT_ALONE = [
    "plain ASCII text",
    "\u05e9\u05dc\u05d5\u05dd, \u0645\u0631\u062d\u0628\u0627",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
    "\u0915\u094d\u200d\u0937 \u0d9a\u0dca\u200d\u0dbb",  # Devanagari, Sinhala
    "\U0001f469\u200d\U0001f4bb \U0001f468\U0001f3fd\u200d\U0001f680 \u2764\ufe0f\u200d\U0001f525",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\u0e20\u0e32\u0e29\u0e32\u200b\u0e44\u0e17\u0e22",
    "a\u00a0b\u00adc\u200e\u200f",
    "\u845b\U000e0100\u98fe",
]
SHOWN = [
    ("a\u202eb", "a[U+202E]b"),
    ("\u2066if\u2069", "[U+2066]if[U+2069]"),
    ("adm\u200bin", "adm[U+200B]in"),
    ("adm\u200din", "adm[U+200D]in"),
    ("\u0430\u200c\u0431", "\u0430[U+200C]\u0431"),
    ("\ufeffstart", "[U+FEFF]start"),
    ("x\u2060y\u2063z", "x[U+2060]y[U+2063]z"),
    ("hid\U000e0041den", "hid[U+E0041]den"),
    ("a\U000e0101", "a[U+E0101]"),
]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_a_script_needs_stays(text: str) -> None:
    assert show_control_characters(text) == text


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_controls_are_shown(text: str, shown: str) -> None:
    assert (
        show_control_characters(text)
        == agent_markdown(text)
        == printable(text)
        == one_line(text)
        == shown
    )
    assert inert(text).replace("\\", "") == shown


@given(st.text(st.sampled_from("ab \u202e\u2066\u2069\u05d0\u202c"), max_size=40))
def test_nothing_that_turns_text_is_left(text: str) -> None:
    assert not set(printable(text)) & set("\u202e\u2066\u2069\u202c")
    assert printable(text).count("\u05d0") == text.count("\u05d0")
