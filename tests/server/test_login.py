"""Logins, downloads and restarts over the routes, with the server's own terminals."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from acp_jupyter.host.sandbox.levels import find_level
from tests.support.agents.claude_cli import ADAPTER, FakeCli
from tests.support.agents.login import wants_login
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import PATIENCE_SECONDS, eventually

LEVEL = find_level()
needs_walls = pytest.mark.skipif(LEVEL.level == "none", reason=LEVEL.why_not_more)
SECRET = "planted-login-secret-1234567"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("login")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[JupyterServer]:
    env = {"SOME_API_KEY": SECRET}
    agents = {
        "terminal": wants_login("terminal", folder / "state", env=env),
        "fails": wants_login("terminal_fails", folder / "other"),
    }
    kept = folder / "kept"
    kept.mkdir()
    beside = {"WANTS_LOGIN_BESIDE": str(folder / "beside")}
    for name, sandbox in (("walled", "folder"), ("open", "off")):
        of_agent = {"sandbox": {"use": sandbox, "writable": [str(kept)]}}
        agents[name] = wants_login("terminal", kept / name, env=beside) | of_agent
    cli = FakeCli(folder)
    agents["claude"] = {"command": ADAPTER[0], "args": ADAPTER[1:], "env": cli.env}
    programs = folder / "bin"
    programs.mkdir()
    npx = programs / "npx"
    npx.write_text(f"#!/bin/sh\nexec {sys.executable} -P -m acp_jupyter.agents.demo\n")
    npx.chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    with JupyterServer(folder, agents=agents, env={"PATH": path}) as server:
        yield server


def needing(user: httpx.Client, agent: str) -> str:
    session_id = open_session(user, agent, start="lazy", trust=True)
    turn = finished(user, start_turn(user, session_id, "hi"))["turn"]
    assert turn["failure"]["reason"] == "login_needed"
    return session_id


def test_a_cli_that_asks_for_a_login(server: JupyterServer) -> None:
    """The page learns that the session needs a login, and the turn says what to do."""
    with server.user() as user:
        session_id = open_session(user, "claude", start="lazy", trust=True)
        told = finished(user, start_turn(user, session_id, "auth"))
        assert told["turn"]["stop_reason"] == "error"
        (error,) = (item for item in told["items"] if item["kind"] == "error")
        assert "type /login" in error["message"]
        assert state(user, session_id)["needs_login"].startswith("Claude CLI needs a login: ")
        assert listed(user, "claude")["status"] == "needs_login"
        # Somebody has logged in, in a terminal: the agent works, and nothing asks any more.
        again = finished(user, start_turn(user, session_id, "hello"))
        assert "You said hello." in json.dumps(again["items"])
        assert state(user, session_id)["needs_login"] == ""
        assert listed(user, "claude")["status"] == "ready"


def listed(user: httpx.Client, agent: str) -> dict[str, Any]:
    found: dict[str, Any] = next(a for a in user.get("agents").json() if a["id"] == agent)
    return found


def state(user: httpx.Client, session_id: str) -> dict[str, Any]:
    found: dict[str, Any] = user.get(f"sessions/{session_id}").json()
    return found


def typed(server: JupyterServer, terminal: str, text: str) -> str:
    """Type into a terminal as a page does; return what it shows until it ends."""
    url = f"{server.url}terminals/websocket/{terminal}".replace("http", "ws", 1)
    headers = {"Authorization": f"token {server.token}"}
    shown = ""
    with connect(url, additional_headers=headers, proxy=None) as socket:
        while True:
            kind, *said = json.loads(socket.recv(timeout=PATIENCE_SECONDS))
            if kind == "disconnect":
                return shown
            shown += str(said[0]) if kind == "stdout" else ""
            if "Who are you?" in shown and text:
                socket.send(json.dumps(["stdin", f"{text}\r"]))
                text = ""


def test_a_login_in_a_terminal_of_the_server(server: JupyterServer, folder: Path) -> None:
    with server.user() as user:
        session_id = needing(user, "terminal")
        reply = user.post(f"sessions/{session_id}/login", json={"method_id": "tty"}).json()
        assert state(user, session_id)["login"]["terminal"] == reply["terminal"]
        assert "Who are you?" in typed(server, reply["terminal"], "Ada Typed")
        eventually(lambda: state(user, session_id)["needs_login"] == "")
        assert (folder / "state").read_text() == "Ada Typed terminal False"
        turn_id = start_turn(user, session_id, "again")
        assert "Welcome" in json.dumps(finished(user, turn_id)["items"])
        traffic = user.get(f"sessions/{session_id}/traffic").text
        for told in (traffic, server.log.read_text(), json.dumps(state(user, session_id))):
            assert "Ada Typed" not in told
            assert SECRET not in told


@needs_walls
@pytest.mark.parametrize(("agent", "is_written"), [("walled", False), ("open", True)])
def test_a_login_in_a_terminal_stays_in_the_sandbox_of_its_agent(
    server: JupyterServer, folder: Path, agent: str, is_written: bool
) -> None:
    with server.user() as user:
        session_id = needing(user, agent)
        reply = user.post(f"sessions/{session_id}/login", json={"method_id": "tty"}).json()
        typed(server, reply["terminal"], "Ada")
        eventually(lambda: state(user, session_id)["needs_login"] == "")
        assert (folder / "kept" / agent).read_text() == "Ada terminal False"
        assert (folder / "beside").exists() == is_written


def test_a_login_that_fails_in_its_terminal_is_told(server: JupyterServer) -> None:
    with server.user() as user:
        session_id = needing(user, "fails")
        user.post(f"sessions/{session_id}/login", json={}).raise_for_status()
        login = eventually(
            lambda: (found := state(user, session_id)["login"])["state"] == "failed" and found
        )
        assert login["message"] == "The login in the terminal ended with exit code 3. Try it again."


def test_a_login_of_another_session_or_method_is_refused(server: JupyterServer) -> None:
    with server.user() as user:
        assert user.post("sessions/nobody/login", json={}).status_code == 404
        session_id = needing(user, "fails")
        answer = user.post(f"sessions/{session_id}/login", json={"method_id": "sudo"})
        assert answer.status_code == 400
        assert "has no login 'sudo'" in answer.json()["message"]
        answer = user.post(f"sessions/{session_id}/login", json={"command": "sh"})
        assert answer.status_code == 400


def test_an_agent_is_downloaded_and_run_after_a_click_alone(server: JupyterServer) -> None:
    kernel = server.start_kernel("a.ipynb")
    with server.user() as user:

        def entry() -> dict[str, Any]:
            return next(a for a in user.get("agents").json() if a["id"] == "qwen")

        package = entry()["package"]
        assert entry()["status"] == "not_installed"
        assert package in entry()["run"]
        answer = user.post("sessions", json={"agent": "qwen", "trust": True})
        assert (answer.status_code, answer.json()["reason"]) == (502, "agent_start")
        assert "let Jupyter download and run it" in answer.json()["message"]
        asked = kernel.request("POST", "agents/qwen/download", {"package": package})
        assert asked.status_code == 403
        answer = user.post("agents/qwen/download", json={"package": "evil@1.0.0"})
        assert answer.status_code == 400
        assert entry()["status"] == "not_installed"

        answer = user.post("agents/qwen/download", json={"package": package})
        assert (answer.status_code, answer.json()["status"]) == (200, "ready")
        session_id = open_session(user, "qwen", trust=True)
        turn_id = start_turn(user, session_id, "what can you do")
        assert finished(user, turn_id)["turn"]["stop_reason"] == "end_turn"


def test_a_kernel_may_not_log_in_or_restart(server: JupyterServer) -> None:
    kernel = server.start_kernel("a.ipynb")
    session_id = kernel.request("POST", "sessions", {"agent": "demo"}).json()["session_id"]
    for path in ("login", "login/cancel", "logout"):
        assert kernel.request("POST", f"sessions/{session_id}/{path}", {}).status_code == 403
    assert kernel.request("POST", "agents/demo/restart", {}).status_code == 403
