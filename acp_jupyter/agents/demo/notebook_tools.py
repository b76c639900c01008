"""Calls of the notebook tools, one card each; cells and variables parsed from their results."""

from __future__ import annotations

import re
from dataclasses import dataclass

from acp_jupyter.agents.demo.mcp_client import SERVER_NAME, McpError, ToolAnswer
from acp_jupyter.agents.demo.session import DemoTurn, Kind, text_content
from acp_jupyter.agents.demo.talk_tasks import code_block
from acp_jupyter.agents.rpc import Json

_MAX_PAGES = 10
_MAX_SOURCE_CHARS = 20_000
_CELL = re.compile(
    r"^\[(\d+)\] id=(\S+) (code|markdown|raw) fingerprint=(\w+)(.*?); \d+ lines?: ", re.M
)
_MORE = re.compile(r"list_cells with start=(\d+)")
_DATA = re.compile(r'<notebook-data origin="([^"]*)">\n(.*?)\n</notebook-data>', re.S)
_VARIABLE = re.compile(r"^([^\W\d]\w*): ([\w.]+)(?: (?!= )((?:(?! = ).)+))?(?: = (.*))?$", re.M)


@dataclass(frozen=True, slots=True)
class ListedCell:
    """A cell in the list."""

    index: int
    id: str
    is_code: bool
    fingerprint: str
    failed: bool
    is_prompt_cell: bool


@dataclass(frozen=True, slots=True)
class WholeCell:
    """A whole cell; `error` is the end of its traceback."""

    source: str
    error: str


@dataclass(frozen=True, slots=True)
class NotebookVariable:
    """A variable of the kernel."""

    name: str
    type: str
    detail: str
    preview: str

    @property
    def is_table(self) -> bool:
        """Whether it is a pandas table."""
        return self.type.rpartition(".")[2] == "DataFrame"


def answer_data(text: str, origin: str) -> str:
    """Return the data in a result whose origin begins with this text."""
    return "\n".join(data for named, data in _DATA.findall(text) if named.startswith(origin))


def inserted_id(text: str) -> str:
    """Return the id of the inserted cell in a result."""
    found = re.search(r"cell id=(\S+) at", text)
    if found is None:
        raise StepFailedError("The tools did not say which cell was inserted.")
    return found[1]


async def list_cells(turn: DemoTurn) -> list[ListedCell]:
    """Return the cells of the notebook."""
    found: list[ListedCell] = []
    start = 0
    for _ in range(_MAX_PAGES):
        answer = await step(turn, "list_cells", "List the cells", "other", {"start": start})
        for index, cell_id, kind, mark, rest in _CELL.findall(answer.text):
            outputs = re.search(r"; outputs: ([^;]*)", rest)
            found.append(
                ListedCell(
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


async def read_cell(turn: DemoTurn, cell: ListedCell) -> WholeCell:
    """Return a cell's source, and its error."""
    title = f"Read cell {cell.index + 1}"
    answer = await step(turn, "read_cells", title, "other", {"cell_ids": [cell.id]})
    parts = _DATA.findall(answer.text)
    sources = [text for origin, text in parts if origin.startswith("source of")]
    errors = [text for origin, text in parts if origin.startswith("error of")]
    if not sources or len(sources[0]) > _MAX_SOURCE_CHARS or "notebook-data" in sources[0]:
        raise StepFailedError(f"Cell {cell.index + 1} can't be read exactly.")
    lines = errors[-1].strip().splitlines() if errors else []
    return WholeCell(sources[0], lines[-1] if lines else "")


async def variables(turn: DemoTurn, pattern: str = "*") -> list[NotebookVariable]:
    """Return the variables of the kernel."""
    title = "List the variables" if pattern == "*" else f"Look up {pattern}"
    answer = await step(turn, "list_variables", title, "other", {"pattern": pattern})
    return [
        NotebookVariable(*found)
        for found in _VARIABLE.findall(answer_data(answer.text, "variables of"))
    ]


_SHOWN_CHARS = 4_000


class StepFailedError(Exception):
    """A tool was refused, or failed; the message is its text."""


async def step(
    turn: DemoTurn, tool: str, title: str, kind: Kind, arguments: Json, *, may_fail: bool = False
) -> ToolAnswer:
    """Call a notebook tool with a card of its own.

    The agent itself does not ask: the tools ask, on this card.

    Parameters
    ----------
    may_fail
        Whether an answer about a failure counts as an answer, too: code that raised.
    """
    call = turn.tool_call(
        title,
        kind,
        "in_progress",
        rawInput=arguments,
        # As Claude's agent names the tools of an MCP server.
        _meta={"claudeCode": {"toolName": f"mcp__{SERVER_NAME}__{tool}"}},
    )
    try:
        answer = await turn.session.tools.call(tool, arguments)
    except McpError as error:
        words = f"The notebook tools can't be used: {error}."
        turn.tool_update(call, "failed", content=[text_content(words)])
        raise StepFailedError(words) from error
    if answer.failed:
        turn.tool_update(call, "failed", content=_content(answer))
        if may_fail:
            return answer
        raise StepFailedError(answer.text)
    # A diff that the tools have shown on the card stays.
    shown: Json = {} if kind == "edit" else {"content": _content(answer)}
    turn.tool_update(call, "completed", rawOutput={"answer": answer.text[:_SHOWN_CHARS]}, **shown)
    return answer


def _content(answer: ToolAnswer) -> list[Json]:
    text = answer.text[:_SHOWN_CHARS]
    content = [text_content(code_block(text, "text"))] if text else []
    for picture in answer.pictures:
        image: Json = {"type": "image", "data": picture.data, "mimeType": picture.mime_type}
        content.append({"type": "content", "content": image})
    return content
