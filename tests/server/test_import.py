"""Logs in and transcripts out, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from acp_jupyter.host.limits import Limits
from tests.support.log.recorded import TRAFFIC
from tests.support.processes import family
from tests.support.server.jupyter_server import JupyterServer, KernelSide
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.server.stream import Page

LOG = (TRAFFIC / "codex-edit_file.jsonl").read_bytes()
PACKETS = "\n".join(
    json.dumps(packet)
    for packet in (
        {"type": "agent_message_chunk", "content": {"type": "text", "text": "Hello"}},
        {"type": "prompt_response", "stopReason": "end_turn"},
    )
)


def import_log(client: httpx.Client, content: bytes | str, **query: str) -> dict[str, Any]:
    answer = client.post("import", content=content, params=query)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


@pytest.fixture
def imported(user: httpx.Client) -> Iterator[str]:
    session_id = str(import_log(user, LOG, name="folder/codex.jsonl")["session_id"])
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def items_of(client: httpx.Client, session_id: str) -> list[dict[str, Any]]:
    page = client.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
    items: list[dict[str, Any]] = page["items"]
    return items


def test_an_imported_log_is_a_session_without_an_agent(
    server: JupyterServer, user: httpx.Client, imported: str
) -> None:
    state = user.get(f"sessions/{imported}").json()
    assert state["title"] == "Imported: codex.jsonl"
    assert (state["agent"], state["agent_info"]["name"]) == ("imported", "Codex")
    assert (state["status"], state["cwd"]) == ("stopped", "/workspace")
    assert imported in [session["session_id"] for session in user.get("sessions").json()]
    before = family(server.pid, without="npm")
    for path, body in (
        ("prompt", {"prompt": "Go on"}),
        ("config", {"mode": "fast"}),
    ):
        answer = user.post(f"sessions/{imported}/{path}", json=body)
        assert (answer.status_code, answer.json()["reason"]) == (409, "imported")
        assert "no agent" in answer.json()["message"]
    assert family(server.pid, without="npm") == before


def test_the_result_says_what_came_of_it(user: httpx.Client) -> None:
    torn = LOG[: LOG.index(b"stopReason")]
    result = import_log(user, torn, name="torn.jsonl")
    assert result["dialect"] == "traffic"
    assert result["entries"] == 23  # with two notes of a turn
    (problem,) = result["problems"]
    assert problem["line"] == torn.count(b"\n") + 1 == 24
    assert "not JSON" in problem["message"]
    assert result["problem_count"] == 1
    turn = user.get(f"turns/{result['turn_ids'][-1]}").json()["turn"]
    assert (turn["stop_reason"], turn["words"]) == ("error", "The log ends here.")
    user.delete(f"sessions/{result['session_id']}").raise_for_status()


def test_each_kind_is_found_by_looking(user: httpx.Client) -> None:
    result = import_log(user, PACKETS)
    assert result["dialect"] == "packets"
    kinds = [item["kind"] for item in items_of(user, result["session_id"])]
    assert kinds[-2:] == ["agent_message", "turn_end"]
    user.delete(f"sessions/{result['session_id']}").raise_for_status()


@pytest.mark.parametrize(
    ("content", "query", "words"),
    [
        ("no log at all", {}, "log:1: This is not JSON"),
        ("", {}, ""),
        (LOG, {"dialect": "claude-cli"}, "log:1: This line is of ACP traffic"),
        (LOG, {"session": "none"}, ""),
    ],
)
def test_what_is_no_log_is_refused_in_words(
    user: httpx.Client, content: str, query: dict[str, str], words: str
) -> None:
    before = len(user.get("sessions").json())
    answer = user.post("import", content=content, params=query)
    assert (answer.status_code, answer.json()["reason"]) == (400, "nothing_to_import")
    assert words in answer.json()["detail"]
    assert len(user.get("sessions").json()) == before


def test_a_kind_that_nobody_knows_is_a_bad_request(user: httpx.Client) -> None:
    answer = user.post("import", content=PACKETS, params={"dialect": "x"})
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")


def test_a_log_may_be_longer_than_other_bodies(user: httpx.Client) -> None:
    chunk = {"type": "agent_message_chunk", "content": {"type": "text", "text": "x" * 1_000_000}}
    long = "\n".join([json.dumps(chunk)] * 33)
    result = import_log(user, long)
    assert result["entries"] == 35
    user.delete(f"sessions/{result['session_id']}").raise_for_status()


def test_a_kernel_sees_what_it_imported(
    user: httpx.Client, kernel: KernelSide, other_kernel: KernelSide
) -> None:
    answer = kernel.request(
        "POST", "import?name=mine.jsonl", {"type": "output_delta", "content": "Hi"}
    )
    assert answer.status_code == 200, answer.text
    session_id = answer.json()["session_id"]
    assert kernel.request("GET", f"sessions/{session_id}").json()["status"] == "stopped"
    assert kernel.request("GET", f"sessions/{session_id}/traffic").status_code == 200
    assert other_kernel.request("GET", f"sessions/{session_id}").status_code == 404
    assert other_kernel.request("GET", f"sessions/{session_id}/traffic").status_code == 404
    user.delete(f"sessions/{session_id}").raise_for_status()


CHUNK = {
    "sessionUpdate": "agent_message_chunk",
    "content": {"type": "text", "text": "some words "},
}
UPDATE = {
    "jsonrpc": "2.0",
    "method": "session/update",
    "params": {"sessionId": "s", "update": CHUNK},
}
LONG = {
    "survey": json.dumps({"t": 1, "d": "<", "m": UPDATE}) + "\n",
    "read": json.dumps(CHUNK) + "\n",
}
"""A line of a log whose import is in that stage for long."""


def sessions_on_disk(server: JupyterServer) -> set[Path]:
    return set((server.root.parent / "data" / "acp-jupyter" / "sessions").iterdir())


def start_import(user: httpx.Client, stage: str) -> str:
    content = LONG[stage] * 150_000
    started = user.post("imports", content=content, params={"name": "big.ndjson"}).json()
    assert started["result"] is None
    assert started["progress"]["bytes_total"] == len(content)
    return str(started["progress"]["import_id"])


@pytest.mark.parametrize("stage", LONG)
def test_a_long_import_is_seen_and_cancelled_and_leaves_nothing(
    server: JupyterServer, user: httpx.Client, stage: str
) -> None:
    before = user.get("sessions").json()
    folders = sessions_on_disk(server)
    with Page(server.stream()) as page:
        import_id = start_import(user, stage)
        while True:
            (seen,) = page.until("imports")["imports"]
            assert (seen["import_id"], seen["file_name"]) == (import_id, "big.ndjson")
            if seen["stage"] == stage and seen["lines"]:
                break
        assert 0 < seen["bytes_read"] < seen["bytes_total"]
        assert page.command("cancel_import", import_id=import_id)["error"] is None
        assert page.until("imports")["imports"] == []
    answer = user.get(f"imports/{import_id}")
    assert (answer.status_code, answer.json()["reason"]) == (409, "import_cancelled")
    assert user.get("sessions").json() == before
    assert sessions_on_disk(server) == folders


def test_another_kernel_neither_sees_nor_cancels_an_import(
    user: httpx.Client, kernel: KernelSide, other_kernel: KernelSide
) -> None:
    import_id = start_import(user, "read")
    for caller in (kernel, other_kernel):
        for method in ("GET", "DELETE"):
            assert caller.request(method, f"imports/{import_id}").status_code == 400
    user.delete(f"imports/{import_id}").raise_for_status()


def test_an_import_is_waited_for(user: httpx.Client) -> None:
    import_id = user.post("imports", content=LOG).json()["progress"]["import_id"]
    state = user.get(f"imports/{import_id}", params={"wait": 30}).json()
    assert state["result"]["dialect"] == "traffic"
    assert state["progress"]["bytes_read"] == state["progress"]["bytes_total"] == len(LOG)
    again = user.get(f"imports/{import_id}").json()
    assert again == state
    user.delete(f"sessions/{state['result']['session_id']}").raise_for_status()


def test_a_few_are_imported_at_once(user: httpx.Client) -> None:
    running = [start_import(user, "read") for _ in range(Limits().imports)]
    answer = user.post("imports", content=LOG)
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")
    assert "being imported" in answer.json()["message"]
    for import_id in running:
        user.delete(f"imports/{import_id}").raise_for_status()


def test_the_transcript_comes_in_three_forms(user: httpx.Client, imported: str) -> None:
    def transcript(**query: str) -> dict[str, Any]:
        answer = user.get(f"sessions/{imported}/transcript", params=query)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    whole = transcript()
    assert [item["kind"] for item in whole["items"]] == [
        item["kind"] for item in items_of(user, imported)
    ]
    assert (len(whole["turns"]), whole["session"]["session_id"]) == (1, imported)
    assert "```diff" in transcript(format="markdown")["markdown"]
    page = transcript(format="html")["html"]
    assert page.startswith("<!DOCTYPE html>")
    assert "<ins>" in page
    assert "<script" not in page


def test_one_turn_of_a_session_is_shared(user: httpx.Client) -> None:
    session_id = open_session(user, "demo")
    ids = []
    for words in ("First words", "Last words"):
        ids.append(start_turn(user, session_id, words))
        finished(user, ids[-1])

    def shared(turn_id: str) -> str:
        query = {"format": "shared", "turn_id": turn_id}
        answer = user.get(f"sessions/{session_id}/transcript", params=query)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["shared"])

    first, last, whole = shared(ids[0]), shared("last"), shared("")
    assert ("First words" in first, "Last words" in first) == (True, False)
    assert ("First words" in last, "Last words" in last) == (False, True)
    assert ("First words" in whole, "Last words" in whole) == (True, True)
    assert max(map(len, (first, last))) < 300_000
    markdown = user.get(
        f"sessions/{session_id}/transcript", params={"format": "markdown", "turn_id": ids[0]}
    )
    assert "Last words" not in markdown.json()["markdown"]
    unknown = {"format": "shared", "turn_id": "nine"}
    answer = user.get(f"sessions/{session_id}/transcript", params=unknown)
    assert (answer.status_code, answer.json()["reason"]) == (404, "unknown_turn")
    empty = open_session(user, "demo", new=True)
    answer = user.get(f"sessions/{empty}/transcript", params={"format": "shared"})
    assert answer.status_code == 400
    assert "no turn to share" in answer.json()["message"]


@pytest.mark.parametrize(
    ("dialect", "end"),
    # Build mode does not say which call a permission request is about: the newest open one.
    [("packets", "prompt_response"), ("build-mode", "done")],
)
def test_its_packets_stream_like_any(
    user: httpx.Client, imported: str, dialect: str, end: str
) -> None:
    found: list[dict[str, Any]] = []
    query = {"dialect": dialect}
    with user.stream("GET", f"sessions/{imported}/packets", params=query) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                found.append(json.loads(line.removeprefix("data: ")))
                if found[-1]["type"] == end:
                    break
    again = import_log(user, "\n".join(map(json.dumps, found)))
    kinds = [item["kind"] for item in items_of(user, again["session_id"])]
    assert kinds.count("tool_call") == 2
    assert "agent_message" in kinds
    user.delete(f"sessions/{again['session_id']}").raise_for_status()


def test_exported_traffic_gives_the_same_transcript_again(user: httpx.Client) -> None:
    """Message and thought chunks of history are read as the live ones were."""
    session_id = open_session(user, "demo")
    for words in ("plan", "edit"):
        finished(user, start_turn(user, session_id, words, policy="allow-all"))
    traffic = user.get(f"sessions/{session_id}/traffic").content
    result = import_log(user, traffic, name="again.ndjson")
    assert (result["dialect"], result["problems"]) == ("traffic", [])
    live = items_of(user, session_id)
    assert {"agent_message", "thought"} <= {item["kind"] for item in live}
    assert timeless(items_of(user, result["session_id"])) == timeless(live)
    assert user.get(f"turns/{result['turn_ids'][0]}").json()["turn"]["origin"] is None
    for each in (session_id, result["session_id"]):
        user.delete(f"sessions/{each}").raise_for_status()


def timeless(value: Any) -> Any:
    """Leave out what is new in every session."""
    if isinstance(value, list):
        return [timeless(item) for item in value]
    if not isinstance(value, dict):
        return value
    left_out = {"turn_id", "at", "started_at", "ended_at", "asked_at", "duration_seconds"}
    left_out |= {"request_id"}
    return {key: timeless(item) for key, item in value.items() if key not in left_out}
