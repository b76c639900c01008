"""The Claude CLI's question tool, as forms for the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acp.schema import CreateFormSessionElicitationRequest

from tests.support.agents.claude_cli import FakeCli
from tests.support.agents.peer import Json

CAN_ASK: Json = {"elicitation": {"form": {}}}


def asked(folder: Path, answer: Json) -> tuple[Json, Json]:
    """Return what the client is asked, and what the CLI is told."""
    cli = FakeCli(folder)
    with cli.peer({"elicitation/create": lambda _: answer}) as peer:
        turn = peer.prompt(peer.open(folder, CAN_ASK), "question")
    assert "--disallowedTools" not in " ".join(cli.notes("argv")[0])
    (question,) = turn.asked("elicitation/create")
    assert turn.asked("session/request_permission") == []
    return question, json.loads(turn.text)


def test_questions_are_asked_as_one_form_and_answered_in_their_words(tmp_path: Path) -> None:
    content = {"question_0": "red", "question_1": ["red", "green"]}
    question, told = asked(tmp_path, {"action": "accept", "content": content})
    form = CreateFormSessionElicitationRequest.model_validate(question)
    assert form.message == "Colour\nShades"
    assert form.tool_call_id == "t1"
    properties = question["requestedSchema"]["properties"]
    assert [each["title"] for each in properties.values()] == [
        "Which colour?",
        "Other",
        "Which shades?",
        "Other",
    ]
    assert [each["type"] for each in properties.values()] == ["string", "string", "array", "string"]
    assert told["behavior"] == "allow"
    assert told["updatedInput"]["answers"] == {
        "Which colour?": "red",
        "Which shades?": "red, green",
    }
    assert len(told["updatedInput"]["questions"]) == 2


def test_an_answer_of_ones_own_wins(tmp_path: Path) -> None:
    content = {"question_0": "red", "question_0_custom": "blue"}
    _, told = asked(tmp_path, {"action": "accept", "content": content})
    assert told["updatedInput"]["answers"] == {"Which colour?": "blue"}


@pytest.mark.parametrize(
    ("answer", "interrupts"),
    [
        ({"action": "decline"}, False),
        ({"action": "cancel"}, True),
        ({"action": "what"}, False),
        ({}, False),
    ],
)
def test_without_a_yes_nothing_is_answered(tmp_path: Path, answer: Json, interrupts: bool) -> None:
    _, told = asked(tmp_path, answer)
    assert told["behavior"] == "deny"
    assert told.get("interrupt", False) is interrupts


def test_a_client_without_forms_gets_no_questions(tmp_path: Path) -> None:
    cli = FakeCli(tmp_path)
    with cli.peer() as peer:
        peer.prompt(peer.open(tmp_path, {"elicitation": {"url": {}}}), "hello")
    assert "--disallowedTools=AskUserQuestion" in cli.notes("argv")[0]
