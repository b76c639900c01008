"""Questions of an agent: what became of each, and who still waits for an answer."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.notes import AgentExited
from acp_jupyter.protocol.host_events.session import ElicitationSettled
from acp_jupyter.transcript.model.items import EXPIRED, Elicitation
from tests.support.transcript.traffic import Script

Json = dict[str, Any]
FORM: Json = {
    "mode": "form",
    "message": "Which?",
    "requestedSchema": {"type": "object", "properties": {"colour": {"type": "string"}}},
}
PAGE: Json = {"mode": "url", "message": "Log in", "url": "https://a.b/c", "elicitationId": "u"}
IMPOSSIBLE: Json = {**FORM, "requestedSchema": {"required": ["colour"]}}


class Talk(Script):
    """A session whose agent asks."""

    def asks(self, params: Json) -> str:
        message = {"id": 9, "method": "elicitation/create", "params": {"sessionId": "a1", **params}}
        return f"e{self.line('<', message)}"

    def answers(self, request_id: str, **result: Any) -> None:
        self.line(">", {"id": 9, "result": result}, int(request_id[1:]))

    def settles(self, request_id: str, by: Any, shown_name: str = "") -> None:
        self.note(ElicitationSettled(request_id=request_id, by=by, shown_name=shown_name))

    @property
    def only(self) -> Elicitation:
        (item,) = (item for item in self.transcript.items if isinstance(item, Elicitation))
        return item

    @property
    def waits(self) -> tuple[int, str]:
        session = self.transcript.session
        return session.waiting, session.status


WAITS = (1, "requires_action")
GOES_ON = (0, "running")


def test_a_question_waits_for_its_answer() -> None:
    talk = Talk()
    talk.turn()
    asked = talk.asks(FORM)
    assert (talk.only.state, talk.only.outcome, talk.waits) == ("pending", "", WAITS)
    talk.answers(asked, action="accept", content={"colour": "red"})
    assert (talk.only.state, talk.only.outcome, talk.waits) == ("accepted", "Answered", GOES_ON)
    assert [answer.text for answer in talk.only.answers] == ["red"]


def test_a_question_that_nobody_can_be_asked_does_not_wait() -> None:
    talk = Talk()
    talk.turn()
    talk.asks(IMPOSSIBLE)
    assert (talk.only.state, talk.waits) == ("cancelled", GOES_ON)
    assert talk.only.outcome.startswith("Could not be asked. The form requires 'colour'")


@pytest.mark.parametrize(
    ("by", "state", "outcome"),
    [
        ("agent_exited", "expired", "Expired: the agent stopped"),
        ("turn_cancelled", "cancelled", "Not answered: turn stopped"),
    ],
)
def test_a_question_ends_with_its_agent_or_turn_before_any_answer(
    by: str, state: str, outcome: str
) -> None:
    talk = Talk()
    talk.turn()
    talk.settles(talk.asks(FORM), by)
    assert (talk.only.state, talk.only.outcome, talk.waits) == (state, outcome, GOES_ON)


@pytest.mark.parametrize("name", ["Ann", ""])
def test_who_answered_is_told_where_that_is_known(name: str) -> None:
    talk = Talk()
    talk.turn()
    asked = talk.asks(FORM)
    talk.events.clear()
    talk.settles(asked, "user", name)
    assert (talk.only.answered_by, talk.only.state) == (name, "pending")
    assert [event.kind for event in talk.events] == (["item_replaced"] if name else [])


@pytest.mark.parametrize("by", ["user", "agent_exited", "turn_cancelled"])
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_what_is_said_of_a_question_that_nobody_knows_changes_nothing(by: str, action: str) -> None:
    talk = Talk()
    talk.turn()
    talk.settles("e77", by, "Ann")
    talk.imported({"type": "elicitation_response", "requestId": "e77", "action": action})
    assert (len(talk.transcript.items), talk.waits) == (1, GOES_ON)


@pytest.mark.parametrize(
    ("by", "reason", "state", "outcome"),
    [
        ("", EXPIRED, "expired", EXPIRED),
        ("", "Another reason", "cancelled", "Another reason"),
        ("", "", "cancelled", "Dismissed"),
        ("user", EXPIRED, "cancelled", EXPIRED),
        ("withdrawn", "", "cancelled", "Withdrawn by the agent"),
    ],
)
def test_why_a_question_was_cancelled(by: str, reason: str, state: str, outcome: str) -> None:
    """A stream of ours, which has no notes of the host, gives the reason in the answer."""
    talk = Talk()
    talk.turn()
    asked = talk.asks(FORM)
    if by:
        talk.settles(asked, by)
    told = {"type": "elicitation_response", "requestId": asked, "action": "cancel"}
    talk.imported({**told, "reason": reason})
    assert (talk.only.state, talk.only.outcome) == (state, outcome)


def test_a_dead_agents_questions_expire_beside_its_permission_requests() -> None:
    talk = Talk()
    talk.turn()
    talk.asks(FORM)
    talk.ask({"toolCallId": "c1", "title": "x", "kind": "edit"})
    assert talk.waits == (2, "requires_action")
    talk.note(AgentExited(words="was killed"))
    assert (talk.only.state, talk.transcript.session.waiting) == ("expired", 0)


def test_a_page_is_done_when_the_agent_says_so() -> None:
    talk = Talk()
    talk.turn()
    talk.answers(talk.asks(PAGE), action="accept")
    assert talk.only.outcome == "Link opened"
    done = {"method": "elicitation/complete", "params": {"elicitationId": "u"}}
    talk.line("<", done)
    assert talk.only.outcome == "Link opened. The agent says that it is done."
