"""A server whose administrator allows little; its user's own configuration asks for more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, start_turn

DECIDED = "The administrator of this server has decided so."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """The command line is the hub's, the file the user's."""
    args = [
        "--AcpJupyter.allowed_agents=demo",
        "--AcpJupyter.allowed_policies=ask",
        "--AcpJupyter.allowed_policies=read-only",
        "--AcpJupyter.allow_attachments=False",
        "--AcpJupyter.allow_downloads=False",
        "--AcpJupyter.newer_registry=True",
        "--AcpJupyter.required_masks=iban",
        "--AcpJupyter.instructions=Data of patients stays here.",
    ]
    config = "c.AcpJupyter.allowed_policies = ['allow-all']\nc.AcpJupyter.allow_attachments = True"
    folder = tmp_path_factory.mktemp("bounded")
    agents = fake_agents("hello")
    with JupyterServer(folder, agents=agents, args=args, config=config) as server:
        yield server


@pytest.fixture
def client(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as client:
        yield client


def refused(answer: httpx.Response) -> str:
    assert answer.status_code == 403, answer.text
    return str(answer.json()["message"])


def test_no_door_opens_a_policy_that_is_not_allowed(
    server: JupyterServer, client: httpx.Client
) -> None:
    words = f"The policy allow-all is not allowed here. {DECIDED} Choose one of: ask, read-only."
    asked = {"agent": "demo", "policy": "allow-all"}
    assert refused(client.post("sessions", json=asked)) == words
    session_id = open_session(client, "demo")
    path = f"sessions/{session_id}"
    assert refused(client.post(f"{path}/config", json={"policy": "allow-all"})) == words
    prompt = {"prompt": "hello", "policy": "allow-all"}
    assert refused(client.post(f"{path}/prompt", json=prompt)) == words
    turn_id = start_turn(client, session_id, "hello", policy="read-only")
    assert finished(client, turn_id)["turn"]["policy"] == "read-only"


def test_an_agent_that_is_not_allowed_does_not_start(client: httpx.Client) -> None:
    agents = {entry["id"]: entry for entry in client.get("agents").json()}
    assert agents["hello"]["status"] == "broken"
    assert agents["hello"]["detail"] == f"This agent is not allowed here. {DECIDED}"
    answer = client.post("sessions", json={"agent": "hello"})
    assert answer.status_code >= 400
    assert DECIDED in answer.json()["message"]


def test_attachments_and_downloads_are_refused(client: httpx.Client) -> None:
    session_id = open_session(client, "demo")
    blocks = [{"type": "text", "text": "hello"}, {"type": "resource_link", "uri": "x", "name": "x"}]
    answer = client.post(f"sessions/{session_id}/prompt", json={"prompt": blocks})
    assert refused(answer) == f"Attachments are not allowed here. {DECIDED} Send text alone."
    finished(client, start_turn(client, session_id, "hello"))
    download = client.post("agents/gemini/download", json={"package": "x@1"})
    assert refused(download) == f"gemini can't be downloaded. {DECIDED}"
    assert not client.get("registry").json()["may_update"]
    newer = client.post("registry/update")
    assert refused(newer) == f"A newer list of agents can't be downloaded. {DECIDED}"


def test_what_agents_are_told_is_shown_as_the_administrators(client: httpx.Client) -> None:
    session_id = open_session(client, "demo")
    detail = finished(client, start_turn(client, session_id, "hello"))
    assert [i["text"] for i in detail["items"] if i["kind"] == "user_message"] == ["hello"]
    items = client.get(f"sessions/{session_id}/items", params={"start": 0, "end": 100}).json()
    (notice,) = [each["text"] for each in items["items"] if each["kind"] == "notice"]
    assert notice == (
        "The administrator of this server gives these instructions to all agents:\n\n"
        "Data of patients stays here."
    )


def test_a_kernel_has_the_same_bounds(server: JupyterServer) -> None:
    kernel = server.start_kernel("bounded.ipynb")
    answer = kernel.request("POST", "sessions", {"agent": "demo", "policy": "allow-all"})
    assert DECIDED in refused(answer)
    with Kernel(server.root, connection_file=kernel.connection_file) as running:
        code = "from acp_jupyter.kernel.masks import masks; print(masks.is_masked('IBAN'))"
        assert running.run(code).ok().printed == "True\n"


@pytest.mark.parametrize("kind", ["policy", pytest.param("agent", marks=pytest.mark.long)])
def test_bounds_that_leave_nothing_end_the_start_in_words(tmp_path: Path, kind: str) -> None:
    setting = {"policy": "allowed_policies", "agent": "allowed_agents"}[kind]
    with JupyterServer(tmp_path, args=[f"--AcpJupyter.{setting}=[]"]) as server:
        with server.user() as client:
            assert client.get("sessions").status_code == 404
        log = server.log.read_text()
    assert f"leave no {kind} that all of them allow" in log
    assert "AttributeError" not in log
