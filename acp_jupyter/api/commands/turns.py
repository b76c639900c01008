"""Commands about turns: send prompts, edit or send queued ones, cancel, steer, and read turns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

from pydantic import JsonValue

from acp_jupyter.api.access import (
    Caller,
    KernelCaller,
    NotebookLookup,
    UserCaller,
    may_see,
    may_see_stored,
    require_sender,
    require_user,
    sender,
    visible_session,
)
from acp_jupyter.api.commands.cell_contexts import pinned_cells
from acp_jupyter.api.commands.notebook_turns import NotebookTurns
from acp_jupyter.api.commands.sessions import set_agent_options
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.sessions import (
    GetSession,
    KillTerminal,
    ListSessions,
    SessionSummary,
    SetConfig,
)
from acp_jupyter.api.models.turns import (
    AnswerElicitation,
    Cancel,
    CancelToolCall,
    EditQueued,
    GetCell,
    GetItems,
    GetTurn,
    ItemsPage,
    PromptSession,
    RunOutside,
    SendNow,
    Steer,
    TurnDetail,
)
from acp_jupyter.errors import FileMissing, SessionImported, UnknownTurn
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.requests.rules import turn_rules
from acp_jupyter.host.sessions.bound import limit_of
from acp_jupyter.host.sessions.prompts import Prompt
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.transcript.model.events import item_chars
from acp_jupyter.transcript.model.item_base import index_of
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.session_state import SessionState

Rewrite: TypeAlias = Callable[[AgentHost, Session, Prompt], Awaitable[tuple[Prompt, str]]]


class PromptSender:
    """Sends prompts to their session.

    Parameters
    ----------
    rewrites
        What features put in the place of a prompt; each also returns what the user should know.
    """

    def __init__(
        self,
        host: AgentHost,
        pages_and_kernels: NotebookLookup,
        rewrites: Sequence[Rewrite] = (),
    ) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels
        self._rewrites = rewrites
        self._accepting: WeakKeyDictionary[Session, asyncio.Lock] = WeakKeyDictionary()

    @handles(PromptSession)
    async def prompt(self, command: PromptSession, caller: Caller) -> dict[str, str]:
        """Start or queue a turn; it is on disk when this returns."""
        session = visible_session(self._host, command.session_id, caller)
        if not isinstance(command.prompt, str):
            self._host.config.bounds.require_attachments(command.prompt)
        origin, kernel_id = command.origin, ""
        if isinstance(caller, KernelCaller):
            kernel_id = caller.kernel_id
            if origin is not None:
                names = {"kernel_id": caller.kernel_id, "notebook_path": caller.notebook_path}
                origin = origin.model_copy(update=names)
            if self._pages_and_kernels.holds(caller.notebook_path):
                session.attach()
        elif command.can_ask:
            session.attach()
        prompt = Prompt(
            await self._with_pinned(session, command),
            command.policy,
            command.sandbox,
            origin,
            command.can_ask,
            turn_rules(command.allow, command.deny),
            sender(caller),
            kernel_id,
            limit_of(command.limit),
        )
        # One at a time, so that turns begin in the order of their prompts.
        async with self._accepting.setdefault(session, asyncio.Lock()):
            # The prompt is written down before its turn begins.
            await asyncio.to_thread(session.turn_files.read_secrets)
            said = []
            for rewrite in self._rewrites:
                prompt, words = await rewrite(self._host, session, prompt)
                said.append(words)
            turn_id = session.prompt(prompt)
            for words in filter(None, said):
                session.journal.note(HostNotice(text=words))
        # An accepted prompt must survive if the server is killed.
        await self._host.sessions.save(session)
        return {"turn_id": turn_id}

    async def _with_pinned(
        self, session: Session, command: PromptSession
    ) -> str | tuple[dict[str, JsonValue], ...]:
        """Return a prompt with the pinned cells of the session's notebook."""
        prompt, path = command.prompt, session.state.notebook_path
        if not path or not self._host.config.bounds.attachments:
            return prompt
        cells = await self._pages_and_kernels.contexts(path)
        own = (command.origin.cell_id,) if command.origin is not None else ()
        pinned, _ = pinned_cells(
            path, cells, session.redactor.redact_text, (*command.unpinned, *own)
        )
        if not pinned:
            return prompt
        said = ({"type": "text", "text": prompt},) if isinstance(prompt, str) else prompt
        return (*said, *(each.block for each in pinned))

    @handles(SetConfig)
    async def configure(self, command: SetConfig, caller: Caller) -> SessionState:
        """Change the given settings of a session; only a user can change policy and sandbox.

        A kernel can only restrict the network further.
        """
        session = visible_session(self._host, command.session_id, caller)
        if session.state.read_only:
            raise SessionImported(session.state.read_only)
        if command.policy is not None:
            require_user(caller, "change the policy of a session")
            session.set_policy(command.policy, sender(caller))
            await session.journal.flushed()  # it outlives a server that is killed
        if command.sandbox is not None:
            require_user(caller, "change the sandbox of a session")
            session.set_sandbox(command.sandbox)
            await session.journal.flushed()
        if command.network is not None:
            session.set_network(command.network, by_user=isinstance(caller, UserCaller))
            await session.journal.flushed()
        if command.limit is not None or command.turn_limit is not None:
            by_user = isinstance(caller, UserCaller)
            session.set_limits(command.limit, command.turn_limit, by_user=by_user)
            await session.journal.flushed()
        if command.title is not None:
            session.rename(command.title)
            await session.publish_title()
        await set_agent_options(session, caller, mode=command.mode, config=command.config)
        return session.state


