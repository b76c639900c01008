"""Lines of traffic as packets: what is remembered from line to line."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from acp_jupyter.protocol.host_events.notes import REPLAYED
from acp_jupyter.protocol.parse import session
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader


class Talk:
    """Reads lines, and numbers them."""

    def __init__(self) -> None:
        self.reader = TrafficReader()
        self._seq = 0

    def say(self, side: Literal[">", "<", "!"], re: int | None = None, **message: Any) -> list[Any]:
        self._seq += 1
        return list(self.reader.read(TrafficEntry(self._seq, 1.0, side, message, re)))

    def note(self, note: str, **fields: Any) -> list[Any]:
        return self.say("!", note=note, **fields)

    def update(self, kind: str, **fields: Any) -> list[Any]:
        params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}
        return self.say("<", method="session/update", params=params)

    def chunk(self, kind: str, text: str) -> list[Any]:
        return self.update(kind, content={"type": "text", "text": text})


def _opened(name: str) -> dict[str, str]:
    return {"session_id": "s", "agent_id": "demo", "agent_name": name, "cwd": "/", "folder": "/"}


@pytest.mark.parametrize(("name", "played"), [("Demo", False), (f"Demo{REPLAYED}", True)])
@pytest.mark.parametrize("version", [1, 2])
def test_a_reader_goes_on_where_it_was_saved(name: str, played: bool, version: int) -> None:
    talk = Talk()
    talk.note("session_opened", **_opened(name))
    talk.say(">", id=0, method="initialize", params={"protocolVersion": version})
    talk.say("<", 2, id=0, result={"protocolVersion": version, "capabilities": {}, "info": {}})
    talk.say(">", id=1, method="session/prompt", params={"sessionId": "s", "prompt": []})
    saved = talk.reader.saved()
    assert saved is not None
    assert saved["played"] is played
    assert (saved["version_2"] is not None) == (version == 2)
    assert TrafficReader.of_saved(saved).saved() == saved


def test_nothing_is_saved_while_a_history_is_told() -> None:
    talk = Talk()
    talk.note("replay_started", keep=True)
    assert talk.reader.saved() is None
    assert talk.chunk("user_message_chunk", "") == []
    assert talk.chunk("agent_message_chunk", "Ready.")[0].type == "agent_message_chunk"
    assert talk.chunk("user_message_chunk", "One") == []
    queued, *_, said = talk.chunk("agent_message_chunk", "1")
    assert (queued.note, queued.prompt) == ("turn_queued", ({"type": "text", "text": "One"},))
    assert said.type == "agent_message_chunk"
    assert talk.note("replay_ended")
    assert talk.reader.saved() is not None


def test_the_state_of_a_login_is_answered_or_told() -> None:
    talk = Talk()
    status = {"authenticated": True}
    told = talk.say("<", method="_auth/status_update", params=status)
    talk.say(">", id=3, method="auth/status", params={})
    assert talk.say("<", 2, id=3, result=status) == told
    assert len(told) == 1


def test_parameters_that_are_no_object_are_none() -> None:
    for method in session.CALL_CANCELS:
        assert len(Talk().say(">", method=method, params=[])) == 1
