"""Recognises why a prompt failed, where agents say so: the login, a rate limit, or the network.

Claude, Codex and opencode name the kind of an error in its data, Gemini passes on the provider's
status, and most repeat the provider's sentence. What is not recognised has no cause.
"""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Obj, first, obj, text
from acp_jupyter.protocol.parse.login import is_login_error

Cause = Literal["", "login", "rate_limit", "network"]

_CHARS = 1000
_KINDS: dict[str, Cause] = {
    "authentication_failed": "login",
    "unauthorized": "login",
    "providerautherror": "login",
    "rate_limit": "rate_limit",
    "usage_limit_exceeded": "rate_limit",
    "http_connection_failed": "network",
    "response_stream_connection_failed": "network",
}
"""Words for kinds of errors: Claude's, Codex's and opencode's."""
_STATUSES: dict[str, Cause] = {"401": "login", "429": "rate_limit"}
_WORDS: tuple[tuple[Cause, tuple[str, ...]], ...] = (
    (
        "login",
        (
            *("invalid api key", "incorrect api key", "api key not valid", "invalid_api_key"),
            *("api key expired", "token has expired", "token expired", "authentication_error"),
            *("please run /login", "401 unauthorized", "error: 401", "status: 401"),
        ),
    ),
    (
        "rate_limit",
        (
            *("rate limit", "rate_limit", "ratelimit", "too many requests", "resource_exhausted"),
            *("quota exceeded", "exceeded your current quota", "usage limit", "error: 429"),
            "status: 429",
        ),
    ),
    (
        "network",
        (
            *("enotfound", "econnrefused", "econnreset", "etimedout", "eai_again", "enetunreach"),
            *("ehostunreach", "fetch failed", "network error", "connection error"),
            *("unable to connect", "error sending request", "could not resolve host"),
            *("name resolution", "connection closed", "connection refused", "connection reset"),
        ),
    ),
)


def cause_of(code: str, message: str, detail: str, data: JsonValue) -> Cause:
    """Return why the agent could not answer, if its error says so."""
    named = first(obj(data), "errorKind", "codex_error_info", "errorName")
    about: Obj = obj(named)
    kind = next(iter(about), "") if about else text(named)
    status = str(obj(about.get(kind)).get("http_status_code", code))
    if found := _STATUSES.get(status) or _KINDS.get(kind.lower()):
        return found
    if code == "-32000" and is_login_error(None, message, detail):
        return "login"
    said = f"{message[:_CHARS]}\n{detail[:_CHARS]}".lower()
    return next((cause for cause, words in _WORDS if any(each in said for each in words)), "")
