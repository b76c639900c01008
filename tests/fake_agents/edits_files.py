#!/usr/bin/env python3
"""Does to files what the prompt says, a line each, and tells what came of it.

``fs read PATH``, ``fs replace PATH JSON JSON`` and ``fs write PATH JSON`` go through the client,
``own write PATH JSON`` and ``own replace PATH JSON JSON`` do not.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from _wire import Json, Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    known: dict[str, str] = {}

    def client(method: str, path: str, **more: str) -> Json:
        whole = os.path.join(os.getcwd(), path)
        return wire.ask(f"fs/{method}_text_file", {"sessionId": session_id, "path": whole, **more})

    for line in text.strip().splitlines():
        who, what, path, *rest = line.split(" ", 3)
        values = decoded(rest[0]) if rest else []
        if who == "own":
            file = Path(path)
            file.write_text(
                values[0] if what == "write" else file.read_text().replace(values[0], values[1])
            )
            told: Json = {"result": "done"}
        elif what == "read":
            told = client("read", path)
            known[path] = told.get("result", {}).get("content", "")
        else:
            if what == "replace" and path not in known:
                known[path] = client("read", path)["result"]["content"]
            content = values[0] if what == "write" else known[path].replace(values[0], values[1])
            told = client("write", path, content=content)
        wire.text(session_id, json.dumps(told.get("error", told.get("result"))) + "\n")
    return "end_turn"


def decoded(text: str) -> list[str]:
    found: list[str] = []
    while text := text.strip():
        value, end = json.JSONDecoder().raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


serve(prompt)
