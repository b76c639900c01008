"""Why a prompt failed, from the errors that agents send."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.parse.session import error


def told(said: str, code: Any = -32603, /, **data: Any) -> Any:
    return {"code": code, "message": said, **({"data": data} if data else {})}


def claude(message: str, **data: Any) -> Any:
    return told(f"Internal error: API Error: {message}", **data)


def codex(kind: Any = "other", message: str = "") -> Any:
    return told("Internal error", message=message, codex_error_info=kind)


@pytest.mark.parametrize(
    ("raw", "cause"),
    [
        (claude("400 mock error", errorKind="unknown"), ""),
        (claude("401", errorKind="authentication_failed"), "login"),
        (claude("429", errorKind="rate_limit"), "rate_limit"),
        (claude("Connection error."), "network"),
        (codex(message="mock error"), ""),
        (codex("unauthorized"), "login"),
        (codex("usage_limit_exceeded"), "rate_limit"),
        (codex({"http_connection_failed": {"http_status_code": 429}}), "rate_limit"),
        (codex({"http_connection_failed": {"http_status_code": None}}), "network"),
        (codex(message="exceeded retry limit, last status: 401 Unauthorized"), "login"),
        (told('{"error":{"message":"Slow down","code":429}}', 429), "rate_limit"),
        (told("API key not valid", 401), "login"),
        (told("mock error", 400), ""),
        (told("x", errorName="ProviderAuthError"), "login"),
        (told("Authentication required", -32000), "login"),
        (told("The disk is full", -32000), ""),
        (told("getaddrinfo ENOTFOUND api.example.org"), "network"),
        (told("x", details="TypeError: fetch failed"), "network"),
        (told("a" * 5000 + "rate limit"), ""),
        (told("x", {}, errorKind=["rate_limit"]), ""),
        ({"message": 5}, ""),
        ("login", ""),
        (None, ""),
    ],
)
def test_the_cause_is_what_the_agent_names(raw: Any, cause: str) -> None:
    assert error(raw).cause == cause
