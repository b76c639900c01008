"""Cells and variables, read out of what the notebook tools say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from acp_jupyter.agents.demo.steps import StepFailedError, step
from acp_jupyter.agents.demo.turn import Turn

__all__ = [
    "CellLine",
    "CellText",
    "Variable",
    "inserted_id",
    "list_cells",
    "read_cell",
    "told",
    "variables",
]

_MAX_PAGES = 10
_MAX_SOURCE_CHARS = 20_000
_CELL = re.compile(
    r"^\[(\d+)\] id=(\S+) (code|markdown|raw) fingerprint=(\w+)(.*?); \d+ lines?: ", re.M
)
_MORE = re.compile(r"list_cells with start=(\d+)")
_DATA = re.compile(r'<notebook-data origin="([^"]*)">\n(.*?)\n</notebook-data>', re.S)
_VARIABLE = re.compile(r"^([^\W\d]\w*): ([\w.]+)(?: (?!= )((?:(?! = ).)+))?(?: = (.*))?$", re.M)


@dataclass(frozen=True, slots=True)
class CellLine:
    """A cell in the list."""

    index: int
    id: str
    is_code: bool
    fingerprint: str
    failed: bool
    is_prompt_cell: bool


@dataclass(frozen=True, slots=True)
class CellText:
    """A cell, whole; `error` is the end of its traceback."""

    source: str
    error: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the kernel."""

    name: str
    type: str
    detail: str
    preview: str

    @property
    def is_table(self) -> bool:
        """Whether it is a table of pandas."""
        return self.type.rpartition(".")[2] == "DataFrame"


def told(text: str, origin: str) -> str:
    """Return the data in an answer whose origin begins so."""
    return "\n".join(data for named, data in _DATA.findall(text) if named.startswith(origin))


def inserted_id(text: str) -> str:
    """Return the id of the cell that an answer says was inserted.

    Raises
    ------
    StepFailedError
        It names none.
    """
    found = re.search(r"cell id=(\S+) at", text)
    if found is None:
        raise StepFailedError("The tools did not say which cell was inserted.")
    return found[1]


async def list_cells(turn: Turn) -> list[CellLine]:
    """Return the cells of the notebook."""
    found: list[CellLine] = []
    start = 0
    for _ in range(_MAX_PAGES):
        answer = await step(turn, "list_cells", "List the cells", "other", {"start": start})
        for index, cell_id, kind, mark, rest in _CELL.findall(answer.text):
            outputs = re.search(r"; outputs: ([^;]*)", rest)
            found.append(
                CellLine(
                    index=int(index),
                    id=cell_id,
                    is_code=kind == "code",
                    fingerprint=mark,
                    failed=outputs is not None and "error" in outputs[1].split(", "),
                    is_prompt_cell="the cell that you are asked from" in rest,
                )
            )
        more = _MORE.findall(answer.text.rpartition("\n")[2])
        if not more:
            break
        start = int(more[0])
    return found


async def read_cell(turn: Turn, cell: CellLine) -> CellText:
    """Return a cell's source, and how it failed.

    Raises
    ------
    StepFailedError
        It can't be read, or can't be read exactly, so that it is better left alone.
    """
    title = f"Read cell {cell.index + 1}"
    answer = await step(turn, "read_cells", title, "other", {"cell_ids": [cell.id]})
    parts = _DATA.findall(answer.text)
    sources = [text for origin, text in parts if origin.startswith("source of")]
    errors = [text for origin, text in parts if origin.startswith("error of")]
    if not sources or len(sources[0]) > _MAX_SOURCE_CHARS or "notebook-data" in sources[0]:
        raise StepFailedError(f"Cell {cell.index + 1} can't be read exactly.")
    lines = errors[-1].strip().splitlines() if errors else []
    return CellText(sources[0], lines[-1] if lines else "")


async def variables(turn: Turn, pattern: str = "*") -> list[Variable]:
    """Return the variables of the kernel."""
    title = "List the variables" if pattern == "*" else f"Look up {pattern}"
    answer = await step(turn, "list_variables", title, "other", {"pattern": pattern})
    return [Variable(*found) for found in _VARIABLE.findall(told(answer.text, "variables of"))]
