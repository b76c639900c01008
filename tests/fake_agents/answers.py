#!/usr/bin/env python3
"""Answers questions about CSV files by code that it runs in the kernel.

The prompt has ``Question ID.`` and ``File PATH.``. The first argument is a file of labels, one JSON
object on each line: ``{"id", "common_answers": [[name, value], …]}``. With a second argument,
``wrong``, every value that it gives is another.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from _notebook_tools import NotebookTools, ToolsWire
from _wire import Wire, serve

CODE = """\
with open({path!r}, encoding="utf-8", errors="replace") as file:
    columns = file.readline().split(",")
assert columns
print(" ".join(f"@{{name}}[{{value}}]" for name, value in {answers!r}))"""


def _labelled() -> dict[str, list[list[str]]]:
    lines = Path(sys.argv[1]).read_text("utf-8").splitlines()
    return {str(label["id"]): label["common_answers"] for label in map(json.loads, lines)}


def prompt(wire: Wire, session_id: str, text: str) -> str:
    assert isinstance(wire, ToolsWire)
    found = re.search(r"Question (\d+)\..*File (.+?\.csv)\.", text, re.DOTALL)
    assert found is not None
    answers = _labelled()[found[1]]
    if sys.argv[2:] == ["wrong"]:
        answers = [[name, f"not {value}"] for name, value in answers]
    tools = NotebookTools(wire.servers[-1][-1])
    code = CODE.format(path=found[2], answers=answers)
    call = {"toolCallId": "call-1", "title": "notebook_run_code", "rawInput": {"code": code}}
    wire.update(session_id, "tool_call", **call)
    result = tools.ask("tools/call", {"name": "run_code", "arguments": {"code": code}})
    status = "failed" if result.get("isError") else "completed"
    wire.update(session_id, "tool_call_update", toolCallId="call-1", status=status)
    wire.text(session_id, "\n".join(p["text"] for p in result["content"] if p["type"] == "text"))
    return "end_turn"


serve(prompt, ToolsWire())
