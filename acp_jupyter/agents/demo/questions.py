"""The tasks that ask the user something (ACP: elicitation)."""

from __future__ import annotations

from acp_jupyter.agents.demo.choose import Request
from acp_jupyter.agents.demo.quoting import quote
from acp_jupyter.agents.demo.turn import Turn, TurnCancelledError
from acp_jupyter.agents.rpc import Json, RpcError

__all__ = ["ask_form"]

_FORM: Json = {
    "type": "object",
    "title": "A chart",
    "properties": {
        "colour": {
            "type": "string",
            "title": "Colour",
            "oneOf": [
                {"const": "teal", "title": "Teal", "description": "Easy to tell from red"},
                {"const": "red", "title": "Red"},
            ],
            "default": "teal",
        },
        "points": {"type": "integer", "title": "Points", "minimum": 1, "maximum": 500},
        "grid": {"type": "boolean", "title": "With a grid", "default": True},
        "title": {"type": "string", "title": "Title", "maxLength": 60},
    },
    "required": ["colour", "points"],
}


async def ask_form(turn: Turn, _request: Request) -> str:
    """Ask for a few values, and say what was answered."""
    form: Json = {
        "sessionId": turn.session.id,
        "mode": "form",
        "message": "How should the chart look? Nothing is drawn: this only shows a question.",
        "requestedSchema": _FORM,
    }
    try:
        result = await turn.peer.request("elicitation/create", form)
    except RpcError as error:
        await turn.say(f"This client does not show questions: {error}\n")
        return "end_turn"
    match result:
        case {"action": "accept", "content": dict(content)}:
            told = ", ".join(f"{name}: {quote(str(value))}" for name, value in content.items())
            await turn.say(f"You answered {told}.\n")
        case {"action": "cancel"}:
            raise TurnCancelledError
        case _:
            await turn.say("You did not want to answer, and that is fine.\n")
    return "end_turn"
