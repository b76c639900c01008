"""The dispatcher: checks a command's row of the table, and calls its handler.

A session of an earlier run is opened first where the row says so. Errors of a disk that is full,
read-only or broken become `DiskRefused`.
"""

from __future__ import annotations

import errno

from acp_jupyter.api.access import Caller, NotebookLookup, require_user, visible_session
from acp_jupyter.api.commands.agents import AgentCommands
from acp_jupyter.api.commands.cell_contexts import CellContexts
from acp_jupyter.api.commands.changes.changes import ChangeCommands
from acp_jupyter.api.commands.changes.keep import KeepCommands
from acp_jupyter.api.commands.handler_context import HandlerContext
from acp_jupyter.api.commands.imports import Imports
from acp_jupyter.api.commands.notebook_turns import NotebookTurns
from acp_jupyter.api.commands.permissions import PermissionCommands, TrustCommands
from acp_jupyter.api.commands.renamed_notebooks import RenamedNotebooks
from acp_jupyter.api.commands.search import SessionSearch
from acp_jupyter.api.commands.sessions import SessionLifecycle, SessionOpener
from acp_jupyter.api.commands.traffic import TrafficCommands
from acp_jupyter.api.commands.transcripts import Transcripts
from acp_jupyter.api.commands.turns import PromptSender, SessionReader, TurnControl
from acp_jupyter.api.commands.usage import UsageCommands
from acp_jupyter.api.models.command_row import CommandRow, Result, handlers_of
from acp_jupyter.api.models.command_table import COMMANDS, Command, row_of
from acp_jupyter.api.models.sessions import SessionSummary
from acp_jupyter.api.models.traffic import ImportProgress
from acp_jupyter.errors import DiskRefused, plain_reason
from acp_jupyter.features import registered
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.login import Terminals
from acp_jupyter.host.store.traffic_log import TrafficLog

_REFUSALS = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EIO,
    errno.EACCES,
    errno.EPERM,
}
"""Errors of a disk that is full, read-only or broken."""


class Dispatcher:
    """Dispatches commands to their handlers, on the host's loop.

    Attributes
    ----------
    handlers
        The handler of each command, by its model.
    """

    def __init__(
        self, host: AgentHost, pages_and_kernels: NotebookLookup, terminals: Terminals | None = None
    ) -> None:
        self._host = host
        self.trust = TrustCommands(host, pages_and_kernels)
        self._renamed = RenamedNotebooks(host)
        notebooks = NotebookTurns(host, pages_and_kernels)
        changes = ChangeCommands(host)
        self._reader = SessionReader(host, pages_and_kernels, notebooks)
        self._imports = Imports(host)
        context = HandlerContext(host, pages_and_kernels, self.trust, changes, self.handle)
        self.handlers = handlers_of(
            self.trust,
            notebooks,
            self._reader,
            PermissionCommands(host),
            SessionOpener(host, self.trust, self._renamed),
            SessionLifecycle(host, self.trust),
            SessionSearch(host),
            UsageCommands(host),
            PromptSender(host, pages_and_kernels, tuple(registered("prompts").values())),
            CellContexts(host, pages_and_kernels),
            TurnControl(host),
            AgentCommands(host, terminals),
            self._imports,
            Transcripts(host),
            TrafficCommands(host),
            changes,
            KeepCommands(host, changes),
            *(each for make in registered("handlers").values() for each in make(context)),
        )
        missing = [row.name for row in COMMANDS if row.model not in self.handlers]
        if missing:
            raise TypeError(f"no handler of {', '.join(missing)}")

    async def handle(self, command: Command, caller: Caller) -> Result:
        """Carry out a command."""
        row = row_of(command)
        if row.only_user:
            require_user(caller, row.only_user)
        try:
            await self._wake(row, command)
            return await self.handlers[row.model](command, caller)
        except OSError as error:
            if error.errno not in _REFUSALS:
                raise
            raise DiskRefused(plain_reason(error), str(error.filename or "")) from error

    async def summaries(self, caller: Caller) -> tuple[SessionSummary, ...]:
        """Return the lines of the session list, newest change first."""
        return await self._reader.summaries(caller)

    async def imports(self, caller: Caller) -> tuple[ImportProgress, ...]:
        """Return the progress of running imports."""
        return self._imports.running(caller)

    async def traffic_log(self, session_id: str, caller: Caller) -> TrafficLog:
        """Return the log of a session that the caller may see."""
        await self._host.sessions.wake(session_id)
        return visible_session(self._host, session_id, caller).journal.log

    async def _wake(self, row: CommandRow, command: Command) -> None:
        """Open stored sessions that the command needs, as its row says."""
        stored = self._host.sessions
        match row.wakes:
            case "session":
                await stored.wake(_field(command, "session_id"))
            case "turn":
                await stored.wake_turn(_field(command, "turn_id"))
            case "notebook":
                await self._renamed.follow(_field(command, "notebook_path"))
                await stored.wake_notebook(_field(command, "notebook_path"))
            case None:
                pass


def _field(command: Command, name: str) -> str:
    value: str = getattr(command, name)
    return value
