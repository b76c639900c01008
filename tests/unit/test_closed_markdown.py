"""Whatever an agent's message contains, what comes after it is read as what it is."""

from __future__ import annotations

import pytest
from hypothesis import given

from acp_jupyter.transcript.markdown import agent_markdown
from tests.support.generated import examples
from tests.support.markdown_readers import messages, parsers_see_it_end, what_nbconvert_shows


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
)
LIVE = (
    "\\`<img src=https://evil.org/a>`",
    "``<img src=https://evil.org/a>`",
    "`a\nb` <img src=https://evil.org/a> `",
    "`a\n<img src=https://evil.org/a>\n\nb`",
)


@pytest.mark.parametrize("text", [*SWALLOWED, *LIVE])
def test_a_message_ends_where_it_ends(text: str) -> None:
    check(text)


@given(messages())
@examples(300)
def test_any_message_ends_where_it_ends(text: str) -> None:
    check(text)