class TurnControl:
    """Carries out commands about a turn that runs or waits.

    A kernel may stop and prompt, and therefore also send now and steer. Only users can edit their
    prompts and answer.
    """

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @handles(Cancel)
    async def cancel(self, command: Cancel, caller: Caller) -> dict[str, str]:
        """Stop a turn, running or queued."""
        session = visible_session(self._host, command.session_id, caller)
        session.cancel(command.turn_id, command.reason)
        return {}

    @handles(KillTerminal)
    async def kill_terminal(self, command: KillTerminal, caller: Caller) -> dict[str, str]:
        """End a command that the host runs for the agent."""
        session = visible_session(self._host, command.session_id, caller)
        await session.terminals.kill(command.terminal_id, "user")
        return {}

    @handles(CancelToolCall)
    async def cancel_tool_call(self, command: CancelToolCall, caller: Caller) -> dict[str, str]:
        """Have the agent end one tool call, or its terminal."""
        session = visible_session(self._host, command.session_id, caller)
        await session.canceller.cancel(command.tool_call_id)
        return {}

    @handles(RunOutside)
    async def run_outside(self, command: RunOutside, caller: UserCaller) -> dict[str, str]:
        """Ask whether to rerun a command that a sandbox wall stopped, and rerun it after a yes."""
        session = visible_session(self._host, command.session_id, caller)
        once = session.turns.outside_runs
        turn_id = once.turn_of(command.tool_call_id)
        require_sender(session, turn_id, caller, "run a command outside the sandbox")
        session.attach()
        once.start(command.tool_call_id)
        return {}

    @handles(AnswerElicitation)
    async def answer(self, command: AnswerElicitation, caller: UserCaller) -> dict[str, str]:
        """Answer a question of the agent."""
        session = self._host.sessions.require(command.session_id)
        elicitations = session.turns.elicitations
        turn_id = elicitations.turn_of(command.request_id)
        require_sender(session, turn_id, caller, "answer a question of the agent")
        outcome = elicitations.answer(
            command.request_id, command.action, command.content, caller.answerer
        )
        return {"outcome": outcome}

    @handles(EditQueued)
    async def edit(self, command: EditQueued, caller: UserCaller) -> dict[str, str]:
        """Change a prompt before it is sent."""
        session = self._session(command.turn_id, caller)
        user = require_sender(session, command.turn_id, caller, "edit this message")
        session.turns.queue.edit(command.turn_id, command.prompt, user)
        return {}

    @handles(SendNow)
    async def send_now(self, command: SendNow, caller: Caller) -> dict[str, str]:
        """Stop the running turn, and send a queued prompt before the others."""
        self._session(command.turn_id, caller).turns.send_now(command.turn_id)
        return {}

    @handles(Steer)
    async def steer(self, command: Steer, caller: Caller) -> dict[str, str]:
        """Put a queued prompt into the running turn."""
        session = self._session(command.turn_id, caller)
        return {"outcome": await session.turns.steer(command.turn_id)}

    def _session(self, turn_id: str, caller: Caller) -> Session:
        session = self._host.sessions.of_turn(turn_id)
        if not may_see(session, caller):
            raise UnknownTurn("This turn does not belong to this notebook.")
        return session


