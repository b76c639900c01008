"""Outputs of tools: types, tagged by the tool's name, and the hits in the text of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, JsonValue, Tag
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.tools.inputs import TodoItem


class _Output(Model):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SearchOutput(_Output):
    """The files that a search found; ``truncated`` if there are more."""

    files: tuple[str, ...] = ()
    count: int = 0
    truncated: bool = False


class ReadOutput(_Output):
    """The text of the file, without wrappers and line numbers."""

    content: str = ""
    truncated: bool = False
    first_line: int | None = None
    """Number of the first line, where the lines were numbered."""


class Diagnostic(_Output):
    """One finding of a language server after a write."""

    path: str
    line: int | None = None
    """From 1."""
    severity: Literal["error", "warning", "info"] = "error"
    message: str


class WriteOutput(_Output):
    """What a write or an edit has changed."""

    success: bool = True
    new_text: str | None = None
    old_text: str | None = None
    is_new_file: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()


class BashOutput(_Output):
    """What a command printed, and its exit code."""

    output: str = ""
    exit_code: int | None = None
    truncated: bool = False


class TodoOutput(_Output):
    """The todos as they are now."""

    todos: tuple[TodoItem, ...] = ()


class TaskOutput(_Output):
    """What a subagent answered."""

    result: str = ""


class SearchToolOutput(_Output):
    """Of glob and grep."""

    tool_name: Literal["glob", "grep"]
    data: SearchOutput


class ReadToolOutput(_Output):
    """Of read."""

    tool_name: Literal["read"] = "read"
    data: ReadOutput


class WriteToolOutput(_Output):
    """Of write and edit."""

    tool_name: Literal["write", "edit"]
    data: WriteOutput


class BashToolOutput(_Output):
    """Of bash."""

    tool_name: Literal["bash"] = "bash"
    data: BashOutput


class TaskToolOutput(_Output):
    """Of task."""

    tool_name: Literal["task"] = "task"
    data: TaskOutput


class TodoToolOutput(_Output):
    """Of todowrite."""

    tool_name: Literal["todowrite"] = "todowrite"
    data: TodoOutput


class UnknownToolOutput(_Output):
    """Of every other tool, as it came."""

    tool_name: str = "unknown"
    data: JsonValue = None


def _tag(value: Any) -> str:
    found = value.get("toolName", value.get("tool_name")) if isinstance(value, dict) else None
    name = found if found is not None else getattr(value, "tool_name", "unknown")
    match name:
        case "glob" | "grep":
            return "search"
        case "write" | "edit":
            return "write"
        case "read" | "bash" | "task" | "todowrite":
            return str(name)
        case _:
            return "unknown"


ToolOutput = TypeAliasType(
    "ToolOutput",
    Annotated[
        Annotated[SearchToolOutput, Tag("search")]
        | Annotated[ReadToolOutput, Tag("read")]
        | Annotated[WriteToolOutput, Tag("write")]
        | Annotated[BashToolOutput, Tag("bash")]
        | Annotated[TaskToolOutput, Tag("task")]
        | Annotated[TodoToolOutput, Tag("todowrite")]
        | Annotated[UnknownToolOutput, Tag("unknown")],
        Discriminator(_tag),
    ],
)


NO_FILES = "No files found"

_TEXT_CHARS = 400
"""Longest text that is kept of a hit."""
_HIT = re.compile(r"(.+?):(\d{1,9}):(.*)")
_FOLDED_HIT = re.compile(r"\s+Line (\d{1,9}): ?(.*)")
"""Below the name of its file (opencode)."""
_REMARK = re.compile(
    r"\((?:Results?|Showing|Output|Truncated)\b.*\)|"
    r"(?:Found|Showing) \d+ (?:files?|match(?:es)?|results?|lines?)\b[^/]*|"
    r"No (?:files|matches|results) found\.?"
)
_SEPARATOR = "--"


class SearchHit(Model):
    """A line of a file that a search has found."""

    path: str
    line: int
    """From 1."""
    text: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found."""

    files: tuple[str, ...] = ()
    """Each file once."""
    hits: tuple[SearchHit, ...] | None = None
    """The lines of them; None for a search for files."""
    remarks: tuple[str, ...] = ()
    """What the tool says beside, such as that there is more."""

    @property
    def count(self) -> int:
        """How much of what was searched for."""
        return len(self.files) if self.hits is None else len(self.hits)


def read_search_result(lines: Iterable[str]) -> SearchResult:
    """Read an output: plain paths, ``path:line:text``, or lines below the name of their file.

    Beside hits, what is no hit is a remark; a line that only divides is nothing.
    """
    files: list[str] = []
    hits: list[SearchHit] = []
    remarks: list[str] = []
    heading = ""
    for whole in lines:
        line = whole.rstrip("\r")
        if not line.strip() or line == _SEPARATOR:
            continue
        found = _HIT.fullmatch(line)
        folded = _FOLDED_HIT.fullmatch(line) if heading else None
        if folded is not None:
            hits.append(_hit(heading, folded[1], folded[2]))
        elif found is not None:
            hits.append(_hit(found[1], found[2], found[3]))
        elif _REMARK.fullmatch(line):
            remarks.append(line)
        else:
            heading = line.removesuffix(":") if line.endswith(":") else ""
            files.append(line)
    if not hits:
        return SearchResult(files=tuple(dict.fromkeys(files)), remarks=tuple(remarks))
    paths = tuple(dict.fromkeys(hit.path for hit in hits))
    headings = {f"{path}:" for path in paths}
    said = [line for line in files if line not in headings]
    return SearchResult(files=paths, hits=tuple(hits), remarks=(*remarks, *said))


def _hit(path: str, line: str, text: str) -> SearchHit:
    return SearchHit(path=path, line=int(line), text=text[:_TEXT_CHARS])
