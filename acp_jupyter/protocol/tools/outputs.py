"""Tool outputs: types, tagged by the tool's name, search hits, and terminals.

Agents report the terminals that they run themselves in the ``_meta`` of tool calls, by a
convention, to clients that announce ``_meta.terminal_output``: ``terminal_info``, then
``terminal_output`` or ``terminal_output_delta``, then ``terminal_exit``. The data is text, or
base64 of bytes that may split a character. Terminals that the host runs are in
`acp_jupyter.protocol.host_events.session`.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, JsonValue, Tag
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.objects import (
    Model,
    Obj,
    bool_or_none,
    first,
    items,
    number,
    obj,
    text,
)
from acp_jupyter.protocol.tools.inputs import TodoItem
from acp_jupyter.protocol.version_2.meta_keys import CAN_CANCEL, TERMINAL_ALONE


class _Output(Model):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SearchOutput(_Output):
    """The files that a search found; ``truncated`` if there are more."""

    files: tuple[str, ...] = ()
    count: int = 0
    truncated: bool = False


class ReadOutput(_Output):
    """The file's text, without wrappers and line numbers."""

    content: str = ""
    truncated: bool = False
    first_line: int | None = None
    """Number of the first line, if the lines were numbered."""


class Diagnostic(_Output):
    """A diagnostic of a language server after a write."""

    path: str
    line: int | None = None
    """From 1."""
    severity: Literal["error", "warning", "info"] = "error"
    message: str


class WriteOutput(_Output):
    """The changes of a write or an edit."""

    success: bool = True
    new_text: str | None = None
    old_text: str | None = None
    is_new_file: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()


class BashOutput(_Output):
    """A command's output and exit code."""

    output: str = ""
    exit_code: int | None = None
    truncated: bool = False


class TodoOutput(_Output):
    """The current todos."""

    todos: tuple[TodoItem, ...] = ()


class TaskOutput(_Output):
    """A subagent's answer."""

    result: str = ""


class SearchToolOutput(_Output):
    """Output of glob and grep."""

    tool_name: Literal["glob", "grep"]
    data: SearchOutput


class ReadToolOutput(_Output):
    """Output of read."""

    tool_name: Literal["read"] = "read"
    data: ReadOutput


class WriteToolOutput(_Output):
    """Output of write and edit."""

    tool_name: Literal["write", "edit"]
    data: WriteOutput


class BashToolOutput(_Output):
    """Output of bash."""

    tool_name: Literal["bash"] = "bash"
    data: BashOutput


class TaskToolOutput(_Output):
    """Output of task."""

    tool_name: Literal["task"] = "task"
    data: TaskOutput


class TodoToolOutput(_Output):
    """Output of todowrite."""

    tool_name: Literal["todowrite"] = "todowrite"
    data: TodoOutput


class UnknownToolOutput(_Output):
    """Output of any other tool, unchanged."""

    tool_name: str = "unknown"
    data: JsonValue = None


def _tag(value: Any) -> str:
    found = value.get("toolName", value.get("tool_name")) if isinstance(value, dict) else None
    name = found if found is not None else getattr(value, "tool_name", None)
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
"""Longest text of a hit."""
_HIT = re.compile(r"(.+?):(\d{1,9}):(.*)")
_FOLDED_HIT = re.compile(r"\s+Line (\d{1,9}): ?(.*)")
"""A hit below the name of its file (opencode)."""
_REMARK = re.compile(
    r"\((?:Results?|Showing|Output|Truncated)\b.*\)|"
    r"(?:Found|Showing) \d+ (?:files?|match(?:es)?|results?|lines?)\b[^/]*|"
    r"No (?:files|matches|results) found\.?"
)
_SEPARATOR = "--"


class SearchHit(Model):
    """A line that a search found."""

    path: str
    line: int
    """From 1."""
    text: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The results of a search."""

    files: tuple[str, ...] = ()
    """Each file once."""
    hits: tuple[SearchHit, ...] | None = None
    """The matching lines; None for a search for files."""
    remarks: tuple[str, ...] = ()
    """The tool's remarks, e.g. that there is more."""

    @property
    def count(self) -> int:
        """The terms that were searched for."""
        return len(self.files) if self.hits is None else len(self.hits)


def read_search_result(lines: Iterable[str]) -> SearchResult:
    """Parse an output: plain paths, ``path:line:text``, or lines below the name of their file.

    A line beside the hits that is not a hit is a remark; a separator is dropped.
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
    others = [line for line in files if line not in headings]
    return SearchResult(files=paths, hits=tuple(hits), remarks=(*remarks, *others))


def _hit(path: str, line: str, text: str) -> SearchHit:
    return SearchHit(path=path, line=int(line), text=text[:_TEXT_CHARS])


_REMEMBERED = 200
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")


class TerminalPiece(Model):
    """What one update of a tool call says about a terminal of the agent."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    terminal_id: str
    alone: bool = False
    """Whether the update is only about the terminal, and its tool call is unknown."""
    command: str = ""
    cwd: str = ""
    text: str = ""
    may_be_whole: bool = False
    """Whether the text may be the whole output so far, and not only what is new.

    In an update only about the terminal, it is.
    """
    ended: bool = False
    exit_code: int | None = None
    signal: str = ""
    can_cancel: bool | None = None
    """Whether the client may cancel it from now on."""


