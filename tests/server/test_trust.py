"""Nobody starts an agent in a folder that its user has not trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.agents.replay_log import CWD, Score
from tests.support.processes import family
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, start_turn
from tests.support.server.stream import Page
from tests.support.wait import eventually

Json = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A server where only one folder is trusted beforehand."""
    folder = tmp_path_factory.mktemp("trust")
    before = folder / "root" / "before"
    before.mkdir(parents=True)
    with JupyterServer(folder, agents=fake_agents("hello"), trusted=[before]) as server:
        yield server


@pytest.fixture
def folder(server: JupyterServer, request: pytest.FixtureRequest) -> Iterator[str]:
    """A folder that nobody has trusted."""
    path = server.root / request.node.name.replace("[", "-").rstrip("]")
    path.mkdir()
    yield path.name
    with server.user() as user:
        user.delete("trust", params={"folder": str(path)})


def refused(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.json()["reason"]) == (409, "folder_not_trusted")
    assert "--trust" in answer.json()["detail"]


def agents_of(server: JupyterServer) -> list[str]:
    return [command for command in family(server.pid).values() if "fake_agent.py hello" in command]


def create(user: httpx.Client, **body: Any) -> httpx.Response:
    return user.post("sessions", json={"agent": "hello", **body})


def question(user: httpx.Client, session_id: str) -> Json:
    def find() -> Json | None:
        page = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 99}).json()
        items = (item for item in page["items"] if item["kind"] == "trust_request")
        return next((item for item in items if item["state"] == "pending"), None)

    found = eventually(find, what="the question")
    assert found is not None
    return found


def test_by_http_it_must_be_said(server: JupyterServer, user: httpx.Client, folder: str) -> None:
    before = len(user.get("sessions").json())
    refused(create(user, cwd=folder))
    refused(create(user, cwd=folder, start="lazy"))
    assert agents_of(server) == []
    assert len(user.get("sessions").json()) == before
    created = create(user, cwd=folder, trust=True)
    assert created.status_code == 200, created.text
    # Once is enough, also for what lies below.
    (server.root / folder / "below").mkdir()
    again = create(user, cwd=f"{folder}/below")
    assert again.status_code == 200
    for answer in (created, again):
        user.delete(f"sessions/{answer.json()['session_id']}").raise_for_status()


def test_what_is_configured_is_trusted_and_the_demo_is_harmless(
    user: httpx.Client, folder: str
) -> None:
    for body in ({"cwd": "before"}, {"cwd": folder, "agent": "demo"}):
        created = create(user, **body)
        assert created.status_code == 200, created.text
        user.delete(f"sessions/{created.json()['session_id']}").raise_for_status()


@pytest.mark.parametrize("trust", [True, False])
def test_a_page_is_asked(
    server: JupyterServer, user: httpx.Client, folder: str, trust: bool
) -> None:
    with Page(server.stream()) as page:
        created = page.command("create_session", agent="hello", cwd=folder, ask_trust=True)
        session_id = created["result"]["session_id"]
        page.follow(session_id)
        turn = start_turn(user, session_id, "Hi")
        asked = question(user, session_id)
        assert asked["turn_id"] == turn
        assert user.get(f"turns/{turn}").json()["turn"]["status"] == "requires_action"
        assert agents_of(server) == []
        body = {"session_id": session_id, "request_id": asked["request_id"], "trust": trust}
        assert page.command("trust_folder", **body)["error"] is None
        assert page.command("trust_folder", **body)["error"]["reason"] == "permission_settled"
        detail = finished(user, turn)
    failure = detail["turn"]["failure"]
    assert (failure and failure["reason"]) == (None if trust else "folder_not_trusted")
    trusted = [entry["path"] for entry in user.get("trust").json()]
    assert (str(server.root / folder) in trusted) is trust
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_trusted_folders_are_listed_and_taken_back(
    server: JupyterServer, user: httpx.Client, folder: str
) -> None:
    path = str(server.root / folder)
    assert user.post("trust", json={"folder": folder}).json() == {"folder": path}
    entries = {entry["path"]: entry["at"] for entry in user.get("trust").json()}
    assert entries[path] is not None
    assert entries[str(server.root / "before")] is None
    assert user.delete("trust", params={"folder": path}).status_code == 200
    refused(create(user, cwd=folder))
    assert user.delete("trust", params={"folder": path}).status_code == 400
    configured = user.delete("trust", params={"folder": str(server.root / "before")})
    assert "c.AcpJupyter.trusted_folders" in configured.json()["message"]
    for body in ({}, {"folder": "no/such/folder"}, {"folder": folder, "trust": False}):
        assert user.post("trust", json=body).status_code == 400


