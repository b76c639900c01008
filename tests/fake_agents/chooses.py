#!/usr/bin/env python3
"""Has modes, a choice of models and a switch, and says in each turn what is chosen.

``chooses.py [--stays] MODE...`` names the modes that it has, the current one first. With
``--stays`` it refuses another.
"""

from __future__ import annotations

import sys

from _wire import Json, Wire, initialize_result, text_of

MODES = [
    {"id": "ask", "name": "Ask first", "description": "Asks before it changes anything"},
    {"id": "plan", "name": "Plan only"},
    {"id": "auto", "name": "Auto", "description": "Decides what to ask"},
]
MODELS = {"small-1": "Small", "large-1": "Large"}

named = [name for name in sys.argv[1:] if name != "--stays"]
if named:
    MODES = [mode for name in named for mode in MODES if mode["id"] == name]
wire = Wire()
chosen: dict[str, object] = {"mode": MODES[0]["id"], "model": "small-1", "web": False}


def options() -> list[Json]:
    return [
        {
            "id": "model",
            "name": "Model",
            "category": "model",
            "type": "select",
            "currentValue": chosen["model"],
            "options": [{"value": key, "name": name} for key, name in MODELS.items()],
        },
        {"id": "web", "name": "Web search", "type": "boolean", "currentValue": chosen["web"]},
    ]


def answer(message: Json) -> Json:
    params = message.get("params") or {}
    match message.get("method"):
        case "initialize":
            return initialize_result("chooses")
        case "session/new":
            modes = {"currentModeId": chosen["mode"], "availableModes": MODES}
            return {"sessionId": "s", "modes": modes, "configOptions": options()}
        case "session/set_mode":
            chosen["mode"] = params["modeId"]
            return {}
        case "session/set_config_option":
            chosen[params["configId"]] = params["value"]
            return {"configOptions": options()}
        case "session/prompt":
            text = f"{chosen['mode']}, {chosen['model']}, {chosen['web']}: {text_of(params)}"
            wire.text("s", text)
            return {"stopReason": "end_turn"}
        case _:
            return {}


def refuses(message: Json) -> bool:
    if message.get("method") != "session/set_mode":
        return False
    return "--stays" in sys.argv or message["params"]["modeId"] not in {m["id"] for m in MODES}


while (message := wire.next()) is not None:
    if refuses(message):
        wire.error(message, -32603, "not now")
    elif "id" in message and "method" in message:
        wire.result(message, answer(message))
