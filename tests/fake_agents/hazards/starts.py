"""Handshakes and new sessions that are not as the protocol has them."""

from __future__ import annotations

import os
import sys
from typing import Any

from _wire import Json, Wire, initialize_result, own_name

from hazards.mode import Answer, Mode, chunk, new_session, notify, silent

__all__ = ["MODES"]

SELECT: Json = {
    "id": "model",
    "name": "Model",
    "type": "select",
    "category": "model",
    "currentValue": "small",
    "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}],
}
MODELS: Json = {
    "availableModels": [
        {"modelId": "one", "name": "One"},
        {"modelId": "two", "name": "Two", "description": "better"},
        {"name": "no id"},
    ],
    "currentModelId": "one",
}


def saying(**changes: Any) -> Answer:
    """Answer ``initialize`` with other fields; None leaves a field out."""

    def answer(wire: Wire, message: Json) -> None:
        result = {**initialize_result(own_name()), **changes}
        wire.result(message, {key: value for key, value in result.items() if value is not ...})

    return answer


def opening(**more: Any) -> Answer:
    """Answer ``session/new`` with further fields."""

    def answer(wire: Wire, message: Json) -> None:
        wire.result(message, {"sessionId": f"hazard-{os.getpid()}", **more})

    return answer


def initialize_twice(wire: Wire, message: Json) -> None:
    for name in ("First", "Second"):
        wire.result(message, {**initialize_result(name), "protocolVersion": 1})


def updates_before_answer(wire: Wire, message: Json) -> None:
    session_id = f"hazard-{os.getpid()}"
    commands = [{"name": "early", "description": "came first"}]
    wire.update(session_id, "available_commands_update", availableCommands=commands)
    notify(wire, session_id, chunk({"type": "text", "text": "Welcome. "}))
    new_session(wire, message)


def updates_after_answer(wire: Wire, message: Json) -> None:
    """Send a banner, commands and usage between session/new and the first prompt."""
    new_session(wire, message)
    session_id = f"hazard-{os.getpid()}"
    notify(wire, session_id, chunk({"type": "text", "text": "Banner. "}))
    wire.update(session_id, "usage_update", used=1, size=10)
    wire.send({"method": "_auth/status_update", "params": {"ok": True}})


def complains_and_exits(wire: Wire) -> None:
    del wire
    print("cannot find the configuration\x1b[31m in red\x1b[0m", file=sys.stderr)
    sys.exit(3)


def complains(wire: Wire) -> None:
    del wire
    print("waiting for a login", file=sys.stderr, flush=True)


def session_refused(wire: Wire, message: Json) -> None:
    wire.error(message, -32000, "Authentication required")


def change_refused(wire: Wire, message: Json) -> None:
    wire.error(message, -32602, "That model is not for you")


def model_set(wire: Wire, message: Json) -> None:
    wire.result(message, {})
    wire.update(message["params"]["sessionId"], "session_info_update", title="model changed")
    wire.text(message["params"]["sessionId"], f"set_model {message['params']['modelId']}")


def options_change(wire: Wire, message: Json) -> None:
    """Answer with all options, of which one is gone and one is new."""
    params = message["params"]
    changed = {**SELECT, "currentValue": params["value"]}
    effort = {"id": "effort", "name": "Effort", "type": "boolean", "currentValue": True}
    wire.result(message, {"configOptions": [changed, effort]})


BOOLEAN: Json = {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False}
GROUPED: Json = {
    **SELECT,
    "options": [{"group": "g", "name": "Group", "options": SELECT["options"]}, {"group": "h"}],
}
MODES = {
    "version_text": Mode(initialize=saying(protocolVersion="1")),
    "version_float": Mode(initialize=saying(protocolVersion=1.0)),
    "version_2_in_words_of_1": Mode(initialize=saying(protocolVersion=2)),
    "version_3": Mode(initialize=saying(protocolVersion=3)),
    "version_date": Mode(initialize=saying(protocolVersion="2024-11-05")),
    "version_missing": Mode(initialize=saying(protocolVersion=...)),
    "auth_unknown": Mode(
        initialize=saying(
            authMethods=[
                {"id": "w", "name": "Wallet", "type": "wallet"},
                {"methodId": "v2", "name": "Of version 2"},
                "text",
                {"id": "e", "name": "Key", "type": "env_var", "vars": [{"name": "KEY"}]},
            ]
        )
    ),
    "capabilities_null": Mode(initialize=saying(agentCapabilities=None, agentInfo=None)),
    "capabilities_odd": Mode(
        initialize=saying(
            agentCapabilities={
                "loadSession": "yes",
                "promptCapabilities": [],
                "sessionCapabilities": {"list": True, "resume": None, "close": 1},
            },
            agentInfo="Hazard",
            authMethods={"id": "x"},
        )
    ),
    "exits_at_once": Mode(on_start=complains_and_exits),
    "never_initialize": Mode(on_start=complains, initialize=silent),
    "never_new_session": Mode(new=silent),
    "initialize_twice": Mode(initialize=initialize_twice),
    "updates_before_new": Mode(new=updates_before_answer),
    "updates_after_new": Mode(new=updates_after_answer),
    "auth_required": Mode(new=session_refused),
    "session_id_number": Mode(new=opening(sessionId=7)),
    "session_id_missing": Mode(new=opening(sessionId=None)),
    "boolean_unasked": Mode(new=opening(configOptions=[BOOLEAN, SELECT])),
    "options_grouped": Mode(
        new=opening(configOptions=[GROUPED]),
        others={"session/set_config_option": options_change},
    ),
    "option_change_refused": Mode(
        new=opening(configOptions=[SELECT]),
        others={"session/set_config_option": change_refused},
    ),
    "models_only": Mode(new=opening(models=MODELS), others={"session/set_model": model_set}),
    "resume_not_there": Mode(
        initialize=saying(
            agentCapabilities={"loadSession": False, "sessionCapabilities": {"resume": {}}}
        )
    ),
}
