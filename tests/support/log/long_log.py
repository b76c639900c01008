"""A session as long as people's longest, as a log to import."""

from __future__ import annotations

import json

from tests.support.log.written_log import Log

__all__ = ["ITEMS", "ITEMS_OF_TURN", "long_log"]

_TURNS = 250
_ROUNDS = 8
ITEMS_OF_TURN = 21
ITEMS = _TURNS * ITEMS_OF_TURN
_SENTENCE = "The rows are read once, and `normalise` no longer walks them. "


def long_log(turns: int = _TURNS) -> bytes:
    """Write 21 items a turn: prompt, end, 3 thoughts, 8 texts and tool calls, of them 2 diffs."""
    log = Log()
    log.new(1, "s")
    for turn in range(turns):
        log.prompt(turn + 2, f"Prompt {turn}: make it faster")
        for step in range(_ROUNDS):
            if step < 3:
                log.says(f"Thinking about {turn}.{step}", "agent_thought_chunk")
            _call(log, f"c{turn}-{step}", step)
            end = "**END**" if step == _ROUNDS - 1 else ""
            log.says(f"Answer {turn}.{step}. {_SENTENCE * 8}{end}\n")
        log.end(turn + 2)
    return "\n".join(map(json.dumps, log.lines)).encode()


def _call(log: Log, call: str, step: int) -> None:
    diff = {
        "type": "diff",
        "path": f"/ws/src/file_{step}.py",
        "oldText": "a = 1\n" * 20,
        "newText": "a = 2\n" * 20,
    }
    text = {"type": "content", "content": {"type": "text", "text": "line of output\n" * 20}}
    edits = step % 4 == 0
    log.update(
        "tool_call",
        toolCallId=call,
        title=f"Step {call}",
        kind="edit" if edits else "execute",
        status="in_progress",
    )
    log.update(
        "tool_call_update",
        toolCallId=call,
        status="completed",
        content=[diff if edits else text],
    )
