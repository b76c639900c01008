"""Two people at one server: who may answer what an agent asks, and whose consent counts for whom.

The rule: what a prompt's sender consents to, and nobody else, counts for that prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from tests.support.server.all_routes import PATHS
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.named_users import NAMED, as_person
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.wait import eventually

VERBS = ("GET", "POST", "DELETE")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("people")
    agents = fake_agents("permission", "elicit", "hello")
    with JupyterServer(folder, agents=agents, config=NAMED) as server:
        yield server


@pytest.fixture
def ada(server: JupyterServer) -> Iterator[httpx.Client]:
    with as_person(server, "ada") as client:
        yield client


@pytest.fixture
def bob(server: JupyterServer) -> Iterator[httpx.Client]:
    with as_person(server, "bob") as client:
        yield client


@pytest.fixture
def session_id(ada: httpx.Client) -> Iterator[str]:
    session_id = open_session(ada, "permission")
    yield session_id
    ada.delete(f"sessions/{session_id}").raise_for_status()


def assert_refused(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.json()["reason"]) == (403, "not_allowed"), answer.text


# -- who may use agents at all ---------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("verb", VERBS)
def test_who_may_not_use_agents_gets_403_everywhere(
    server: JupyterServer, verb: str, path: str
) -> None:
    with as_person(server, "cara") as cara:
        assert cara.get(f"{server.url}api/status").status_code == 200
        assert cara.request(verb, path).status_code == 403


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "GET"])
def test_who_may_not_execute_changes_nothing(server: JupyterServer, verb: str, path: str) -> None:
    """Whatever is sent to an agent runs something."""
    with as_person(server, "dan") as dan:
        assert dan.get("sessions").status_code == 200
        assert dan.request(verb, path).status_code == 403


@pytest.mark.parametrize("name", ["cara", "dan"])
def test_the_stream_is_for_those_who_may_execute(server: JupyterServer, name: str) -> None:
    with as_person(server, name) as client, pytest.raises(InvalidStatus) as refused:
        server.stream(client)
    assert refused.value.response.status_code == 403


# -- who answers -----------------------------------------------------------------

ANSWERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("permissions/{request}", {"option_id": "yes"}),
    ("permissions/{request}", {"option_id": "always"}),
    ("permissions/{request}", {"option_id": "no"}),
    ("permissions/{request}", {"option_id": "no", "reason": "Do this instead: rm -r"}),
    ("permissions/{request}", {"outcome": "cancelled"}),
    ("permissions/{request}", {"option_id": "yes", "remember": "session"}),
    ("permissions/{request}", {"option_id": "yes", "remember": "workspace"}),
    ("../../turns/{queued}/edit", {"prompt": "said by another"}),
)
"""What is the sender's own: path below the session, and body."""


@pytest.mark.parametrize(("path", "body"), ANSWERS, ids=str)
def test_only_the_sender_of_a_prompt_answers_for_it(
    server: JupyterServer,
    ada: httpx.Client,
    bob: httpx.Client,
    session_id: str,
    path: str,
    body: dict[str, Any],
) -> None:
    edited = server.root / "edited.txt"
    edited.unlink(missing_ok=True)
    turn_id = start_turn(ada, session_id, "new words")
    queued = start_turn(ada, session_id, "more words")
    request_id = pending(bob, session_id)["request_id"]  # others see it
    assert bob.get(f"turns/{turn_id}").json()["turn"]["user"] == "ada"  # and for whom it waits
    url = f"{ada.base_url}sessions/{session_id}/{path}".format(request=request_id, queued=queued)
    refused = bob.post(url, json=body)
    assert_refused(refused)
    assert "ada" in refused.json()["message"]
    assert bob.get(f"turns/{turn_id}").json()["turn"]["status"] == "requires_action"
    assert bob.get("rules").json() == []
    assert not edited.exists()

    assert ada.post(url, json=body).status_code == 200
    bob.post(f"sessions/{session_id}/cancel", json={"turn_id": queued}).raise_for_status()
    for rule in ada.get("rules").json():
        ada.delete(f"rules/{rule['rule']['id']}").raise_for_status()


def test_others_may_stop_a_turn(ada: httpx.Client, bob: httpx.Client, session_id: str) -> None:
    turn_id = start_turn(ada, session_id, "new words")
    pending(bob, session_id)
    bob.post(f"sessions/{session_id}/cancel", json={}).raise_for_status()
    assert finished(ada, turn_id)["turn"]["stop_reason"] == "cancelled"


