"""Before an agent's first start in a folder its user is asked: agents run what a folder says."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Callable
from pathlib import Path

from acp_jupyter.errors import BadRequest, FolderNotTrusted, PermissionSettled
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.registry.agents import AgentSpec
from acp_jupyter.host.trust_store import TrustStore
from acp_jupyter.packets.permission_notes import TrustAsked, TrustSettled

__all__ = ["TrustGate", "needs_trust", "not_trusted"]

_HARMLESS = frozenset({"acp_jupyter.agents.demo", "acp_jupyter.agents.replay"})
"""Bundled agents that read nothing of a folder that could run."""


def needs_trust(spec: AgentSpec) -> bool:
    """Tell whether an agent may run what a folder configures."""
    match (spec.command, *spec.args):
        case (command, "-P", "-m", module, *_) if command == sys.executable:
            return module not in _HARMLESS
        case _:
            return True


def not_trusted(folder: str) -> FolderNotTrusted:
    """Say that a folder is not trusted, and what to do."""
    return FolderNotTrusted(
        f"Agents have not been allowed to run in {folder} yet.",
        "Agents run what a folder configures: hooks, MCP servers, project instructions. If you "
        "trust what is in it, say so: in the page, with --trust in the first line of the cell, "
        'with connect(..., trust=True), or with "trust": true in a request.',
    )


class TrustGate:
    """Lets a session's agent start once its folder is trusted.

    Parameters
    ----------
    journal
        Of the session.
    spec
        The agent.
    folder
        Of the session.
    store
        The trusted folders.
    nobody_to_ask
        Tells whether no one can ever answer.
    """

    def __init__(
        self,
        journal: Journal,
        spec: AgentSpec,
        folder: Path,
        store: TrustStore,
        nobody_to_ask: Callable[[], bool],
    ) -> None:
        self._journal = journal
        self._spec = spec
        self._folder = folder
        self._store = store
        self._nobody_to_ask = nobody_to_ask
        self._numbers = itertools.count(1)
        self._granted = not needs_trust(spec)
        self._pending: tuple[str, asyncio.Future[bool]] | None = None

    def grant(self) -> None:
        """Trust the folder for this session."""
        self._granted = True
        self._settle(trusted=True, by_user=True)

    def is_open(self) -> bool:
        """Tell whether nobody need be asked. May block on the disk."""
        return self._granted or self._store.trusts(self._folder)

    async def passed(self) -> None:
        """Return once the folder is trusted. The question belongs to a turn, and ends with it.

        Raises
        ------
        FolderNotTrusted
            It is not, or there is no one to ask now.
        """
        if self._granted or await asyncio.to_thread(self.is_open):
            return
        session = self._journal.transcript.session
        if session.active_turn_id is None or self._nobody_to_ask():
            raise not_trusted(session.folder)
        if self._pending is None:
            request_id = f"trust-{self._journal.transcript.seq}-{next(self._numbers)}"
            self._pending = (request_id, asyncio.get_running_loop().create_future())
            self._journal.note(
                TrustAsked(
                    request_id=request_id,
                    agent_name=session.agent_info.name,
                    folder=session.folder,
                )
            )
        if not await asyncio.shield(self._pending[1]):
            raise not_trusted(session.folder)

    def check(self, request_id: str) -> None:
        """Make sure that this question waits.

        Raises
        ------
        PermissionSettled
            It was answered.
        BadRequest
            There is no such question.
        """
        if self._pending is not None and self._pending[0] == request_id:
            return
        if request_id.startswith("trust-"):
            raise PermissionSettled("This question has been answered already.")
        raise BadRequest(f"There is no question {request_id!r} about the folder.")

    def answer(self, *, trusted: bool) -> None:
        """Settle the question by the user, if it waits."""
        self._settle(trusted=trusted, by_user=True)

    def cancel(self) -> None:
        """Ask no more: the turn was stopped."""
        self._settle(trusted=False, by_user=False)

    def _settle(self, *, trusted: bool, by_user: bool) -> None:
        if self._pending is None:
            return
        (request_id, answer), self._pending = self._pending, None
        self._granted = self._granted or trusted
        by = "user" if by_user else "turn_cancelled"
        self._journal.note(
            TrustSettled.model_validate({"request_id": request_id, "trusted": trusted, "by": by})
        )
        if not answer.done():
            answer.set_result(trusted)
