"""An agent that writes a secret into a file hides nothing of what it asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.wait import eventually

REDACTED = "[redacted]"
PLANTED = "rm -rf ../important"
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
FIELDS: dict[str, dict[str, Any]] = {
    "a command": {"kind": "execute", "rawInput": {"command": f"make; {PLANTED}"}},
    "its title": {"kind": "execute", "title": f"make; {PLANTED}"},
    "an unknown field": {"kind": "other", "rawInput": {"what": [{"do": PLANTED}]}},
    "a place": {"kind": "edit", "locations": [{"path": f"ROOT/{PLANTED}.py"}]},
    "an edit": {
        "kind": "edit",
        "content": [{"type": "diff", "path": "ROOT/a.py", "oldText": None, "newText": PLANTED}],
    },
}


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    with driving(tmp_path_factory.mktemp("host"), {"scripted": script("terminal_script")}) as it:
        it.root.mkdir(exist_ok=True)
        plant(it.root, PLANTED)
        yield it


def plant(root: Path, *values: str) -> None:
    """Write what an agent could write by itself, at any time."""
    lines = (f"DEPLOY_{number}_KEY={value}\n" for number, value in enumerate(values))
    (root / ".env").write_text("".join(lines))


def asks(driver: Driver, fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the steps of an agent that asks for a call which it has announced."""
    text = json.dumps({"toolCallId": "c1", "title": "Work", "status": "pending", **fields})
    call = json.loads(text.replace("ROOT", str(driver.root)))
    params = {"toolCall": call, "options": OPTIONS}
    return [{"ask": "session/request_permission", "params": params}]


def card(session: Session) -> ToolCall:
    """Return the newest tool call."""
    calls = (item for item in session.journal.transcript.items if isinstance(item, ToolCall))
    return list(calls)[-1]


@pytest.mark.parametrize("policy", ["ask", "accept-edits", "allow-all"])
@pytest.mark.parametrize("where", FIELDS)
def test_it_is_seen_whole_and_nobody_else_allows_it(
    driver: Driver, where: str, policy: Policy
) -> None:
    session = driver.open("scripted", policy=policy)
    turn_id = driver.prompt(session, json.dumps(asks(driver, FIELDS[where])))
    request_id = driver.asked(session)
    eventually(lambda: (asked := card(session).permission) and asked.cautions)
    asked = card(session)
    assert asked.permission is not None
    shown = asked.model_dump_json()
    assert PLANTED in shown
    assert REDACTED not in shown
    assert ".env" in " ".join(asked.permission.cautions)
    assert (asked.permission.rule, asked.permission.wider_rules) == ("", ())

    driver.answer(session, request_id, "no")
    driver.done(session, turn_id)
    told = card(session).model_dump_json()
    assert PLANTED not in told
    assert REDACTED in told
    driver.run(session.journal.flush)
    log = next(driver.root.parent.rglob(f"{session.session_id}/traffic.ndjson"))
    assert PLANTED not in log.read_text()


def test_what_no_question_is_about_is_hidden(driver: Driver) -> None:
    """What a tool call gives, and what the agent says."""
    session = driver.open("scripted", policy="ask")
    params = {
        "toolCall": {
            **{"toolCallId": "c1", "title": "Read", "kind": "read", "status": "pending"},
            "content": [{"type": "content", "content": {"type": "text", "text": PLANTED}}],
            "rawOutput": {"found": PLANTED},
        },
        "options": OPTIONS,
    }
    steps = [{"ask": "session/request_permission", "params": params}]
    turn_id = driver.prompt(session, json.dumps(steps))
    request_id = driver.asked(session)
    assert PLANTED not in card(session).model_dump_json()
    driver.answer(session, request_id, "no")
    driver.done(session, turn_id)


@pytest.mark.parametrize("background", [False, True])
def test_a_call_that_nobody_was_asked_about_has_none_once_its_turn_has_ended(
    driver: Driver, background: bool
) -> None:
    """Also one that goes on in the background: what is saved of the turn has it."""
    session = driver.open("scripted", policy="ask")
    raw_input = {"command": f"make; {PLANTED}", "run_in_background": background}
    call = {"toolCallId": "b1", "title": "Work", "kind": "execute", "rawInput": raw_input}
    begun = {"sessionUpdate": "tool_call", "status": "in_progress", **call}
    turn_id = driver.prompt(session, json.dumps([{"update": begun}]))
    driver.done(session, turn_id)
    assert PLANTED not in card(session).model_dump_json()


def test_a_command_that_runs_by_a_yes_has_none(driver: Driver) -> None:
    session = driver.open("scripted", policy="ask")
    begun = {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "in_progress"}
    again = {"rawInput": {"command": f"make; {PLANTED}"}}
    steps = [*asks(driver, FIELDS["a command"]), {"update": {**begun, **again}}, {"rest": 60}]
    turn_id = driver.prompt(session, json.dumps(steps))
    driver.answer(session, driver.asked(session), "yes")
    eventually(lambda: card(session).status == "in_progress")
    assert PLANTED not in card(session).model_dump_json()
    driver.run(lambda: session.cancel(turn_id))
    driver.done(session, turn_id)


def test_too_many_are_hidden_and_only_a_person_allows_it(driver: Driver) -> None:
    """Each that is shown costs a search later."""
    many = [f"{PLANTED}-{number:02}" for number in range(21)]
    plant(driver.root, *many)
    session = driver.open("scripted", policy="allow-all")
    command = {"kind": "execute", "rawInput": {"command": "; ".join(many)}}
    turn_id = driver.prompt(session, json.dumps(asks(driver, command)))
    request_id = driver.asked(session)
    asked = card(session)
    assert asked.command.count(REDACTED) == len(many)
    driver.answer(session, request_id, "no")
    driver.done(session, turn_id)
    plant(driver.root, PLANTED)
