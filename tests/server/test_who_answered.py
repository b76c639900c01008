"""On a server that people share, the log says who answered, and a record does not."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.wait import eventually

SHARED = """
from jupyter_core.utils import ensure_async
from jupyter_server.auth.identity import IdentityProvider, User

class Shared(IdentityProvider):
    async def _named(self, handler):
        user = await ensure_async(super().get_user(handler))
        name = handler.request.headers.get("X-Name", "")
        return User(username=name, name=name) if user and name else user

    def get_user(self, handler):
        return self._named(handler)

c.ServerApp.identity_provider_class = Shared
"""
OTHER = "grace-hopper"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("shared")
    trusted = folder / "root/trusted"
    trusted.mkdir(parents=True)
    agents = fake_agents("permission", "elicit")
    env = {"JUPYTERHUB_USER": "ada"}
    with JupyterServer(folder, agents=agents, config=SHARED, env=env, trusted=[trusted]) as server:
        yield server


def notes(user: httpx.Client, session_id: str, kind: str) -> list[dict[str, Any]]:
    log = user.get(f"sessions/{session_id}/traffic").text.splitlines()
    messages = (json.loads(line)["m"] for line in log)
    return [message for message in messages if message.get("note") == kind]


@pytest.mark.parametrize(
    ("name", "shown"),
    [(OTHER, OTHER), ("ada", ""), (getpass.getuser(), ""), ("anonymous", ""), ("", "")],
)
def test_a_permission(server: JupyterServer, user: httpx.Client, name: str, shown: str) -> None:
    kernel = server.start_kernel("trusted/nb.ipynb")
    wish = {"mode": "record", "path": ""}
    asked = {"agent": "permission", "record": wish, "new": True}
    session_id = kernel.request("POST", "sessions", asked).json()["session_id"]
    sent = kernel.request("POST", f"sessions/{session_id}/prompt", {"prompt": "x"}).json()
    request_id = pending(user, session_id)["request_id"]
    path = f"sessions/{session_id}/permissions/{request_id}"
    user.post(path, json={"option_id": "yes"}, headers={"X-Name": name}).raise_for_status()
    detail = finished(user, sent["turn_id"])
    (call,) = [item for item in detail["items"] if item.get("permission")]
    assert call["permission"]["outcome"] == "Allowed once"
    assert call["permission"]["answered_by"] == shown
    (note,) = notes(user, session_id, "permission_settled")
    assert note["user"] if name == "" else note["user"] == name
    assert note["shown_name"] == shown
    for form in ("json", "markdown", "html", "shared"):
        saved = user.get(f"sessions/{session_id}/transcript", params={"format": form})
        assert saved.status_code == 200
        assert OTHER not in saved.text
    assert OTHER not in json.dumps(detail["bundle"])
    record = eventually(lambda: list(server.root.glob("trusted/nb.acp/*.ndjson")), what="a record")
    assert "permission_settled" in eventually(lambda: record[0].read_text())
    assert OTHER not in record[0].read_text()
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_a_question_and_a_folder(server: JupyterServer, user: httpx.Client) -> None:
    (server.root / "folder").mkdir()
    more = {"cwd": "folder", "ask_trust": True, "start": "lazy"}
    session_id = open_session(user, "elicit", **more)
    turn_id = start_turn(user, session_id, "simple")

    def open_item(kind: str) -> dict[str, Any]:
        def find() -> dict[str, Any]:
            page = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 99}).json()
            waiting = (item for item in page["items"] if item["kind"] == kind)
            return next((item for item in waiting if item["state"] == "pending"), {})

        return eventually(find, what=kind)

    as_other = {"X-Name": OTHER}
    asked = {"session_id": session_id, "request_id": open_item("trust_request")["request_id"]}
    user.post("trust", json=asked, headers=as_other).raise_for_status()
    question = open_item("elicitation")["request_id"]
    path = f"sessions/{session_id}/elicitations/{question}"
    given = {"action": "accept", "content": {"name": "Ada"}}
    user.post(path, json=given, headers=as_other).raise_for_status()
    items = finished(user, turn_id)["items"]
    answered = {item["kind"]: item["answered_by"] for item in items if "answered_by" in item}
    assert answered == {"trust_request": OTHER, "elicitation": OTHER}
    for kind in ("trust_settled", "elicitation_settled"):
        assert [note["user"] for note in notes(user, session_id, kind)] == [OTHER]
    user.delete(f"sessions/{session_id}").raise_for_status()
