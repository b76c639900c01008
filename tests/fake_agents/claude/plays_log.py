"""A stand-in for the Claude CLI that plays a recorded log, one turn for each prompt.

``$CLI_PLAYS`` is the log, ``$CLI_WRITES`` gets all lines of both directions, as someone who sits
between the CLI and its client would write them down.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]

RECORDED_FOLDER = "/home/user/project"


def write_down(line: str) -> None:
    with open(os.environ["CLI_WRITES"], "a") as log:
        log.write(line.rstrip("\n") + "\n")


def say(line: str) -> None:
    write_down(line)
    os.write(1, line.encode() + b"\n")


def hear() -> Json:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    write_down(line)
    message: Json = json.loads(line)
    return message


def wait_for(kind: str) -> None:
    """Wait for a line; what the client asks meanwhile is granted."""
    while (message := hear())["type"] != kind:
        if message["type"] == "control_request":
            answer = {"subtype": "success", "request_id": message["request_id"], "response": {}}
            say(json.dumps({"type": "control_response", "response": answer}))


def main() -> None:
    text = Path(os.environ["CLI_PLAYS"]).read_text().replace(RECORDED_FOLDER, os.getcwd())
    lines = text.splitlines()
    while lines:
        wait_for("user")
        kind = ""
        while lines and kind != "result":
            line = lines.pop(0)
            kind = json.loads(line)["type"]
            say(line)
            if kind == "control_request":
                wait_for("control_response")
    wait_for("nothing more")


main()
