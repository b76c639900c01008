"""Sessions found again or made, for a notebook, a kernel or a user."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.delivery.callers import Caller, KernelCaller
from acp_jupyter.delivery.choosing import choose
from acp_jupyter.delivery.commands import CreateSession
from acp_jupyter.delivery.deciding import sender
from acp_jupyter.delivery.trust import Trust
from acp_jupyter.errors import LoginNeeded
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.recording.session import Recording
from acp_jupyter.host.recording.wish import RecordWish
from acp_jupyter.host.session import Session
from acp_jupyter.host.workspace import choose_cwd, resolve_cwd
from acp_jupyter.packets.notes import Policy
from acp_jupyter.transcript.session_state import SessionState

__all__ = ["Opening", "go_on"]


def go_on(session: Session, recording: RecordWish | None) -> None:
    """Let a notebook use a session again; without a wish it is recorded no more."""
    if recording is None and isinstance(session.recording, Recording):
        session.recording.end()


class Opening:
    """Carries out ``create_session``."""

    def __init__(self, host: AgentHost, trust: Trust) -> None:
        self._host = host
        self._trust = trust

    async def create(self, command: CreateSession, caller: Caller) -> SessionState:
        """Return the state of the session, found or made.

        Raises
        ------
        AcpError
            The agent is unknown or does not start, or the folder will not do.
        """
        notebook = command.notebook_path
        kernel_id = ""
        if isinstance(caller, KernelCaller):
            notebook, kernel_id = caller.notebook_path, caller.kernel_id
        found = None if command.new else await self._find(command, notebook, kernel_id)
        cwd = Path(found.state.cwd) if found else self._folder(command, caller, notebook)
        await self._trust.admit(command, caller, notebook, cwd, found)
        own = None if isinstance(caller, KernelCaller) else command.policy
        session = found or await self._open(command, cwd, notebook, kernel_id, own, sender(caller))
        await session.check_recording()
        self._trust.grant(command, session, caller)
        if isinstance(caller, KernelCaller):
            go_on(session, command.record)
            session.tools_on = command.tools and not session.tools_refused
            if command.policy is not None:
                session.kernel_policies[kernel_id] = command.policy
        elif found is None:
            session.tools_on = command.tools
            session.tools_refused = not command.tools
        if command.start == "background":
            session.start_in_background()
        elif command.start == "wait" and session.may_start():
            try:
                await session.start()
            except LoginNeeded:
                return session.state  # it says so, and how to log in
            except BaseException:
                if found is None:
                    await self._host.closer.delete(session.session_id)
                raise
            await choose(session, caller, mode=command.mode, config=self._model(session, command))
        return session.state

    async def _find(self, command: CreateSession, notebook: str, kernel_id: str) -> Session | None:
        if not notebook and not kernel_id:
            return None
        found = self._host.find(command.agent, notebook, command.label, command.record)
        if found is not None and not notebook and found.kernel_id != kernel_id:
            return None
        if found is None and command.record is None:
            return await self._host.stored_sessions.find_stored(
                command.agent, notebook, command.label
            )
        return found

    def _folder(self, command: CreateSession, caller: Caller, notebook: str) -> Path:
        root = self._host.config.root
        if command.cwd is None:
            return choose_cwd(root, notebook)
        return resolve_cwd(root, command.cwd, inside_root=isinstance(caller, KernelCaller))

    async def _open(
        self,
        command: CreateSession,
        cwd: Path,
        notebook: str,
        kernel_id: str,
        policy: Policy | None,
        user: str,
    ) -> Session:
        session = self._host.open(
            command.agent,
            cwd,
            notebook_path=notebook,
            label=command.label,
            kernel_id=kernel_id,
            policy=policy,
            user=user,
            recording=command.record,
        )
        await self._host.save_new(session)
        return session

    def _model(self, session: Session, command: CreateSession) -> dict[str, str | bool]:
        if command.model is None:
            return {}
        option = next((o for o in session.state.config_options if o.category == "model"), None)
        return {"model" if option is None else option.id: command.model}
