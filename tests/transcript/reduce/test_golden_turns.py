"""The events of whole turns, kept in tests/golden and read by the page's tests too.

``ACP_WRITE_GOLDEN=1 pytest tests/transcript/reduce/test_golden_turns.py`` writes them anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_jupyter.protocol.host_events.notes import AgentExited, TurnFailed
from tests.support.transcript.event_view import View
from tests.support.transcript.traffic import Script

GOLDEN = Path(__file__).parents[2] / "golden"
OLD = (
    "import pandas as pd\n\n\ndef normalise(df):\n    for i, row in df.iterrows():\n"
    "        df.loc[i] = row\n    return df\n"
)
NEW = "import pandas as pd\n\n\ndef normalise(df):\n    return df.copy()\n"
DIFF = {"type": "diff", "path": "/ws/src/clean.py", "oldText": OLD, "newText": NEW}


def _plan(script: Script, done: int) -> None:
    steps = ["Read clean.py", "Propose an edit", "Write it"]
    states = ["completed"] * done + ["in_progress"] + ["pending"] * 2
    entries = [
        {"content": step, "priority": "high", "status": state}
        for step, state in zip(steps, states, strict=False)
    ]
    script.update("plan", entries=entries)


def _until_asked(script: Script) -> tuple[int, str]:
    prompt = script.turn("Make clean.py twice as fast.")
    _plan(script, 0)
    script.text("The loop walks row by row.", kind="agent_thought_chunk")
    read = {"toolCallId": "c1", "title": "read", "kind": "read"}
    script.update("tool_call", **read, rawInput={"filePath": "/ws/src/clean.py"})
    content = [{"type": "content", "content": {"type": "text", "text": OLD}}]
    script.update("tool_call_update", toolCallId="c1", status="completed", content=content)
    _plan(script, 1)
    script.text("The time goes into **one** place:\n\n")
    script.text("1. `iterrows`\n2. `loc` \U0001f600\n")
    edit = {"toolCallId": "c2", "title": "edit", "kind": "edit"}
    script.update("tool_call", **edit, status="pending", content=[DIFF])
    return prompt, script.ask(edit)


def asked() -> Script:
    script = Script()
    _until_asked(script)
    return script


def allowed() -> Script:
    script = Script()
    prompt, request = _until_asked(script)
    script.answer(request, "once")
    script.update("tool_call_update", toolCallId="c2", status="completed")
    run = {"toolCallId": "c3", "title": "bash", "kind": "execute"}
    command = {"command": "pytest -q", "description": "Run the tests"}
    script.update("tool_call", **run, rawInput=command, status="in_progress")
    for output in ("..", "....\n", "....\n\x1b[32m4 passed\x1b[0m\n"):
        content = [{"type": "content", "content": {"type": "text", "text": output}}]
        script.update("tool_call_update", toolCallId="c3", content=content)
    script.update("tool_call_update", toolCallId="c3", status="completed", rawOutput={"exit": 0})
    script.text("It now takes **1.9 s** instead of 4.8 s.\n")
    script.update("usage_update", used=12400, size=200000)
    script.end(prompt)
    return script


def rejected() -> Script:
    script = Script()
    prompt, request = _until_asked(script)
    script.answer(request, "no")
    script.text("Nothing was changed.\n")
    script.end(prompt)
    return script


def died() -> Script:
    script = Script()
    _until_asked(script)
    script.note(AgentExited(words="was killed by signal 9", stderr=("heap limit reached",)))
    message = "Demo stopped during the turn: it was killed by signal 9."
    script.note(TurnFailed(turn_id="t1", message=message, detail="heap limit reached"))
    return script


TURNS: list[Callable[[], Script]] = [asked, allowed, rejected, died]


@pytest.mark.parametrize("turn", TURNS)
def test_the_traffic_of_a_turn_gives_the_golden_events(turn: Callable[[], Script]) -> None:
    script = turn()
    events = [event.model_dump(mode="json") for event in script.events]
    state = script.transcript
    items = [item.model_dump(mode="json") for item in state.window(0, len(state.items))]
    golden = {"events": events, "session": state.session.model_dump(mode="json"), "items": items}
    file = GOLDEN / f"turn_{turn.__name__}.json"
    if os.environ.get("ACP_WRITE_GOLDEN"):
        file.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n")
    assert json.loads(file.read_text()) == golden
    assert View().take(script.events).state()[1] == items
