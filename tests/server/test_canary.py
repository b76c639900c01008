"""Secrets that a server and its agents know are in no file, answer, frame or log.

Not covered, and said so in the documentation: a secret that is spelled out over several messages,
or encoded, and what an agent writes into the user's own files; so not their checkpoints either.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection

from tests.support.agents.fake_agent import script
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import open_session, pending, start_turn
from tests.support.wait import PATIENCE_SECONDS, eventually

SECRETS = {
    "CANARY_API_KEY": "canary-configured-7f3a91c2d4",
    "SERVER_SECRET_TOKEN": "canary-inherited-b81e22aa07",
    "CANARY_AUTH_PASSWORD": "canary-login-55d0c9e1f3",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("canary")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[JupyterServer]:
    inherited = {name: SECRETS[name] for name in ("SERVER_SECRET_TOKEN", "CANARY_AUTH_PASSWORD")}
    canary = {**script("canary"), "env": {"CANARY_API_KEY": SECRETS["CANARY_API_KEY"]}}
    dies = {**canary, "args": ["-c", DIES_AT_ONCE]}
    agents = {"canary": canary, "dies": dies}
    with JupyterServer(folder, agents=agents, env=inherited) as server:
        yield server


DIES_AT_ONCE = "import os, sys; sys.exit('dying with ' + ' '.join(os.environ.values()))"


class Frames:
    """What a page gets over its WebSocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.seen: list[str] = []

    def send(self, **frame: Any) -> None:
        self._socket.send(json.dumps(frame))

    def until(self, *words: str) -> None:
        while not all(word in "".join(self.seen) for word in words):
            self.seen.append(str(self._socket.recv(timeout=PATIENCE_SECONDS)))


def leaks(where: str, text: str) -> list[str]:
    return [f"{name} in {where}" for name, secret in SECRETS.items() if secret in text]


def of_files(root: Path) -> list[str]:
    files = [path for path in root.rglob("*") if path.is_file() and "checkpoints" not in path.parts]
    assert "traffic.ndjson" in {path.name for path in files}
    found = []
    for path in files:
        found += leaks(f"the file {path.name}", path.read_bytes().decode("utf-8", "replace"))
        found += leaks("a file's name", path.name)
    return found


def of_answers(user: httpx.Client, session_id: str, turn_ids: list[str]) -> list[str]:
    session = f"sessions/{session_id}"
    paths = ["agents", "sessions", session, f"{session}/items?start=0&end=500"]
    paths += [f"{session}/transcript?format={form}&thoughts=true" for form in FORMS]
    paths += [f"{session}/traffic", f"{session}/traffic-lines", "records?notebook_path=a.ipynb"]
    paths += ["search?text=a"]
    paths += [f"turns/{turn_id}" for turn_id in turn_ids]
    found = []
    for path in paths:
        answer = user.get(path)
        assert answer.status_code == 200, (path, answer.text)
        found += leaks(path, answer.text)
    return found


FORMS = ("json", "markdown", "html", "shared")


def test_known_secrets_are_nowhere(server: JupyterServer, folder: Path) -> None:
    """The agent says them in every place; what was said there is seen to have been something."""
    with server.user() as user, server.stream() as socket:
        frames = Frames(socket)
        session_id = open_session(user, "canary", notebook_path="a.ipynb", trust=True)
        frames.send(type="subscribe", session_id=session_id, after=None, epoch="")
        turn = start_turn(user, session_id, f"Use {SECRETS['CANARY_API_KEY']}.")
        for option in ("allow", "yes"):  # the command that it runs unasked, and its own request
            request = eventually(partial(asked_with, user, session_id, option))
            answered = f"sessions/{session_id}/permissions/{request['request_id']}"
            user.post(answered, json={"option_id": option}).raise_for_status()
        frames.until("turn_ended")
        command = {"name": "set_config", "session_id": session_id, "mode": "m", "config": {}}
        frames.send(
            type="command", id=7, command={**command, "policy": None, "title": SECRETS_TITLE}
        )
        frames.until('"id":7', "Failed with")
        failed = start_turn(user, session_id, "error")
        died = start_turn(user, session_id, "die")
        eventually(lambda: user.get(f"turns/{died}").json()["turn"]["status"] == "done")
        eventually(lambda: "Dying with" in user.get(f"turns/{died}").text)

        found = leaks("the frames", "".join(frames.seen))
        found += of_answers(user, session_id, [turn, failed, died])
        answer = user.post("sessions", json={"agent": "dies", "trust": True})
        assert "dying with" in answer.text
        found += leaks("the error of a start", answer.text)

        told = user.get(f"sessions/{session_id}/items?start=0&end=500").text
        told += user.get(f"sessions/{session_id}").text
        for said in ("Answer: [", "Run [", "Failed with [", "My title [", "Mode ["):
            assert f"{said}redacted]" in told, said
    found += of_files(folder / "data")
    found += leaks("the server's log", server.log.read_text())
    assert sorted(set(found)) == []


def asked_with(user: httpx.Client, session_id: str, option_id: str) -> dict[str, Any]:
    """Return the open permission request that has this option, if there is one."""
    request = pending(user, session_id)
    known = {option["option_id"] for option in request["options"]}
    return request if option_id in known else {}


SECRETS_TITLE = f"My title {SECRETS['CANARY_API_KEY']}"
