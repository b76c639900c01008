"""A published agent's subagent: its steps stand inside the call that started it."""

from __future__ import annotations

import pytest

from tests.support.published.on_a_server import HELLO_PY
from tests.support.published.programs import PUBLISHED, Published
from tests.support.published.session import PublishedSession

pytestmark = pytest.mark.agents

# The others have no tool for it that the model knows.
HAVE_SUBAGENTS = [
    pytest.param(agent, id=agent.agent_id, marks=[pytest.mark.long] if agent.long else [])
    for agent in PUBLISHED
    if agent.agent_id in {"claude", "old-claude", "opencode"}
]


@pytest.mark.long
@pytest.mark.parametrize("place", HAVE_SUBAGENTS, indirect=True)
def test_what_a_subagent_does_is_of_its_call(agent: Published, talk: PublishedSession) -> None:
    (talk.folder / "old.py").write_text(HELLO_PY)
    played = talk.play("subagent")
    assert played.turn["stop_reason"] == "end_turn"
    assert played.text.startswith(f"{agent.first_words}Delegating.")
    task = next(call for call in played.calls if call["ui_kind"] == "task")
    steps = [call for call in played.calls if call["parent_id"] == task["id"]]
    # opencode tells nothing of what its subagents do.
    expected = ["read"] if "claude" in agent.agent_id else []
    assert [step["tool_kind"] for step in steps] == expected
