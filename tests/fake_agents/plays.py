#!/usr/bin/env python3
"""Plays a scene that a test has written: what an agent says and does in one turn.

The file ``.scene.json`` of the session's folder has a list of steps:
``{"update": {…}}`` sends an update, ``{"write": PATH, "text": …}`` changes a file,
``{"ask": [PARAMS, …]}`` asks for these permissions at once and waits for the answers,
``{"fail": WORDS}`` ends the turn in an error, ``{"die": WORDS}`` the agent, with them on stderr,
``{"hold": NAME}`` waits for a file ``NAME`` in the folder's sister ``.go-FOLDER``, and
``{"rest": SECONDS}`` for time to pass.
Its arguments are its name and its version.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import _wire
from _wire import Json, Wire, serve

NAME, VERSION = sys.argv[1:3]
COMMANDS = [
    {"name": "review", "description": "Review the changes of this session"},
    {"name": "compact", "description": "Summarise the session to free context"},
    {"name": "init", "description": "Write notes about this project"},
]
CHOICES: dict[str, list[tuple[str, str, str]]] = {
    "mode": [
        ("ask", "Ask before edits", "Asks for each edit and command"),
        ("accept", "Accept edits", "Edits files without asking"),
        ("plan", "Plan", "Reads and plans, changes nothing"),
    ],
    "model": [("sonnet", "Sonnet 4.5", "Good at code"), ("haiku", "Haiku 4.5", "Fast")],
}


class Stage(Wire):
    """Knows the folder, and offers choices and commands with each session."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path()
        self.failure = ""
        self.chosen = {name: choices[0][0] for name, choices in CHOICES.items()}

    def next(self) -> Json | None:
        message = super().next()
        params: Json = (message or {}).get("params") or {}
        if message is not None and message.get("method") == "session/set_config_option":
            self.chosen[params["configId"]] = params["value"]
            self.result(message, {"configOptions": self.options()})
            return self.next()
        if "cwd" in params:
            self.folder = Path(params["cwd"])
        return message

    def result(self, request: Json, result: Any) -> None:
        if self.failure:
            self.error(request, -32603, self.failure)
            self.failure = ""
            return
        opens = request.get("method") == "session/new"
        super().result(request, {**result, "configOptions": self.options()} if opens else result)
        if opens:
            session_id = result["sessionId"]
            self.update(session_id, "available_commands_update", availableCommands=COMMANDS)

    def options(self) -> list[Json]:
        return [
            {
                "id": name,
                "name": name.title(),
                "category": name,
                "type": "select",
                "currentValue": self.chosen[name],
                "options": [
                    {"value": value, "name": title, "description": words}
                    for value, title, words in choices
                ],
            }
            for name, choices in CHOICES.items()
        ]

    def hold(self, name: str) -> None:
        sign = self.folder.with_name(f".go-{self.folder.name}") / name
        while not sign.exists() and not self.rest(0.1):
            pass

    def ask_all(self, session_id: str, asked: list[Json]) -> None:
        for number, params in enumerate(asked):
            params = {"sessionId": session_id, **params}
            self.send(
                {"id": f"p{number}", "method": "session/request_permission", "params": params}
            )
        for number in range(len(asked)):
            self.response(f"p{number}")


def prompt(wire: Wire, session_id: str, _text: str) -> str:
    assert isinstance(wire, Stage)
    steps: list[Json] = json.loads((wire.folder / ".scene.json").read_text())
    for step in steps:
        match step:
            case {"update": update}:
                wire.update(session_id, update.pop("sessionUpdate"), **update)
            case {"write": path, "text": content}:
                file = wire.folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
            case {"ask": asked}:
                wire.ask_all(session_id, asked)
            case {"hold": name}:
                wire.hold(name)
            case {"rest": seconds}:
                wire.rest(seconds)
            case {"fail": words}:
                wire.failure = words
            case {"die": words}:
                print(words, file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            case _:
                raise ValueError(step)
        if wire.cancelled:
            break
    return "end_turn"


def initialize_result(name: str) -> Json:
    return {
        "protocolVersion": 1,
        "agentCapabilities": {"promptCapabilities": {"image": True, "embeddedContext": True}},
        "agentInfo": {"name": name, "title": NAME, "version": VERSION},
        "authMethods": [],
    }


_wire.initialize_result = initialize_result
serve(prompt, Stage())
