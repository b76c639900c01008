"""Drives a host from a test's thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from acp_jupyter.errors import PermissionSettled
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.prompts import Prompt
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import TurnState
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["Driver", "driving"]

T = TypeVar("T")


class Driver:
    """One host, and the folder that its agents work in."""

    def __init__(self, host: AgentHost, root: Path) -> None:
        self.host = host
        self.root = root

    def run(self, work: Callable[[], Any]) -> Any:
        async def call() -> Any:
            return work()

        return self.result(call())

    def result(self, work: Coroutine[Any, Any, T]) -> T:
        """Have the host do it, and wait for what comes of it."""
        return self.host.submit(work).result(PATIENCE_SECONDS)

    def open(self, agent: str, **more: Any) -> Session:
        session: Session = self.run(lambda: self.host.open(agent, self.root, **more))
        return session

    def prompt(self, session: Session, text: str = "Go", **more: Any) -> str:
        turn_id: str = self.run(lambda: session.prompt(Prompt(text, **more)))
        return turn_id

    def done(self, session: Session, turn_id: str) -> TurnState:
        ended = self.host.submit(session.journal.wait_turn(turn_id, PATIENCE_SECONDS)).result()
        assert ended, session.transcript.turns[turn_id]
        return session.transcript.turns[turn_id]

    def asked(self, session: Session) -> str:
        return eventually(lambda: next(iter(session.transcript.request_items), ""))

    def answer(self, session: Session, request_id: str, option_id: str | None) -> None:
        self.run(lambda: session.turns.permissions.answer(request_id, option_id))

    def answer_open(self, session: Session, option_id: str | None) -> None:
        """Answer all that is asked now, but for what a turn's end or an answer has settled."""
        for request_id in tuple(session.transcript.request_items):
            with contextlib.suppress(PermissionSettled):
                self.answer(session, request_id, option_id)

    def text(self, session: Session) -> str:
        state = session.transcript
        items = state.window(0, len(state.items))
        return "".join(item.text for item in items if item.kind == "agent_message")


@contextlib.contextmanager
def driving(
    folder: Path,
    agents: Mapping[str, Mapping[str, Any]],
    limits: Limits | None = None,
    **more: Any,
) -> Iterator[Driver]:
    """Run a host with these agents; they work in ``folder/ws``, which is trusted."""
    root = folder / "ws"
    root.mkdir(exist_ok=True)
    config = HostConfig(
        Registry(agents, []),
        root,
        folder / "data",
        limits=limits or PATIENT,
        trust=trusting(folder),
        **more,
    )
    host = AgentHost(config)
    host.start()
    try:
        yield Driver(host, root)
    finally:
        host.stop()
