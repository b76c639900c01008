"""The tools of one session: checks each call, carries it out and replies.

The tools for cells are here; those for the kernel are in `kernel_tools` and `table_tools`.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias, assert_never

from acp_jupyter.api.models.documents import (
    AcpMark,
    DeleteCell,
    InsertCell,
    MoveCell,
    NotebookState,
    ReplaceSource,
)
from acp_jupyter.errors import AcpError
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools import kernel_tools, table_tools, tools
from acp_jupyter.notebook_tools.call_order import CallOrder, CallPlace
from acp_jupyter.notebook_tools.cell_text import edited, write_cell_list, write_cells
from acp_jupyter.notebook_tools.context import (
    CallContext,
    CallTarget,
    FindTarget,
    NotebookAccess,
    ToolError,
)
from acp_jupyter.notebook_tools.kernel_runner import KernelError, KernelRunner, RunningCode
from acp_jupyter.notebook_tools.outputs import Reply
from acp_jupyter.notebook_tools.tool_permissions import (
    CallCard,
    ToolAction,
    ToolPermissions,
    ToolRefused,
)
from acp_jupyter.notebook_tools.tools import (
    TOOLS,
    AnyTool,
    DeleteTool,
    EditTool,
    InsertTool,
    ListCells,
    MoveTool,
    ReadCells,
    WrongArguments,
    read_input,
)
from acp_jupyter.protocol.objects import Obj

_logger = logging.getLogger(__name__)
_CALLS_AT_ONCE = 16
_TURN_SECONDS = 7 * 24 * 3600.0
_EDITS: frozenset[type[AnyTool]] = frozenset({InsertTool, EditTool, MoveTool, DeleteTool})
_RUNS: frozenset[type[AnyTool]] = frozenset(
    {tools.RunCells, tools.RunCode, tools.Query, tools.RestartKernel}
)


class ShownCall(Protocol):
    """A call that the host shows, as the agent doesn't."""

    permissions: ToolPermissions

    def done(self, reply: Reply) -> None:
        """Show the result."""

    def given_up(self) -> None:
        """Show that the call has ended without a result."""


ShowCall: TypeAlias = Callable[[Session, type[AnyTool], Obj, str], ShownCall]
"""Shows a call of a tool with these arguments, in the notebook at this absolute path."""


