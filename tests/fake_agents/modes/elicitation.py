"""An agent that asks its user questions."""

from __future__ import annotations

import json
import os
import time

from _wire import Json, Wire, in_turns

FORM: Json = {
    "type": "object",
    "title": "Chart",
    "properties": {
        "colour": {
            "type": "string",
            "title": "Which colour?",
            "oneOf": [{"const": "red", "title": "Red"}, {"const": "green", "title": "Green"}],
            "default": "green",
        },
        "points": {"type": "integer", "title": "Points", "minimum": 1, "maximum": 100},
        "share": {"type": "number", "title": "Share", "maximum": 1},
        "grid": {"type": "boolean", "title": "Grid", "default": True},
        "columns": {
            "type": "array",
            "title": "Columns",
            "items": {"type": "string", "enum": ["a", "b", "c"]},
            "minItems": 1,
        },
        "mail": {"type": "string", "title": "Mail to", "format": "email"},
        "note": {"type": "string", "title": "Note", "maxLength": 20},
        "api_key": {"type": "string", "title": "API key"},
        "spin": {"type": "quaternion", "title": "Spin"},
    },
    "required": ["colour", "points"],
}
SIMPLE: Json = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name", "default": "Ada"}},
    "required": ["name"],
}


def form(session_id: str, schema: Json = FORM, message: str = "How shall I draw it?") -> Json:
    return {
        "mode": "form",
        "sessionId": session_id,
        "message": message,
        "requestedSchema": schema,
    }


def page(session_id: str, url: str) -> Json:
    return {
        "mode": "url",
        "sessionId": session_id,
        "message": "Log in to continue.",
        "url": url,
        "elicitationId": "page-1",
    }


@in_turns
def elicit(wire: Wire, session_id: str, text: str) -> str:  # noqa: C901 - one flat match
    """Ask what the prompt says, and tell what was answered."""
    what, _, rest = text.partition(" ")
    match what:
        case "form":
            answers = [wire.ask("elicitation/create", form(session_id))]
        case "simple":
            answers = [wire.ask("elicitation/create", form(session_id, SIMPLE, "Who are you?"))]
        case "raw":
            params = {"sessionId": session_id, **json.loads(rest)}
            answers = [wire.ask("elicitation/create", params)]
        case "url":
            answers = [wire.ask("elicitation/create", page(session_id, rest))]
            wire.send({"method": "elicitation/complete", "params": {"elicitationId": "page-1"}})
        case "elsewhere":
            wire.request("q", "elicitation/create", page(session_id, rest))
            wire.send({"method": "elicitation/complete", "params": {"elicitationId": "page-1"}})
            answers = [wire.response("q")]
        case "two":
            for name in ("one", "two"):
                params = form(session_id, SIMPLE, f"Question {name}")
                wire.request(name, "elicitation/create", params)
            answers = [wire.response("one"), wire.response("two")]
        case "withdraw":
            params = form(session_id, SIMPLE)
            wire.request("q", "elicitation/create", params)
            wire.send({"method": "$/cancel_request", "params": {"requestId": "q"}})
            answers = [wire.response("q")]
        case "die":
            params = form(session_id, SIMPLE)
            wire.request("q", "elicitation/create", params)
            time.sleep(0.3)
            os._exit(3)
        case _:
            answers = [{"result": {"prompt": text}}]
    for answer in answers:
        wire.text(session_id, json.dumps(answer.get("result", answer.get("error"))) + "\n")
    return "end_turn"
