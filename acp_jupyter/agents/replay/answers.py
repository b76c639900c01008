"""Whether the client answers the agent's questions as it did when they were recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .recording import AgentRequest, Object

_MUST_SUCCEED = {
    "fs/write_text_file": "A file could be written when this was recorded, and can't be now",
    "terminal/create": "A command could be started when this was recorded, and can't be now",
}


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """What the client answered: a result, or an error's message."""

    result: Object
    error: str | None = None


def difference(ask: AgentRequest, live: LiveAnswer) -> str | None:
    """Return in words why the recording can't go on after this answer; None if it can.

    Only the substance counts: to allow once or always makes no difference to what came next.
    """
    if ask.answer is None:
        return None
    recorded = _recorded(ask.answer)
    match ask.method:
        case "session/request_permission":
            then, now = _decision(ask, recorded), _decision(ask, live)
        case "elicitation/create":
            then, now = str(recorded.result.get("action")), str(live.result.get("action"))
        case method if method in _MUST_SUCCEED and recorded.error is None and live.error:
            return f"{_MUST_SUCCEED[method]}: {live.error}"
        case _:
            return None
    if then == now:
        return None
    return (
        f"A question was answered “{_words(ask, recorded)}” when this was recorded, and is "
        f"answered “{_words(ask, live)}” now. The rest of the turn can't be played."
    )


def is_cancelled(ask: AgentRequest, live: LiveAnswer) -> bool:
    """Tell whether the client cancelled the turn instead of answering."""
    return ask.method == "session/request_permission" and _decision(ask, live) == "cancelled"


def is_allowed(ask: AgentRequest, live: LiveAnswer) -> bool:
    """Tell whether a permission was asked and given."""
    return ask.method == "session/request_permission" and _decision(ask, live) == "allowed"


def is_rejected(ask: AgentRequest, live: LiveAnswer) -> bool:
    """Tell whether a permission was asked and not given."""
    permission = ask.method == "session/request_permission"
    return permission and _decision(ask, live) not in ("allowed", "cancelled")


def _recorded(message: Object) -> LiveAnswer:
    result, error = message.get("result"), message.get("error")
    if error is not None:
        said = error.get("message") if isinstance(error, Mapping) else error
        return LiveAnswer({}, str(said))
    return LiveAnswer(result if isinstance(result, Mapping) else {})


def _decision(ask: AgentRequest, answer: LiveAnswer) -> str:
    if answer.error is not None:
        return "failed"
    match answer.result.get("outcome"):
        case {"outcome": "cancelled"}:
            return "cancelled"
        case {"outcome": "selected", "optionId": option_id}:
            kind = _option(ask, option_id).get("kind")
            if isinstance(kind, str) and kind.startswith(("allow", "reject")):
                return "allowed" if kind.startswith("allow") else "rejected"
            return f"option {option_id}"
        case _:
            return "failed"


def _option(ask: AgentRequest, option_id: object) -> Object:
    options = ask.params.get("options")
    for option in options if isinstance(options, list) else []:
        if isinstance(option, Mapping) and option.get("optionId") == option_id:
            return option
    return {}


def _words(ask: AgentRequest, answer: LiveAnswer) -> str:
    if answer.error is not None:
        return answer.error
    if ask.method == "elicitation/create":
        return str(answer.result.get("action", "not at all"))
    outcome: Any = answer.result.get("outcome")
    if isinstance(outcome, Mapping) and outcome.get("outcome") == "selected":
        option_id = outcome.get("optionId")
        return str(_option(ask, option_id).get("name", option_id))
    return "cancelled" if _decision(ask, answer) == "cancelled" else "not at all"
