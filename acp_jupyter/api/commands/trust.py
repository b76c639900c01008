"""Trusted folders, in which agents may run: asked about, listed and taken back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from acp_jupyter.api.access import Caller, NotebookLookup, UserCaller
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.permissions import ListTrust, RevokeTrust, TrustFolder
from acp_jupyter.api.models.sessions import CreateSession
from acp_jupyter.errors import BadRequest
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.recording.recording_file import RecordingFile
from acp_jupyter.host.recording.session_recording import Playback
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.host.requests.trust import (
    needs_trust,
    not_trusted,
    recording_not_trusted,
    too_much,
)
from acp_jupyter.host.session.session import Session
from acp_jupyter.host.store.permission_stores import TrustedFolder
from acp_jupyter.host.workspace.folders import resolve_cwd


class TrustCommands:
    """Says who may start agents where.

    What a user says is remembered. What a kernel says counts for prompts of kernels in its
    session alone: code that runs in it may be an agent's.

    Parameters
    ----------
    host
        Owner of the sessions.
    pages_and_kernels
        Tells which notebooks a page holds.
    """

    def __init__(self, host: AgentHost, pages_and_kernels: NotebookLookup) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels

    async def admit(
        self,
        command: CreateSession,
        caller: Caller,
        notebook: str,
        folder: Path,
        found: Session | None = None,
    ) -> None:
        """Make sure that the agent may run in a folder, or that its user can be asked.

        A record that this installation made is played anywhere.

        Parameters
        ----------
        command, caller
            What is asked, and by whom.
        notebook, folder
            Of the session.
        found
            The session, if it is there already.

        Raises
        ------
        FolderNotTrusted
            Neither.
        AcpError
            There is nothing to play.
        """
        played = self._played(command, notebook, found)
        if played is not None:
            if await asyncio.to_thread(self._host.recordings.is_ours, played):
                return
        elif not needs_trust(self._host.config.registry.get(command.agent)):
            return
        store = self._host.permission_stores.trust
        if command.trust:
            if isinstance(caller, UserCaller):
                await asyncio.to_thread(store.trust, folder)
            return
        seen = isinstance(caller, UserCaller) or self._pages_and_kernels.holds(notebook)
        if command.ask_trust and seen:
            return
        if not await asyncio.to_thread(store.trusts, folder):
            if played is not None:
                raise recording_not_trusted(played.path, str(folder))
            raise not_trusted(str(folder), await asyncio.to_thread(too_much, folder))

    def _played(
        self, command: CreateSession, notebook: str, found: Session | None
    ) -> RecordingFile | None:
        if found is not None:
            return found.recording.file if isinstance(found.recording, Playback) else None
        wish = command.record
        if wish is None or wish.mode != "replay":
            return None
        return self._host.recordings.prepare(command.agent, command.label, notebook, wish).file

    async def require(self, spec: AgentSpec, folder: Path, *, trust: bool) -> None:
        """Make sure that the agent may run in a folder, for a user who can say so at once.

        Raises
        ------
        FolderNotTrusted
            It may not.
        """
        store = self._host.permission_stores.trust
        if not needs_trust(spec):
            return
        if trust:
            await asyncio.to_thread(store.trust, folder)
        elif not await asyncio.to_thread(store.trusts, folder):
            raise not_trusted(str(folder), await asyncio.to_thread(too_much, folder))

    def grant(self, command: CreateSession, session: Session, caller: Caller) -> None:
        """Trust a session's folder for that session, where its maker says so."""
        gate = session.turns.permissions.trust
        if not command.trust or gate is None:
            return
        if isinstance(caller, UserCaller):
            gate.grant(caller.answerer)
        else:
            gate.grant_to_kernels()

    @handles(TrustFolder)
    async def answer(self, command: TrustFolder, caller: UserCaller) -> dict[str, str]:
        """Remember a folder, or answer the question of a session.

        Raises
        ------
        AcpError
            There is no such folder or question, or it was answered.
        """
        store = self._host.permission_stores.trust
        if command.folder:
            if not command.trust:
                raise BadRequest("To stop trusting a folder, send DELETE.")
            folder = resolve_cwd(self._host.config.root, command.folder, inside_root=False)
            await asyncio.to_thread(store.trust, folder)
            return {"folder": str(folder)}
        session = self._host.session(command.session_id)
        gate = session.turns.permissions.trust
        if gate is None:
            raise BadRequest("This session has no agent to trust.")
        gate.check(command.request_id)
        folder = Path(session.state.cwd)
        if command.trust:
            await asyncio.to_thread(store.trust, folder)
            gate.check(command.request_id)  # somebody may have been faster
        gate.answer(trusted=command.trust, who=caller.answerer)
        return {"folder": str(folder)}

    @handles(ListTrust)
    async def list(self, command: ListTrust, caller: UserCaller) -> list[TrustedFolder]:
        """Return the trusted folders.

        Raises
        ------
        AcpError
            They can't be read.
        """
        return list(await asyncio.to_thread(self._host.permission_stores.trust.folders))

    @handles(RevokeTrust)
    async def revoke(self, command: RevokeTrust, caller: UserCaller) -> dict[str, str]:
        """Trust a folder no more.

        Raises
        ------
        AcpError
            The folder is not among those that can be removed.
        """
        if not await asyncio.to_thread(self._host.permission_stores.trust.revoke, command.folder):
            raise BadRequest(
                f"{command.folder} is not among the folders that were trusted here. Folders of "
                "c.AcpJupyter.trusted_folders are removed there."
            )
        return {}
