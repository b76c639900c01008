"""The tasks in the open notebook and its kernel: look at, query, plot, fix, edit the notebook."""

from __future__ import annotations

import base64
import binascii
import functools
from collections.abc import Awaitable, Callable, Coroutine

from acp_jupyter.agents.demo.edits import Edit, propose_for_cell, repair
from acp_jupyter.agents.demo.mcp_client import NO_TOOLS, Picture, ToolAnswer
from acp_jupyter.agents.demo.notebook_tools import (
    ListedCell,
    NotebookVariable,
    StepFailedError,
    answer_data,
    inserted_id,
    list_cells,
    read_cell,
    step,
    variables,
)
from acp_jupyter.agents.demo.prompt import Request
from acp_jupyter.agents.demo.session import DemoTurn
from acp_jupyter.agents.demo.talk_tasks import code_block, plain_name, quote
from acp_jupyter.agents.rpc import Json

_INSPECT_CODE = """\
print("Columns:")
print({name}.dtypes.to_string())
print("Missing values:")
print({name}.isna().sum().to_string())"""
_MAX_SEARCHED = 20


def _by_tools(
    task: Callable[[DemoTurn, Request], Awaitable[str]],
) -> Callable[[DemoTurn, Request], Coroutine[object, object, str]]:
    """Make a task of a function that returns its answer; a refusal of a tool is an answer too."""

    @functools.wraps(task)
    async def perform(turn: DemoTurn, request: Request) -> str:
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
async def look_at(turn: DemoTurn, request: Request) -> str:
    """Describe a variable; for a table, its columns and missing values."""
    name = request.variable or ""
    await turn.think(f"The kernel knows what {name} is.")
    found = await _variable(turn, name)
    if found is None:
        return await _unknown(turn, name)
    text = f"`{name}` is a `{plain_name(found.type)}`"
    text += f": {quote(found.detail)}.\n" if found.detail else ".\n"
    if found.preview:
        text += f"\n{code_block(found.preview, 'python')}"
    if found.is_table:
        code: Json = {"code": _INSPECT_CODE.format(name=name)}
        ran = await step(turn, "run_code", f"Look into {name}", "execute", code)
        text += f"\n{code_block(answer_data(ran.text, 'stdout of'), 'text')}"
    return text


@_by_tools
async def plot(turn: DemoTurn, request: Request) -> str:
    """Insert a cell below the asking one, run it, and describe the output."""
    every = await variables(turn)
    chosen = next((each for each in every if each.name == request.variable), None)
    if chosen is None and request.variable is not None:
        return await _unknown(turn, request.variable)
    chosen = chosen or next(filter(can_plot, every), None)
    if chosen is None or not can_plot(chosen):
        what = f"`{chosen.name}` is a `{plain_name(chosen.type)}`" if chosen else "There is nothing"
        return f"{what}, and only tables and lists of numbers are plotted. Nothing was changed.\n"
    known = await step(
        turn, "complete", "Check for matplotlib", "other", {"code": "import matplotl"}
    )
    code = plot_code(
        chosen, has_matplotlib="matplotlib" in answer_data(known.text, "completions").split("\n")
    )
    below, is_new = await _cell_below(turn, code)
    ran = await _run(turn, below)
    if ran.failed:
        return f"The cell with the plot failed:\n\n{_error(ran)}"
    seen = " and ".join(picture_text(picture) for picture in ran.pictures)
    did = "added a cell below yours" if is_new else "ran the cell below again"
    done = f"I {did}. It plots"
    if not seen:
        return f"{done} `{chosen.name}`, but shows no picture that I can see.\n"
    return f"{done} `{chosen.name}`. I see the plot: {seen}.\n"


@_by_tools
async def query(turn: DemoTurn, request: Request) -> str:
    """List the tables, then query a table or a connection."""
    name = request.variable or ""
    listed = await step(turn, "list_tables", "List the tables", "other", {})
    tables = answer_data(listed.text, "tables of")
    arguments: Json = {"name": name, "sql": request.sql}
    asked = await step(turn, "query", f"Query {name}", "execute", arguments)
    result = answer_data(asked.text, "text/markdown of the query")
    return f"{code_block(tables, 'text')}\n{result}\n"


async def _cell_below(turn: DemoTurn, code: str) -> tuple[str, bool]:
    """Return the id of a cell with that code below the asking one, and whether it is new."""
    cells = await list_cells(turn)
    at = next((index for index, cell in enumerate(cells) if cell.is_prompt_cell), None)
    next_ = cells[at + 1 : at + 2] if at is not None else []
    for cell in next_:  # a second request plots in the same cell
        if cell.is_code and (await read_cell(turn, cell)).source == code:
            return cell.id, False
    arguments: Json = {"source": code}
    if at is not None:
        arguments["after"] = cells[at].id
    answer = await step(turn, "insert_cell", "Insert a cell", "edit", arguments)
    return inserted_id(answer.text), True


