"""Every route that writes, on a disk that takes nothing: words, nothing half-written."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from acp_jupyter.server.handlers import ROUTES
from tests.support.agents.fake_agent import script
from tests.support.features import tables
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.server.small_disk import SmallDisk
from tests.support.server.writing_routes import DONE, GONE, TOLD, WORDS, Place, Row, json_body


def prepare(place: Place) -> None:
    user, ids = place.user, place.ids
    (place.root / "a.txt").write_text("before\n")
    for name in ("trusted", "other"):
        (place.root / name).mkdir()
    for name in ("talk", "closed", "deleted", "to_close"):
        ids[name] = open_session(user, "keeper", new=True)
        finished(user, start_turn(user, ids[name], name))
    for name in ("closed", "deleted"):
        user.post(f"sessions/{ids[name]}/close").raise_for_status()
    place.log = user.get(f"sessions/{ids['talk']}/traffic").content
    ids["changing"] = open_session(user, "own_tools")
    ids["change"] = start_turn(user, ids["changing"], "write a.txt after\\n\nsay x")
    finished(user, ids["change"])
    ids["asking"] = open_session(user, "asks")
    call = {"toolCallId": "t", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}
    start_turn(user, ids["asking"], json.dumps({"ask": [call]}))
    ids["request"] = pending(user, ids["asking"])["request_id"]
    ids["queued"] = start_turn(user, ids["asking"], "Later")
    user.post("trust", json={"folder": str(place.root / "trusted")}).raise_for_status()
    talks = place.root.parent / "agent.json"
    talks.write_text(json.dumps({**json.loads(talks.read_text()), "elsewhere": ["Hello"]}))
    listed = user.get("agents").json()
    known = next(agent for agent in listed if agent["package"])
    ids["agent"], ids["package"] = known["id"], known["package"]


def _of(path: str) -> Callable[[Place], dict[str, Any]]:
    return lambda place: {"params": {"folder": str(place.root / path)}}


ROWS: dict[str, Row] = {
    "allow_download": Row(
        "agents/{agent}/download", json_body(package="{package}"), full=TOLD, read_only=TOLD
    ),
    "update_registry": Row(
        "registry/update", full="may not download", read_only="may not download"
    ),
    "create_session": Row(
        "sessions", json_body(agent="keeper", new=True), full=TOLD, read_only=TOLD
    ),
    "keep_variant": Row("turns/{change}/keep", full="nothing to keep", read_only="nothing to keep"),
    "set_config": Row(
        "sessions/{talk}/config", json_body(title="New", policy="deny"), read_only=WORDS
    ),
    "prompt": Row("sessions/{talk}/prompt", json_body(prompt="more"), read_only=WORDS),
    "fork_session": Row("sessions/{talk}/fork", full=TOLD, read_only=WORDS),
    "resume_session": Row("sessions/{closed}/resume", full=WORDS, read_only=WORDS),
    "close_session": Row("sessions/{to_close}/close"),
    "delete_session": Row("sessions/{deleted}", method="DELETE", read_only=WORDS),
    "archive_session": Row("sessions/{to_close}/archive", full=WORDS, read_only=WORDS),
    "unarchive_session": Row("sessions/{to_close}/unarchive", full=WORDS, read_only=WORDS),
    "open_agent_session": Row(
        "agents/keeper/sessions", json_body(agent_session_id="elsewhere"), full=TOLD, read_only=TOLD
    ),
    "answer_permission": Row(
        "sessions/{asking}/permissions/{request}",
        json_body(option_id="yes", remember="workspace"),
        read_only="keeps no rules",
    ),
    "edit_queued": Row("turns/{queued}/edit", json_body(prompt="Else"), read_only=GONE),
    "send_now": Row("turns/{queued}/send-now", read_only=GONE),
    "steer": Row("turns/none/steer", full="not known", read_only="not known"),
    "revert_turn": Row("turns/{change}/revert", full=WORDS, read_only=WORDS),
    "import_log": Row("import", lambda place: {"content": place.log}, full=TOLD, read_only=TOLD),
    "start_import": Row("imports", lambda place: {"content": place.log}),
    "cancel_import": Row("imports/none", full=GONE, read_only=GONE, method="DELETE"),
    "trust_folder": Row("trust", json_body(folder="{root}/other"), full=WORDS, read_only=WORDS),
    "revoke_trust": Row("trust", _of("trusted"), full=WORDS, read_only=WORDS, method="DELETE"),
    "serve_agent": Row(
        "served-agents",
        json_body(agent="a", address="unix:/nowhere/agents", key="0" * 64),
        full="nly code in a kernel",
        read_only="nly code in a kernel",
    ),
    "revoke_rule": Row("rules/none", full=GONE, read_only=GONE, method="DELETE"),
    "cancel": Row("sessions/{talk}/cancel"),
    "restart_agent": Row("agents/keeper/restart"),
    "kill_terminal": Row("sessions/{talk}/terminals/none/kill", full=".", read_only="."),
    "cancel_tool_call": Row(
        "sessions/{talk}/tool-calls/cancel",
        json_body(tool_call_id="none"),
        full=GONE,
        read_only=GONE,
    ),
    "run_outside": Row(
        "sessions/{talk}/tool-calls/run-outside",
        json_body(tool_call_id="none"),
        full=GONE,
        read_only=GONE,
    ),
    "login": Row("sessions/{talk}/login", full=".", read_only="."),
    "cancel_login": Row("sessions/{talk}/login/cancel"),
    "logout": Row("sessions/{talk}/logout", full=".", read_only="."),
    "answer_elicitation": Row(
        "sessions/{talk}/elicitations/none", json_body(action="cancel"), full=".", read_only="."
    ),
    **tables("WRITING_ROUTES"),
}


def test_no_route_is_missing() -> None:
    writing = {
        row.name for rows in ROUTES.values() for method, row in rows.items() if method != "GET"
    }
    assert writing == set(ROWS)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[JupyterServer, httpx.Client]]:
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name in ("npx", "uvx"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    able = ("load", "resume", "list", "fork", "close", "delete")
    keeper = script("keeps_sessions", str(folder / "agent.json"), *able)
    words = shlex.join([keeper["command"], *keeper["args"]])
    agents = {
        # Its own disk has room, also where a limit of the server's process stands for a full one.
        "keeper": {"command": "sh", "args": ["-c", f"ulimit -S -f unlimited; exec {words}"]},
        "own_tools": script("own_tools"),
        "asks": script("asks"),
    }
    path = {"PATH": f"{programs}:{os.environ['PATH']}"}
    with JupyterServer(folder, agents=agents, env=path) as server, server.user() as user:
        yield server, user


def send_all(place: Place, trouble: str, before_each: Callable[[], None]) -> dict[str, str]:
    """Send every row; return those that were answered otherwise than they should be."""
    wrong = {}
    for command, row in ROWS.items():
        before_each()
        path = row.path.format(**place.ids)
        answer = place.user.request(row.method, path, **row.body(place))
        wanted = getattr(row, trouble)
        told = answer.json()
        if wanted == DONE:
            fits = answer.is_success
        else:
            words = told.get("message", "")
            fits = answer.is_error and told.get("reason") != "error" and _has(wanted, words)
            fits = fits and (wanted != TOLD or answer.status_code == 507)
        if not fits:
            wrong[command] = f"{answer.status_code} {answer.text[:300]}"
    return wrong


def _has(wanted: str, words: str) -> bool:
    return any(part in words for part in wanted.split("|"))


def half_written(folder: Path) -> list[str]:
    """Return what is left over, or can't be read, below a folder."""
    bad = [f"empty {path.name}" for path in folder.glob("*/sessions/*") if not list(path.iterdir())]
    for path in folder.rglob("*"):
        name = path.name
        if ".git" in path.parts or "checkpoints" in path.parts or not path.is_file():
            continue
        if name.startswith((".meta-", ".trust", ".rules", "tmp")) or name.endswith(
            (".tmp", ".part")
        ):
            bad.append(name)
        elif path.suffix == ".json":
            try:
                json.loads(path.read_text())
            except ValueError:
                bad.append(name)
        elif path.suffix == ".ndjson":
            try:
                assert [json.loads(line) for line in path.read_text().splitlines() if line]
            except (ValueError, AssertionError):
                bad.append(f"{path.parent.name}/{name}")
    return bad


@pytest.mark.parametrize("trouble", ["full", pytest.param("read_only", marks=pytest.mark.long)])
def test_words_and_nothing_half_written(tmp_path: Path, trouble: str) -> None:
    data = tmp_path / "data"
    root = tmp_path / "root"
    with SmallDisk(data, root) as disk:
        with serving(tmp_path) as (server, user):
            place = Place(root, user)
            prepare(place)
            if trouble == "full":
                with disk.full(server.pid) as fill:
                    assert send_all(place, trouble, fill) == {}
        if trouble == "read_only":
            with disk.read_only(), serving(tmp_path) as (_, user):
                place.user = user
                assert send_all(place, trouble, lambda: None) == {}
        assert half_written(data) == []
        assert (root / "a.txt").read_text() == "after\n"
        with serving(tmp_path) as (_, user):
            kept = {state["session_id"] for state in user.get("sessions").json()}
            folders = {path.name for path in (data / "acp-jupyter" / "sessions").iterdir()}
            assert folders == kept
            for session_id in kept:
                assert user.get(f"sessions/{session_id}").status_code == 200
