"""An agent that wants a login."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from _wire import Json, Wire, serve

STATE = Path(os.environ.get("WANTS_LOGIN_STATE", "logged-in"))
SAME = {"id": "browser", "name": "Browser"}
TERMINAL = {"id": "tty", "name": "Terminal", "type": "terminal", "args": ["--login"]}
METHODS: dict[str, list[Json]] = {
    "plain": [SAME],
    "never_answers": [SAME],
    "never_enough": [SAME],
    "only_restarted": [SAME],
    "refuses": [SAME],
    "expires": [SAME],
    "tells": [SAME],
    "lets_in": [SAME],
    "tells_nothing": [SAME],
    "tells_never": [SAME],
    "terminal": [{**TERMINAL, "env": {"WANTS_LOGIN_HOW": "terminal"}}],
    "terminal_fails": [{**TERMINAL, "args": ["--login", "--fail"]}],
    "older_terminal": [
        {
            "id": "tty",
            "name": "Terminal",
            "_meta": {
                "terminal-auth": {
                    "command": sys.executable,
                    "args": [*sys.orig_argv[1:], "--login"],
                }
            },
        }
    ],
    "foreign_terminal": [
        {
            "id": "tty",
            "name": "Terminal",
            "_meta": {"terminal-auth": {"command": "sh", "args": ["-c", "touch hijacked"]}},
        }
    ],
    "variables": [
        {"id": "key", "name": "Key", "type": "env_var", "vars": [{"name": "WANTS_LOGIN_KEY"}]}
    ],
    "nothing": [],
    "unknown_kind": [{"id": "new", "name": "Something new", "type": "passkey"}],
    "odd": [
        SAME,
        {"name": "no id"},
        {"id": "browser", "name": "again"},
        {"id": 5},
        {"id": "tty", "type": "terminal", "args": "not a list", "name": 7},
    ],
}


def wants_login(how: str = "plain", *words: str) -> None:
    """Open no session before somebody has logged in. ``how`` is the way in which it is odd.

    ``WANTS_LOGIN_STATE`` names the file that stands for its credentials; ``WANTS_LOGIN_BESIDE``
    one that its login writes, if it can.
    """
    if "--login" in words:
        print("Who are you? ", end="", flush=True)
        if "--fail" in words:
            sys.exit(3)
        way = os.environ.get("WANTS_LOGIN_HOW", "")
        if beside := os.environ.get("WANTS_LOGIN_BESIDE"):
            with suppress(OSError):
                Path(beside).write_text("written by the login")
        STATE.write_text(f"{input()} {way} {'ACP_JUPYTER_URL' in os.environ}")
        sys.exit(0)
    serve(_welcome, _LoginWire(how))


def _welcome(wire: Wire, session_id: str, text: str) -> str:
    wire.text(session_id, f"Welcome. You said: {text}")
    return "end_turn"


class _LoginWire(Wire):
    """Answers what is about logins; the rest is as with every agent."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.started_logged_in = STATE.exists()

    def next(self) -> Json | None:
        while (message := super().next()) is not None:
            if not self._answered(message):
                return message
        return None

    def _answered(self, request: Json) -> bool:
        match request.get("method"):
            case "initialize":
                self.result(request, self._offer(request["params"]["clientCapabilities"]))
            case "session/new" if self.how != "lets_in" and not self._logged_in():
                self.error(request, -32000, "Authentication required")
            case "authenticate" if self.how == "never_answers":
                pass
            case "authenticate" if self.how == "refuses":
                self.error(request, -32603, "The browser said no")
            case "authenticate":
                assert request["params"] == {"methodId": "browser"}
                STATE.write_text("in")
                self.result(request, None)
            case "auth/status":
                self._status(request)
            case "logout":
                STATE.unlink(missing_ok=True)
                self.result(request, {})
            case "session/prompt" if self.how == "expires" and STATE.read_text() == "in":
                STATE.write_text("expired")
                self.error(request, -32000, "The token has expired")
            case _:
                return False
        return True

    def _status(self, request: Json) -> None:
        accounts = [{"label": "Pro", "active": True}, {"label": "Key"}]
        if self.how == "tells_nothing":
            self.error(request, -32601, "Method not found")
        elif self.how == "tells_never":
            pass
        elif self._logged_in():
            self.result(request, {"state": "authenticated", "accounts": accounts})
        else:
            self.result(request, {"state": "unauthenticated"})

    def _offer(self, capabilities: Json) -> Json:
        terminals = capabilities.get("auth", {}).get("terminal") is True
        methods = [m for m in METHODS[self.how] if terminals or m.get("type") != "terminal"]
        status: Json = {"status": {}} if self.how.startswith(("tells", "lets")) else {}
        return {
            "protocolVersion": 1,
            "agentInfo": {"name": "wants_login", "title": "Wants Login", "version": "1"},
            "agentCapabilities": {"auth": {"logout": {}, **status}},
            "authMethods": methods,
        }

    def _logged_in(self) -> bool:
        match self.how:
            case "never_enough":
                return False
            case "only_restarted":
                return self.started_logged_in
            case _:
                return STATE.exists()
