"""What an agent said in a turn, as models of the protocol's SDK, read from the session's log.

The SDK is imported by who asks for them, and by nobody else: that takes the most of a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.normalise import normalise_clean
from acp_jupyter.protocol.objects import Obj, obj


def updates_of(log: Iterable[bytes], turn_id: str) -> Iterator[Any]:
    """Yield the updates of a turn in their order, from pieces of the log.

    Not those of its subagents, and nothing that the agent told again of earlier turns. An update
    that no model of the SDK takes comes as the agent wrote it, as a dict.
    """
    from acp.schema import SessionNotification

    for params in _told(log, turn_id):
        try:
            yield SessionNotification.model_validate(params).update
        except ValidationError:
            yield params.get("update")


def _told(log: Iterable[bytes], turn_id: str) -> Iterator[Obj]:
    running = replayed = False
    session_id = ""
    for line in _lines(log):
        entry = obj(read_json(line.decode("utf-8", "replace")))
        message = obj(entry.get("m"))
        match message.get("note") if entry.get("d") == "!" else None:
            case "session_attached":
                session_id = str(message.get("agent_session_id"))
            case "replay_started" | "replay_ended" as note:
                replayed = note == "replay_started"
            case "turn_started":
                if running:
                    return
                running = message.get("turn_id") == turn_id
            case _:
                pass
        if running and not replayed and entry.get("d") == "<":
            for said in normalise_clean(message):
                params = obj(said.get("params"))
                its = params.get("sessionId") in {session_id, ""}
                if said.get("method") == "session/update" and its:
                    yield params


def _lines(log: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in log:
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole
    if rest:
        yield rest