class TerminalTexts:
    """Decoders of terminal output; bounded, the oldest are dropped first."""

    def __init__(self) -> None:
        self._decoders: OrderedDict[str, codecs.IncrementalDecoder] = OrderedDict()

    def read(self, terminal_id: str, output: Obj) -> str:
        """Return the complete characters."""
        data = output.get("data")
        encoded = first(output, "base64", "data_base64", "dataBase64")
        marked = text(output.get("encoding")).lower() == "base64"
        if isinstance(encoded, str):
            data, marked = encoded, True
        if not isinstance(data, str):
            return _joined(data)
        if terminal_id not in self._decoders and not marked and not _is_base64_text(data):
            return data
        raw = _decoded(data)
        return data if raw is None else self._decoder(terminal_id).decode(raw)

    def forget(self, terminal_id: str) -> None:
        """Drop incomplete bytes, since the output starts over."""
        self._decoders.pop(terminal_id, None)

    def saved(self) -> Obj:
        """Return the state as JSON."""
        states = {name: decoder.getstate() for name, decoder in self._decoders.items()}
        return {name: [waiting.hex(), flag] for name, (waiting, flag) in states.items()}

    def load(self, saved: Obj) -> None:
        """Restore a saved state."""
        for name, state in saved.items():
            match state:
                case [str(waiting), int(flag)]:
                    self._decoder(name).setstate((bytes.fromhex(waiting), flag))
                case _:
                    raise ValueError(name)

    def _decoder(self, terminal_id: str) -> codecs.IncrementalDecoder:
        known = self._decoders.get(terminal_id)
        if known is None:
            known = codecs.getincrementaldecoder("utf-8")("replace")
            self._decoders[terminal_id] = known
            if len(self._decoders) > _REMEMBERED:
                self._decoders.popitem(last=False)
        return known


def read_terminal(
    raw: Obj, shown: str, tool_call_id: str, texts: TerminalTexts
) -> TerminalPiece | None:
    """Read what a tool call's ``_meta`` says about a terminal; None if it says nothing."""
    meta = obj(raw.get("_meta"))
    info = first(meta, "terminal_info", "terminalInfo")
    exit_ = first(meta, "terminal_exit", "terminalExit")
    output = first(meta, "terminal_output", "terminalOutput")
    delta = first(meta, "terminal_output_delta", "terminalOutputDelta")
    parts = [part for part in (info, exit_, output, delta) if isinstance(part, dict)]
    if not parts:
        return None
    named = (text(first(part, "terminal_id", "terminalId")) for part in parts)
    terminal_id = next(filter(None, named), "") or shown or tool_call_id
    about, end = obj(info), obj(exit_)
    alone = meta.get(TERMINAL_ALONE) is True
    if alone and isinstance(output, dict):
        texts.forget(terminal_id)
    pieces = [texts.read(terminal_id, part) for part in (output, delta) if isinstance(part, dict)]
    return TerminalPiece(
        terminal_id=terminal_id,
        alone=alone,
        command=text(about.get("command")),
        cwd=text(about.get("cwd")),
        text="".join(pieces),
        may_be_whole=isinstance(output, dict) and not isinstance(delta, dict),
        ended=isinstance(exit_, dict),
        exit_code=number(first(end, "exit_code", "exitCode")),
        signal=_signal(end.get("signal")),
        can_cancel=bool_or_none(meta.get(CAN_CANCEL)) if alone else None,
    )


def write_terminal(piece: TerminalPiece) -> Obj:
    """Return the ``_meta`` that `read_terminal` reads."""
    named: Obj = {"terminal_id": piece.terminal_id}
    about: Obj = {"command": piece.command, "cwd": piece.cwd}
    about = {name: value for name, value in about.items() if value}
    meta: Obj = {}
    if piece.text or piece.may_be_whole:
        # Chunks are never treated as base64.
        data: JsonValue = [piece.text] if _is_base64_text(piece.text) else piece.text
        key = "terminal_output" if piece.may_be_whole else "terminal_output_delta"
        meta[key] = {**named, "data": data}
    if piece.ended:
        end: Obj = {"exit_code": piece.exit_code, "signal": piece.signal or None}
        meta["terminal_exit"] = {**named, **end}
    if about or not meta:
        meta["terminal_info"] = {**named, **about}
    return meta


def _signal(value: JsonValue) -> str:
    known = number(value)
    return f"signal {known}" if known is not None else text(value)


def _joined(data: JsonValue) -> str:
    """Read a list of lines or chunks."""
    return "".join(text(part) for part in items(data))


def _is_base64_text(data: str) -> bool:
    """Return whether unmarked text is base64: it decodes to text with line ends or colours."""
    if len(data) % 4 or _BASE64.fullmatch(data) is None:
        return False
    raw = _decoded(data)
    if raw is None or not (b"\n" in raw or b"\x1b" in raw):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw)
    except UnicodeDecodeError:
        return False
    return not any(byte < 32 and byte not in b"\t\n\r\x1b\x08\x07" for byte in raw)


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
