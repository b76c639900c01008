"""What an agent says of its login, as the protocol has it and as Claude and Codex do."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.session import LoginDone
from tests.support.transcript.traffic import Script

NEEDS = "Demo needs a login."


def said(script: Script, params: Any, method: str = "_auth/status_update") -> tuple[str, str]:
    script.line("<", {"jsonrpc": "2.0", "method": method, "params": params})
    session = script.transcript.session
    return session.logged_in, session.needs_login


@pytest.mark.parametrize(
    ("params", "shown"),
    [
        ({"authStatus": {"kind": "api_key", "label": "API key", "detail": "X"}}, ("API key", "")),
        ({"authStatus": {"kind": "none", "label": "Not logged in"}}, ("", NEEDS)),
        ({"authStatus": {"kind": "api_key", "label": "x" * 5000}}, ("x" * 100, "")),
        ({"authStatus": {"kind": ["none"]}}, ("", "")),
        ({"authStatus": "none"}, ("", "")),
        ({}, ("", "")),
    ],
)
def test_of_claude_and_codex(params: Any, shown: tuple[str, str]) -> None:
    assert said(Script(), params) == shown


@pytest.mark.parametrize(
    ("params", "shown"),
    [
        ({"state": "authenticated", "accounts": [{"label": "Max", "email": "a@b"}]}, ("Max", "")),
        (
            {
                "state": "authenticated",
                "accounts": [{"label": "Old"}, {"label": "Key", "active": True}, 5],
            },
            ("Key", ""),
        ),
        ({"state": "not_required"}, ("", "")),
        ({"state": "unauthenticated", "accounts": []}, ("", NEEDS)),
        ({"state": "_of_tomorrow", "accounts": [{"label": "Max"}]}, ("", "")),
        ({"state": 5}, ("", "")),
    ],
)
def test_of_the_protocol(params: Any, shown: tuple[str, str]) -> None:
    assert said(Script(), params, "auth/status_update") == shown


def test_a_login_that_is_there_again_is_needed_no_more() -> None:
    script = Script()
    assert said(script, {"state": "unauthenticated"}) == ("", NEEDS)
    assert said(script, {"state": "unknown"}) == ("", NEEDS)
    assert said(script, {"authStatus": {"kind": "account", "label": "Pro"}}) == ("Pro", "")
    assert said(script, {"state": "unauthenticated"}) == ("", NEEDS)


def test_after_a_login_nothing_is_needed_and_after_a_logout_one_is() -> None:
    script = Script()
    assert said(script, {"authStatus": {"kind": "api_key", "label": "API key"}}) == ("API key", "")
    for message, logged_out, shown in (("", False, ("API key", "")), (NEEDS, True, ("", NEEDS))):
        script.note(LoginDone(ok=True, message=message or "Welcome", logged_out=logged_out))
        session = script.transcript.session
        assert (session.logged_in, session.needs_login) == shown
