"""The one reader of commands: who may do what, and which session does it."""

from __future__ import annotations

import asyncio
from typing import TypeAlias, assert_never

from acp_jupyter.delivery.access import may_see, may_see_stored, users_only
from acp_jupyter.delivery.agent_commands import (
    AllowDownload,
    CancelLogin,
    Login,
    Logout,
    RestartAgent,
)
from acp_jupyter.delivery.agents import Agents
from acp_jupyter.delivery.callers import Caller, KernelCaller
from acp_jupyter.delivery.change_commands import GetChanges, RevertTurn
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
from acp_jupyter.delivery.frames import (
    ItemsPage,
    SessionSummary,
    TurnDetail,
)
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
from acp_jupyter.delivery.queue_commands import EditQueued, SendNow
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
from acp_jupyter.errors import UnknownSession, UnknownTurn
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.login_launch import Terminals
from acp_jupyter.host.rules_session import turn_rules
from acp_jupyter.host.session import Session
from acp_jupyter.host.traffic_log import TrafficLog
from acp_jupyter.packets.base import Model
from acp_jupyter.transcript.events import SessionState

__all__ = ["Dispatcher", "Result", "Surroundings"]

Result: TypeAlias = Model | list[Model] | dict[str, str]
_MAX_PAGE = 500