class SessionTools:
    """Answers one session's calls. Used on the host's loop only."""

    def __init__(
        self,
        session: Session,
        find: FindTarget,
        notebooks: NotebookAccess,
        runner: KernelRunner,
        code: RunningCode,
        show: ShowCall | None = None,
    ) -> None:
        self._session = session
        self._show = show
        self._find = find
        self._notebooks = notebooks
        self._runner = runner
        self._code = code
        self._permissions = ToolPermissions(session)
        self._calls = 0
        self._order = CallOrder()
        self._noted = ""
        """The last note to the agent about its kernel."""

    @property
    def available(self) -> tuple[type[AnyTool], ...]:
        """The tools that the agent may use now."""
        return tuple(TOOLS.values()) if self._session.tools_on else ()

    async def call(self, name: str, arguments: Obj) -> Reply:
        """Carry out a call; an error becomes a reply with a message."""
        row = TOOLS.get(name)
        if not self._session.tools_on:
            return Reply.failure("The user has turned the notebook tools off for this session.")
        if row is None:
            return Reply.failure(f"There is no tool {name[:100]!r}. There are: {', '.join(TOOLS)}.")
        if self._calls >= _CALLS_AT_ONCE:
            return Reply.failure("Too many calls at once. Wait for the running ones to end.")
        self._calls += 1
        place = self._order.join(runs=row in _RUNS)
        try:
            return await self._reply_of(self._checked(row, arguments, place))
        finally:
            place.leave()
            self._calls -= 1

    async def _reply_of(self, work: Awaitable[Reply]) -> Reply:
        """Wait for a reply; an error becomes a reply with a message."""
        try:
            return await work
        except (WrongArguments, ToolRefused, ToolError) as error:
            return Reply.failure(str(error))
        except KernelError as error:
            return Reply.failure(f"{error.trouble}: {error.message}")
        except AcpError as error:
            return Reply.failure(error.message)
        except Exception:
            _logger.exception("a notebook tool of session %s", self._session.session_id)
            return Reply.failure("This did not work, because of a defect in acp-jupyter.")

    async def _checked(self, row: type[AnyTool], arguments: Obj, place: CallPlace) -> Reply:
        if row not in _EDITS | _RUNS:
            place.leave()
        return await self._until_the_turn_ends(read_input(row, arguments), arguments, place)

    async def _until_the_turn_ends(self, call: AnyTool, arguments: Obj, place: CallPlace) -> Reply:
        """Carry out a call; when the turn ends, so do the call and the code that it runs."""
        turn_id = self._session.state.active_turn_id
        work = asyncio.ensure_future(self._do(call, arguments, place))
        if turn_id is None:
            return await work
        end = asyncio.ensure_future(self._session.journal.wait_turn(turn_id, _TURN_SECONDS))
        try:
            await asyncio.wait((work, end), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ToolError("The turn has ended, and this call with it.")
            return work.result()
        finally:
            work.cancel()
            end.cancel()
            await asyncio.gather(work, end, return_exceptions=True)

    async def _do(self, call: AnyTool, arguments: Obj, place: CallPlace) -> Reply:
        target = await self._find(call)

        def context(permissions: ToolPermissions) -> CallContext:
            return CallContext(
                target,
                self._notebooks,
                self._runner,
                self._code,
                permissions,
                arguments,
                self._session.redactor.redact_text,
                place,
            )

        if self._show is None:
            return self._with_note(target, await _do(context(self._permissions), call))
        shown = self._show(self._session, type(call), arguments, str(target.path))
        try:
            reply = await self._reply_of(_do(context(shown.permissions), call))
        except asyncio.CancelledError:
            shown.given_up()
            raise
        shown.done(reply)
        return reply

    def _with_note(self, target: CallTarget, reply: Reply) -> Reply:
        """Add a note about the agent's kernel, once, if it is not the user's kernel."""
        if target.note and target.note != self._noted:
            self._noted = target.note
            reply.add_text(target.note)
        return reply


async def _do(context: CallContext, call: AnyTool) -> Reply:  # noqa: C901 - one flat match
    match call:
        case tools.ListCells():
            return await list_cells(context, call)
        case tools.ReadCells():
            return await read_cells(context, call)
        case tools.InsertTool():
            return await insert_cell(context, call)
        case tools.EditTool():
            return await edit_cell(context, call)
        case tools.MoveTool():
            return await move_cell(context, call)
        case tools.DeleteTool():
            return await delete_cell(context, call)
        case tools.RunCells():
            return await kernel_tools.run_cells(context, call)
        case tools.ListVariables():
            return await kernel_tools.list_variables(context, call)
        case tools.ReadLastError():
            return await kernel_tools.last_error(context)
        case tools.Inspect():
            return await kernel_tools.inspect(context, call)
        case tools.Complete():
            return await kernel_tools.complete(context, call)
        case tools.RunCode():
            return await kernel_tools.run_code(context, call)
        case tools.ListTables():
            return await table_tools.list_tables(context)
        case tools.DescribeTable():
            return await table_tools.describe_table(context, call)
        case tools.Query():
            return await table_tools.query(context, call)
        case tools.Interrupt():
            return await kernel_tools.interrupt(context, call)
        case tools.RestartKernel():
            return await kernel_tools.restart_kernel(context, call)
        case _:
            assert_never(call)


async def list_cells(context: CallContext, call: ListCells) -> Reply:
    """List the cells."""
    reply = Reply()
    state = await context.state()
    write_cell_list(reply, context.target.name, state, call.start, context.target.prompt_cell)
    return reply


async def read_cells(context: CallContext, call: ReadCells) -> Reply:
    """Read cells."""
    reply = Reply()
    state = await context.state()
    chosen = [context.place_of(state, cell_id) for cell_id in call.cell_ids]
    write_cells(reply, context.target.name, chosen, outputs=call.outputs)
    return reply


async def insert_cell(context: CallContext, call: InsertTool) -> Reply:
    """Insert a cell."""
    _cell_before(context, await context.state(), call)  # refuse now, before asking the user
    card = await context.permissions.request(
        _action(context, call.tool, f"Insert a {call.cell_type} cell in")
    )
    await context.place.first()
    after = _cell_before(context, await context.state(), call)
    cell_id = uuid.uuid4().hex[:12]
    edit = InsertCell(
        cell_id=cell_id,
        after=after,
        cell_type=call.cell_type,
        source=call.source,
        acp=_mark(context, call.source),
    )
    state = await _apply(context, card, edit)
    index, _ = context.cell(state, cell_id)
    return _text_reply(
        f"Inserted as cell id={cell_id} at index {index}, "
        f"fingerprint={fingerprint(call.source)}. It was not run."
    )


async def edit_cell(context: CallContext, call: EditTool) -> Reply:
    """Change a cell's source, as a whole or in parts."""
    context.refuse_prompt_cell([call.cell_id])
    index, cell = context.cell(await context.state(), call.cell_id)
    _require_source(cell.source, call.fingerprint, call.cell_id)
    source = edited(cell.source, call.edits) if call.source is None else call.source
    action = _action(
        context,
        call.tool,
        f"Edit cell {index + 1} of",
        diff=(cell.source, source),
    )
    card = await context.permissions.request(action)
    await context.place.first()
    change = ReplaceSource(
        cell_id=call.cell_id,
        fingerprint=call.fingerprint,
        source=source,
        acp=_mark(context, source),
    )
    await _apply(context, card, change)
    return _text_reply(f"Edited. Its fingerprint is now {fingerprint(source)}. It was not run.")


async def move_cell(context: CallContext, call: MoveTool) -> Reply:
    """Move a cell."""
    context.refuse_prompt_cell([call.cell_id])
    state = await context.state()
    now, _ = context.cell(state, call.cell_id)
    _cell_before(context, _without(state, call.cell_id), call)  # refuse now, before asking the user
    card = await context.permissions.request(_action(context, call.tool, f"Move cell {now + 1} of"))
    await context.place.first()
    after = _cell_before(context, _without(await context.state(), call.cell_id), call)
    change = MoveCell(cell_id=call.cell_id, fingerprint=call.fingerprint, after=after)
    index, _ = context.cell(await _apply(context, card, change), call.cell_id)
    return _text_reply(f"Moved to index {index}.")


async def delete_cell(context: CallContext, call: DeleteTool) -> Reply:
    """Delete a cell."""
    context.refuse_prompt_cell([call.cell_id])
    index, cell = context.cell(await context.state(), call.cell_id)
    _require_source(cell.source, call.fingerprint, call.cell_id)
    action = _action(context, call.tool, f"Delete cell {index + 1} of", diff=(cell.source, ""))
    card = await context.permissions.request(action)
    await context.place.first()
    change = DeleteCell(cell_id=call.cell_id, fingerprint=call.fingerprint, acp=_mark(context, ""))
    await _apply(context, card, change)
    return _text_reply("Deleted.")


async def _apply(
    context: CallContext, card: CallCard, edit: InsertCell | ReplaceSource | MoveCell | DeleteCell
) -> NotebookState:
    failed = True
    try:
        state = await context.apply(edit)
        failed = False
        return state
    finally:
        card.done(failed=failed)


def _action(
    context: CallContext, tool: str, title: str, diff: tuple[str, str] | None = None
) -> ToolAction:
    return ToolAction(
        tool=tool,
        arguments=context.arguments,
        kind="edit",
        words=f"change {context.target.notebook}",
        title=f"{title} {context.target.name}",
        location=str(context.target.path),
        diff=diff,
    )


def _mark(context: CallContext, source: str) -> AcpMark:
    target = context.target
    return AcpMark(turn=target.turn_id, agent=target.agent, written=fingerprint(source))


def _cell_before(
    context: CallContext, state: NotebookState, call: InsertTool | MoveTool
) -> str | None:
    """Return the id of the cell before a call's position; None for the first position."""
    if call.after is not None and call.before is not None:
        raise ToolError("Give after or before, not both.")
    if call.after is not None:
        return context.place_of(state, call.after)[1].id
    if call.before is not None:
        index, _ = context.place_of(state, call.before)
        return state.cells[index - 1].id if index else None
    return state.cells[-1].id if state.cells else None


def _without(state: NotebookState, cell_id: str) -> NotebookState:
    others = tuple(cell for cell in state.cells if cell.id != cell_id)
    return state.model_copy(update={"cells": others})


def _require_source(source: str, expected: str, cell_id: str) -> None:
    """Check the cell's source before the user is asked; the edit itself checks it again."""
    if fingerprint(source) != expected:
        raise ToolError(
            f"stale: cell {cell_id} was changed since you read it. Call read_cells for it, and "
            "make your change in what it holds now."
        )


def _text_reply(words: str) -> Reply:
    reply = Reply()
    reply.add_text(words)
    return reply
