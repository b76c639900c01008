"""The tools for the kernel: run code, run cells, variables, inspect, complete, restart.

Before code runs, the user sees which variables its source would overwrite; changes by a call,
``exec`` or a star import are not found.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import fnmatch
import functools
import re
import warnings
from collections.abc import Awaitable, Callable, Iterator

from acp_jupyter.api.models.documents import Cell, SetOutputs
from acp_jupyter.cells.context import (
    FRAME_LEFT_OUT,
    LEFT_OUT,
    IsHidden,
    without_left_out_frames,
)
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.context import CallContext, ToolError
from acp_jupyter.notebook_tools.kernel_runner import KernelError, RunResult, Variable
from acp_jupyter.notebook_tools.outputs import Reply
from acp_jupyter.notebook_tools.tool_permissions import ToolAction
from acp_jupyter.notebook_tools.tools import (
    Complete,
    Inspect,
    Interrupt,
    ListVariables,
    RestartKernel,
    RunCells,
    RunCode,
)
from acp_jupyter.protocol.formatting import shorten_middle

_VARIABLES_SECONDS = 3.0
"""Timeout for reading variables before the user is asked: a busy kernel must not delay that."""
_NAMES = 20


async def list_variables(context: CallContext, call: ListVariables) -> Reply:
    """List the user's variables."""
    found = await context.runner.variables(context.kernel_id)
    lines = [
        _variable_line(each)
        for each in found.variables
        if fnmatch.fnmatchcase(each.name, call.pattern)
    ]
    reply = Reply()
    reply.add_text(f"{len(lines)} variables.")
    if lines:
        origin = f"variables of {context.target.kernel}"
        reply.data(origin, shorten_middle("\n".join(lines), 30_000))
    if found.more:
        reply.add_text(f"{found.more} more are not listed.")
    return reply


def _variable_line(each: Variable) -> str:
    detail = f" {each.detail}" if each.detail else ""
    return f"{each.name}: {each.type}{detail}" + (f" = {each.preview}" if each.preview else "")


async def last_error(context: CallContext) -> Reply:
    """Describe the last error, with the variables of its frames."""
    found = await context.runner.last_error(context.kernel_id)
    if not found.words:
        return Reply.failure("No error of the user's code is known in this kernel.")
    hidden = await _hidden_code(context)
    if hidden(found.execution_count):
        return Reply.failure(f"The last error is of a cell that is {LEFT_OUT}.")
    lines = [found.words]
    for index, frame in enumerate(found.frames):
        if found.left_out and index == len(found.frames) // 2:
            lines.append(f"\n[{found.left_out} frames in between are left out]")
        if frame.execution_count is not None and hidden(frame.execution_count):
            lines.append(f"\n{FRAME_LEFT_OUT}")
            continue
        lines.append(f"\n{frame.place}, in {frame.function}: {frame.code}")
        lines += [f"    {_variable_line(each)}" for each in frame.variables]
        if frame.more:
            lines.append(f"    [{frame.more} more variables]")
    reply = Reply()
    reply.add_text(f"{len(found.frames)} frames, the innermost last.")
    # A frame of a library may hold a secret such as a password.
    words = shorten_middle(context.redact("\n".join(lines)), 30_000)
    reply.data(f"last error in {context.target.kernel}", words)
    return reply


async def _hidden_code(context: CallContext) -> IsHidden:
    """Return a function that says whether the code of an execution count is left out."""
    try:
        found = (await context.state()).hidden_code()
    except ToolError as error:
        if error.reason != "no_notebook":
            raise
        found = None
    return found or (lambda _: False)


def _everything(_count: int | None) -> bool:
    return True


async def inspect(context: CallContext, call: Inspect) -> Reply:
    """Inspect a name."""
    position = len(call.code) if call.position is None else min(call.position, len(call.code))
    found = await context.runner.inspect(context.kernel_id, call.code, position)
    if found.of_cell and (await _hidden_code(context))(found.execution_count):
        return Reply.failure(f"It may show code of a cell that is {LEFT_OUT}.")
    reply = Reply()
    if not found.found:
        reply.add_text("The kernel does not know that name. list_variables lists what there is.")
    else:
        reply.data(f"inspection in {context.target.kernel}", shorten_middle(found.text, 20_000))
    return reply


