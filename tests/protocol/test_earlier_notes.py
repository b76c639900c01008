"""Notes as earlier versions logged them are read: an answer must not be lost by an update."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.notes import read_note
from acp_jupyter.protocol.parse.packet import parse_packet

SETTLED = {"request_id": "r1", "user": "ada", "told": "Ada Lovelace"}


@pytest.mark.parametrize(
    "note",
    [
        {"note": "permission_settled", **SETTLED, "by": "user"},
        {"note": "trust_settled", **SETTLED, "trusted": True},
        {"note": "elicitation_settled", **SETTLED, "by": "user"},
    ],
    ids=lambda note: note["note"],
)
def test_who_answered(note: dict[str, Any]) -> None:
    read = read_note(note)
    assert read is not None
    assert read.model_dump(mode="json")["shown_name"] == "Ada Lovelace"


def test_what_would_be_played() -> None:
    read = read_note(
        {
            "note": "trust_asked",
            "request_id": "r1",
            "agent_name": "Demo",
            "folder": "~/ws",
            "record": "nb.acp",
        }
    )
    assert read is not None
    assert read.model_dump(mode="json")["recording"] == "nb.acp"


def test_what_the_host_asked_for() -> None:
    packet = parse_packet(
        {
            "type": "permission_request",
            "request_id": "r1",
            "wish": "run `ls`",
            "tool_call": {"toolCallId": "c1"},
            "options": [],
        }
    )
    assert packet.model_dump(mode="json")["action"] == "run `ls`"
