"""The sessions that are open at a remote agent, and the state of their turns."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterator, Mapping

from acp_jupyter.agents.remote.link import Json
from acp_jupyter.agents.remote.missed import ReceivedTurn, is_text, prompt_text

_OPENING = frozenset({"session/new", "session/load", "session/resume", "session/fork"})
_HELD_UPDATES = 100_000
_PATIENCE_SECONDS = 30.0


class RemoteSession:
    """A session that is open at the agent.

    Attributes
    ----------
    params
        With which it can be opened again.
    turn
        The running one.
    held
        Messages with text of the turn that came after a gap, and wait for what was lost.
    heard
        When something of it came last, by the event loop's clock.
    """

    def __init__(self, params: Json) -> None:
        self.params = params
        self.turn: ReceivedTurn | None = None
        self.held: list[Json] = []
        self.heard = 0.0


class RemoteSessions:
    """All sessions of one agent, tracked by the messages that pass."""

    def __init__(self) -> None:
        self._sessions: dict[str, RemoteSession] = {}
        self._capabilities: Mapping[str, object] = {}

    def __iter__(self) -> Iterator[tuple[str, RemoteSession]]:
        return iter(tuple(self._sessions.items()))

    def note_initialize(self, answer: Json) -> None:
        """Remember the agent's capabilities."""
        result = answer.get("result")
        capabilities = result.get("agentCapabilities") if isinstance(result, dict) else None
        self._capabilities = capabilities if isinstance(capabilities, dict) else {}

    def can(self, ability: str) -> bool:
        """Return whether the agent can ``load`` or ``resume`` a session."""
        if ability == "load":
            return self._capabilities.get("loadSession") is True
        sessions = self._capabilities.get("sessionCapabilities")
        return isinstance(sessions, dict) and sessions.get(ability) is not None

    def of(self, request: Json) -> tuple[str, RemoteSession | None]:
        """Return the session that a message names."""
        params = request.get("params")
        session_id = str(params.get("sessionId")) if isinstance(params, dict) else ""
        return session_id, self._sessions.get(session_id)

    def note_request(self, message: Json) -> None:
        """Remember the turn that a prompt begins."""
        _, session = self.of(message)
        params = message.get("params")
        if message.get("method") == "session/prompt" and session and isinstance(params, dict):
            session.turn = ReceivedTurn(message.get("id"), prompt_text(params))

    def note_answer(self, request: Json, answer: Json) -> None:
        """Record the session that a response to the host has opened or ended."""
        method, params, result = request.get("method"), request.get("params"), answer.get("result")
        if not isinstance(params, dict):
            return
        session_id, session = self.of(request)
        if method in _OPENING and "error" not in answer:
            opened = result.get("sessionId") if isinstance(result, dict) else None
            again = {name: value for name, value in params.items() if name != "sessionId"}
            self._sessions[opened if isinstance(opened, str) else session_id] = RemoteSession(again)
        elif method == "session/prompt" and session is not None:
            session.turn = None
        elif method in {"session/close", "session/delete"}:
            self._sessions.pop(session_id, None)

    def note_update(self, message: Json) -> None:
        """Record an update of a turn."""
        session_id, update = update_of(message)
        session = self._sessions.get(session_id)
        if session is not None and session.turn is not None and update is not None:
            session.turn.add(update)

    def overdue(self, gaps: Mapping[str, float]) -> bool:
        """Return whether a turn that lost messages is silent for long: its end may be lost too."""
        now = asyncio.get_running_loop().time()
        return any(
            max(gaps[session_id], session.heard) + _PATIENCE_SECONDS < now
            for session_id, session in self
            if session_id in gaps and session.turn is not None
        )

    def hold(self, message: Json, gaps: Container[str]) -> bool:
        """Hold back text after a gap: the end of the turn fetches it with what is lost."""
        session_id, update = update_of(message)
        session = self._sessions.get(session_id)
        if session is not None:
            session.heard = asyncio.get_running_loop().time()
        if session is None or session.turn is None or update is None or not is_text(update):
            return False
        if session_id not in gaps or not self.can("load") or len(session.held) >= _HELD_UPDATES:
            return False
        session.held.append(message)
        return True


def update_of(message: Json) -> tuple[str, Json | None]:
    """Return the session and the update of a ``session/update``; None for other messages."""
    params = message.get("params")
    if message.get("method") != "session/update" or not isinstance(params, dict):
        return "", None
    update = params.get("update")
    return str(params.get("sessionId")), update if isinstance(update, dict) else None