async def complete(context: CallContext, call: Complete) -> Reply:
    """List completions."""
    position = len(call.code) if call.position is None else min(call.position, len(call.code))
    found = await context.runner.complete(context.kernel_id, call.code, position)
    reply = Reply()
    reply.add_text(
        f"{len(found.matches)} completions, in place of characters {found.start} to {found.end}."
    )
    if found.matches:
        words = shorten_middle("\n".join(found.matches), 10_000)
        reply.data(f"completions in {context.target.kernel}", words)
    return reply


async def run_code(context: CallContext, call: RunCode) -> Reply:
    """Run code without a cell."""
    kernel_id = context.kernel_id
    card = await context.permissions.request(
        await _action(context, call.tool, "Run code", call.code)
    )
    await context.place.first()
    reply = Reply()
    try:
        result = await context.code.execute(
            kernel_id,
            call.code,
            timeout_seconds=call.timeout_seconds,
            on_printed=card.print,
            goes_on=context.turn_goes_on,
        )
        origin = f"the code that you ran in {context.target.name}"
        await add_result(context, reply, origin, result)
    finally:
        card.done(failed=reply.failed or not reply.parts, text=reply.text)
    return reply


async def run_cells(context: CallContext, call: RunCells) -> Reply:
    """Run cells, and write their outputs into the notebook."""
    kernel_id = context.kernel_id
    context.refuse_prompt_cell(call.cell_ids)
    state = await context.state()
    found = [context.cell(state, cell_id) for cell_id in call.cell_ids]
    cells = [cell for _, cell in found]
    for cell in cells:
        if cell.cell_type != "code":
            raise ToolError(f"Cell {cell.id} is a {cell.cell_type} cell; only code cells can run.")
    code = "\n\n".join(f"# cell {index + 1}\n{cell.source}" for index, cell in found)
    title = f"Run cell {found[0][0] + 1}" if len(cells) == 1 else f"Run {len(cells)} cells"
    card = await context.permissions.request(await _action(context, call.tool, title, code))
    await context.place.first()
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
    context: CallContext, run: Callable[[str], Awaitable[RunResult]], cell: Cell, reply: Reply
) -> None:
    _, now = context.cell(await context.state(), cell.id)
    if now.source != cell.source:
        reply.failed = True
        reply.add_text(
            f"stale: cell {cell.id} was changed meanwhile, and was not run. Read it again."
        )
        return
    result = await run(cell.source)
    await add_result(context, reply, f"cell {cell.id} of {context.target.name}", result)
    written = SetOutputs(
        cell_id=cell.id,
        fingerprint=fingerprint(cell.source),
        outputs=result.outputs,
        execution_count=result.execution_count,
    )
    try:
        await context.apply(written)
    except ToolError as error:
        reply.add_text(f"Its outputs were not written into the notebook: {error}")


async def interrupt(context: CallContext, call: Interrupt) -> Reply:
    """Interrupt a tool's code, of any session; not if the policy forbids changes."""
    context.permissions.refuse_forbidden()
    await context.runner.interrupt(context.kernel_id)
    reply = Reply()
    reply.add_text("Interrupted what your tools ran, if anything.")
    return reply


async def restart_kernel(context: CallContext, call: RestartKernel) -> Reply:
    """Restart the kernel."""
    kernel_id = context.kernel_id
    if context.target.prompt_cell and not context.target.own_kernel:
        raise ToolError(
            "The cell that you are asked from runs in this kernel, so it can't be restarted now. "
            "Ask the user to do it."
        )
    action = ToolAction(
        tool=call.tool,
        arguments=context.arguments,
        kind="execute",
        words=f"restart {context.target.kernel_name}",
        title=f"Restart {context.target.kernel}",
        location=str(context.target.path),
        reason="All variables are lost.",
    )
    card = await context.permissions.request(action)
    await context.place.first()
    failed = True
    try:
        await context.runner.restart(kernel_id)
        failed = False
    finally:
        card.done(failed=failed)
    reply = Reply()
    reply.add_text("Restarted. There are no variables now.")
    return reply


