"""Trust in a folder: the user is asked before an agent first starts there.

Agents run commands that a folder's files configure. A recording of another installation is
played only in a trusted folder, too.
"""

from __future__ import annotations

import asyncio
import itertools
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from acp_jupyter.errors import BadRequest, FolderNotTrusted, PermissionSettled
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.requests.answers import SOMEBODY, Answerer
from acp_jupyter.host.requests.waiting import WaitingRequests
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import TrustStore
from acp_jupyter.own_programs import module_command
from acp_jupyter.protocol.host_events.session import TrustRequested, TrustSettled

_HARMLESS = frozenset({"acp_jupyter.agents.demo"})
"""Bundled agents that run nothing from a folder and write only with permission."""


def needs_trust(spec: AgentSpec) -> bool:
    """Return whether an agent may run what a folder configures, or plays a recording."""
    command = (spec.command, *spec.args)
    harmless = map(module_command, _HARMLESS)
    return not any(command[: len(own)] == own for own in harmless)


def too_much(folder: Path) -> str:
    """Return a warning if the folder is more than one project; else empty. Blocks."""
    try:
        real, home = folder.resolve(), Path.home().resolve()
        shared = bool(real.stat().st_mode & stat.S_IWOTH)
    except (OSError, RuntimeError):
        return ""
    if real == home:
        what = "This is your home folder: everything in it would be trusted, downloads too."
    elif home.is_relative_to(real):
        what = "Your home folder is in this one: everything in it would be trusted, downloads too."
    elif shared:
        what = "Anyone on this machine can put files into this folder."
    else:
        return ""
    return f"{what} It is safer to work in a folder below it, and to trust only that."


def not_trusted(folder: str, warning: str = "") -> FolderNotTrusted:
    """Return the error for a folder that is not trusted, with what to do."""
    return FolderNotTrusted(
        f"No agent has been allowed to run in {folder} yet. {warning}".rstrip(),
        "Agents run what a folder configures: hooks, MCP servers, project instructions. If you "
        "trust what is in it, say so: in the page, with --trust in the first line of the cell, "
        'with connect(..., trust=True), or with "trust": true in a request.',
    )


def recording_not_trusted(recording: str, folder: str) -> FolderNotTrusted:
    """Return the error for another installation's recording in a folder that is not trusted."""
    return FolderNotTrusted(
        f"{recording} was not recorded here, and {folder} is not trusted.",
        "Playing a recording makes the file changes that it contains. If you trust where it comes "
        "from, say so: in the page, with --trust in the first line of the cell, with "
        'connect(..., trust=True), or with "trust": true in a request.',
    )


class PlayedRecording(Protocol):
    """A recording that is played in place of an agent."""

    @property
    def path(self) -> str:
        """The recording's path relative to the host's root."""

    @property
    def is_ours(self) -> bool:
        """Whether this installation made the recording; set by `read`."""

    def read(self) -> object:
        """Read the recording; blocks."""


class TrustRequests:
    """Asks the user whether a session's folder is trusted; its agent starts after a yes.

    A recording of this installation is played without the question.
    """

    def __init__(
        self,
        journal: Journal,
        spec: AgentSpec,
        folder: Path,
        store: TrustStore,
        nobody_to_ask: Callable[[], bool],
        recording: PlayedRecording | None,
    ) -> None:
        self._journal = journal
        self._spec = spec
        self._folder = folder
        self._store = store
        self._nobody_to_ask = nobody_to_ask
        self._numbers = itertools.count(1)
        self.recording = recording
        self._granted = not needs_trust(spec)
        self._granted_to_kernels = False
        self._waiting: WaitingRequests[bool] = WaitingRequests()
        """At most one question; everything that would start the agent waits for it."""

    @property
    def folder(self) -> Path:
        """The folder to trust: for a copy, the folder that was copied."""
        return self._folder

    def grant(self, who: Answerer = SOMEBODY) -> None:
        """Trust the folder for this session; called for a user."""
        self._granted = True
        self._settle(trusted=True, by_user=True, who=who)

    def grant_to_kernels(self) -> None:
        """Trust the folder for kernels; called for a kernel. Users are still asked."""
        self._granted_to_kernels = True

    def is_open(self) -> bool:
        """Return whether the folder is trusted already. May block on the disk."""
        granted = self._granted or self._granted_to_kernels or self._is_own_recording()
        return granted or self._store.trusts(self._folder)

    async def require_from_user(self) -> None:
        """Wait until a user who sends a prompt trusts the session's folder."""
        if self._granted or not self._granted_to_kernels or self._is_own_recording():
            return  # the user was asked before the agent started
        if not await asyncio.to_thread(self._store.trusts, self._folder):
            await self._request()

    def _is_own_recording(self) -> bool:
        return self.recording is not None and self.recording.is_ours

    async def require(self) -> None:
        """Wait until the folder is trusted. The question belongs to a turn and ends with it."""
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
        if waiting := self._waiting.ids():
            answer = self._waiting.join(waiting[0])
        else:
            request_id = f"trust-{self._journal.transcript.seq}-{next(self._numbers)}"
            answer = self._waiting.join(request_id)
            self._journal.note(
                TrustRequested(
                    request_id=request_id,
                    agent_name=session.agent_info.name,
                    folder=session.folder,
                    recording="" if self.recording is None else self.recording.path,
                    warning=warning,
                )
            )
        if not await asyncio.shield(answer):
            raise await asyncio.to_thread(self._not_trusted, session.folder)

    def _not_trusted(self, folder: str) -> FolderNotTrusted:
        if self.recording is None:
            return not_trusted(folder, too_much(self._folder))
        return recording_not_trusted(self.recording.path, folder)

    def check(self, request_id: str) -> None:
        """Check that this question is open."""
        if self._waiting.waits(request_id):
            return
        if request_id.startswith("trust-"):
            raise PermissionSettled("This question has been answered already.")
        raise BadRequest(f"There is no question {request_id!r} about the folder.")

    def answer(self, *, trusted: bool, who: Answerer = SOMEBODY) -> None:
        """Settle the question by the user, if it is open."""
        self._settle(trusted=trusted, by_user=True, who=who)

    def cancel(self) -> None:
        """Withdraw the question: the turn was stopped."""
        self._settle(trusted=False, by_user=False)

    def _settle(self, *, trusted: bool, by_user: bool, who: Answerer = SOMEBODY) -> None:
        for request_id in self._waiting.ids():
            self._granted = self._granted or trusted
            self._journal.note(
                TrustSettled(
                    request_id=request_id,
                    trusted=trusted,
                    by="user" if by_user else "turn_cancelled",
                    user=who.user,
                    shown_name=who.shown_name,
                )
            )
            self._waiting.answer(request_id, trusted)