@_by_tools
async def fix_cell(turn: DemoTurn, request: Request) -> str:
    """Fix the last failed cell, and run it again; a cell named in the prompt is not run."""
    cells = await list_cells(turn)
    wanted = request.cell_id
    failed = next(
        (
            cell
            for cell in reversed(cells)
            if cell.is_code and cell.failed and not cell.is_prompt_cell
            if wanted is None or cell.id == wanted
        ),
        None,
    )
    if failed is None:
        return (
            "No cell of this notebook shows an error, so there is nothing to fix. "
            "`fix clean.py` proposes an edit of a file.\n"
        )
    cell = await read_cell(turn, failed)
    names = [each.name for each in await variables(turn)]
    await turn.think(f"Cell {failed.index + 1} failed: {cell.error}")
    change = repair(cell.source, cell.error, names)
    where = f"Cell {failed.index + 1}"
    if change is None:
        return (
            f"{where} failed: {quote(cell.error)}\n\nThis agent has no model and does not know how "
            "to fix that. Nothing was changed.\n"
        )
    await _edit(turn, failed, change)
    if wanted is not None:
        return f"{where} failed: {quote(cell.error)}\n\n{change.summary}\n"
    ran = await _run(turn, failed.id)
    text = f"{where} failed: {quote(cell.error)}\n\n{change.summary} "
    if ran.failed:
        return f"{text}It still fails:\n\n{_error(ran)}"
    return f"{text}It ran again without an error.\n"


@_by_tools
async def edit_notebook(turn: DemoTurn, _request: Request) -> str:
    """Edit the first cell that an edit fits."""
    cells = [c for c in await list_cells(turn) if c.is_code and not c.is_prompt_cell]
    for line in cells[:_MAX_SEARCHED]:
        change = propose_for_cell((await read_cell(turn, line)).source)
        if change is not None:
            await _edit(turn, line, change)
            return f"Cell {line.index + 1}: {change.summary} It was not run.\n"
    return "This agent knows no edit for any cell of this notebook. Nothing was changed.\n"


async def _edit(turn: DemoTurn, cell: ListedCell, change: Edit) -> None:
    arguments: Json = {
        "cell_id": cell.id,
        "source": change.text,
        "fingerprint": cell.fingerprint,
    }
    await step(turn, "edit_cell", f"Edit cell {cell.index + 1}", "edit", arguments)


async def _run(turn: DemoTurn, cell_id: str) -> ToolAnswer:
    return await step(
        turn, "run_cells", "Run the cell", "execute", {"cell_ids": [cell_id]}, may_fail=True
    )


async def _variable(turn: DemoTurn, name: str) -> NotebookVariable | None:
    return next((each for each in await variables(turn, name) if each.name == name), None)


async def _unknown(turn: DemoTurn, name: str) -> str:
    known = [f"`{each.name}`" for each in await variables(turn)][:10]
    there = f"There are {', '.join(known)}." if known else "There are no variables yet."
    return f"The kernel has no variable `{plain_name(name)}`. {there}\n"


def _error(ran: ToolAnswer) -> str:
    lines = answer_data(ran.text, "error of").strip().splitlines() or ran.text.splitlines()
    return code_block(lines[-1] if lines else "", "text")


_FRAMES = ("DataFrame", "Series")
_LISTS = ("list", "tuple", "range", "ndarray", "array", "dict", "deque")
_PNG_HEADER = b"\x89PNG\r\n\x1a\n"

_FRAME = """\
import matplotlib.pyplot as plt

{name}.plot(title="{name}")
plt.show()"""
_LIST = """\
import matplotlib.pyplot as plt

plt.bar(range(len({values})), {values})
plt.title("{name}")
plt.show()"""
_BY_HAND = """\
# There is no matplotlib here, so the bars are drawn by hand.
import struct
import zlib

from IPython.display import Image


def draw_bars(values):
    bars = [round(200 * max(0, value) / (max(values) or 1)) for value in values]
    blue, white = bytes([48, 112, 176]), bytes([255, 255, 255])
    rows = [
        bytes(1) + b"".join((blue if y < bar else white) * 40 + white * 8 for bar in bars)
        for y in range(209, -1, -1)
    ]
    size = struct.pack(">IIBBBBB", 48 * len(bars), len(rows), 8, 2, 0, 0, 0)
    png = bytes([137, *b"PNG", 13, 10, 26, 10])
    for kind, data in (b"IHDR", size), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""):
        png += struct.pack(">I", len(data)) + kind + data
        png += struct.pack(">I", zlib.crc32(kind + data))
    return Image(png)


draw_bars([float(value) for value in {values}][:60])"""


def can_plot(variable: NotebookVariable) -> bool:
    """Return whether it may hold numbers, by its type."""
    return variable.type.rpartition(".")[2] in (*_FRAMES, *_LISTS)


def plot_code(variable: NotebookVariable, *, has_matplotlib: bool) -> str:
    """Return the code of a cell that plots a variable."""
    name, kind = variable.name, variable.type.rpartition(".")[2]
    values = {"dict": f"list({name}.values())", "DataFrame": f"{name}.iloc[:, -1]"}.get(kind, name)
    if not has_matplotlib:
        return _BY_HAND.format(values=values)
    return (_FRAME if kind in _FRAMES else _LIST).format(name=name, values=values)


def picture_text(picture: Picture) -> str:
    """Describe an image's format and size, which shows that it was received."""
    try:
        head = base64.b64decode(picture.data[:64], validate=True)
    except (binascii.Error, ValueError):
        head = b""
    if not head.startswith(_PNG_HEADER) or len(head) < 24:
        return f"a picture of the type {picture.mime_type}"
    width, height = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
    return f"a PNG of {width} × {height} pixels"
