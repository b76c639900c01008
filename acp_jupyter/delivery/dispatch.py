"""The one reader of commands: who may do what, and which session does it."""

from __future__ import annotations

import errno
from typing import TypeAlias, assert_never

from acp_jupyter.delivery.access import seen_session, users_only
from acp_jupyter.delivery.agent_commands import (
    AllowDownload,
    CancelLogin,
    Login,
    Logout,
    RestartAgent,
)
from acp_jupyter.delivery.agents import Agents
from acp_jupyter.delivery.callers import Caller
from acp_jupyter.delivery.change_commands import GetChanges, ListChangingSessions, RevertTurn
from acp_jupyter.delivery.changes import Changes
from acp_jupyter.delivery.commands import (
    AnswerPermission,
    AttachTurn,
    Cancel,
    Command,
    CreateSession,
    GetItems,
    GetRecords,
    GetSession,
    GetTraffic,
    GetTrafficLine,
    GetTranscript,
    GetTurn,
    ImportLog,
    KillTerminal,
    ListAgents,
    ListSessions,
    PromptSession,
    SetConfig,
)
from acp_jupyter.delivery.elicitation_commands import AnswerElicitation
from acp_jupyter.delivery.frames import SessionSummary
from acp_jupyter.delivery.notebooks import Notebooks, Surroundings
from acp_jupyter.delivery.opening import Opening
from acp_jupyter.delivery.permission_commands import (
    ListRules,
    ListTrust,
    RevokeRule,
    RevokeTrust,
    TrustFolder,
)
from acp_jupyter.delivery.permissions import Permissions
from acp_jupyter.delivery.prompting import Prompting
from acp_jupyter.delivery.queue_commands import EditQueued, SendNow
from acp_jupyter.delivery.reading import Reading
from acp_jupyter.delivery.session_commands import (
    CloseSession,
    DeleteSession,
    ForkSession,
    ListAgentSessions,
    OpenAgentSession,
    ResumeSession,
)
from acp_jupyter.delivery.session_life import SessionLife
from acp_jupyter.delivery.steering import Steering
from acp_jupyter.delivery.traffic import TrafficPages
from acp_jupyter.delivery.transfer import Transfer
from acp_jupyter.delivery.trust import Trust
from acp_jupyter.errors import DiskRefused
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.login.launch import Terminals
from acp_jupyter.host.traffic_log import TrafficLog
from acp_jupyter.packets.base import Model

__all__ = ["Dispatcher", "Result", "Surroundings"]

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
        self, host: AgentHost, pages_and_kernels: Surroundings, terminals: Terminals | None = None
    ) -> None:
        self._host = host
        self.trust = Trust(host, pages_and_kernels)
        self._permissions = Permissions(host)
        self._opening = Opening(host, self.trust)
        self._life = SessionLife(host, self.trust)
        self._queue_commands = Steering(host)
        self._agents = Agents(host, terminals)
        self._transfer = Transfer(host)
        self._traffic = TrafficPages(host)
        self._notebooks = Notebooks(host, pages_and_kernels)
        self._changes = Changes(host)
        self._reading = Reading(host, pages_and_kernels, self._notebooks)
        self._prompting = Prompting(host, pages_and_kernels)

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
                return seen_session(self._host, command.session_id, caller).state
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
                session = seen_session(self._host, command.session_id, caller)
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
                users_only(caller, "attach to a turn")
                return self._notebooks.attach(command)
            case GetRecords():
                users_only(caller, "read the records of a notebook")
                return list(await self._notebooks.saved_outputs(command.notebook_path))
            case GetTranscript():
                session = seen_session(self._host, command.session_id, caller)
                return await self._transfer.transcript(session, command)
            case GetTraffic():
                return await self._traffic.page(command, caller)
            case GetTrafficLine():
                return await self._traffic.line(command, caller)
            case KillTerminal():
                session = seen_session(self._host, command.session_id, caller)
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
        return seen_session(self._host, session_id, caller).journal.log

    async def _wake(self, command: Command) -> None:
        """Open what is kept of earlier runs, where a command names it."""
        kept = self._host.stored_sessions
        if isinstance(command, GetRecords):
            await kept.wake_notebook(command.notebook_path)
        elif isinstance(session_id := getattr(command, "session_id", None), str):
            await kept.wake(session_id)
        elif isinstance(turn_id := getattr(command, "turn_id", None), str):
            await kept.wake_turn(turn_id)