class Dispatcher:
    """Takes commands on the host's loop.

    Parameters
    ----------
    host
        Owner of the sessions.
    surroundings
        Pages and kernels.
    terminals
        Where a login can be shown in a terminal.
    """

    def __init__(
        self, host: AgentHost, surroundings: Surroundings, terminals: Terminals | None = None
    ) -> None:
        self._host = host
        self._surroundings = surroundings
        self.trust = Trust(host, surroundings)
        self._permissions = Permissions(host)
        self._opening = Opening(host, self.trust)
        self._life = SessionLife(host, self.trust)
        self._steering = Steering(host)
        self._agents = Agents(host, terminals)
        self._transfer = Transfer(host)
        self._traffic = TrafficPages(host)
        self._notebooks = Notebooks(host, surroundings)
        self._changes = Changes(host)

    async def handle(self, command: Command, caller: Caller) -> Result:  # noqa: C901 - one flat match
        """Carry out a command.

        Raises
        ------
        AcpError
            Any of its kinds; nothing else leaves here but defects.
        """
        await self._wake(command)
        match command:
            case ListAgents():
                return list(await self._agents.list())
            case AllowDownload() | RestartAgent() | Login() | CancelLogin() | Logout():
                return await self._agents.handle(command, caller)
            case ListSessions():
                return list(await self._states(caller))
            case CreateSession():
                return await self._opening.create(command, caller)
            case GetSession():
                return self._session(command.session_id, caller).state
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
                return await self._prompt(command, caller)
            case Cancel():
                session = self._session(command.session_id, caller)
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
                return self._steering.handle(command, caller)
            case SetConfig():
                return await self._configure(command, caller)
            case GetItems():
                return self._items(command, caller)
            case GetTurn():
                return await self._turn(command, caller)
            case AttachTurn():
                users_only(caller, "attach to a turn")
                return self._notebooks.attach(command)
            case GetRecords():
                users_only(caller, "read the records of a notebook")
                return list(self._notebooks.records(command.notebook_path))
            case GetTranscript():
                session = self._session(command.session_id, caller)
                return await self._transfer.transcript(session, command)
            case GetTraffic():
                return await self._traffic.page(command, caller)
            case GetTrafficLine():
                return await self._traffic.line(command, caller)
            case KillTerminal():
                session = self._session(command.session_id, caller)
                await session.terminals.kill(command.terminal_id, "user")
                return {}
            case GetChanges():
                return await self._changes.get(command, caller)
            case RevertTurn():
                return await self._changes.revert(command, caller)
            case ImportLog():
                return await self._transfer.import_log(command, caller)
            case _:
                assert_never(command)

    async def summaries(self, caller: Caller) -> tuple[SessionSummary, ...]:
        """Return the lines of the session list, newest change first."""
        stored = await self._host.kept.stored()
        seen = [s.state for s in self._host.sessions.values() if may_see(s, caller)]
        seen += [meta.state() for meta in stored if may_see_stored(meta, caller)]
        seen.sort(key=lambda state: state.updated_at or 0, reverse=True)
        return tuple(_summary(state) for state in seen)

    async def traffic_log(self, session_id: str, caller: Caller) -> TrafficLog:
        """Return the log of a session that the caller may see.

        Raises
        ------
        UnknownSession
            There is none.
        """
        await self._host.kept.wake(session_id)
        return self._session(session_id, caller).journal.log

    # -- sessions --------------------------------------------------------

    async def _states(self, caller: Caller) -> list[Model]:
        stored = [m for m in await self._host.kept.stored() if may_see_stored(m, caller)]
        seen = [s for s in self._host.sessions.values() if may_see(s, caller)]
        return [*(meta.state() for meta in stored), *(session.state for session in seen)]

    async def _wake(self, command: Command) -> None:
        """Open what is kept of earlier runs, where a command names it."""
        kept = self._host.kept
        if isinstance(command, GetRecords):
            await kept.wake_notebook(command.notebook_path)
        elif isinstance(session_id := getattr(command, "session_id", None), str):
            await kept.wake(session_id)
        elif isinstance(turn_id := getattr(command, "turn_id", None), str):
            await kept.wake_turn(turn_id)

    def _session(self, session_id: str, caller: Caller) -> Session:
        session = self._host.session(session_id)
        if not may_see(session, caller):
            raise UnknownSession(f"There is no session {session_id!r} of this notebook.")
        return session

    async def _configure(self, command: SetConfig, caller: Caller) -> SessionState:
        session = self._session(command.session_id, caller)
        if command.policy is not None:
            users_only(caller, "change the policy of a session")
            session.set_policy(command.policy)
        if command.title is not None:
            session.rename(command.title)
        if command.mode is not None:
            await session.set_mode(command.mode)
        for config_id, value in command.config.items():
            await session.set_config(config_id, value)
        return session.state

    # -- turns -----------------------------------------------------------

    async def _prompt(self, command: PromptSession, caller: Caller) -> dict[str, str]:
        session = self._session(command.session_id, caller)
        origin = command.origin
        if isinstance(caller, KernelCaller):
            if origin is not None:
                names = {"kernel_id": caller.kernel_id, "notebook_path": caller.notebook_path}
                origin = origin.model_copy(update=names)
            if self._surroundings.holds(caller.notebook_path):
                session.attach()
        elif command.can_ask:
            session.attach()
        turn_id = session.prompt(
            command.prompt,
            policy=command.policy,
            origin=origin,
            can_ask=command.can_ask,
            rules=turn_rules(command.allow, command.deny),
        )
        # What was accepted outlives a server that is killed.
        await asyncio.to_thread(session.journal.flush)
        return {"turn_id": turn_id}

    async def _turn(self, command: GetTurn, caller: Caller) -> TurnDetail:
        session = self._host.session_of_turn(command.turn_id)
        if not may_see(session, caller):
            raise UnknownTurn("This turn is not one of this notebook.")
        if command.wait_seconds:
            waited = session.transcript.turns[command.turn_id].status != "done"
            done = await session.journal.wait_turn(command.turn_id, command.wait_seconds)
            if waited and done:
                # Some agents send the tail of their text after the end.
                await asyncio.sleep(self._host.config.limits.late_text_seconds)
        state = session.transcript
        turn = state.turns[command.turn_id]
        notebook = turn.origin.notebook_path if turn.origin else ""
        return TurnDetail(
            turn=turn,
            items=state.turn_items(command.turn_id),
            session=state.session,
            page_holds_notebook=bool(notebook) and self._surroundings.holds(notebook),
            bundle=self._notebooks.bundle(session, turn) if turn.status == "done" else None,
        )

    def _items(self, command: GetItems, caller: Caller) -> ItemsPage:
        state = self._session(command.session_id, caller).transcript
        end = min(command.end, command.start + _MAX_PAGE)
        return ItemsPage(
            items=state.window(command.start, end),
            first_index=command.start,
            total=len(state.items),
        )


def _summary(state: SessionState) -> SessionSummary:
    return SessionSummary(
        session_id=state.session_id,
        title=state.title,
        agent_id=state.agent,
        agent_name=state.agent_info.name,
        status=state.status,
        notebook_path=state.notebook_path,
        waiting=state.waiting,
        stored=state.stored,
        read_only=state.read_only,
        can=state.can,
        updated_at=state.updated_at,
    )