_MAX_PAGE = 500
_MAX_OF_TURN = 1000
_MAX_CHARS = 32_000_000
"""Most characters in one page of a turn; a longer item is alone on its page."""


class SessionReader:
    """Carries out commands that read sessions."""

    def __init__(
        self, host: AgentHost, pages_and_kernels: NotebookLookup, notebooks: NotebookTurns
    ) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels
        self._notebooks = notebooks

    @handles(ListSessions)
    async def list_sessions(self, command: ListSessions, caller: Caller) -> list[SessionState]:
        """Return the states of the sessions that the caller may see."""
        return await self.states(caller)

    @handles(GetSession)
    async def session(self, command: GetSession, caller: Caller) -> SessionState:
        """Return one session's state."""
        return visible_session(self._host, command.session_id, caller).state

    async def states(self, caller: Caller, *, again: bool = True) -> list[SessionState]:
        """Return every session that the caller may see, stored ones first."""
        in_store = await self._host.sessions.stored(again=again)
        stored = [meta for meta in in_store if may_see_stored(meta, caller)]
        seen = [s for s in self._host.sessions.values() if may_see(s, caller)]
        return [*(meta.state() for meta in stored), *(session.state for session in seen)]

    async def summaries(self, caller: Caller) -> tuple[SessionSummary, ...]:
        """Return the lines of the session list, newest change first. It is asked for often."""
        states = await self.states(caller, again=False)
        states.sort(key=lambda state: state.updated_at or 0, reverse=True)
        serving = self._host.sessions.of_cells()
        return tuple(
            SessionSummary.model_validate(state, from_attributes=True).model_copy(
                update={"serves_cells": state.session_id in serving}
            )
            for state in states
        )

    @handles(GetItems)
    async def items(self, command: GetItems, caller: Caller) -> ItemsPage:
        """Return a range of a session's items."""
        state = visible_session(self._host, command.session_id, caller).transcript
        first = state.turn_first.get(command.turn_id) if command.turn_id else 0
        if first is None:
            raise UnknownTurn("This session has no such turn.")
        start = first + command.start
        end = first + min(command.end, command.start + _MAX_PAGE)
        return ItemsPage(items=state.window(start, end), first_index=start, total=len(state.items))

    @handles(GetCell)
    async def cell(self, command: GetCell, caller: Caller) -> Cell:
        """Return a cell of the session's notebook."""
        notebook = visible_session(self._host, command.session_id, caller).state.notebook_path
        cells = await self._pages_and_kernels.cells(notebook) if notebook else ()
        if command.number > len(cells):
            raise FileMissing(f"There is no cell {command.number} in an open notebook.")
        return cells[command.number - 1].for_agents()

    @handles(GetTurn)
    async def turn(self, command: GetTurn, caller: Caller) -> TurnDetail:
        """Return a turn with its items; wait for its end if the command says so.

        If the turn was stopped, also wait until the agent has answered that.
        """
        session = self._host.sessions.of_turn(command.turn_id)
        if not may_see(session, caller):
            raise UnknownTurn("This turn does not belong to this notebook.")
        if command.wait_seconds:
            waited = session.transcript.turns[command.turn_id].status != "done"
            done = await session.journal.wait_turn(command.turn_id, command.wait_seconds)
            if not waited and session.state.held:
                waited = True
                await session.journal.wait_answered(command.wait_seconds)
            if waited and done:
                # Some agents send the tail of their text after the end.
                await asyncio.sleep(self._host.config.limits.late_text_seconds)
        state = session.transcript
        turn = state.turns[command.turn_id]
        notebook = turn.origin.notebook_path if turn.origin else ""
        items, more = _page(state.each_of_turn(command.turn_id, command.start))
        saved = turn.status == "done" and command.start is None
        bundle = await self._notebooks.bundle(session, turn) if saved else None
        return TurnDetail(
            turn=turn,
            items=items,
            more=more,
            session=state.session,
            page_holds_notebook=bool(notebook) and self._pages_and_kernels.holds(notebook),
            bundle=bundle,
        )


def _page(items: Iterator[Item]) -> tuple[tuple[Item, ...], int | None]:
    """Return the first items that fit into a page, and where the next page begins."""
    page: list[Item] = []
    room = _MAX_CHARS
    for item in items:
        room -= item_chars(item)
        if page and (room < 0 or len(page) == _MAX_OF_TURN):
            return tuple(page), index_of(item.id)
        page.append(item)
    return tuple(page), None
