"""Why a prompt failed, from the errors that agents send."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.parse.session import error

CLAUDE, CODEX = "Internal error: API Error: ", "Internal error"


@pytest.mark.parametrize(
    ("raw", "cause"),
    [
        ({"code": -32603, "message": f"{CLAUDE}400 mock error", "data": {"errorKind": "unknown"}}, ""),
        (
            {"code": -32603, "message": f"{CLAUDE}401", "data": {"errorKind": "authentication_failed"}},
            "login",
        ),
        ({"code": -32603, "message": f"{CLAUDE}429", "data": {"errorKind": "rate_limit"}}, "rate_limit"),
        ({"code": -32603, "message": f"{CLAUDE}Connection error."}, "network"),
        (
            {"code": -32603, "message": CODEX, "data": {"message": "x", "codex_error_info": "other"}},
            "",
        ),
        ({"code": -32603, "message": CODEX, "data": {"codex_error_info": "unauthorized"}}, "login"),
        (
            {"code": -32603, "message": CODEX, "data": {"codex_error_info": "usage_limit_exceeded"}},
            "rate_limit",
        ),
        (
            {
                "code": -32603,
                "message": CODEX,
                "data": {"codex_error_info": {"http_connection_failed": {"http_status_code": 429}}},
            },
            "rate_limit",
        ),
        (
            {
                "code": -32603,
                "message": CODEX,
                "data": {"codex_error_info": {"http_connection_failed": {"http_status_code": None}}},
            },
            "network",
        ),
        (
            {
                "code": -32603,
                "message": CODEX,
                "data": {"message": "exceeded retry limit, last status: 401 Unauthorized"},
            },
            "login",
        ),
        ({"code": 429, "message": '{"error":{"message":"Slow down","code":429}}'}, "rate_limit"),
        ({"code": 401, "message": "API key not valid"}, "login"),
        ({"code": 400, "message": "mock error"}, ""),
        ({"code": -32603, "message": "x", "data": {"errorName": "ProviderAuthError"}}, "login"),
        ({"code": -32000, "message": "Authentication required"}, "login"),
        ({"code": -32000, "message": "The disk is full"}, ""),
        ({"code": -32603, "message": "getaddrinfo ENOTFOUND api.example.org"}, "network"),
        ({"code": -32603, "message": "x", "data": {"details": "TypeError: fetch failed"}}, "network"),
        ({"message": "a" * 5000 + "rate limit"}, ""),
        ({"message": 5, "code": {}, "data": {"errorKind": ["rate_limit"]}}, ""),
        ("login", ""),
        (None, ""),
    ],
)
def test_the_cause_is_what_the_agent_names(raw: Any, cause: str) -> None:
    assert error(raw).cause == cause
