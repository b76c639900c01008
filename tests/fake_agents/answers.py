#!/usr/bin/env python3
"""Answers questions about CSV files by code that it runs in the kernel.

The prompt has ``Question ID.`` and ``File PATH.``. The first argument is a file of TOML: the code
by the question's id. With a second argument, ``wrong``, it reads only half of each table.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from _notebook_tools import NotebookTools, ToolsWire
from _wire import Wire, serve

CODE = """\
import csv
from statistics import *

with open({path!r}, encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file)){half}


def answer(**parts):
    print(" ".join(f"@{{name}}[{{value}}]" for name, value in parts.items()))

{solution}"""


def prompt(wire: Wire, session_id: str, text: str) -> str:
    assert isinstance(wire, ToolsWire)
    found = re.search(r"Question (\d+)\..*File (.+?\.csv)\.", text, re.DOTALL)
    assert found is not None
    solutions = tomllib.loads(Path(sys.argv[1]).read_text("utf-8"))
    half = "[::2]" if sys.argv[2:] == ["wrong"] else ""
    code = CODE.format(path=found[2], half=half, solution=solutions[found[1]])
    call = {"toolCallId": "call-1", "title": "notebook_run_code", "rawInput": {"code": code}}
    wire.update(session_id, "tool_call", **call)
    tools = NotebookTools(wire.servers[-1][-1])
    result = tools.ask("tools/call", {"name": "run_code", "arguments": {"code": code}})
    status = "failed" if result.get("isError") else "completed"
    wire.update(session_id, "tool_call_update", toolCallId="call-1", status=status)
    wire.text(session_id, "\n".join(p["text"] for p in result["content"] if p["type"] == "text"))
    return "end_turn"


serve(prompt, ToolsWire())
