"""Vectors and maps that do not change, and what a long session keeps in little room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.transcript.model.item_base import MAX_CHARS, utf16_length
from acp_jupyter.transcript.model.items import AgentMessage, Item
from acp_jupyter.transcript.model.packed import NEWEST, Items
from acp_jupyter.transcript.model.persistent import Map, Vector
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.traffic import Script

steps = st.lists(st.tuples(st.integers(0, 100), st.integers()), max_size=150)


@given(steps)
def test_a_vector_is_a_list_whose_older_states_stay(steps: list[tuple[int, int]]) -> None:
    vector, plain = Vector[int](), list[int]()
    states = [(vector, list(plain))]
    for place, value in steps:
        if plain and place % 3 == 0:
            vector = vector.set(place % len(plain), value)
            plain[place % len(plain)] = value
        else:
            vector, plain = vector.append(value), [*plain, value]
        states.append((vector, list(plain)))
    for then, as_it_was in states[:: max(1, len(states) // 10)]:
        assert list(then) == as_it_was
        assert [then[at] for at in range(-len(then), len(then))] == as_it_was * 2
        assert list(then[1:-1]) == as_it_was[1:-1]
        with pytest.raises(IndexError):
            then[len(then)]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 20), st.integers())))
def test_a_map_is_a_dict_whose_older_states_stay(steps: list[tuple[bool, int, int]]) -> None:
    tree, plain = Map[int, int](), dict[int, int]()
    states = [(tree, dict(plain))]
    for add, key, value in steps:
        tree = tree.set(key, value) if add else tree.discard(key)
        plain = {**plain, key: value} if add else {k: v for k, v in plain.items() if k != key}
        states.append((tree, dict(plain)))
    for then, as_it_was in states:
        assert dict(then.items()) == as_it_was
        assert sorted(then) == sorted(as_it_was)
        assert (len(then), then.get(99, "none")) == (len(as_it_was), "none")


def test_an_old_call_is_found_as_it_was_and_changes_as_a_new_one_does(long: Script) -> None:
    assert long.transcript.items.is_spilled(1)
    before = long.transcript.item(1)
    assert isinstance(before, ToolCall)
    assert (before.command, before.output, before.exit_code) == ("make step-0", "step 0\n", 0)
    assert before.raw_output == {"output": "step 0\n", "exit": 0}
    content = [{"type": "content", "content": {"type": "text", "text": "step 0\nand more\n"}}]
    long.update("tool_call_update", toolCallId="c0", content=content, title="Renamed")
    after = long.transcript.item(1)
    assert isinstance(after, ToolCall)
    assert (after.command, after.output) == ("make step-0", "step 0\nand more\n")
    assert long.transcript.items.is_spilled(1)


def test_what_is_under_way_is_not_put_away_and_ends_with_the_turn() -> None:
    script = Script()
    prompt = script.turn()
    script.update("tool_call", toolCallId="open", title="Sleep", kind="execute")
    run_calls(script, NEWEST + 10)
    assert not script.transcript.items.is_spilled(1)
    script.end(prompt)
    ended = script.transcript.item(1)
    assert isinstance(ended, ToolCall)
    assert ended.status == "cancelled"
    assert script.transcript.items.is_spilled(1)


def test_a_plan_is_renewed_in_its_place_however_much_came_since() -> None:
    script = Script()
    script.turn()
    script.update("plan", entries=[{"content": "First"}])
    run_calls(script, NEWEST + 10)
    script.update("plan", entries=[{"content": "Second"}])
    plans = [item for item in script.transcript.items if item.kind == "plan"]
    assert [entry.content for plan in plans for entry in plan.entries] == ["Second"]


def test_every_kind_of_item_comes_back_as_it_was(items_of_every_kind: list[Item]) -> None:
    kept = Items()
    for item in items_of_every_kind:
        kept = kept.append(item)
    for number in range(NEWEST):
        kept = kept.append(AgentMessage(id=f"i{number}", open=False))
    assert list(kept)[: len(items_of_every_kind)] == items_of_every_kind
    done = [at for at in range(len(items_of_every_kind)) if kept.is_spilled(at)]
    assert {items_of_every_kind[at].kind for at in done} >= {"tool_call", "notice", "user_message"}


@pytest.mark.parametrize("unit", ["x", "\U0001f600"])
def test_text_beyond_all_reading_is_cut_and_says_so(unit: str) -> None:
    script = Script()
    script.turn()
    for _ in range(22):
        script.text(unit * 500_000)
    said = script.transcript.item(1)
    assert isinstance(said, AgentMessage)
    assert said.text.endswith("characters: the rest is not shown …\n")
    assert MAX_CHARS <= utf16_length(said.text) < 2 * MAX_CHARS + 1000
    script.text("more")
    assert script.transcript.item(1) == said


@pytest.fixture
def long() -> Script:
    script = Script()
    script.turn()
    run_calls(script, NEWEST + 10)
    return script


@pytest.fixture
def items_of_every_kind() -> list[Item]:
    script = Script()
    prompt = script.turn()
    script.text("thinking", kind="agent_thought_chunk")
    script.text("said")
    script.update("plan", entries=[{"content": "First", "priority": "high"}])
    script.update("made_up", number=1)
    run_calls(script, 1)
    edit = {"type": "diff", "path": "/ws/a.py", "oldText": "a\n", "newText": "b\n"}
    script.update("tool_call", toolCallId="e", title="Edit", kind="edit", content=[edit])
    script.answer(script.ask({"toolCallId": "x", "title": "rm", "kind": "execute"}), "no")
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    script.update("agent_message_chunk", content=image)
    script.update("tool_call_update", toolCallId="e", status="failed", rawOutput=[1.5, None, "é"])
    script.end(prompt)
    return list(script.transcript.items)


def run_calls(script: Script, count: int) -> None:
    for number in range(count):
        about = {"toolCallId": f"c{number}", "title": f"Step {number}", "kind": "execute"}
        script.update("tool_call", **about, rawInput={"command": f"make step-{number}"})
        text = f"step {number}\n"
        content = [{"type": "content", "content": {"type": "text", "text": text}}]
        raw = {"output": text, "exit": 0}
        ended = {"status": "completed", "content": content, "rawOutput": raw}
        script.update("tool_call_update", **about, **ended)
