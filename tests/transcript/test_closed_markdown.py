"""Whatever an agent's message contains, what comes after it is read as what it is."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from nbconvert.filters.markdown import markdown2html

from acp_jupyter.protocol.json import clean_json
from acp_jupyter.transcript.escaping import agent_markdown, printable, printable_block
from acp_jupyter.transcript.model.items import AgentMessage, Thought, TurnEnd
from acp_jupyter.transcript.model.session_state import AgentInfo, SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.bundle import build_bundle
from tests.support.generated import examples
from tests.support.markdown_readers import (
    as_html,
    documents,
    messages,
    parsers_see_it_end,
    what_nbconvert_shows,
    words_of,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "closed_markdown.json"


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
    "x$$\nx\n$$",
    "<https://evil.org>$$[r]:\n$$",
    "$$\nx\n$$    $$\nx\n$$",
)
LIVE = (
    "\\`<img src=https://evil.org/a>`",
    "``<img src=https://evil.org/a>`",
    "`a\nb` <img src=https://evil.org/a> `",
    "`a\n<img src=https://evil.org/a>\n\nb`",
    "~`<img src=https://evil.org/a>`",
    "`a`~~`<img src=https://evil.org/a>`",
    "https://evil.org/\ud83d",
    "$5 `$HOME` `Vec<T>`",
    "# [](https://evil.org/a)",
    "`a| ![x](https://evil.org/a)`\n|",
    "[](https://evil.org/a) [][r]\n\n[r]: https://evil.org/b",
)


@pytest.mark.parametrize("text", [*SWALLOWED, *LIVE])
def test_a_message_ends_where_it_ends(text: str) -> None:
    check(text)


@given(messages())
@examples(300)
def test_any_message_ends_where_it_ends(text: str) -> None:
    check(text)


SESSION = SessionState(
    session_id="s",
    agent="demo",
    agent_info=AgentInfo(id="demo", name="Demo"),
    cwd="/home/ada/ws",
    folder="~/ws",
)
TURN = TurnState(turn_id="t", session_id="s", status="done", stop_reason="end_turn")


def record_of(text: str) -> str:
    """Return what is saved of a turn in which an agent says this, runs a tool and says more."""
    items = (
        Thought(id="0", text=clean_json(text)),
        AgentMessage(id="1", text=clean_json(text)),
        ToolCall(id="2", tool_call_id="c", title="Run tests", output="$$\nok", status="completed"),
        AgentMessage(id="3", text="# What it says then\n\n$$\ny\n$$"),
        TurnEnd(id="4", stop_reason="cancelled", words="Stopped by you."),
    )
    markdown = build_bundle(TURN, items, SESSION, thoughts=True).data["text/markdown"]
    assert isinstance(markdown, str)
    return markdown


def check_record(text: str) -> None:
    page = markdown2html(record_of(text))
    assert page.count("<details>") == page.count("</details>") == 2
    assert "<summary><b>Run tests</b></summary>\n\n<pre><code>$$\nok" in page
    assert ">What it says then<" in page
    assert "<p><em>Stopped by you.</em></p>" in page
    assert page.count("<sub>") == 1


@pytest.mark.parametrize("text", [*SWALLOWED, *LIVE, "/ho\0me/ada" * 3 + "\nx"])
def test_what_follows_a_message_in_a_record_is_shown(text: str) -> None:
    check_record(text)


@given(messages())
@examples(60)
def test_what_follows_any_message_in_a_record_is_shown(text: str) -> None:
    check_record(text)


UNITS = (
    *("[", "](", "[a](", "![", "*a_", "`", "` `` ", "`<b>` ", "x`<b>`", "https://x`<b>`", "<!--"),
    *("> ", "- ", "- > ", "1. ", "- a\n", "> a\n", "x\n- ", "> a\nb\n", "\n", "a|b\n-|-\n", "&#"),
    *("[x]: ", "[a]: b\n\n", "\\", "\\\\[", "\\begin{x}", "$$ ", "$$\n", "~~~\n"),
)


@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_the_longest_that_is_parsed_takes_no_time(unit: str) -> None:
    """The test's own time limit is the bound."""
    for size in (60_000, 130_000):
        assert agent_markdown(unit * (size // len(unit))).strip() or not unit.strip()


@pytest.mark.parametrize("unit", ["[", "`<b>` ", "> a\n", "$$ "])
def test_no_message_takes_long(unit: str) -> None:
    """The test's own time limit is the bound; what is too long is shown as it is."""
    assert agent_markdown(unit * (30_000 // len(unit)))
    assert agent_markdown(unit * (10_000_000 // len(unit))).startswith("```")


def test_what_is_nested_too_deeply_is_shown_as_it_is() -> None:
    for deep in ("> " * 5_000, "- " * 5_000, "\n".join(f"{'  ' * n}- a" for n in range(300))):
        assert agent_markdown(f"{deep}```\nx") == printable_block(f"{deep}```\nx")


@given(messages())
@example("[^1]: <b\n")
@example("#\xa0")
@example('\\\n`<a href="`">')
@example("\\$$\nx\n$$")
@example("> |a|b|\n|--|:-:|\n|```")
@example("\\\\`<img src=x>`")
@example("***```\n    ***")
@example("``````~~~```\n    ~~~")
@example("$$\nx\n$$\n    \\`")
@example("-```$$\nx\n$$$$\nx\n$$&lt;```")
@example("[^1]: \n* ")
@example("- - -[r]:\na|b\n-|-")
@examples(200)
def test_no_word_of_a_message_is_lost(text: str) -> None:
    drawn, plain = agent_markdown(text), printable(text).strip("\n")
    assert drawn == printable_block(plain) or words_of(drawn) == words_of(plain)


@given(documents())
@example("- 10. x\n\n  ```python\n  x = 1\n  ```\n\n  | A | B |\n  |---|:-:|\n  | x | x |")
@example("> `Vec<T>`\n>\n> 10. x\n> #1")
@examples(60)
def test_what_agents_plainly_write_is_shown_as_it_was(text: str) -> None:
    drawn = agent_markdown(text)
    check(text)
    assert as_html(drawn) == as_html(text)
    # It takes a price before code for a formula that ends in the code, and a number sign for a
    # heading; what is drawn, it does not.
    misread = "$5" in text or re.search(r"^\W*(\d+\. )?#1", text, re.MULTILINE)
    assert misread or shown_by_nbconvert(drawn) == shown_by_nbconvert(text)


def shown_by_nbconvert(markdown: str) -> list[str]:
    """Return its page; where it knows no tables they are text, with more or fewer signs."""
    return re.sub(r"\|[-:| ]+\|", "|", markdown2html(markdown)).split()


def test_the_page_reads_the_same_records() -> None:
    """``ACP_WRITE_GOLDEN=1 pytest`` on this file writes them anew from the messages in it."""
    texts = json.loads(GOLDEN.read_text("utf-8"))
    records = {text: agent_markdown(text) for text in (*SWALLOWED, *LIVE, *texts)}
    if os.environ.get("ACP_WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(records, indent=1) + "\n", "utf-8")
    assert json.loads(GOLDEN.read_text("utf-8")) == records


@pytest.mark.parametrize(
    ("text", "saved"),
    [
        ("$5 to $10", "<span>&#36;</span>5 to <span>&#36;</span>10"),
        ("- \\$5\n- \\$10", "- <span>&#36;</span>5\n- <span>&#36;</span>10"),
        ("$x_1$ for $5", "$x_1$ for <span>&#36;</span>5"),
        ("`$A` and `$B` for $5", "`$A` and `$B` for <span>&#36;</span>5"),
        ("$5 alone", "$5 alone"),
        ("$a\\_b$ and $$c$$", "$a\\_b$ and $$c$$"),
    ],
)
def test_a_price_begins_no_formula(text: str, saved: str) -> None:
    assert agent_markdown(text) == saved
