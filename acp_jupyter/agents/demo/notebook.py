"""The tasks in the notebook that the user has open, and in its kernel, by the notebook tools."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Coroutine

from acp_jupyter.agents.demo.cell_edits import propose_for_cell
from acp_jupyter.agents.demo.cells import (
    CellLine,
    Variable,
    inserted_id,
    list_cells,
    read_cell,
    told,
    variables,
)
from acp_jupyter.agents.demo.choose import Request
from acp_jupyter.agents.demo.edits import Edit
from acp_jupyter.agents.demo.mend import mend
from acp_jupyter.agents.demo.plotting import can_plot, picture_words, plot_code
from acp_jupyter.agents.demo.quoting import code_block, plain_name, quote
from acp_jupyter.agents.demo.steps import StepFailedError, step
from acp_jupyter.agents.demo.toolbox import NO_TOOLS, ToolAnswer
from acp_jupyter.agents.demo.turn import Turn
from acp_jupyter.agents.rpc import Json

__all__ = ["edit_notebook", "fix_cell", "look_at", "plot"]

_LOOK = """\
print("Columns:")
print({name}.dtypes.to_string())
print("Missing values:")
print({name}.isna().sum().to_string())"""
_MAX_SEARCHED = 20


def _by_tools(
    task: Callable[[Turn, Request], Awaitable[str]],
) -> Callable[[Turn, Request], Coroutine[object, object, str]]:
    """Make a task of one that returns its answer; what the tools refuse is an answer too."""

    @functools.wraps(task)
    async def perform(turn: Turn, request: Request) -> str:
        words = NO_TOOLS
        if turn.session.tools.available:
            try:
                words = await task(turn, request)
            except StepFailedError as error:
                words = f"It went no further. The notebook tools said: {quote(str(error), 400)}\n"
        await turn.say(words)
        return "end_turn"

    return perform


@_by_tools
async def look_at(turn: Turn, request: Request) -> str:
    """Say what a variable is; of a table, its columns and what is missing in them."""
    name = request.variable or ""
    await turn.think(f"What {name} is, its kernel knows best.")
    found = await _variable(turn, name)
    if found is None:
        return await _unknown(turn, name)
    text = f"`{name}` is a `{plain_name(found.type)}`"
    text += f": {quote(found.detail)}.\n" if found.detail else ".\n"
    if found.preview:
        text += f"\n{code_block(found.preview, 'python')}"
    if found.is_table:
        code: Json = {"code": _LOOK.format(name=name)}
        ran = await step(turn, "run_code", f"Look into {name}", "execute", code)
        text += f"\n{code_block(told(ran.text, 'stdout of'), 'text')}"
    return text


@_by_tools
async def plot(turn: Turn, request: Request) -> str:
    """Insert a cell below the asking one, run it, and say what is seen."""
    every = await variables(turn)
    chosen = next((each for each in every if each.name == request.variable), None)
    if chosen is None and request.variable is not None:
        return await _unknown(turn, request.variable)
    chosen = chosen or next(filter(can_plot, every), None)
    if chosen is None or not can_plot(chosen):
        what = f"`{chosen.name}` is a `{plain_name(chosen.type)}`" if chosen else "There is nothing"
        return f"{what}, and only tables and lists of numbers are plotted. Nothing was changed.\n"
    known = await step(
        turn, "complete", "Is there matplotlib?", "other", {"code": "import matplotl"}
    )
    code = plot_code(
        chosen, has_matplotlib="matplotlib" in told(known.text, "completions").split("\n")
    )
    below, is_new = await _cell_below(turn, code)
    ran = await _run(turn, below)
    if ran.failed:
        return f"The cell with the plot failed:\n\n{_error(ran)}"
    seen = " and ".join(picture_words(picture) for picture in ran.pictures)
    done = "A new cell below yours plots" if is_new else "The cell below yours, run again, plots"
    if not seen:
        return f"{done} `{chosen.name}`. It ran, but showed no picture that this agent can see.\n"
    return f"{done} `{chosen.name}`. I see the plot: {seen}.\n"


async def _cell_below(turn: Turn, code: str) -> tuple[str, bool]:
    """Return the id of a cell with that code below the asking one, and whether it is new."""
    cells = await list_cells(turn)
    at = next((place for place, cell in enumerate(cells) if cell.is_prompt_cell), None)
    next_ = cells[at + 1 : at + 2] if at is not None else []
    for cell in next_:  # asked again, it plots in the same place
        if cell.is_code and (await read_cell(turn, cell)).source == code:
            return cell.id, False
    arguments: Json = {"source": code}
    if at is not None:
        arguments["after"] = cells[at].id
    answer = await step(turn, "insert_cell", "Insert a cell", "edit", arguments)
    return inserted_id(answer.text), True


@_by_tools
async def fix_cell(turn: Turn, _request: Request) -> str:
    """Mend the last cell that failed, and run it again."""
    cells = await list_cells(turn)
    failed = next(
        (c for c in reversed(cells) if c.is_code and c.failed and not c.is_prompt_cell), None
    )
    if failed is None:
        return (
            "No cell of this notebook shows an error, so there is nothing to fix. "
            "`fix clean.py` proposes an edit of a file.\n"
        )
    cell = await read_cell(turn, failed)
    names = [each.name for each in await variables(turn)]
    await turn.think(f"Cell {failed.index + 1} failed: {cell.error}")
    change = mend(cell.source, cell.error, names)
    where = f"Cell {failed.index + 1}"
    if change is None:
        return (
            f"{where} failed: {quote(cell.error)}\n\nThis agent has no model and knows no mend "
            "for that. Nothing was changed.\n"
        )
    await _edit(turn, failed, change)
    ran = await _run(turn, failed.id)
    text = f"{where} failed: {quote(cell.error)}\n\n{change.summary} "
    if ran.failed:
        return f"{text}It still fails:\n\n{_error(ran)}"
    return f"{text}It ran again without an error.\n"


@_by_tools
async def edit_notebook(turn: Turn, _request: Request) -> str:
    """Edit the first cell for which an edit is known."""
    cells = [c for c in await list_cells(turn) if c.is_code and not c.is_prompt_cell]
    for line in cells[:_MAX_SEARCHED]:
        change = propose_for_cell((await read_cell(turn, line)).source)
        if change is not None:
            await _edit(turn, line, change)
            return f"Cell {line.index + 1}: {change.summary} It was not run.\n"
    return "No cell needs an edit that this agent knows. Nothing was changed.\n"


async def _edit(turn: Turn, cell: CellLine, change: Edit) -> None:
    arguments: Json = {
        "cell_id": cell.id,
        "source": change.text,
        "fingerprint": cell.fingerprint,
    }
    await step(turn, "edit_cell", f"Edit cell {cell.index + 1}", "edit", arguments)


async def _run(turn: Turn, cell_id: str) -> ToolAnswer:
    return await step(
        turn, "run_cells", "Run the cell", "execute", {"cell_ids": [cell_id]}, may_fail=True
    )


async def _variable(turn: Turn, name: str) -> Variable | None:
    return next((each for each in await variables(turn, name) if each.name == name), None)


async def _unknown(turn: Turn, name: str) -> str:
    known = [f"`{each.name}`" for each in await variables(turn)][:10]
    there = f"There are {', '.join(known)}." if known else "There are no variables yet."
    return f"The kernel has no variable `{plain_name(name)}`. {there}\n"


def _error(ran: ToolAnswer) -> str:
    lines = told(ran.text, "error of").strip().splitlines() or ran.text.splitlines()
    return code_block(lines[-1] if lines else "", "text")
