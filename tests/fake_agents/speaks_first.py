#!/usr/bin/env python3
"""Asks and tells before it is asked anything, has modes and models, and answers null.

A prompt makes it ask and tell what nobody knows; it says what it was answered.
"""

from __future__ import annotations

import json
import os

from _wire import Json, Wire, initialize_result

MODES: Json = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
MODELS: Json = {
    "currentModelId": "small",
    "availableModels": [
        {"modelId": "small", "name": "Small"},
        {"modelId": "large", "name": "Large"},
    ],
}


def answer(wire: Wire, message: Json) -> Json | None:
    params = message.get("params") or {}
    method = message["method"]
    if method == "initialize":
        return initialize_result("first")
    if method == "session/new":
        return {"sessionId": f"first-{os.getpid()}", "modes": MODES, "models": MODELS}
    if method == "_ada/echo":
        return {"heard": params}
    if method == "session/prompt":
        wire.send({"method": "_ada/told", "params": {"n": 1}})
        asked = wire.ask("_ada/asked", {"sessionId": params["sessionId"]})
        wire.text(params["sessionId"], json.dumps(asked.get("error", {}).get("code")))
        return {"stopReason": "end_turn"}
    return None  # session/set_mode, session/set_model


wire = Wire()
wire.send({"method": "_ada/hello", "params": {}})
wire.send({"id": "early", "method": "_ada/early", "params": {}})
while (message := wire.next()) is not None:
    if "method" not in message or "id" not in message:
        continue
    if message["method"] == "_ada/nobody":
        wire.error(message, -32601, "Method not found")
    else:
        wire.send({"id": message["id"], "result": answer(wire, message)})
