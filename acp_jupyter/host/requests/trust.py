"""Trust in a folder: asked before an agent's first start there.

Agents run what a folder configures. The same is asked before a recording that was not made here is
played.
"""

from __future__ import annotations

import asyncio
import itertools
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from acp_jupyter.errors import BadRequest, FolderNotTrusted, PermissionSettled
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.host.requests.answers import SOMEBODY, Answerer
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import TrustStore
from acp_jupyter.protocol.host_events.session import TrustRequested, TrustSettled

_HARMLESS = frozenset({"acp_jupyter.agents.demo"})
"""Bundled agents that read nothing of a folder that could run, and write what they ask for."""


def needs_trust(spec: AgentSpec) -> bool:
    """Tell whether an agent may run what a folder configures, or does what a record says."""
    match (spec.command, *spec.args):
        case (command, "-P", "-m", module, *_) if command == sys.executable:
            return module not in _HARMLESS
        case _:
            return True


def too_much(folder: Path) -> str:
    """Return a warning where more than a project would be trusted; empty elsewhere. Blocks."""
    try:
        real, home = folder.resolve(), Path.home().resolve()
        shared = bool(real.stat().st_mode & stat.S_IWOTH)
    except (OSError, RuntimeError):
        return ""
    if real == home:
        what = "This is your home folder: all that is in it would be trusted, downloads too."
    elif home.is_relative_to(real):
        what = "Your home folder is in this one: all that is in it would be trusted, downloads too."
    elif shared:
        what = "Everybody on this machine can put files into this folder."
    else:
        return ""
    return f"{what} It is safer to work in a folder below it, and to trust only that."


def not_trusted(folder: str, warning: str = "") -> FolderNotTrusted:
    """Say that a folder is not trusted, and what to do."""
    return FolderNotTrusted(
        f"Agents have not been allowed to run in {folder} yet. {warning}".rstrip(),
        "Agents run what a folder configures: hooks, MCP servers, project instructions. If you "
        "trust what is in it, say so: in the page, with --trust in the first line of the cell, "
        'with connect(..., trust=True), or with "trust": true in a request.',
    )


def recording_not_trusted(recording: str, folder: str) -> FolderNotTrusted:
    """Say that a record was not made here and its folder is not trusted, and what to do."""
    return FolderNotTrusted(
        f"{recording} was not recorded here, and {folder} is not trusted.",
        "Playing a record makes the changes to files that it holds. If you trust where it comes "
        "from, say so: in the page, with --trust in the first line of the cell, with "
        'connect(..., trust=True), or with "trust": true in a request.',
    )


class PlayedRecording(Protocol):
    """A record that is played in an agent's place."""

    @property
    def path(self) -> str:
        """Relative to the host's root."""

    @property
    def is_ours(self) -> bool:
        """Whether this installation made it; `look` tells."""

    def read(self) -> object:
        """Read it; blocks."""


class TrustRequests:
    """Lets a session's agent start once its folder is trusted.

    A record that this installation made is played without.

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
        self.recording: PlayedRecording | None = None
        """What is played in the agent's place."""
        self._granted = not needs_trust(spec)
        self._granted_to_kernels = False
        self._pending: tuple[str, asyncio.Future[bool]] | None = None

    def grant(self, who: Answerer = SOMEBODY) -> None:
        """Trust the folder for this session, as its user says."""
        self._granted = True
        self._settle(trusted=True, by_user=True, who=who)

    def grant_to_kernels(self) -> None:
        """Let the agent start, and kernels prompt it, as a kernel says. Users are still asked."""
        self._granted_to_kernels = True

    def is_open(self) -> bool:
        """Tell whether nobody need be asked. May block on the disk."""
        granted = self._granted or self._granted_to_kernels or self._is_own_recording()
        return granted or self._store.trusts(self._folder)

    async def require_from_user(self) -> None:
        """Return once a user trusts the folder in whose session they prompt.

        Raises
        ------
        FolderNotTrusted
            They do not, or can't be asked now.
        """
        if self._granted or not self._granted_to_kernels or self._is_own_recording():
            return  # then they were asked before the agent started
        if not await asyncio.to_thread(self._store.trusts, self._folder):
            await self._request()

    def _is_own_recording(self) -> bool:
        return self.recording is not None and self.recording.is_ours

    async def require(self) -> None:
        """Return once the folder is trusted. The question belongs to a turn, and ends with it.

        Raises
        ------
        FolderNotTrusted
            It is not, or there is no one to ask now.
        """
        if self.recording is not None:
            await asyncio.to_thread(self.recording.read)
        if self._granted or await asyncio.to_thread(self.is_open):
            return
        await self._request()

    async def _request(self) -> None:
        session = self._journal.transcript.session
        if session.active_turn_id is None or self._nobody_to_ask():
            raise await asyncio.to_thread(self._not_trusted, session.folder)
        warning = await asyncio.to_thread(too_much, self._folder)
        if self._pending is None:
            request_id = f"trust-{self._journal.transcript.seq}-{next(self._numbers)}"
            self._pending = (request_id, asyncio.get_running_loop().create_future())
            self._journal.note(
                TrustRequested(
                    request_id=request_id,
                    agent_name=session.agent_info.name,
                    folder=session.folder,
                    record="" if self.recording is None else self.recording.path,
                    warning=warning,
                )
            )
        if not await asyncio.shield(self._pending[1]):
            raise await asyncio.to_thread(self._not_trusted, session.folder)

    def _not_trusted(self, folder: str) -> FolderNotTrusted:
        if self.recording is None:
            return not_trusted(folder, too_much(self._folder))
        return recording_not_trusted(self.recording.path, folder)

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

    def answer(self, *, trusted: bool, who: Answerer = SOMEBODY) -> None:
        """Settle the question by the user, if it waits."""
        self._settle(trusted=trusted, by_user=True, who=who)

    def cancel(self) -> None:
        """Ask no more: the turn was stopped."""
        self._settle(trusted=False, by_user=False)

    def _settle(self, *, trusted: bool, by_user: bool, who: Answerer = SOMEBODY) -> None:
        if self._pending is None:
            return
        (request_id, answer), self._pending = self._pending, None
        self._granted = self._granted or trusted
        by = "user" if by_user else "turn_cancelled"
        self._journal.note(
            TrustSettled.model_validate(
                {
                    "request_id": request_id,
                    "trusted": trusted,
                    "by": by,
                    "user": who.user,
                    "told": who.shown_name,
                }
            )
        )
        if not answer.done():
            answer.set_result(trusted)
