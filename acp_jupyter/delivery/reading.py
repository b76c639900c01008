"""What a caller may read of sessions and turns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from acp_jupyter.delivery.access import may_see, may_see_stored, seen_session
from acp_jupyter.delivery.callers import Caller
from acp_jupyter.delivery.commands import GetItems, GetTurn
from acp_jupyter.delivery.frames import ItemsPage, SessionSummary, TurnDetail
from acp_jupyter.delivery.notebooks import Notebooks, Surroundings
from acp_jupyter.errors import UnknownTurn
from acp_jupyter.host.host import AgentHost
from acp_jupyter.transcript.draft import place_of
from acp_jupyter.transcript.events import item_chars
from acp_jupyter.transcript.items import Item
from acp_jupyter.transcript.session_state import SessionState

__all__ = ["Reading"]

_MAX_PAGE = 500
_MOST_OF_TURN = 1000
_MOST_CHARS = 32_000_000
"""Of one page of a turn; what is longer is one item alone."""


class Reading:
    """Answers questions about sessions; changes nothing.

    Parameters
    ----------
    host
        Owner of the sessions.
    pages_and_kernels
        Pages and kernels.
    notebooks
        Where turns are recorded.
    """

    def __init__(
        self, host: AgentHost, pages_and_kernels: Surroundings, notebooks: Notebooks
    ) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels
        self._notebooks = notebooks

    async def states(self, caller: Caller, *, again: bool = True) -> list[SessionState]:
        """Return every session that the caller may see, those that are not open first."""
        kept = await self._host.stored_sessions.stored(again=again)
        stored = [meta for meta in kept if may_see_stored(meta, caller)]
        seen = [s for s in self._host.sessions.values() if may_see(s, caller)]
        return [*(meta.state() for meta in stored), *(session.state for session in seen)]

    async def summaries(self, caller: Caller) -> tuple[SessionSummary, ...]:
        """Return the lines of the session list, newest change first. It is asked for often."""
        states = await self.states(caller, again=False)
        states.sort(key=lambda state: state.updated_at or 0, reverse=True)
        return tuple(_summary(state) for state in states)

    def items(self, command: GetItems, caller: Caller) -> ItemsPage:
        """Return a range of a session's items."""
        state = seen_session(self._host, command.session_id, caller).transcript
        end = min(command.end, command.start + _MAX_PAGE)
        return ItemsPage(
            items=state.window(command.start, end),
            first_index=command.start,
            total=len(state.items),
        )

    async def turn(self, command: GetTurn, caller: Caller) -> TurnDetail:
        """Return a turn with its items, after waiting for its end if that is asked for.

        Raises
        ------
        UnknownTurn
            There is none, or the caller may not see it.
        """
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
    room = _MOST_CHARS
    for item in items:
        room -= item_chars(item)
        if page and (room < 0 or len(page) == _MOST_OF_TURN):
            return tuple(page), place_of(item.id)
        page.append(item)
    return tuple(page), None


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
