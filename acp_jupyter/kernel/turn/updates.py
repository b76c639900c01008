"""The updates of a turn as models of the protocol's SDK, read from the session's log.

The SDK takes most of a second to import, so it is imported on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.normalise import normalise_clean
from acp_jupyter.protocol.objects import Obj, obj


def updates_of(log: Iterable[bytes], turn_id: str) -> Iterator[Any]:
    """Yield the updates of a turn in order, from pieces of the log.

    Updates of subagents, and those that the agent replays when it loads a session, are left out.
    An update that fits no model of the SDK is yielded as the dict that the agent sent.
    """
    from acp.schema import SessionNotification

    for params in _notifications(log, turn_id):
        try:
            yield SessionNotification.model_validate(params).update
        except ValidationError:
            yield params.get("update")


def _notifications(log: Iterable[bytes], turn_id: str) -> Iterator[Obj]:
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
