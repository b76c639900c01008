"""The blocks that we put before a prompt."""

from __future__ import annotations

import pytest

from acp_jupyter.protocol.content import (
    history_block,
    instructions_block,
    without_instructions,
)

BEGIN = '<instructions from="the administrator of this server">\n'
END = "\n</instructions>\n"


def test_instructions_are_marked() -> None:
    assert instructions_block("Be kind.") == {"type": "text", "text": f"{BEGIN}Be kind.{END}"}


def test_what_was_said_before_is_marked() -> None:
    text = "<earlier-conversation>\nHello\n</earlier-conversation>\n"
    assert history_block("Hello") == {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("said", "prompt"),
    [
        (f"{BEGIN}Be kind.{END}Hello", "Hello"),
        (f"{BEGIN}Be kind.{END}Say {END}", f"Say {END}"),
        (f"What is {BEGIN}Be kind.{END}?", f"What is {BEGIN}Be kind.{END}?"),
        (f"{BEGIN}Be kind.", f"{BEGIN}Be kind."),
        (f"Be kind.{END}Hello", f"Be kind.{END}Hello"),
        ("Hello", "Hello"),
    ],
)
def test_only_a_block_at_the_beginning_is_none_of_the_prompt(said: str, prompt: str) -> None:
    assert without_instructions(said) == prompt
