"""What subagents did, in texts: below the call that started them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.transcript.model.items import AgentMessage, Item, Thought
from acp_jupyter.transcript.model.session_state import AgentInfo, SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import Diff, ToolCall
from acp_jupyter.transcript.output.html import html_page
from acp_jupyter.transcript.output.markdown import turn_markdown, turn_plain_text
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from acp_jupyter.transcript.view import nested

TURN = TurnState(turn_id="t", session_id="s", status="done", stop_reason="end_turn")
SESSION = SessionState(
    session_id="s",
    agent="demo",
    agent_info=AgentInfo(id="demo", name="Demo"),
    cwd="/ws",
    folder="~/ws",
    created_at=0,
    updated_at=0,
)


def call(item_id: str, title: str, parent_id: str = "", **more: object) -> ToolCall:
    fields = {"tool_call_id": item_id, "turn_id": "t", "status": "completed", **more}
    return ToolCall.model_validate(
        {"id": item_id, "title": title, "parent_id": parent_id, **fields}
    )


ITEMS: tuple[Item, ...] = (
    call("i0", "Running task", description="Find usages", output="Three places."),
    call("i1", "Reading file", "i0", description="clean.py"),
    AgentMessage(id="i2", turn_id="t", parent_id="i0", text="Only *here*: <b>"),
    Thought(id="i3", turn_id="t", parent_id="i0", text="a private thought"),
    call(
        "i4",
        "Editing file",
        "i0",
        diffs=(Diff(path="clean.py", old_text="a\n", new_text="b\n", added=1, removed=1),),
    ),
    AgentMessage(id="i5", turn_id="t", text="It is done."),
)


def test_markdown_has_the_steps_inside_their_call_and_changes_whole() -> None:
    text = turn_markdown(TURN, ITEMS)
    task, _, answer = text.rpartition("</details>")
    assert answer.strip() == "It is done."
    assert text.count("<details") == 2  # the edit's within the task's
    assert "- <b>Reading file</b> <code>clean.py</code>" in task
    assert "\n\n> Only *here*: &lt;b>\n\n" in task
    assert "-a\n+b" in task
    assert task.index("Reading file") < task.index("+b") < task.index("Three places.")
    assert "private thought" not in text
    assert "private thought" in turn_markdown(TURN, ITEMS, thoughts=True)


def test_markdown_of_a_subagents_words_is_markdown() -> None:
    words = "It ended:\n\n```console\n$ ls\nclean.py\n```\n\n- one\n- `two`"
    items = (ITEMS[0], AgentMessage(id="i1", turn_id="t", parent_id="i0", text=words), ITEMS[1])
    task, _, _ = turn_markdown(TURN, items).rpartition("</details>")
    quoted = "\n".join(f"> {line}".rstrip() for line in words.split("\n"))
    assert f"\n\n{quoted}\n\n- <b>Reading file</b>" in task


def test_markdown_of_very_many_steps_says_how_many_are_left_out() -> None:
    many = (call(f"s{n}", f"Step {n}", "i0") for n in range(250))
    text = turn_markdown(TURN, (ITEMS[0], *many))
    assert "Step 99" in text
    assert "Step 100" not in text
    assert "150 more steps" in text


def test_plain_text_counts_them() -> None:
    assert turn_plain_text(TURN, ITEMS).splitlines() == [
        "It is done.",
        "- Running task · Find usages · 2 steps",
    ]


def test_a_page_has_them_folded_inside_their_call() -> None:
    scrubber = Scrubber.of_session(SESSION, Redactor(), "")
    page = html_page(SESSION, [TURN], ITEMS, scrubber)
    steps = page.index('<details class="steps"><summary>2 steps</summary>')
    assert page.index("Running task") < steps < page.index("Reading file")
    assert page.index("Editing file") < page.index("Three places.") < page.index("It is done.")
    assert page.count("Reading file") == 1


_PARENTS = st.sampled_from(["", "i0", "i1", "i2", "i3", "i4", "nobody"])


@given(st.lists(st.tuples(st.booleans(), _PARENTS), max_size=8))
def test_every_item_is_told_once(made: list[tuple[bool, str]]) -> None:
    items: list[Item] = [
        call(f"i{n}", f"item{n}!", parent)
        if is_call
        else AgentMessage(id=f"i{n}", turn_id="t", parent_id=parent, text=f"item{n}!")
        for n, (is_call, parent) in enumerate(made)
    ]
    told = [each.id for item, steps in nested(items) for each in (item, *steps)]
    assert sorted(told) == [item.id for item in items]
    text = turn_markdown(TURN, items)
    assert all(text.count(f"item{n}!") == 1 for n in range(len(made)))
