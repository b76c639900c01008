"""Remembered answers, rules of a turn, and reasons, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.wait import eventually

Json = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("rules")
    with JupyterServer(folder, agents=fake_agents("asks")) as server:
        yield server


@pytest.fixture
def session_id(user: httpx.Client) -> Iterator[str]:
    session_id = open_session(user, "asks")
    yield session_id
    for entry in user.get("rules").json():
        user.delete(f"rules/{entry['rule']['id']}").raise_for_status()
    user.delete(f"sessions/{session_id}").raise_for_status()


def runs(command: str, call_id: str = "c1") -> Json:
    return {
        "toolCallId": call_id,
        "title": command,
        "kind": "execute",
        "rawInput": {"command": command},
    }


def asking(*calls: Json, **more: Any) -> str:
    return json.dumps({"ask": list(calls), **more})


def said(detail: Json) -> str:
    return "".join(item["text"] for item in detail["items"] if item["kind"] == "agent_message")


def permissions(detail: Json) -> list[Json]:
    return [item["permission"] for item in detail["items"] if item.get("permission")]


def answer(user: httpx.Client, session_id: str, **body: Any) -> httpx.Response:
    """Answer the first pending request; wait until the agent was answered, too."""
    request_id = pending(user, session_id)["request_id"]
    reply = user.post(f"sessions/{session_id}/permissions/{request_id}", json=body)
    if reply.is_success:
        eventually(lambda: not is_pending(user, session_id, request_id), what="its answer")
    return reply


def is_pending(user: httpx.Client, session_id: str, request_id: str) -> bool:
    page = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
    return any(
        permission["request_id"] == request_id and permission["state"] == "pending"
        for permission in permissions(page)
    )


def test_always_in_this_session(user: httpx.Client, session_id: str) -> None:
    turn = start_turn(user, session_id, asking(runs("git status")))
    assert pending(user, session_id)["rule"] == "execute:git status"
    answer(user, session_id, option_id="yes", remember="session").raise_for_status()
    assert said(finished(user, turn)) == "yes"

    again = finished(user, start_turn(user, session_id, asking(runs("git status"))))
    assert said(again) == "yes"
    assert permissions(again)[0]["outcome"] == "Allowed by rule: execute:git status"
    state = user.get(f"sessions/{session_id}").json()
    assert [rule["words"] for rule in state["rules"]] == ["May run git status"]

    # Another command, another session: asked.
    start_turn(user, session_id, asking(runs("git status; rm -r .")))
    answer(user, session_id, option_id="no").raise_for_status()
    other = open_session(user, "asks")
    start_turn(user, other, asking(runs("git status")))
    answer(user, other, option_id="no").raise_for_status()
    user.delete(f"sessions/{other}").raise_for_status()


def edits(path: str, call_id: str = "e1") -> Json:
    given = {"file_path": path}
    return {"toolCallId": call_id, "title": f"Edit {path}", "kind": "edit", "rawInput": given}


def test_what_is_like_it_too(user: httpx.Client, session_id: str) -> None:
    """A wider rule that the request offers, and no other."""
    turn = start_turn(user, session_id, asking(edits("src/a.py")))
    offered = pending(user, session_id)["wider_rules"]
    assert offered == [
        {"text": "edit:src/**", "words": "Files in src"},
        {"text": "edit", "words": "All edits"},
    ]
    refused = answer(user, session_id, option_id="yes", remember="session", wider_rule="edit:**")
    assert (refused.status_code, refused.json()["reason"]) == (400, "bad_request")
    wider = {"remember": "session", "wider_rule": "edit:src/**"}
    answer(user, session_id, option_id="yes", **wider).raise_for_status()
    assert permissions(finished(user, turn))[0]["wider_rules"] == []
    asked = asking(edits("src/b/c.py"), edits("d.py", "e2"), edits("src/.git/config", "e3"))
    turn = start_turn(user, session_id, asked)

    def states() -> list[str]:
        return [each["state"] for each in permissions(user.get(f"turns/{turn}").json())]

    eventually(lambda: states() == ["allowed", "pending", "pending"], what="two requests")
    answer(user, session_id, option_id="no").raise_for_status()
    eventually(lambda: states() == ["allowed", "rejected", "pending"], what="one request")
    answer(user, session_id, option_id="no").raise_for_status()
    assert said(finished(user, turn)) == "yes, no, no"


def test_never_in_this_session(user: httpx.Client, session_id: str) -> None:
    """A later request is refused without a question, with its own option that rejects."""
    start_turn(user, session_id, asking(runs("rm a")))
    answer(user, session_id, option_id="no", remember="session").raise_for_status()
    forever = {"optionId": "never", "name": "Never", "kind": "reject_always"}
    allow = {"optionId": "yes", "name": "Allow", "kind": "allow_once"}
    again = asking(runs("rm a"), options=[allow, forever])
    for prompt, option_id in ((asking(runs("rm a")), "no"), (again, "never")):
        refused = finished(user, start_turn(user, session_id, prompt))
        assert said(refused) == option_id
        assert permissions(refused)[0]["outcome"] == "Rejected by rule: execute:rm a"
    assert [r["words"] for r in user.get(f"sessions/{session_id}").json()["rules"]] == [
        "May not run rm a"
    ]


def test_always_in_this_folder_and_no_more(
    server: JupyterServer, user: httpx.Client, session_id: str
) -> None:
    start_turn(user, session_id, asking(runs("make test")))
    answer(user, session_id, option_id="yes", remember="workspace").raise_for_status()
    other = open_session(user, "asks")
    assert said(finished(user, start_turn(user, other, asking(runs("make test"))))) == "yes"
    (entry,) = user.get("rules", params={"session_id": other}).json()
    assert (entry["text"], entry["folder"]) == ("execute:make test", str(server.root.resolve()))
    assert not [path for path in server.root.rglob("*") if "rules" in path.name]

    user.delete(f"rules/{entry['rule']['id']}").raise_for_status()
    assert user.delete(f"rules/{entry['rule']['id']}").status_code == 400
    start_turn(user, other, asking(runs("make test")))
    answer(user, other, option_id="no").raise_for_status()
    user.delete(f"sessions/{other}").raise_for_status()


def test_what_waits_already_is_answered_too(user: httpx.Client, session_id: str) -> None:
    turn = start_turn(user, session_id, asking(runs("ls", "c1"), runs("ls", "c2"), runs("w", "c3")))
    eventually(
        lambda: user.get(f"sessions/{session_id}").json()["waiting"] == 3, what="three requests"
    )
    answer(user, session_id, option_id="yes", remember="session").raise_for_status()
    eventually(
        lambda: user.get(f"sessions/{session_id}").json()["waiting"] == 1, what="one request"
    )
    answer(user, session_id, option_id="no").raise_for_status()
    assert said(finished(user, turn)) == "yes, yes, no"


@pytest.mark.parametrize(
    ("call", "body"),
    [
        (runs("ls | sh"), {"option_id": "yes", "remember": "session"}),
        (runs("ls"), {"option_id": "always", "remember": "session"}),
        (runs("ls"), {"outcome": "cancelled", "remember": "session"}),
        (runs("ls"), {"option_id": "yes", "remember": "everywhere"}),
        (runs("ls"), {"option_id": "yes", "reason": "Because"}),
    ],
)
def test_what_cant_be_remembered_settles_nothing(
    user: httpx.Client, session_id: str, call: Json, body: Json
) -> None:
    turn = start_turn(user, session_id, asking(call))
    refused = answer(user, session_id, **body)
    assert (refused.status_code, refused.json()["reason"]) == (400, "bad_request")
    answer(user, session_id, option_id="no").raise_for_status()
    assert said(finished(user, turn)) == "no"


def test_rules_of_a_turn(user: httpx.Client, session_id: str) -> None:
    calls = asking(runs("git status", "c1"), runs("git push", "c2"))
    rules = {"allow": ["execute:git *"], "deny": ["execute:git push *"]}
    detail = finished(user, start_turn(user, session_id, calls, **rules))
    assert said(detail) == "yes, no"
    assert [p["outcome"] for p in permissions(detail)] == [
        "Allowed by rule: execute:git *",
        "Rejected by rule: execute:git push *",
    ]
    refused = user.post(
        f"sessions/{session_id}/prompt", json={"prompt": "x", "allow": ["execute:a | b"]}
    )
    assert (refused.status_code, refused.json()["reason"]) == (400, "bad_request")


def test_a_no_with_a_reason_is_the_next_message(user: httpx.Client, session_id: str) -> None:
    turn = start_turn(user, session_id, asking(runs("rm -r build")))
    queued = start_turn(user, session_id, "later")
    answer(user, session_id, option_id="no", reason=" It is needed. ").raise_for_status()
    detail = finished(user, turn)
    assert permissions(detail)[0]["outcome"] == "Rejected: It is needed."
    later = finished(user, queued)
    items = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 99}).json()["items"]
    told = [item["text"] for item in items if item["kind"] == "agent_message"]
    words = "I rejected this (rm -r build) because: It is needed."
    assert told == ["no", f"Heard: {words}", "Heard: later"]
    assert [i["text"] for i in items if i["kind"] == "user_message"].count(words) == 1
    assert later["turn"]["prompt"] == "later"


def test_a_reason_names_what_was_rejected_of_several(user: httpx.Client, session_id: str) -> None:
    turn = start_turn(user, session_id, asking(runs("make a", "c1"), runs("make b", "c2")))
    first = pending(user, session_id)["request_id"]
    answer(user, session_id, option_id="no", reason="Not now.").raise_for_status()
    answer(user, session_id, option_id="yes").raise_for_status()
    finished(user, turn)
    items = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 99}).json()["items"]
    request = next(
        item["permission"]["request_id"] for item in items if item.get("command") == "make a"
    )
    rejected = "make a" if request == first else "make b"
    prompts = [item["text"] for item in items if item["kind"] == "user_message"]
    assert f"I rejected this ({rejected}) because: Not now." in prompts


def test_a_request_can_be_taken_back(user: httpx.Client, session_id: str) -> None:
    detail = finished(
        user, start_turn(user, session_id, asking(runs("ls", "c1"), runs("w", "c2"), withdraw=True))
    )
    assert said(detail) == "-32800, -32800"
    assert {p["outcome"] for p in permissions(detail)} == {"Withdrawn by the agent"}
    assert {p["state"] for p in permissions(detail)} == {"cancelled"}


def test_a_question_is_the_users(user: httpx.Client, session_id: str) -> None:
    options = [
        {"optionId": f"q0_opt_{n}", "name": name, "kind": "allow_once"}
        for n, name in enumerate(("red", "blue"))
    ]
    call = {"toolCallId": "q", "title": "Which colour?", "kind": "other"}
    prompt = asking(call, options=options)
    turn = start_turn(user, session_id, prompt, policy="allow-all", allow=["read", "edit"])
    assert pending(user, session_id)["rule"] == ""
    answer(user, session_id, option_id="q0_opt_1").raise_for_status()
    assert said(finished(user, turn)) == "q0_opt_1"


def test_a_kernel_adds_no_rule_and_removes_no_denial(
    server: JupyterServer, user: httpx.Client
) -> None:
    kernel = server.start_kernel("rules.ipynb")
    session_id = kernel.request("POST", "sessions", {"agent": "asks"}).json()["session_id"]
    prompt = {"prompt": asking(runs("ls", "c1"), runs("rm a", "c2"))}
    turn = kernel.request("POST", f"sessions/{session_id}/prompt", prompt).json()["turn_id"]
    request_id = pending(user, session_id)["request_id"]
    body = {"option_id": "yes", "remember": "session"}
    path = f"sessions/{session_id}/permissions/{request_id}"
    assert kernel.request("POST", path, body).status_code == 403
    answer(user, session_id, **body).raise_for_status()
    answer(user, session_id, option_id="no", remember="session").raise_for_status()
    finished(user, turn)
    entries = {
        entry["text"]: entry["rule"]["id"] for entry in kernel.request("GET", "rules").json()
    }
    assert set(entries) == {"execute:ls", "execute:rm a"}
    other = server.start_kernel("other.ipynb")
    assert other.request("GET", "rules").json() == []
    unseen = other.request("DELETE", f"rules/{entries['execute:ls']}")
    assert (unseen.status_code, unseen.json()["reason"]) == (400, "bad_request")
    denial = kernel.request("DELETE", f"rules/{entries['execute:rm a']}")
    assert (denial.status_code, denial.json()["reason"]) == (403, "not_allowed")
    removed = kernel.request("DELETE", f"rules/{entries['execute:ls']}")
    assert (removed.status_code, removed.json()) == (200, {})
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_rules_are_kept_with_the_session(server: JupyterServer, user: httpx.Client) -> None:
    session_id = open_session(user, "asks")
    start_turn(user, session_id, asking(runs("ls")))
    answer(user, session_id, option_id="yes", remember="session").raise_for_status()
    log = user.get(f"sessions/{session_id}/traffic").text
    notes = [json.loads(line)["m"] for line in log.splitlines()]
    changed = [note for note in notes if note.get("note") == "rules_changed"]
    assert [rule["pattern"] for rule in changed[-1]["rules"]] == ["ls"]
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_rules_of_an_imported_log_are_none_here(user: httpx.Client, session_id: str) -> None:
    turn = start_turn(user, session_id, asking(runs("ls")))
    answer(user, session_id, option_id="yes", remember="session").raise_for_status()
    finished(user, turn)
    before = user.get("rules").json()
    assert [entry["text"] for entry in before] == ["execute:ls"]
    log = user.get(f"sessions/{session_id}/traffic").content
    assert b"rules_changed" in log
    imported = user.post("import", content=log).json()["session_id"]
    assert user.get("rules").json() == before
    assert user.get("rules", params={"session_id": imported}).json() == []
    assert user.get(f"sessions/{imported}").json()["rules"] == []
    assert user.get("rules", params={"session_id": "none"}).status_code == 404
    user.delete(f"sessions/{imported}").raise_for_status()
