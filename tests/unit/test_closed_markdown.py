"""Whatever an agent's message contains, what comes after it is read as what it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from nbconvert.filters.markdown import markdown2html

from acp_jupyter.transcript.markdown import agent_markdown, fence, printable
from tests.support.generated import examples
from tests.support.markdown_readers import (
    as_html,
    documents,
    messages,
    parsers_see_it_end,
    what_nbconvert_shows,
    words_of,
)


def check(text: str) -> None:
    drawn = agent_markdown(text)
    parsers_see_it_end(drawn)
    what_nbconvert_shows(drawn)


SWALLOWED = (
    "- a\n  ```\n  x\n```\ny",
    "- ```\n  x\n    ```\ny",
    "1. a\n\n    ```sh\n    x\n    ```\n```",
    "```\nx\n    ```\ny",
    "```\nx\n\t```\ny",
    "x\u2028```\ny",
    "x\x85```\ny",
    "$$",
    "\\\\[ x",
    "\\begin{x}",
    "`echo $$`",
    "[x]: https://evil.org",
)
LIVE = (
    "\\`<img src=https://evil.org/a>`",
    "``<img src=https://evil.org/a>`",
    "`a\nb` <img src=https://evil.org/a> `",
    "`a\n<img src=https://evil.org/a>\n\nb`",
    "~`<img src=https://evil.org/a>`",
    "`a`~~`<img src=https://evil.org/a>`",
    "https://evil.org/\ud83d",
)


@pytest.mark.parametrize("text", [*SWALLOWED, *LIVE])
def test_a_message_ends_where_it_ends(text: str) -> None:
    check(text)


@given(messages())
@examples(300)
def test_any_message_ends_where_it_ends(text: str) -> None:
    check(text)


@given(messages())
@examples(200)
def test_no_word_of_a_message_is_lost(text: str) -> None:
    drawn, plain = agent_markdown(text), printable(text).strip("\n")
    assert drawn == fence(plain) or words_of(drawn) == words_of(plain)


@given(documents())
@examples(150)
def test_what_agents_plainly_write_is_shown_as_it_was(text: str) -> None:
    drawn = agent_markdown(text)
    check(text)
    assert as_html(drawn) == as_html(text)
    assert shown_by_nbconvert(drawn) == shown_by_nbconvert(text)


def shown_by_nbconvert(markdown: str) -> list[str]:
    """Return its page; where it knows no tables they are text, with more or fewer signs."""
    return re.sub(r"\|[-:| ]+\|", "|", markdown2html(markdown)).split()
