#!/usr/bin/env python3
"""Does what fills an ordinary turn, or says as many MiB as the prompt names."""

from __future__ import annotations

from _wire import Json, Wire, serve

MIB = 1024 * 1024
ROUNDS = 8
_SENTENCE = "The rows are read once, and `normalise` no longer walks them. "
_LINE = _SENTENCE * 1_000


def prompt(wire: Wire, session_id: str, text: str) -> str:
    if text.isdecimal():
        for number in range(int(text)):
            for start in range(0, MIB, len(_LINE)):
                wire.text(session_id, _LINE[: MIB - start])
            wire.update(session_id, "tool_call", toolCallId=f"m{number}", title="Step", kind="read")
        return "end_turn"
    for step in range(ROUNDS):
        call = f"{text}-{step}"
        thought = {"type": "text", "text": f"Thinking about {call}. {_SENTENCE}"}
        wire.update(session_id, "agent_thought_chunk", content=thought)
        work(wire, session_id, call, edits=step % 4 == 0)
        wire.text(session_id, f"Answer {call}. {_SENTENCE * 8}\n")
    return "end_turn"


def work(wire: Wire, session_id: str, call: str, *, edits: bool) -> None:
    diff: Json = {
        "type": "diff",
        "path": f"src/file_{call}.py",
        "oldText": "a = 1\n" * 20,
        "newText": "a = 2\n" * 20,
    }
    output = {"type": "content", "content": {"type": "text", "text": "line of output\n" * 20}}
    kind = "edit" if edits else "execute"
    wire.update(session_id, "tool_call", toolCallId=call, title=f"Step {call}", kind=kind)
    done: Json = {"toolCallId": call, "status": "completed"}
    wire.update(session_id, "tool_call_update", content=[diff if edits else output], **done)


serve(prompt)
