"""What the tools for cells do."""

from __future__ import annotations

import uuid

from acp_jupyter.delivery.notebook_cells import (
    AcpMark,
    DeleteCell,
    InsertCell,
    MoveCell,
    NotebookState,
    ReplaceSource,
)
from acp_jupyter.notebook.call_card import CallCard
from acp_jupyter.notebook.cell_words import list_cells, read_cells
from acp_jupyter.notebook.desk import Desk, NotDone
from acp_jupyter.notebook.gate import Wish
from acp_jupyter.notebook.reply import Reply
from acp_jupyter.notebook.tools.cells import (
    DeleteTool,
    EditTool,
    InsertTool,
    ListCells,
    MoveTool,
    ReadCells,
)
from acp_jupyter.packets.fingerprint import fingerprint

__all__ = ["delete", "edit", "insert", "listed", "move", "read"]


async def listed(context: Desk, call: ListCells) -> Reply:
    """List the cells."""
    reply = Reply()
    state = await context.state()
    list_cells(reply, context.target.name, state, call.start, context.target.prompt_cell)
    return reply


async def read(context: Desk, call: ReadCells) -> Reply:
    """Read cells."""
    reply = Reply()
    state = await context.state()
    chosen = [context.cell(state, cell_id) for cell_id in call.cell_ids]
    read_cells(reply, context.target.name, chosen, outputs=call.outputs)
    return reply


async def insert(context: Desk, call: InsertTool) -> Reply:
    """Insert a cell."""
    after = _after(context, await context.state(), call)
    card = await context.permissions.request(
        _wish(context, call.tool, f"Insert a {call.cell_type} cell in")
    )
    cell_id = uuid.uuid4().hex[:12]
    edit = InsertCell(
        cell_id=cell_id,
        after=after,
        cell_type=call.cell_type,
        source=call.source,
        acp=_mark(context, call.source),
    )
    state = await _changed(context, card, edit)
    place, _ = context.cell(state, cell_id)
    return _told(
        f"Inserted as cell id={cell_id} at index {place}, "
        f"fingerprint={fingerprint(call.source)}. It was not run."
    )


async def edit(context: Desk, call: EditTool) -> Reply:
    """Replace a cell's source."""
    context.refuse_prompt_cell([call.cell_id])
    place, cell = context.cell(await context.state(), call.cell_id)
    _must_be(cell.source, call.fingerprint, call.cell_id)
    wish = _wish(
        context,
        call.tool,
        f"Edit cell {place + 1} of",
        diff=(cell.source, call.source),
    )
    card = await context.permissions.request(wish)
    change = ReplaceSource(
        cell_id=call.cell_id,
        fingerprint=call.fingerprint,
        source=call.source,
        acp=_mark(context, call.source),
    )
    await _changed(context, card, change)
    return _told(f"Edited. Its fingerprint is now {fingerprint(call.source)}. It was not run.")


async def move(context: Desk, call: MoveTool) -> Reply:
    """Put a cell elsewhere."""
    context.refuse_prompt_cell([call.cell_id])
    state = await context.state()
    now, _ = context.cell(state, call.cell_id)
    others = state.model_copy(
        update={"cells": tuple(cell for cell in state.cells if cell.id != call.cell_id)}
    )
    after = _after(context, others, call)
    card = await context.permissions.request(_wish(context, call.tool, f"Move cell {now + 1} of"))
    change = MoveCell(cell_id=call.cell_id, fingerprint=call.fingerprint, after=after)
    place, _ = context.cell(await _changed(context, card, change), call.cell_id)
    return _told(f"Moved to index {place}.")


async def delete(context: Desk, call: DeleteTool) -> Reply:
    """Delete a cell."""
    context.refuse_prompt_cell([call.cell_id])
    place, cell = context.cell(await context.state(), call.cell_id)
    _must_be(cell.source, call.fingerprint, call.cell_id)
    wish = _wish(context, call.tool, f"Delete cell {place + 1} of", diff=(cell.source, ""))
    card = await context.permissions.request(wish)
    await _changed(context, card, DeleteCell(cell_id=call.cell_id, fingerprint=call.fingerprint))
    return _told("Deleted.")


async def _changed(
    context: Desk, card: CallCard, edit: InsertCell | ReplaceSource | MoveCell | DeleteCell
) -> NotebookState:
    failed = True
    try:
        state = await context.apply(edit)
        failed = False
        return state
    finally:
        card.done(failed=failed)


def _wish(context: Desk, tool: str, title: str, diff: tuple[str, str] | None = None) -> Wish:
    return Wish(
        tool=tool,
        arguments=context.arguments,
        kind="edit",
        words="change the notebook",
        title=f"{title} {context.target.name}",
        location=str(context.target.path),
        diff=diff,
    )


def _mark(context: Desk, source: str) -> AcpMark:
    place = context.target
    return AcpMark(turn=place.turn_id, agent=place.agent, written=fingerprint(source))


def _after(context: Desk, state: NotebookState, call: InsertTool | MoveTool) -> str | None:
    """Return the id of the cell before the place that a call means; None for the first place."""
    if call.after is not None and call.before is not None:
        raise NotDone("Give after or before, not both.")
    if call.after is not None:
        return context.cell(state, call.after)[1].id
    if call.before is not None:
        place, _ = context.cell(state, call.before)
        return state.cells[place - 1].id if place else None
    return state.cells[-1].id if state.cells else None


def _must_be(source: str, expected: str, cell_id: str) -> None:
    """Say so before anybody is asked; it is looked at again when the change is made."""
    if fingerprint(source) != expected:
        raise NotDone(
            f"stale: cell {cell_id} was changed since you read it. Call read_cells for it, and "
            "make your change in what it holds now."
        )


def _told(words: str) -> Reply:
    reply = Reply()
    reply.add_text(words)
    return reply