def test_a_kernel_without_a_page_is_refused_and_trusts_for_its_session_only(
    server: JupyterServer, user: httpx.Client, folder: str
) -> None:
    kernel = server.start_kernel(f"{folder}/notebook.ipynb")
    refused(kernel.request("POST", "sessions", {"agent": "hello", "ask_trust": True}))
    body = {"agent": "hello", "trust": True, "start": "background"}
    session_id = kernel.request("POST", "sessions", body).json()["session_id"]
    prompt = {"prompt": "Hi", "can_ask": False}
    turn = kernel.request("POST", f"sessions/{session_id}/prompt", prompt).json()["turn_id"]
    assert finished(user, turn)["turn"]["stop_reason"] == "end_turn"
    assert str(server.root / folder) not in [entry["path"] for entry in user.get("trust").json()]
    refused(create(user, cwd=folder))
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_a_kernel_whose_page_is_open_waits_for_it(
    server: JupyterServer, user: httpx.Client, folder: str
) -> None:
    kernel = server.start_kernel(f"{folder}/open.ipynb")
    with Page(server.stream()) as page:
        document = {"path": f"{folder}/open.ipynb", "dirty": False, "focused_at": 0}
        page.send({"type": "documents", "documents": [document]})
        body = {"agent": "hello", "ask_trust": True, "start": "background"}

        def created() -> str:
            answer = kernel.request("POST", "sessions", body)
            return str(answer.json()["session_id"]) if answer.status_code == 200 else ""

        session_id = eventually(created, what="the page holds the notebook")
        turn = kernel.request("POST", f"sessions/{session_id}/prompt", {"prompt": "Hi"}).json()
        asked = question(user, session_id)
        answer = {"session_id": session_id, "request_id": asked["request_id"]}
        assert kernel.request("POST", "trust", answer).status_code == 403
        assert user.post("trust", json=answer).status_code == 200
        assert finished(user, turn["turn_id"])["turn"]["stop_reason"] == "end_turn"
    user.delete(f"sessions/{session_id}").raise_for_status()


@pytest.mark.parametrize("verb", ["GET", "POST", "DELETE"])
def test_a_kernel_has_no_say(server: JupyterServer, verb: str, folder: str) -> None:
    kernel = server.start_kernel(f"{folder}/{verb}.ipynb")
    path = "trust?folder=x" if verb == "DELETE" else "trust"
    answer = kernel.request(verb, path, {"folder": folder} if verb == "POST" else None)
    assert (answer.status_code, answer.json()["reason"]) == (403, "not_allowed")


def test_a_record_of_somebody_else_is_played_in_a_trusted_folder_only(
    server: JupyterServer, user: httpx.Client, folder: str
) -> None:
    score = Score()
    score.note(
        note="session_opened", session_id="h", agent_id="x", agent_name="X", cwd=CWD, folder=CWD
    )
    score.open()
    score.end(score.prompt("Hi"))
    lines = [{"record": 1, **line} for line in score.lines[:1]] + score.lines[1:]
    record = server.root / folder / "n.acp" / "x.ndjson"
    record.parent.mkdir()
    record.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    body = {
        "agent": "x",
        "notebook_path": f"{folder}/n.ipynb",
        "record": {"mode": "replay", "run": "r1"},
    }
    for more in ({}, {"start": "lazy"}):
        answer = create(user, **body, **more)
        refused(answer)
        assert "n.acp/x.ndjson was not recorded here" in answer.json()["message"]
    created = create(user, **body, trust=True)
    assert created.status_code == 200, created.text
    session_id = created.json()["session_id"]
    assert create(user, **body).json()["session_id"] == session_id
    turn = start_turn(user, session_id, "Hi")
    assert finished(user, turn)["turn"]["failure"] is None
    user.delete(f"sessions/{session_id}").raise_for_status()
    missing = create(user, **{**body, "agent": "y"}, trust=True)
    assert missing.json()["reason"] == "record_missing"
