"""The handler of the command about stale cells."""

from __future__ import annotations

import asyncio

from acp_jupyter.api.access import UserCaller
from acp_jupyter.api.commands.handler_context import HandlerContext
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.features.checks.commands import FindStale, StaleCells
from acp_jupyter.features.checks.stale import find_stale


class StaleCellCommands:
    """Finds stale cells."""

    @handles(FindStale)
    async def stale(self, command: FindStale, caller: UserCaller) -> StaleCells:
        """Return the cells with stale outputs; in a thread, as a notebook may be long."""
        found = await asyncio.to_thread(
            find_stale, command.cells, command.runs, python=command.python
        )
        return StaleCells(cells=tuple(found))


def handlers(_context: HandlerContext) -> tuple[StaleCellCommands]:
    """Make it."""
    return (StaleCellCommands(),)