def test_only_the_sender_answers_questions(ada: httpx.Client, bob: httpx.Client) -> None:
    session_id = open_session(ada, "elicit")
    turn_id = start_turn(ada, session_id, "simple")

    def asked() -> dict[str, Any]:
        page = ada.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
        return next((item for item in page["items"] if item["kind"] == "elicitation"), {})

    path = f"sessions/{session_id}/elicitations/{eventually(asked, what='it')['request_id']}"
    for body in ({"action": "accept", "content": {"name": "Bob"}}, {"action": "decline"}):
        assert_refused(bob.post(path, json=body))
    ada.post(path, json={"action": "accept", "content": {"name": "Ada"}}).raise_for_status()
    finished(ada, turn_id)
    ada.delete(f"sessions/{session_id}").raise_for_status()


def test_the_owner_of_the_server_answers_for_all(
    server: JupyterServer, ada: httpx.Client, session_id: str
) -> None:
    """Who has the server's own token is its owner, and comes without a name."""
    turn_id = start_turn(ada, session_id, "new words")
    request_id = pending(ada, session_id)["request_id"]
    with server.user() as owner:
        path = f"sessions/{session_id}/permissions/{request_id}"
        owner.post(path, json={"option_id": "no"}).raise_for_status()
    finished(ada, turn_id)


def test_where_nobody_has_a_name_everybody_is_the_same(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("anonymous")
    with (
        JupyterServer(folder, agents=fake_agents("permission")) as server,
        server.user() as one,
        server.browser() as other,
    ):
        session_id = open_session(one, "permission")
        turn_id = start_turn(one, session_id, "new words")
        path = f"sessions/{session_id}/permissions/{pending(one, session_id)['request_id']}"
        other.headers["Authorization"] = one.headers["Authorization"]
        other.post(path, json={"option_id": "yes"}).raise_for_status()
        assert finished(one, turn_id)["turn"]["user"] == ""


# -- whose consent counts --------------------------------------------------------


def asks(client: httpx.Client, session_id: str) -> bool:
    """Send a prompt; tell whether it is asked for."""
    turn_id = start_turn(client, session_id, "new words")

    def state() -> str:
        return str(client.get(f"turns/{turn_id}").json()["turn"]["status"])

    stands = eventually(
        lambda: status if (status := state()) in {"done", "requires_action"} else "", what="it"
    )
    # A request is in the log before a policy or a rule has answered it.
    asked = stands == "requires_action" and all(state() == stands for _ in range(30))
    client.post(f"sessions/{session_id}/cancel", json={}).raise_for_status()
    finished(client, turn_id)
    return asked


def set_policy(client: httpx.Client, session_id: str) -> str:
    client.post(f"sessions/{session_id}/config", json={"policy": "allow-all"}).raise_for_status()
    return session_id


def open_with_policy(client: httpx.Client, session_id: str) -> str:
    return open_session(client, "permission", policy="allow-all")


def remembering(scope: str) -> Any:
    def remember(client: httpx.Client, session_id: str) -> str:
        turn_id = start_turn(client, session_id, "new words")
        path = f"sessions/{session_id}/permissions/{pending(client, session_id)['request_id']}"
        body = {"option_id": "yes", "remember": scope}
        client.post(path, json=body).raise_for_status()
        finished(client, turn_id)
        return session_id

    return remember


CONSENTS = {
    "the policy of the session": set_policy,
    "the policy of a new session": open_with_policy,
    "always in this session": remembering("session"),
    "always in this folder": remembering("workspace"),
}
"""Ways to consent to more than one request; each returns the session where that counts."""


@pytest.mark.parametrize("way", CONSENTS)
def test_consent_counts_for_who_gave_it(
    ada: httpx.Client, bob: httpx.Client, session_id: str, way: str
) -> None:
    there = CONSENTS[way](bob, session_id)
    try:
        assert asks(ada, there)
        assert not asks(bob, there)
    finally:
        for rule in bob.get("rules").json():
            bob.delete(f"rules/{rule['rule']['id']}").raise_for_status()
        if there != session_id:
            bob.delete(f"sessions/{there}").raise_for_status()


def test_a_no_counts_for_all_and_is_taken_back_by_who_said_it(
    ada: httpx.Client, bob: httpx.Client, session_id: str
) -> None:
    turn_id = start_turn(ada, session_id, "new words")
    path = f"sessions/{session_id}/permissions/{pending(ada, session_id)['request_id']}"
    ada.post(path, json={"option_id": "no", "remember": "session"}).raise_for_status()
    finished(ada, turn_id)
    (entry,) = bob.get("rules").json()
    assert not asks(bob, session_id)
    assert_refused(bob.delete(f"rules/{entry['rule']['id']}"))
    ada.delete(f"rules/{entry['rule']['id']}").raise_for_status()
    assert asks(bob, session_id)
