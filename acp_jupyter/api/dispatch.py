"""The dispatcher: the one reader of commands, which finds the handler of each.

A session of an earlier run is opened first where a command names it or a turn of it. Errors of a
disk that is full, read-only or broken become `DiskRefused`.
"""

from __future__ import annotations

import errno
from typing import TypeAlias, assert_never

from acp_jupyter.api.access import Caller, NotebookLookup, require_user, visible_session
from acp_jupyter.api.commands.agents import AgentCommands
from acp_jupyter.api.commands.changes import ChangeCommands
from acp_jupyter.api.commands.import_export import ImportExport
from acp_jupyter.api.commands.permissions import PermissionCommands
from acp_jupyter.api.commands.sessions import SessionLifecycle, SessionOpener
from acp_jupyter.api.commands.traffic import TrafficCommands
from acp_jupyter.api.commands.trust import TrustCommands
from acp_jupyter.api.commands.turns import NotebookTurns, PromptSender, SessionReader, TurnControl
from acp_jupyter.api.models.frames import Command
from acp_jupyter.api.models.permissions import (
    AnswerElicitation,
    AnswerPermission,
    ListRules,
    ListTrust,
    RevokeRule,
    RevokeTrust,
    TrustFolder,
)
from acp_jupyter.api.models.sessions import (
    AllowDownload,
    CancelLogin,
    CloseSession,
    CreateSession,
    DeleteSession,
    ForkSession,
    GetSession,
    KillTerminal,
    ListAgents,
    ListAgentSessions,
    ListSessions,
    Login,
    Logout,
    OpenAgentSession,
    RestartAgent,
    ResumeSession,
    SessionSummary,
    SetConfig,
)
from acp_jupyter.api.models.traffic import GetTraffic, GetTrafficLine, GetTranscript, ImportLog
from acp_jupyter.api.models.turns import (
    AttachTurn,
    Cancel,
    EditQueued,
    GetChanges,
    GetItems,
    GetRecords,
    GetTurn,
    ListChangingSessions,
    PromptSession,
    RevertTurn,
    SendNow,
)
from acp_jupyter.errors import DiskRefused
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.login.launch import Terminals
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.objects import Model

_REFUSALS = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EIO,
    errno.EACCES,
    errno.EPERM,
}
"""What a disk says that is full, read-only or broken."""

Result: TypeAlias = Model | list[Model] | dict[str, str]


class Dispatcher:
    """Takes commands on the host's loop.

    Parameters
    ----------
    host
        Owner of the sessions.
    pages_and_kernels
        Pages and kernels.
    terminals
        Where a login can be shown in a terminal.
    """

    def __init__(
        self, host: AgentHost, pages_and_kernels: NotebookLookup, terminals: Terminals | None = None
    ) -> None:
        self._host = host
        self.trust = TrustCommands(host, pages_and_kernels)
        self._permissions = PermissionCommands(host)
        self._opening = SessionOpener(host, self.trust)
        self._life = SessionLifecycle(host, self.trust)
        self._queue_commands = TurnControl(host)
        self._agents = AgentCommands(host, terminals)
        self._transfer = ImportExport(host)
        self._traffic = TrafficCommands(host)
        self._notebooks = NotebookTurns(host, pages_and_kernels)
        self._changes = ChangeCommands(host)
        self._reading = SessionReader(host, pages_and_kernels, self._notebooks)
        self._prompting = PromptSender(host, pages_and_kernels)

    async def handle(self, command: Command, caller: Caller) -> Result:
        """Carry out a command.

        Raises
        ------
        AcpError
            Any of its kinds; nothing else leaves here but defects.
        """
        try:
            await self._wake(command)
            return await self._carry_out(command, caller)
        except OSError as error:
            if error.errno not in _REFUSALS:
                raise
            raise DiskRefused(error.strerror or str(error), str(error.filename or "")) from error

    async def _carry_out(self, command: Command, caller: Caller) -> Result:  # noqa: C901 - one flat match
        match command:
            case ListAgents():
                return list(await self._agents.list())
            case AllowDownload() | RestartAgent() | Login() | CancelLogin() | Logout():
                return await self._agents.handle(command, caller)
            case ListSessions():
                return list(await self._reading.states(caller))
            case CreateSession():
                return await self._opening.create(command, caller)
            case GetSession():
                return visible_session(self._host, command.session_id, caller).state
            case (
                CloseSession()
                | DeleteSession()
                | ForkSession()
                | ResumeSession()
                | ListAgentSessions()
                | OpenAgentSession()
            ):
                return await self._life.handle(command, caller)
            case PromptSession():
                return await self._prompting.prompt(command, caller)
            case Cancel():
                session = visible_session(self._host, command.session_id, caller)
                session.cancel(command.turn_id)
                return {}
            case AnswerPermission():
                return await self._permissions.answer(command, caller)
            case ListRules():
                return list(await self._permissions.list(command, caller))
            case RevokeRule():
                return await self._permissions.revoke(command, caller)
            case TrustFolder():
                return await self.trust.answer(command, caller)
            case ListTrust():
                return list(await self.trust.list(caller))
            case RevokeTrust():
                return await self.trust.revoke(command, caller)
            case AnswerElicitation() | EditQueued() | SendNow():
                return self._queue_commands.handle(command, caller)
            case SetConfig():
                return await self._prompting.configure(command, caller)
            case GetItems():
                return self._reading.items(command, caller)
            case GetTurn():
                return await self._reading.turn(command, caller)
            case AttachTurn():
                require_user(caller, "attach to a turn")
                return self._notebooks.attach(command)
            case GetRecords():
                require_user(caller, "read the records of a notebook")
                return list(await self._notebooks.saved_outputs(command.notebook_path))
            case GetTranscript():
                session = visible_session(self._host, command.session_id, caller)
                return await self._transfer.transcript(session, command)
            case GetTraffic():
                return await self._traffic.page(command, caller)
            case GetTrafficLine():
                return await self._traffic.line(command, caller)
            case KillTerminal():
                session = visible_session(self._host, command.session_id, caller)
                await session.terminals.kill(command.terminal_id, "user")
                return {}
            case GetChanges():
                return await self._changes.get(command, caller)
            case ListChangingSessions():
                return self._changes.sessions(command, caller)
            case RevertTurn():
                return await self._changes.revert(command, caller)
            case ImportLog():
                return await self._transfer.import_log(command, caller)
            case _:
                assert_never(command)

    async def summaries(self, caller: Caller) -> tuple[SessionSummary, ...]:
        """Return the lines of the session list, newest change first."""
        return await self._reading.summaries(caller)

    async def traffic_log(self, session_id: str, caller: Caller) -> TrafficLog:
        """Return the log of a session that the caller may see.

        Raises
        ------
        UnknownSession
            There is none.
        """
        await self._host.stored_sessions.wake(session_id)
        return visible_session(self._host, session_id, caller).journal.log

    async def _wake(self, command: Command) -> None:
        """Open what is kept of earlier runs, where a command names it."""
        kept = self._host.stored_sessions
        if isinstance(command, GetRecords):
            await kept.wake_notebook(command.notebook_path)
        elif isinstance(session_id := getattr(command, "session_id", None), str):
            await kept.wake(session_id)
        elif isinstance(turn_id := getattr(command, "turn_id", None), str):
            await kept.wake_turn(turn_id)
