"""What the modes have in common: an agent that is well-behaved but for one thing."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from _wire import Json, Prompt, Wire, initialize_result, own_name, text_of

__all__ = ["AGAIN", "Mode", "chunk", "hello", "new_session", "notify", "raw_update", "silent"]

AGAIN = "again"


def hello(wire: Wire, session_id: str, text: str) -> str:
    del text
    wire.text(session_id, "Hello.")
    return "end_turn"


def handshake(wire: Wire, message: Json) -> None:
    wire.result(message, initialize_result(own_name()))


def new_session(wire: Wire, message: Json) -> None:
    session_id = f"hazard-{os.getpid()}"
    wire.opened[session_id] = message["params"]
    wire.result(message, {"sessionId": session_id})


def silent(wire: Wire, message: Json) -> None:
    """Answer nothing."""


def refuse(wire: Wire, message: Json) -> None:
    wire.error(message, -32601, "Method not found")


Answer = Callable[[Wire, Json], None]


class Mode(NamedTuple):
    """An agent with one fault, which lies in what is not the default here."""

    prompt: Prompt = hello
    """Returns the stop reason; an empty one when it has answered itself."""
    initialize: Answer = handshake
    new: Answer = new_session
    others: Mapping[str, Answer] = MappingProxyType({})
    """By method; for the rest there is no such method."""
    on_start: Callable[[Wire], None] = lambda wire: None

    def run(self) -> None:
        wire = Wire()
        self.on_start(wire)
        answers = {"initialize": self.initialize, "session/new": self.new, **self.others}
        while (message := wire.next()) is not None:
            method = message.get("method")
            if method == "session/prompt":
                self._turn(wire, message)
            elif method in answers:
                answers[method](wire, message)
            elif method is not None and "id" in message:
                refuse(wire, message)

    def _turn(self, wire: Wire, message: Json) -> None:
        wire.cancelled = False
        session_id, text = message["params"]["sessionId"], text_of(message["params"])
        if text == AGAIN:
            wire.text(session_id, "Still here.")
            wire.result(message, {"stopReason": "end_turn"})
            return
        wire.prompt_id = message["id"]
        reason = self.prompt(wire, session_id, text)
        if reason:
            wire.result(message, {"stopReason": "cancelled" if wire.cancelled else reason})


def chunk(content: Any, **more: Any) -> Json:
    """Return an update with message content of any shape."""
    return {"sessionUpdate": "agent_message_chunk", "content": content, **more}


def notify(wire: Wire, session_id: str, update: Any) -> None:
    """Send an update as it is."""
    wire.send({"method": "session/update", "params": {"sessionId": session_id, "update": update}})


def raw_update(session_id: str, update: Json) -> Json:
    """Return the whole message, to be altered and written by hand."""
    params = {"sessionId": session_id, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}
