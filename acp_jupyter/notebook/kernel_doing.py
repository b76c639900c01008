"""What the tools for the kernel do."""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import functools
from collections.abc import Awaitable, Callable

from acp_jupyter.delivery.notebook_cells import Cell, SetOutputs
from acp_jupyter.notebook.desk import Desk, NotDone
from acp_jupyter.notebook.gate import Wish
from acp_jupyter.notebook.kernel_runner import KernelTrouble, RunResult
from acp_jupyter.notebook.overwrites import bound_names
from acp_jupyter.notebook.reply import Reply, bounded
from acp_jupyter.notebook.tools.cells import RunCells
from acp_jupyter.notebook.tools.kernel import (
    Complete,
    Inspect,
    Interrupt,
    ListVariables,
    RestartKernel,
    RunCode,
)
from acp_jupyter.packets.fingerprint import fingerprint

__all__ = ["complete", "inspect", "interrupt", "restart", "run_cells", "run_code", "variables"]

_LOOK_SECONDS = 3.0
"""For what the user is told before they allow; code is not held up by a busy kernel."""
_NAMES = 20


async def variables(context: Desk, call: ListVariables) -> Reply:
    """List the user's variables."""
    found = await context.runner.variables(context.kernel_id)
    lines = [
        f"{each.name}: {each.type}"
        + (f" {each.detail}" if each.detail else "")
        + (f" = {each.preview}" if each.preview else "")
        for each in found.variables
        if fnmatch.fnmatchcase(each.name, call.pattern)
    ]
    reply = Reply()
    reply.add_text(f"{len(lines)} variables.")
    if lines:
        origin = f"variables of the kernel of {context.target.name}"
        reply.data(origin, bounded("\n".join(lines), 30_000))
    if found.more:
        reply.add_text(f"{found.more} more are not listed.")
    return reply


async def inspect(context: Desk, call: Inspect) -> Reply:
    """Show what is known of a name."""
    place = len(call.code) if call.position is None else min(call.position, len(call.code))
    found = await context.runner.inspect(context.kernel_id, call.code, place)
    reply = Reply()
    if not found.found:
        reply.add_text("Nothing is known of that name. list_variables lists what there is.")
    else:
        reply.data(
            f"inspection in the kernel of {context.target.name}", bounded(found.text, 20_000)
        )
    return reply


async def complete(context: Desk, call: Complete) -> Reply:
    """List how code goes on."""
    place = len(call.code) if call.position is None else min(call.position, len(call.code))
    found = await context.runner.complete(context.kernel_id, call.code, place)
    reply = Reply()
    reply.add_text(
        f"{len(found.matches)} completions, in place of characters {found.start} to {found.end}."
    )
    if found.matches:
        words = bounded("\n".join(found.matches), 10_000)
        reply.data(f"completions in the kernel of {context.target.name}", words)
    return reply


async def run_code(context: Desk, call: RunCode) -> Reply:
    """Run code that stands in no cell."""
    kernel_id = context.kernel_id
    card = await context.permissions.request(await _wish(context, call.tool, "Run code", call.code))
    reply = Reply()
    try:
        result = await context.code.execute(
            kernel_id,
            call.code,
            timeout_seconds=call.timeout_seconds,
            on_printed=card.print,
            goes_on=context.turn_goes_on,
        )
        _tell(reply, f"the code that you ran in {context.target.name}", result)
    finally:
        card.done(failed=reply.failed or not reply.parts, text=reply.text)
    return reply


