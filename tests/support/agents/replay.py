"""The replay agent as a process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.agents.peer import Handler, Json, Peer, Turn
from tests.support.agents.replay_log import Score

__all__ = ["METHODS", "asked_score", "error_of", "leave_open", "playing", "texts"]

METHODS = {
    "permission": "session/request_permission",
    "read": "fs/read_text_file",
    "write": "fs/write_text_file",
    "create": "terminal/create",
    "output": "terminal/output",
}


@contextmanager
def playing(log: Score | Path, ws: Path, *args: str, **handlers: Handler) -> Iterator[Peer]:
    """Play a log, flat unless ``args`` say otherwise; handlers are named as in `METHODS`."""
    path = log if isinstance(log, Path) else log.write(ws.parent / "log.jsonl")
    command = [sys.executable, "-m", "acp_jupyter.agents.replay", str(path), *args]
    with Peer([*command, *([] if "--speed" in args else ["--speed", "flat"])]) as peer:
        peer.handlers |= {METHODS[name]: handler for name, handler in handlers.items()}
        yield peer


def leave_open(_: Json) -> None:
    """Let the test answer."""


def error_of(turn: Turn) -> str:
    message = turn.answer["error"]["message"]
    assert isinstance(message, str)
    return message


def texts(peer: Peer) -> list[str]:
    updates = [m["params"]["update"] for m in peer.log if m.get("method") == "session/update"]
    return [u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_message_chunk"]


def asked_score(option_id: str = "y") -> Score:
    """A turn whose permission was answered with that option."""
    score = Score()
    score.open()
    prompt = score.prompt("Paint it")
    score.update("tool_call", toolCallId="c1", title="Paint", kind="edit", status="pending")
    score.choose(score.ask_permission(), option_id)
    score.update("tool_call_update", toolCallId="c1", status="completed")
    score.end(prompt)
    return score
