"""Agents that can more than talk: modes and models, kinds of prompts, steering, child sessions."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from _wire import ALLOW, REJECT, Json, Wire, in_turns, initialize_result, own_name, serve, text_of

# -- modes and models ----------------------------------------------------------

MODES = [
    {"id": "ask", "name": "Ask first", "description": "Asks before it changes anything"},
    {"id": "plan", "name": "Plan only"},
    {"id": "auto", "name": "Auto", "description": "Decides what to ask"},
]
MODELS = {"small-1": "Small", "large-1": "Large"}


def chooses(*words: str) -> None:
    """Have modes, a choice of models and a switch, and say in each turn what is chosen.

    The words name the modes that it has, the current one first. With ``--stays`` it refuses
    another.
    """
    named = [word for word in words if word != "--stays"]
    modes = [mode for name in named for mode in MODES if mode["id"] == name] or MODES
    chosen: dict[str, object] = {"mode": modes[0]["id"], "model": "small-1", "web": False}
    wire = Wire()
    while (message := wire.next()) is not None:
        params = message.get("params") or {}
        changes_mode = message.get("method") == "session/set_mode"
        known = "--stays" not in words and params.get("modeId") in {mode["id"] for mode in modes}
        if changes_mode and not known:
            wire.error(message, -32603, "not now")
        elif "id" in message and "method" in message:
            wire.result(message, _chosen(wire, message, modes, chosen))


def _chosen(wire: Wire, message: Json, modes: list[Json], chosen: dict[str, object]) -> Json:
    params = message.get("params") or {}
    match message["method"]:
        case "initialize":
            return initialize_result(own_name())
        case "session/new":
            offered = {"currentModeId": chosen["mode"], "availableModes": modes}
            return {"sessionId": "s", "modes": offered, "configOptions": _options(chosen)}
        case "session/set_mode":
            chosen["mode"] = params["modeId"]
            return {}
        case "session/set_config_option":
            chosen[params["configId"]] = params["value"]
            return {"configOptions": _options(chosen)}
        case "session/prompt":
            text = f"{chosen['mode']}, {chosen['model']}, {chosen['web']}: {text_of(params)}"
            wire.text("s", text)
            return {"stopReason": "end_turn"}
        case _:
            return {}


def _options(chosen: dict[str, object]) -> list[Json]:
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


OLDER_MODES: Json = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
OLDER_MODELS: Json = {
    "currentModelId": "small",
    "availableModels": [
        {"modelId": "small", "name": "Small"},
        {"modelId": "large", "name": "Large"},
    ],
}


def speaks_first() -> None:
    """Ask and tell before it is asked anything, have modes and models, and answer null.

    A prompt makes it ask and tell what nobody knows; it says what it was answered.
    """
    wire = Wire()
    wire.send({"method": "_ada/hello", "params": {}})
    wire.request("early", "_ada/early", {})
    while (message := wire.next()) is not None:
        if "method" not in message or "id" not in message:
            continue
        if message["method"] == "_ada/nobody":
            wire.error(message, -32601, "Method not found")
        else:
            wire.result(message, _answered(wire, message))


def _answered(wire: Wire, message: Json) -> Json | None:
    params = message.get("params") or {}
    match message["method"]:
        case "initialize":
            return initialize_result("first")
        case "session/new":
            session_id = f"first-{os.getpid()}"
            return {"sessionId": session_id, "modes": OLDER_MODES, "models": OLDER_MODELS}
        case "_ada/echo":
            return {"heard": params}
        case "session/prompt":
            wire.send({"method": "_ada/told", "params": {"n": 1}})
            asked = wire.ask("_ada/asked", {"sessionId": params["sessionId"]})
            wire.text(params["sessionId"], json.dumps(asked.get("error", {}).get("code")))
            return {"stopReason": "end_turn"}
        case _:
            return None  # session/set_mode, session/set_model


# -- kinds of prompts ----------------------------------------------------------


def takes(*capabilities: str) -> None:
    """Tell which blocks a prompt had; the words are the prompt capabilities it announces."""

    def prompt(wire: Wire, session_id: str, text: str) -> str:
        wire.text(session_id, json.dumps(wire.blocks))
        if text == "slow":
            wire.rest(30)
        return "end_turn"

    can = {"loadSession": False, "promptCapabilities": dict.fromkeys(capabilities, True)}
    serve(prompt, agentCapabilities=can)


# -- steering ------------------------------------------------------------------


def steers(outcome: str = "injected") -> None:
    """Take messages while a turn runs.

    The turn of the prompt ``slow`` goes on until it was offered a message that it takes, or is
    stopped; it says what it hears. ``outcome`` is what it answers, or JSON to answer with,
    ``error``, or ``silent``; with ``gone`` it exits, ``late`` ends the turn before it answers that
    a prompt is required, ``tardy`` ends it and has taken the message, and ``unable`` announces
    nothing.
    """
    can: Json = {} if outcome == "unable" else {"_meta": {"steering": {"supported": True}}}
    serve(_steered, _Steering(outcome), **can)


class _Steering(Wire):
    """Answers what it held back once the turn has ended."""

    def __init__(self, outcome: str) -> None:
        super().__init__()
        self.outcome = outcome
        self.held: list[Json] = []

    def result(self, request: Json, result: Any) -> None:
        super().result(request, result)
        while self.held:
            steering = self.held.pop()
            if self.outcome == "tardy":
                early = self.line(0.2)
                heard = "too early" if early else "heard"
                self.text(steering["params"]["sessionId"], heard)
            outcome = "promptRequired" if self.outcome == "late" else "injected"
            super().result(steering, {"outcome": outcome})


def _steered(wire: _Steering, session_id: str, text: str) -> str:
    wire.text(session_id, f"begins {text}")
    if text != "slow":
        return "end_turn"
    while (message := wire.next()) is not None:
        if message.get("method") == "session/cancel":
            return "cancelled"
        if message.get("method") != "_session/steering":
            continue
        params = message["params"]
        assert params["_meta"] == {"steering": {"idleBehavior": "promptRequired"}}
        assert params["sessionId"] == session_id
        match wire.outcome:
            case "silent":
                wire.text(session_id, "hears")
                continue
            case "gone":
                sys.exit(3)
            case "error":
                wire.error(message, -32603, "No")
            case "late" | "tardy":
                wire.held.append(message)
                return "end_turn"
            case outcome:
                answer = json.loads(outcome) if outcome[0] in "{[n1" else {"outcome": outcome}
                wire.result(message, answer)
        wire.text(session_id, f"heard {text_of(params)}")
        if wire.outcome in {"injected", "startedNewTurn"}:
            return "end_turn"
    return "end_turn"


# -- child sessions ------------------------------------------------------------


@in_turns
def delegates(wire: Wire, session_id: str, text: str) -> str:
    """Give its task to a child session, which asks and works; a prompt names the child's id.

    ``leave CHILD`` ends the turn while the child works; in ``speak CHILD``, of any session, it goes
    on. The child of ``spare CHILD`` can be cancelled, and goes on when its turn is stopped; that of
    ``obey CHILD`` ends when it is told to.
    """
    verb, _, named = text.partition(" ")
    child = named or text
    call = {"toolCallId": "c", "title": "Run ls", "kind": "execute", "rawInput": {"command": "ls"}}
    asked: Json = {"sessionId": child, "toolCall": call, "options": [ALLOW, REJECT]}
    if verb == "speak":
        wire.text(child, "I am still here.")
        answer = wire.ask("session/request_permission", asked)
        wire.text(session_id, f"Code {answer.get('error', {}).get('code')}")
        return "end_turn"
    state = {"state": "running"}
    can: Json = {"capabilities": {"cancel": {}}} if verb in {"spare", "obey"} else {}
    wire.update(session_id, "subagent_update", sessionId=child, title="Look", state=state, **can)
    wire.text(child, "I am the child.")
    if can:
        told: set[str] = set()
        while not {session_id, *([child] if verb == "obey" else [])} <= told:
            message = wire.next() or sys.exit(0)
            if message.get("method") == "session/cancel":
                told.add(message["params"]["sessionId"])
        if verb == "obey":
            ended = {"state": "idle", "stopReason": "cancelled"}
            wire.update(session_id, "subagent_update", sessionId=child, state=ended)
        wire.cancelled = True
        return "cancelled"
    if verb == "leave":
        return "end_turn"
    answer = wire.ask("session/request_permission", asked)
    outcome = answer.get("result", {}).get("outcome", {})
    status = "completed" if outcome.get("optionId") == "yes" else "failed"
    wire.update(child, "tool_call_update", toolCallId="c", status=status)
    wire.update(session_id, "subagent_update", sessionId=child, state={"state": "idle"})
    return "end_turn"
