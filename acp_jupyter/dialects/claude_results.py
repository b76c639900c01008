"""The results of stream-json objects for an ACP client, and the ends of turns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from acp_jupyter.protocol.objects import Obj, count, first, items, obj, text


@dataclass(frozen=True, slots=True)
class Update:
    """ACP: the ``update`` of a session/update."""

    update: Obj


@dataclass(frozen=True, slots=True)
class CliTurnEnd:
    """ACP: the result of session/prompt."""

    response: Obj
    of_prompt: bool = True
    """False for a turn that the CLI began by itself, after a background task."""


@dataclass(frozen=True, slots=True)
class CliTurnError:
    """A JSON-RPC error that answers session/prompt."""

    error: Obj
    of_prompt: bool = True
    needs_login: bool = False


@dataclass(frozen=True, slots=True)
class PermissionRequested:
    """ACP: session/request_permission, without the session's id."""

    request_id: str
    """Id of the CLI's control request, for the answer."""
    params: Obj
    tool_input: Obj
    """Goes back to the CLI unchanged when the tool call is allowed."""
    grants: dict[str, list[Obj]] = field(default_factory=dict)
    """What an option allows beyond this call, in the CLI's form, by option id."""
    tool_name: str = ""
    """The tool's name as the CLI spells it."""


@dataclass(frozen=True, slots=True)
class CliPermissionWithdrawn:
    """The CLI no longer waits for this answer."""

    request_id: str


@dataclass(frozen=True, slots=True)
class ControlRequested:
    """Any other request of the CLI; it waits for an answer."""

    request_id: str
    subtype: str


@dataclass(frozen=True, slots=True)
class ControlAnswered:
    """The CLI's answer to a request of ours."""

    request_id: str
    response: Obj
    error: str = ""


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The CLI is ``running``, ``idle`` or waits in ``requires_action``."""

    state: str


CliResult = (
    Update
    | CliTurnEnd
    | CliTurnError
    | PermissionRequested
    | CliPermissionWithdrawn
    | ControlRequested
    | ControlAnswered
    | StateChanged
)


_STOP_REASONS = {
    "cancelled": "cancelled",
    "max_tokens": "max_tokens",
    "error_max_turns": "max_turn_requests",
    "error_max_budget_usd": "max_turn_requests",
}
_MODEL_STOPS = {"max_tokens": "max_tokens", "refusal": "refusal"}
"""The model's stop reasons that say more than the CLI's ``success``."""

_AUTH_REQUIRED = -32000
_INTERNAL_ERROR = -32603
_DIAGNOSTIC = "[ede_diagnostic]"
"""Prefix of the CLI's messages to its own developers."""
_LOGIN_WORDS = re.compile(
    r"please run /login|invalid api key|not logged in|failed to authenticate"
    r"|oauth token (has expired|revoked)",
    re.IGNORECASE,
)
_WHAT_TO_DO = (
    "Run claude in a terminal and type /login there, or set ANTHROPIC_API_KEY for the agent; "
    "then send the prompt again."
)


def read_result(result: Obj, pending_words: str = "") -> CliTurnEnd | CliTurnError:
    """Read a ``result`` line."""
    subtype = text(result.get("subtype"))
    failed = result.get("is_error") is True
    of_prompt = text(obj(result.get("origin")).get("kind")) in ("", "human", "user")
    stop_reason = _stop_reason(result, subtype, failed)
    if stop_reason is not None:
        return CliTurnEnd(_response(result, subtype, stop_reason), of_prompt)
    words = text(result.get("result")) or "\n".join(_errors(result)) or pending_words
    if first(result, "api_error_status") == 401 or is_logged_out(words):
        return CliTurnError(login_error(words), of_prompt, needs_login=True)
    return CliTurnError(_error(subtype, words, count(result.get("duration_ms"))), of_prompt)


def _error(subtype: str, words: str, milliseconds: int | None) -> Obj:
    data: Obj = {"subtype": subtype}
    if milliseconds is not None:
        data["durationMs"] = milliseconds
    if not words or words.startswith(_DIAGNOSTIC):
        data["details"] = words
        words = f"The Claude CLI ended the turn: {subtype or 'it gave no reason'}."
    return {"code": _INTERNAL_ERROR, "message": words, "data": data}


def is_logged_out(words: str) -> bool:
    """Return whether the CLI reports that no user is logged in."""
    return _LOGIN_WORDS.search(words) is not None


def login_error(words: str) -> Obj:
    """Return the JSON-RPC error for a CLI without a login."""
    message = f"The Claude CLI is not logged in. {_WHAT_TO_DO}"
    return {"code": _AUTH_REQUIRED, "message": message, "data": {"details": words}}


def _stop_reason(result: Obj, subtype: str, failed: bool) -> str | None:
    """Return the stop reason, or None for an error."""
    if subtype == "success":
        end = _MODEL_STOPS.get(text(result.get("stop_reason")), "end_turn")
        return None if failed else end
    if text(result.get("terminal_reason")).startswith("aborted"):
        return "cancelled"  # today's CLI calls an interrupted turn error_during_execution
    return _STOP_REASONS.get(subtype)


def _response(result: Obj, subtype: str, stop_reason: str) -> Obj:
    claude: Obj = {"subtype": subtype}
    duration = count(result.get("duration_ms"))
    if duration is not None:
        claude["durationMs"] = duration
    if errors := _errors(result):
        claude["errors"] = [*errors]
    response: Obj = {"stopReason": stop_reason, "_meta": {"claudeCode": claude}}
    if usage := _usage(obj(result.get("usage"))):
        response["usage"] = usage
    return response


def _errors(result: Obj) -> list[str]:
    return [error for error in items(result.get("errors")) if isinstance(error, str)]


def _usage(usage: Obj) -> Obj:
    """Return ACP's ``PromptResponse.usage``; empty if the CLI counted nothing."""
    tokens = {
        "inputTokens": count(usage.get("input_tokens")),
        "outputTokens": count(usage.get("output_tokens")),
        "cachedReadTokens": count(usage.get("cache_read_input_tokens")),
        "cachedWriteTokens": count(usage.get("cache_creation_input_tokens")),
    }
    if tokens["inputTokens"] is None and tokens["outputTokens"] is None:
        return {}
    known: Obj = {name: number or 0 for name, number in tokens.items()}
    return {"totalTokens": sum(number or 0 for number in tokens.values()), **known}


def usage_update(result: Obj, last_usage: Obj, models: Sequence[str]) -> Obj | None:
    """Return how full the context is after a turn, if the CLI reports it (ACP: usage_update).

    Parameters
    ----------
    last_usage
        ``usage`` of the last message; the result's own adds up all requests of the turn.
    """
    listed = obj(result.get("modelUsage"))
    sizes = (count(obj(listed.get(model)).get("contextWindow")) for model in models)
    size = next(filter(None, sizes), None)
    used = _usage(last_usage).get("totalTokens")
    if not size or not used:
        return None
    update: Obj = {"sessionUpdate": "usage_update", "used": used, "size": size}
    cost = result.get("total_cost_usd")
    if isinstance(cost, int | float) and not isinstance(cost, bool) and cost > 0:
        update["cost"] = {"amount": cost, "currency": "USD"}
    return update
