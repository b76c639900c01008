#!/usr/bin/env python3
"""Says its secret and where its folder lies, in every place where an agent can put text."""

from __future__ import annotations

import os

from _wire import Json, Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    secret, folder = os.environ["LEAKY_API_KEY"], os.getcwd()
    path = os.path.join(folder, "notes.txt")
    thought = {"type": "text", "text": f"The key is {secret}."}
    wire.update(session_id, "agent_thought_chunk", content=thought)
    entries = [{"content": f"Use {secret} in {folder}", "priority": "high", "status": "completed"}]
    wire.update(session_id, "plan", entries=entries)
    diff: Json = {"type": "diff", "path": path, "oldText": "a\n", "newText": f"key={secret}\n"}
    call = {"toolCallId": "leak-1", "title": f"Edit {path}", "kind": "edit"}
    wire.update(
        session_id,
        "tool_call",
        **call,
        status="completed",
        locations=[{"path": path}],
        content=[diff],
        rawInput={"file_path": path, "key": secret},
    )
    output = {"type": "content", "content": {"type": "text", "text": f"{path}: {secret}"}}
    wire.update(
        session_id,
        "tool_call",
        toolCallId="leak-2",
        title=f"Run print-key in {folder}",
        kind="execute",
        status="completed",
        rawInput={"command": f"print-key --key {secret} {path}"},
        content=[output],
    )
    for piece in (f"You said {text}. ", "My key is ", secret, f" and I work in {folder}."):
        wire.text(session_id, piece)
    return "end_turn"


serve(prompt)
