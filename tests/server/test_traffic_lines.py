"""The traffic of a session, line by line: for the user, and for the kernel that made it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.support.server.jupyter_server import KernelSide
from tests.support.server.routes import finished, open_session, start_turn


@pytest.fixture
def session_id(user: httpx.Client) -> Iterator[str]:
    session_id = open_session(user, "hello")
    finished(user, start_turn(user, session_id, "a word"))
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_lines_are_those_of_the_log(user: httpx.Client, session_id: str) -> None:
    path = f"sessions/{session_id}/traffic-lines"
    log = user.get(f"sessions/{session_id}/traffic").text.splitlines()
    page = user.get(path, params={"limit": 500}).json()
    assert [line["seq"] for line in page["lines"]] == [json.loads(line)["seq"] for line in log]
    assert page["end"] == page["size"] == sum(len(line.encode()) + 1 for line in log)
    newest = user.get(path, params={"limit": 1}).json()["lines"]
    assert newest == page["lines"][-1:]
    prompts = user.get(path, params={"direction": ">", "method": "session/prompt"}).json()["lines"]
    assert [line["kind"] for line in prompts] == ["request"]
    detail = user.get(f"{path}/{prompts[0]['place']}").json()
    assert json.loads(detail["text"])["params"]["prompt"] == [{"type": "text", "text": "a word"}]
    assert user.get(path, params={"after": page["end"]}).json()["lines"] == []


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=501", "after=-1", "after=x", "direction=up", f"text={'x' * 201}"]
)
def test_what_makes_no_sense_is_refused(user: httpx.Client, session_id: str, query: str) -> None:
    answer = user.get(f"sessions/{session_id}/traffic-lines?{query}")
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")


def test_a_place_between_lines_is_refused(user: httpx.Client, session_id: str) -> None:
    answer = user.get(f"sessions/{session_id}/traffic-lines/3")
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")
    assert user.get("sessions/none/traffic-lines").status_code == 404
    assert user.get("sessions/none/traffic-lines/0").status_code == 404


def test_a_kernel_reads_what_it_made_and_no_more(
    user: httpx.Client, kernel: KernelSide, other_kernel: KernelSide, session_id: str
) -> None:
    mine = kernel.request("POST", "sessions", {"agent": "hello", "new": True}).json()["session_id"]
    own = f"sessions/{mine}/traffic-lines"
    theirs = open_session(user, "hello", notebook_path=kernel.notebook_path, new=True)
    try:
        assert kernel.request("GET", own).json()["lines"]
        assert kernel.request("GET", f"{own}/0").status_code == 200
        for path in (own, f"{own}/0"):
            assert other_kernel.request("GET", path).status_code == 404
        for path in (f"sessions/{theirs}/traffic-lines", f"sessions/{theirs}/traffic-lines/0"):
            assert kernel.request("GET", path).status_code == 403
        assert kernel.request("GET", f"sessions/{session_id}/traffic-lines").status_code == 404
    finally:
        for session in (mine, theirs):
            user.delete(f"sessions/{session}").raise_for_status()


def test_secrets_are_taken_out(user: httpx.Client) -> None:
    """Redacted as on disk: what is searched for is not there to be found."""
    secret = "ghp_" + "a1B2" * 8
    session_id = open_session(user, "hello")
    finished(user, start_turn(user, session_id, f"my token is {secret}"))
    path = f"sessions/{session_id}/traffic-lines"
    page = user.get(path).text
    assert "my token is" in page
    assert secret not in page
    assert user.get(path, params={"text": secret}).json()["lines"] == []
    user.delete(f"sessions/{session_id}").raise_for_status()
