"""The client's answer to a permission request, as the CLI takes it."""

from __future__ import annotations

from acp_jupyter.agents.rpc import Json
from acp_jupyter.dialects.claude_stream.results import PermissionRequested
from acp_jupyter.dialects.claude_stream.tool_calls import ALLOW, ALWAYS, REJECT

__all__ = ["control_response", "decision", "deny"]

_REJECTED = "The user rejected this tool call."
_CANCELLED = "The user stopped the turn."
_UNCLEAR = "Nobody allowed this tool call."


def decision(question: PermissionRequested, result: Json) -> Json:
    """Return what the CLI may do. Whatever is not clearly an offered "allow" is a refusal.

    Parameters
    ----------
    result
        ACP: the result of session/request_permission; any object.
    """
    match result.get("outcome"):
        case {"outcome": "selected", "optionId": option} if option == ALLOW:
            return _allow(question)
        case {"outcome": "selected", "optionId": option} if option == ALWAYS and question.grants:
            return {**_allow(question), "updatedPermissions": question.grants[ALWAYS]}
        case {"outcome": "selected", "optionId": option} if option == REJECT:
            return deny(_REJECTED)
        case {"outcome": "cancelled"}:
            return {**deny(_CANCELLED), "interrupt": True}
        case _:
            return deny(_UNCLEAR)


def deny(message: str = _UNCLEAR) -> Json:
    """Return a refusal; the model reads the message."""
    return {"behavior": "deny", "message": message}


def _allow(question: PermissionRequested) -> Json:
    return {"behavior": "allow", "updatedInput": question.tool_input}


def control_response(request_id: str, response: Json) -> Json:
    """Return the line that answers a request of the CLI."""
    body = {"subtype": "success", "request_id": request_id, "response": response}
    return {"type": "control_response", "response": body}