OUTSIDE = "The kernel is outside of the agent's sandbox: code that runs there can do what you can."


async def _action(context: CallContext, tool: str, title: str, code: str) -> ToolAction:
    outside = OUTSIDE if context.permissions.confined else ""
    return ToolAction(
        tool=tool,
        arguments=context.arguments,
        kind="execute",
        words=f"run code in {context.target.kernel_name}",
        title=f"{title} in {context.target.kernel}",
        location=str(context.target.path),
        reason=f"{await _overwritten(context, code)} {outside}".strip(),
        code="" if tool == RunCode.tool else code,
    )


async def _overwritten(context: CallContext, code: str) -> str:
    """Return a message about the user's variables that the code would overwrite."""
    bound = bound_names(code)
    if not bound:
        return ""
    with contextlib.suppress(KernelError, TimeoutError):
        async with asyncio.timeout(_VARIABLES_SECONDS):
            found = await context.runner.variables(context.kernel_id)
        names = sorted(bound & {each.name for each in found.variables})
        if not names:
            return ""
        more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
        return f"Overwrites variables: {', '.join(names[:_NAMES])}{more}."
    names = sorted(bound)
    return f"May overwrite variables: {', '.join(names[:_NAMES])}."


async def add_result(context: CallContext, reply: Reply, origin: str, result: RunResult) -> None:
    """Add how code ended, and its outputs without frames of cells that are left out."""
    words = {
        "ok": "Ran without an error.",
        "error": "It raised an error.",
        "interrupted": "It was interrupted.",
        "timeout": "It took too long, and was interrupted.",
    }
    reply.failed = result.status != "ok"
    reply.add_text(f"{origin[:1].upper()}{origin[1:]}: {words[result.status]}")
    outputs = result.outputs
    if any(each.get("traceback") for each in outputs):
        try:
            is_hidden = await _hidden_code(context)
        except ToolError:  # the code has run, so this is no reason to refuse
            is_hidden = _everything
        outputs = without_left_out_frames(outputs, is_hidden, of_tool=True)
    reply.outputs(origin, outputs)
    if result.truncated:
        reply.add_text("There was more output than is kept.")


_MAX_CHARS = 200_000
_SPECIAL = re.compile(r"^(?P<indent>\s*+)(?:(?P<target>[\w,.\[\]][\w\s,.\[\]]*+)=\s*+)?[%!][^=].*$")
"""IPython's own lines: ``%magic``, ``!command``, and assignments from them."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def bound_names(code: str) -> frozenset[str]:
    """Return the names that ``code`` binds, deletes, or stores something into.

    ``df["a"] = 1`` counts as ``df``. Changes by a call, ``exec`` or a star import are not found.
    There are no names for code that can't be parsed or that begins with a cell magic.
    """
    if len(code) > _MAX_CHARS or code.lstrip().startswith("%%"):
        return frozenset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes such as "\d" in the user's code
            tree = ast.parse(_plain(code))
        return frozenset(_bound(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def _plain(code: str) -> str:
    return "\n".join(_SPECIAL.sub(_plain_line, line) for line in code.splitlines())


def _plain_line(found: re.Match[str]) -> str:
    target = found["target"]
    return f"{found['indent']}{f'{target.rstrip()} = None' if target else 'pass'}"


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        yield from _names_of(node)
        if isinstance(node, _Function):
            yield from _declared_global(node)
        elif isinstance(node, _Comprehension):
            yield from _walruses(node)  # a function's other names are local
        elif not isinstance(node, ast.ClassDef):
            yield from _bound(node)


def _names_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name.partition(".")[0]
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case (
            ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del())
        ):
            yield from _base(node)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name
        case _:
            return


def _base(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _declared_global(function: _Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            yield from node.names


def _walruses(comprehension: _Comprehension) -> Iterator[str]:
    for node in ast.walk(comprehension):
        if isinstance(node, ast.NamedExpr):
            yield node.target.id
