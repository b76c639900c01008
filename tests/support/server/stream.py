"""The WebSocket of a page, in the words of a test."""

from __future__ import annotations

import itertools
import json
import time
from types import TracebackType
from typing import Any, Self

from websockets.sync.client import ClientConnection

from tests.support.transcript.event_view import View
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["Page"]

Json = dict[str, Any]


class Page:
    """Reads frames in order; keeps a `View` of every session it follows."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self.views: dict[str, View] = {}
        self.hello: Json = {}

    def __enter__(self) -> Self:
        self._socket.__enter__()
        self.hello = self.until("hello")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.__exit__(kind, error, traceback)

    def send(self, frame: Json) -> None:
        self._socket.send(json.dumps(frame))

    def exchange(self, text: str | bytes) -> Json:
        """Send anything and return the error that it earns."""
        self._socket.send(text)
        return self.until("error")

    def next(self, seconds: float = PATIENCE_SECONDS) -> Json:
        """Return the next frame; events are applied to their view first."""
        frame: Json = json.loads(self._socket.recv(timeout=seconds))
        if frame["type"] == "events":
            self.views.setdefault(frame["session_id"], View()).apply(frame)
        return frame

    def until(self, kind: str, **fields: Any) -> Json:
        """Return the next frame of a type that has these fields."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            frame = self.next(max(0.01, deadline - time.monotonic()))
            if frame["type"] == kind and fields.items() <= frame.items():
                return frame

    def follow(self, session_id: str, after: int | None = None, epoch: str = "") -> View:
        """Subscribe and wait for the first events."""
        self.send({"type": "subscribe", "session_id": session_id, "after": after, "epoch": epoch})
        self.until("events", session_id=session_id)
        return self.views[session_id]

    def follow_until_done(self, session_id: str, turn_id: str) -> View:
        """Read on until the turn has ended, and acknowledge what comes."""
        view = self.views[session_id]
        while view.turns.get(turn_id, {}).get("status") != "done":
            self.until("events", session_id=session_id)
            self.send({"type": "ack", "session_id": session_id, "seq": view.seq})
        return view

    def command(self, name: str, **fields: Any) -> Json:
        """Send a command and return its reply."""
        frame_id = next(self._ids)
        self.send({"type": "command", "id": frame_id, "command": {"name": name, **fields}})
        return self.until("reply", id=frame_id)
