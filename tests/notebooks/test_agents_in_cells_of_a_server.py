"""Agents that a cell serves, in the kernels of a real server."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.kernel.cells import Cell, Kernel
from tests.support.kernel.served_agents import LIBRARIAN, SERVE
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.routes import finished, start_turn
from tests.support.wait import eventually

NOTEBOOK = "folder/own.ipynb"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = fake_agents("hello")
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=agents) as server:
        (server.root / "folder").mkdir()
        yield server


@pytest.fixture(scope="module")
def side(server: JupyterServer) -> KernelSide:
    return server.start_kernel(NOTEBOOK)


@pytest.fixture
def kernel(server: JupyterServer, side: KernelSide) -> Iterator[Kernel]:
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        kernel.run(LIBRARIAN).ok()
        kernel.run(SERVE).ok()
        yield kernel


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as client:
        yield client


def _session(user: httpx.Client) -> dict[str, Any]:
    sessions = [s for s in user.get("sessions").json() if s["agent"] == "cell:librarian"]
    return dict(sessions[0])


def _items(user: httpx.Client) -> list[dict[str, Any]]:
    path = f"sessions/{_session(user)['session_id']}/items"
    return list(user.get(path, params={"start": 0, "end": 1000}).json()["items"])


def _ids(user: httpx.Client, notebook: str) -> list[str]:
    listed = user.get("agents", params={"notebook_path": notebook}).json()
    return [agent["id"] for agent in listed if agent["status"] == "ready"]


def test_the_panels_prompt_and_the_cells_go_to_one_conversation(
    kernel: Kernel, user: httpx.Client
) -> None:
    assert "Hello, Ada" in kernel.run("%%acp librarian\nsay Ada").ok().output.data["text/plain"]
    assert "cell:librarian" in _ids(user, NOTEBOOK)
    made = {"agent": "librarian", "notebook_path": NOTEBOOK}
    session = user.post("sessions", json=made).raise_for_status().json()
    assert session["session_id"] == _session(user)["session_id"]
    finished(user, start_turn(user, session["session_id"], "say Bob"))
    assert kernel.run("print(list(told.values()))").ok().printed == "[['say Ada', 'say Bob']]\n"
    traffic = user.get(f"sessions/{session['session_id']}/traffic").text
    assert '"Hello"' in traffic, "what it says is in the log of the session"


def test_its_request_waits_for_the_page(
    kernel: Kernel, user: httpx.Client, server: JupyterServer
) -> None:
    file = server.root / "folder" / "list.txt"
    file.write_text("old\n")
    answered: list[str] = []

    def answer(_cell: Cell) -> None:
        session = _session(user)
        if session["waiting"] and not answered:
            answered.append(file.read_text())
            call = next(item for item in _items(user) if item["kind"] == "tool_call")
            request = call["permission"]["request_id"]
            url = f"sessions/{session['session_id']}/permissions/{request}"
            user.post(url, json={"option_id": "yes"}).raise_for_status()

    kernel.run(f"folder = {str(file.parent)!r}").ok()
    kernel.run("%%acp librarian\nedit", watched=True, on_progress=answer).ok()
    assert (answered, file.read_text()) == (["old\n"], "new\n")


def test_another_notebook_does_not_see_it(
    kernel: Kernel, user: httpx.Client, server: JupyterServer
) -> None:
    other = server.start_kernel("folder/other.ipynb")
    assert "cell:librarian" not in [a["id"] for a in other.request("GET", "agents").json()]
    assert other.request("POST", "sessions", {"agent": "librarian"}).status_code == 404
    assert "cell:librarian" not in _ids(user, "folder/other.ipynb")
    assert "cell:librarian" not in _ids(user, "")


def test_only_a_kernel_that_can_be_reached_serves(user: httpx.Client, side: KernelSide) -> None:
    offer = {"agent": "x", "address": "unix:/nowhere/agents", "key": "0" * 64}
    refused = user.post("served-agents", json=offer)
    assert (refused.status_code, refused.json()["reason"]) == (403, "not_allowed")
    unreached = side.request("POST", "served-agents", offer)
    assert "can't reach this kernel (No such file or directory)" in unreached.json()["message"]
    elsewhere = side.request("POST", "served-agents", {**offer, "address": "tcp:10.0.0.1:80"})
    assert elsewhere.json()["message"] == "This is no address of an agent in a kernel."


def test_what_answers_must_be_the_kernel(side: KernelSide, tmp_path: Path) -> None:
    """Else a kernel could let the server talk to any socket of its user."""
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(connection.recv(1000))

        threading.Thread(target=answer, daemon=True).start()
        offer = {"agent": "x", "address": f"unix:{path}", "key": "0" * 64}
        refused = side.request("POST", "served-agents", offer)
    assert "is not a kernel that serves an agent" in refused.json()["message"]


def test_a_kernel_that_is_killed_in_mid_turn_ends_it(
    user: httpx.Client, server: JupyterServer
) -> None:
    side = server.start_kernel("folder/killed.ipynb")
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        kernel.run(LIBRARIAN).ok()
        kernel.run(SERVE).ok()
        kernel.run("session = acp_jupyter.connect('librarian')").ok()
        kernel.run("turn = session.prompt('stay')\nassert began.wait()").ok()
        session_id, turn_id, pid = kernel.run(
            "print(session.id, turn.id, os.getpid())"
        ).printed.split()
        os.kill(int(pid), signal.SIGKILL)
        turn = finished(user, turn_id)["turn"]
    assert turn["stop_reason"] == "error"
    assert "librarian stopped during the turn: it ended with its kernel." in str(turn)
    path = f"sessions/{session_id}/items"
    items = user.get(path, params={"start": 0, "end": 1000}).json()["items"]
    words = "librarian ran in the notebook's kernel, which has ended."
    assert [words in str(item.get("text")) for item in items].count(True) == 1


def test_none_is_served_where_a_sandbox_is_required(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    config = (
        "c.AcpJupyter.allowed_sandboxes = ['folder']\n"
        "c.AcpJupyter.required_sandbox_level = 'partial'"
    )
    with JupyterServer(tmp_path_factory.mktemp("required"), config=config) as server:
        side = server.start_kernel("own.ipynb")
        with Kernel(server.root, connection_file=side.connection_file) as kernel:
            kernel.run(LIBRARIAN).ok()
            cell = kernel.run(SERVE)
    assert (cell.error, cell.message) == (
        "NotAllowed",
        "An agent in a kernel has no sandbox, and one is required here. "
        "The administrator of this server has decided so.",
    )


def test_a_kernel_that_restarts_in_mid_turn_ends_it_and_a_later_serve_wakes_the_session(
    kernel: Kernel, user: httpx.Client, side: KernelSide, server: JupyterServer
) -> None:
    kernel.run("turn = acp_jupyter.connect('librarian').prompt('stay')\nassert began.wait()").ok()
    user.post(f"{server.url}api/kernels/{side.kernel_id}/restart").raise_for_status()
    words = "librarian ran in the notebook's kernel, which has ended."

    def told() -> list[str]:
        return [i["text"] for i in _items(user) if words in str(i.get("text"))]

    assert eventually(told) == [f"{words} Run the cell that serves it again."]
    failed = [i for i in _items(user) if i["kind"] == "error"][-1]
    assert failed["message"] == (
        "librarian stopped during the turn: it ended with its kernel. "
        "Run the cell that serves it again."
    )
    entry = next(
        agent
        for agent in user.get("agents", params={"notebook_path": NOTEBOOK}).json()
        if agent["id"] == "cell:librarian"
    )
    assert entry["status"] == "broken"
    with Kernel(server.root, connection_file=side.connection_file) as again:
        again.run("%load_ext acp_jupyter").ok()
        early = again.run("%%acp librarian\nsay early")
        assert "none serves it now. Run the cell again" in early.message
        again.run(LIBRARIAN).ok()
        again.run(SERVE).ok()
        eventually(lambda: _session(user)["status"] == "idle", "it is woken")
        said = again.run("%%acp librarian\nsay late").ok().output.data["text/plain"]
        assert "Hello, late" in said
    methods = [
        json.loads(line).get("m", {}).get("method")
        for line in user.get(f"sessions/{_session(user)['session_id']}/traffic").text.splitlines()
    ]
    assert "session/load" in methods, "the conversation goes on"