async def run_cells(context: Desk, call: RunCells) -> Reply:
    """Run cells, and write their outputs into the notebook."""
    kernel_id = context.kernel_id
    context.refuse_prompt_cell(call.cell_ids)
    state = await context.state()
    found = [context.cell(state, cell_id) for cell_id in call.cell_ids]
    cells = [cell for _, cell in found]
    for cell in cells:
        if cell.cell_type != "code":
            raise NotDone(f"Cell {cell.id} is a {cell.cell_type} cell; only code cells can run.")
    code = "\n\n".join(f"# cell {place + 1}\n{cell.source}" for place, cell in found)
    title = f"Run cell {found[0][0] + 1}" if len(cells) == 1 else f"Run {len(cells)} cells"
    card = await context.permissions.request(await _wish(context, call.tool, title, code))
    run = functools.partial(
        context.code.execute,
        kernel_id,
        timeout_seconds=call.timeout_seconds,
        store_history=True,
        on_printed=card.print,
        goes_on=context.turn_goes_on,
    )
    reply = Reply()
    try:
        for cell in cells:
            await _run_cell(context, run, cell, reply)
            if reply.failed:
                left = len(cells) - cells.index(cell) - 1
                if left:
                    reply.add_text(f"{left} cells after it were not run.")
                break
    finally:
        card.done(failed=reply.failed or not reply.parts, text=reply.text)
    return reply


async def _run_cell(
    context: Desk, run: Callable[[str], Awaitable[RunResult]], cell: Cell, reply: Reply
) -> None:
    _, now = context.cell(await context.state(), cell.id)
    if now.source != cell.source:
        reply.failed = True
        reply.add_text(
            f"stale: cell {cell.id} was changed meanwhile, and was not run. Read it again."
        )
        return
    result = await run(cell.source)
    _tell(reply, f"cell {cell.id} of {context.target.name}", result)
    written = SetOutputs(
        cell_id=cell.id,
        fingerprint=fingerprint(cell.source),
        outputs=result.outputs,
        execution_count=result.execution_count,
    )
    try:
        await context.apply(written)
    except NotDone as error:
        reply.add_text(f"Its outputs were not written into the notebook: {error}")


async def interrupt(context: Desk, call: Interrupt) -> Reply:
    """Stop what a tool runs."""
    await context.runner.interrupt(context.kernel_id)
    reply = Reply()
    reply.add_text("Interrupted what your tools ran, if anything.")
    return reply


async def restart(context: Desk, call: RestartKernel) -> Reply:
    """Restart the kernel."""
    kernel_id = context.kernel_id
    if context.target.prompt_cell:
        raise NotDone(
            "The cell that you are asked from runs in this kernel, so it can't be restarted now. "
            "Ask the user to do it."
        )
    wish = Wish(
        tool=call.tool,
        arguments=context.arguments,
        kind="execute",
        words="restart the notebook's kernel",
        title=f"Restart the kernel of {context.target.name}",
        location=str(context.target.path),
        reason="All variables are lost.",
    )
    card = await context.permissions.request(wish)
    failed = True
    try:
        await context.runner.restart(kernel_id)
        failed = False
    finally:
        card.done(failed=failed)
    reply = Reply()
    reply.add_text("Restarted. There are no variables now.")
    return reply


async def _wish(context: Desk, tool: str, title: str, code: str) -> Wish:
    return Wish(
        tool=tool,
        arguments=context.arguments,
        kind="execute",
        words="run code in the notebook's kernel",
        title=f"{title} in the kernel of {context.target.name}",
        location=str(context.target.path),
        reason=await _overwritten(context, code),
        code="" if tool == RunCode.tool else code,
    )


async def _overwritten(context: Desk, code: str) -> str:
    """Say which of the user's variables the code would give another value, as far as is seen."""
    bound = bound_names(code)
    if not bound:
        return ""
    with contextlib.suppress(KernelTrouble, TimeoutError):
        async with asyncio.timeout(_LOOK_SECONDS):
            found = await context.runner.variables(context.kernel_id)
        names = sorted(bound & {each.name for each in found.variables})
        if not names:
            return ""
        more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
        return f"Overwrites variables: {', '.join(names[:_NAMES])}{more}."
    names = sorted(bound)
    return f"May overwrite variables: {', '.join(names[:_NAMES])}."


def _tell(reply: Reply, origin: str, result: RunResult) -> None:
    words = {
        "ok": "Ran without an error.",
        "error": "It raised an error.",
        "interrupted": "It was interrupted.",
        "timeout": "It took too long, and was interrupted.",
    }
    reply.failed = result.status != "ok"
    reply.add_text(f"{origin[:1].upper()}{origin[1:]}: {words[result.status]}")
    reply.outputs(origin, result.outputs)
    if result.truncated:
        reply.add_text("There was more output than is kept.")
