"""Questions of agents, from the agent's line to its answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import BadRequest, InvalidAnswers, QuestionGone, QuestionSettled
from acp_jupyter.host.requests.elicitation import Outcome, QuestionWithdrawn
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.items import Elicitation
from acp_jupyter.transcript.output.bundle import build_bundle
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.wait import PATIENCE_SECONDS, eventually


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"elicit": script("elicit")}) as driver:
        yield driver


def question(session: Session) -> Elicitation:
    items = session.transcript.items
    return next(item for item in reversed(items) if isinstance(item, Elicitation))


def asked(driver: Driver, text: str, **more: Any) -> tuple[Session, str, str]:
    """Return a session whose agent waits for an answer, its turn and the request."""
    session = driver.open("elicit")
    turn_id = driver.prompt(session, text, **more)
    return session, turn_id, driver.asked(session)


def answer(driver: Driver, session: Session, request: str, action: str, **content: Any) -> str:
    result: str = driver.run(
        lambda: session.turns.elicitations.answer(request, action, content)  # type: ignore[arg-type]
    )
    return result


def told(driver: Driver, session: Session) -> Any:
    """Return what the agent says it was answered."""
    return [json.loads(line) for line in driver.text(session).splitlines()]


def test_a_form_is_asked_whole_and_answered_once(driver: Driver) -> None:
    session, turn_id, request = asked(driver, "form")
    item = question(session)
    assert (item.title, item.heading) == ("Question from elicit", "Chart")
    assert session.state.waiting == 1
    assert session.transcript.turns[turn_id].status == "requires_action"
    fields = {field.name: field for field in item.fields}
    assert [choice.label for choice in fields["colour"].choices] == ["Red", "Green"]
    assert fields["colour"].default == "green"
    assert fields["colour"].required
    assert fields["grid"].default is True
    assert fields["columns"].type == "choices"
    assert fields["spin"].type == "unknown"
    assert "quaternion" in fields["spin"].words
    given = {"colour": "red", "points": "12", "grid": False, "columns": ["b", "b"], "note": ""}
    assert answer(driver, session, request, "accept", **given) == "accept"
    driver.done(session, turn_id)
    sent = {"colour": "red", "points": 12, "grid": False, "columns": ["b"]}
    assert told(driver, session) == [{"action": "accept", "content": sent}]
    item = question(session)
    assert item.state == "accepted"
    said = {answered.label: answered.text for answered in item.answers}
    assert said == {"Which colour?": "Red", "Points": "12", "Grid": "No", "Columns": "b"}
    with pytest.raises(QuestionSettled):
        answer(driver, session, request, "decline")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_nothing_but_a_yes_sends_anything(driver: Driver, action: str) -> None:
    session, turn_id, request = asked(driver, "simple")
    answer(driver, session, request, action)
    driver.done(session, turn_id)
    assert told(driver, session) == [{"action": action}]
    assert question(session).answers == ()
    assert session.state.waiting == 0


def test_answers_that_do_not_fit_are_told_by_field_and_not_sent(driver: Driver) -> None:
    session, _, request = asked(driver, "form")
    bad = {
        "points": 101,
        "share": "much",
        "grid": "yes",
        "columns": ["d"],
        "mail": "nobody",
        "note": "x" * 21,
        "sneaked": "in",
    }
    with pytest.raises(InvalidAnswers) as caught:
        answer(driver, session, request, "accept", **bad)
    assert caught.value.fields.keys() == {*bad, "colour"}
    assert caught.value.status == 400
    assert question(session).state == "pending"
    answer(driver, session, request, "decline")


def test_the_default_of_a_field_is_no_answer(driver: Driver) -> None:
    session, _, request = asked(driver, "simple")
    with pytest.raises(InvalidAnswers) as caught:
        answer(driver, session, request, "accept")
    assert caught.value.fields == {"name": "Needs an answer."}


def test_a_secret_goes_to_the_agent_and_is_kept_nowhere(driver: Driver) -> None:
    session, turn_id, request = asked(driver, "form")
    secret = "hunter2-much-longer"
    given = {"colour": "red", "points": 1, "api_key": secret}
    answer(driver, session, request, "accept", **given)
    driver.done(session, turn_id)
    driver.run(session.journal.flush)
    # What the agent itself repeats of it is the agent's own.
    assert secret in driver.text(session)
    lines = session.journal.log.path.read_text().splitlines()
    ours = "\n".join(line for line in lines if "agent_message_chunk" not in line)
    assert secret not in ours + question(session).model_dump_json()
    assert '"api_key":"(not kept)"' in ours


def test_several_questions_wait_side_by_side(driver: Driver) -> None:
    session = driver.open("elicit")
    turn_id = driver.prompt(session, "two")
    eventually(lambda: session.state.waiting == 2)
    first, second = sorted(session.transcript.request_items, key=lambda name: int(name[1:]))
    answer(driver, session, second, "accept", name="Bob")
    assert session.transcript.turns[turn_id].status == "requires_action"
    answer(driver, session, first, "decline")
    driver.done(session, turn_id)
    accepted = {"action": "accept", "content": {"name": "Bob"}}
    assert told(driver, session) == [{"action": "decline"}, accepted]


def test_stop_cancels_the_question(driver: Driver) -> None:
    session, turn_id, request = asked(driver, "simple")
    driver.run(session.cancel)
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    assert question(session).outcome == "Not answered: turn stopped"
    with pytest.raises(QuestionSettled):
        answer(driver, session, request, "accept", name="late")
    driver.run(session.journal.flush)
    log = session.journal.log.path.read_text()
    assert log.count('"elicitation_settled"') == 1


def test_a_question_dies_with_its_agent(driver: Driver) -> None:
    session, turn_id, request = asked(driver, "die")
    assert driver.done(session, turn_id).stop_reason == "error"
    eventually(lambda: question(session).state == "expired")
    assert session.state.waiting == 0
    with pytest.raises(QuestionGone):
        answer(driver, session, request, "accept", name="late")


def test_the_agent_takes_a_question_back(driver: Driver) -> None:
    session = driver.open("elicit")
    driver.done(session, driver.prompt(session, "withdraw"))
    assert question(session).outcome == "Withdrawn by the agent"
    assert told(driver, session)[0]["code"] == -32800


def test_the_agent_takes_a_question_back_before_it_is_put(driver: Driver) -> None:
    """Both lines may come at once."""
    session = driver.open("elicit")
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    params = {"sessionId": "s", "mode": "form", "message": "Who?", "requestedSchema": schema}
    asks = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params}
    questions = session.turns.elicitations

    async def withdrawn() -> None:
        number = next(session.journal.sequence)
        session.journal.enter(TrafficEntry(number, 1.0, "<", asks))
        questions.withdraw(f"e{number}")
        questions.withdraw("e999")
        with pytest.raises(QuestionWithdrawn):
            await questions.ask(f"e{number}")
        answer = {"jsonrpc": "2.0", "id": "q", "error": {"code": -32800, "message": "Cancelled"}}
        session.journal.enter(
            TrafficEntry(next(session.journal.sequence), 2.0, ">", answer, number)
        )

    driver.result(withdrawn())
    assert question(session).outcome == "Withdrawn by the agent"
    assert session.state.waiting == 0


def test_a_stop_may_come_before_the_question_is_put(driver: Driver) -> None:
    """The agent is told, as the protocol wants it, that its question is cancelled."""
    session = driver.open("elicit")
    turn_id = driver.prompt(session, "simple")
    eventually(lambda: session.state.waiting == 1, what="the first question waits")
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    params = {"sessionId": "s", "mode": "form", "message": "Who?", "requestedSchema": schema}
    asks = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params}

    async def stopped() -> Outcome:
        number = next(session.journal.sequence)
        session.journal.enter(TrafficEntry(number, 1.0, "<", asks))
        session.turns.elicitations.cancel_all()
        return await asyncio.wait_for(
            session.turns.elicitations.ask(f"e{number}"), PATIENCE_SECONDS
        )

    assert driver.result(stopped()) == Outcome("cancel")
    driver.done(session, turn_id)


@pytest.mark.parametrize("policy", ["ask", "allow-all", "deny"])
def test_where_nobody_can_be_asked_no_policy_answers(driver: Driver, policy: Policy) -> None:
    session = driver.open("elicit")
    turn_id = driver.prompt(session, "simple", policy=policy, can_ask=False)
    turn = driver.done(session, turn_id)
    assert turn.failure is not None
    assert turn.failure.reason == "nobody_to_ask"
    assert "Nobody could be asked" in question(session).outcome
    session.journal.flush()
    entries = read_log(session.journal.log.path.read_bytes().splitlines())
    sent = [each.message for each in entries if isinstance(each, TrafficEntry) and each.re]
    assert {"action": "cancel"} in [message.get("result") for message in sent]


def test_a_page_is_opened_only_by_consent(driver: Driver) -> None:
    session, turn_id, request = asked(driver, "url https://example.org:8443/a?b=c#d")
    item = question(session)
    assert item.url == "https://example.org:8443/a?b=c#d"
    assert item.host == "example.org:8443"
    with pytest.raises(BadRequest):
        answer(driver, session, request, "accept", name="no form")
    answer(driver, session, request, "accept")
    driver.done(session, turn_id)
    assert told(driver, session) == [{"action": "accept"}]
    assert question(session).outcome == "Link opened. The agent says that it is done."


def test_what_was_done_elsewhere_is_not_asked_any_more(driver: Driver) -> None:
    session = driver.open("elicit")
    driver.done(session, driver.prompt(session, "elsewhere https://example.org/"))
    assert question(session).outcome == "No longer needed: it was done elsewhere"
    assert told(driver, session) == [{"action": "cancel"}]


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://",
        "https://evil.org\\@good.org/",
        "https://go\tod.org",
        "https://%65vil.org",
        "https://good.org\u202e/",
        "https://[::1",
        "https://good.org@evil.org/",
        "https://good.org:443@evil.org/",
        "https://:@evil.org/",
        "https://fa\u00df.de/",
        "https://2130706433/",
        "data:text/html,<script>alert(1)</script>",
        "ftp://example.org/",
        "blob:https://example.org/1",
        "//example.org/",
        "/lab",
        "x" * 9000,
    ],
)
def test_an_address_that_must_not_be_opened_is_refused_in_words(driver: Driver, url: str) -> None:
    session = driver.open("elicit")
    raw = {"mode": "url", "message": "Go", "url": url, "elicitationId": "p"}
    driver.done(session, driver.prompt(session, "raw " + json.dumps(raw)))
    item = question(session)
    assert (item.state, item.url) == ("cancelled", "")
    assert "Could not be asked" in item.outcome
    assert told(driver, session)[0]["code"] == -32602


@pytest.mark.parametrize(
    "raw",
    [
        {"mode": "telepathy", "message": "?"},
        {"mode": "form", "message": "?", "requestedSchema": {"type": "object", "required": ["x"]}},
        {
            "mode": "form",
            "message": "?",
            "requestedSchema": {
                "type": "object",
                "properties": {f"f{n}": {"type": "string"} for n in range(101)},
            },
        },
        {"mode": "form", "message": "?", "requestedSchema": {"properties": {"a": 1}}},
        {"mode": "form"},
    ],
)
def test_what_cannot_be_asked_is_refused_and_blocks_nothing(
    driver: Driver, raw: dict[str, Any]
) -> None:
    session = driver.open("elicit")
    turn = driver.done(session, driver.prompt(session, "raw " + json.dumps(raw)))
    assert turn.stop_reason == "end_turn"
    assert told(driver, session)[0]["code"] == -32602
    assert session.state.waiting == 0
    assert question(session).state == "cancelled"


def test_the_record_shows_question_and_answer(driver: Driver) -> None:
    session, turn_id, request = asked(driver, "simple")
    answer(driver, session, request, "accept", name="*Ada*")
    turn = driver.done(session, turn_id)
    bundle = build_bundle(turn, session.transcript.turn_items(turn_id), session.state)
    markdown = str(bundle.data["text/markdown"])
    assert "> **Question from elicit**" in markdown
    assert "> Who are you?" in markdown
    assert "> Your name: **\\*Ada\\***" in markdown
