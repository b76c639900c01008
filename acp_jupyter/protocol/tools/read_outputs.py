"""Parsers of tool outputs: a raw output and its content in, a typed output out; they never raise.

They remove wrappers, line numbers and fences around an output.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.protocol.content import (
    TextBlock,
    ToolContent,
    ToolContentBlock,
    ToolDiff,
    first_diff,
)
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.objects import Obj, count, first, flag, items, number, obj, text
from acp_jupyter.protocol.tools.inputs import read_todos
from acp_jupyter.protocol.tools.outputs import (
    BashOutput,
    BashToolOutput,
    Diagnostic,
    ReadOutput,
    ReadToolOutput,
    SearchOutput,
    SearchToolOutput,
    TaskOutput,
    TaskToolOutput,
    TodoOutput,
    TodoToolOutput,
    ToolOutput,
    UnknownToolOutput,
    WriteOutput,
    WriteToolOutput,
    read_search_result,
)

_SAMPLE_LINES = 5000
"""Lines of a search's output that are parsed one by one."""

_WRAPPER = re.compile(r"\A\s*<(file|content)>\n?(.*?)\n?</\1>\s*\Z", re.DOTALL)
_NUMBERED = re.compile(r"\s*(\d+)(?: ?\| ?|\t|→)")
_EXIT_CODE = re.compile(r"Exit code (\d{1,3})|\[Command exited with code (\d{1,3})\]")
"""Matches a failed command's exit code on the first line (Claude; Cline)."""
_EXIT_CODE_AFTER = re.compile(r"Exit Code: (\d{1,3})|<.{1,200} with exit code (\d{1,3})>")
"""Matches it on one of the last lines."""
_LAST_LINES = 6
_LAST_CHARS = 2_000
_FENCED = re.compile(r"```[\w-]*\n(.*\n)```\n?", re.DOTALL)
_SEVERITIES: dict[int, Literal["error", "warning", "info"]] = {1: "error", 2: "warning"}


@dataclass(frozen=True, slots=True)
class CallResult:
    """A tool call's output so far."""

    raw: JsonValue
    content: tuple[ToolContent, ...]
    fields: Obj
    """The raw output as an object."""
    metadata: Obj
    """The tool's metadata about its output."""
    text: str
    """The output as text, once: of the content, else of the raw output."""
    is_text: bool
    """Whether the content is only text."""
    failed: bool
    """Whether it says that the call failed: its text is the error."""

    @classmethod
    def of(
        cls,
        raw: JsonValue,
        content: tuple[ToolContent, ...] = (),
        *,
        failed: bool = False,
        raw_input: JsonValue = None,
    ) -> CallResult:
        """Derive the result from a raw output and a content; drop repeated arguments."""
        fields = obj(raw)
        parts = [
            _without_input(_without_fence(item.block.text), raw_input)
            for item in content
            if isinstance(item, ToolContentBlock) and isinstance(item.block, TextBlock)
        ]
        text = "\n".join(filter(None, parts))
        only = len(parts) == len(content)
        metadata = obj(fields.get("metadata"))
        return cls(raw, content, fields, metadata, text or _raw_text(raw), only, failed)

    @property
    def truncated(self) -> bool:
        """Whether it says that there is more."""
        return flag(self.metadata.get("truncated")) or flag(self.fields.get("truncated"))

    @property
    def diff(self) -> ToolDiff | None:
        """The first diff of the content."""
        return first_diff(self.content)


def _without_fence(output: str) -> str:
    """Remove a fence around the whole output, which is shown verbatim (claude)."""
    fenced = _FENCED.fullmatch(output)
    return output if fenced is None or "```" in fenced[1] else fenced[1]


def _without_input(output: str, raw_input: JsonValue) -> str:
    """Some agents send the arguments as text, directly followed by the output."""
    if not output.startswith("{") or not isinstance(raw_input, dict):
        return output
    try:
        value, end = json.JSONDecoder().raw_decode(output)
    except (ValueError, RecursionError):
        return output
    return output[end:].lstrip("\n") if value == raw_input else output


def _raw_text(raw: JsonValue) -> str:
    match raw:
        case str():
            return raw
        case {"output": str(output)}:
            return output
        case {"stdout": str(stdout), "stderr": str(stderr)}:
            return stdout + stderr
        case {"stdout": str(stdout)}:
            return stdout
        case {"formatted_output": str(output)} | {"result": str(output), "query": str()}:
            return output
        case {"error": str(output)}:
            return output
        case [{"result": str(), "query": str()}, *_]:  # one for each query or command (Cline)
            return "\n".join(filter(None, map(_raw_text, raw)))
        case _:
            return ""


def read_glob_output(given: CallResult) -> ToolOutput:
    """Read the files that a search by name found."""
    return SearchToolOutput(tool_name="glob", data=_search(given))


def read_grep_output(given: CallResult) -> ToolOutput:
    """Read the lines that a search by text found."""
    return SearchToolOutput(tool_name="grep", data=_search(given))


def _search(given: CallResult) -> SearchOutput:
    if given.failed:
        return SearchOutput()
    lines = tuple(line.rstrip("\r") for line in given.text.split("\n") if line.strip())
    found = read_search_result(lines[:_SAMPLE_LINES]).count
    total = count(given.metadata.get("count"))
    return SearchOutput(
        files=lines if found else (),
        count=found + len(lines[_SAMPLE_LINES:]) if total is None else total,
        truncated=given.truncated,
    )


def read_read_output(given: CallResult) -> ToolOutput:
    """Read a file's text, without the wrapper and the line numbers."""
    whole = given.text
    wrapped = _WRAPPER.match(whole)
    content, first_line = _without_numbers(whole if wrapped is None else wrapped[2])
    return ReadToolOutput(
        data=ReadOutput(content=content, truncated=given.truncated, first_line=first_line)
    )


def _without_numbers(content: str) -> tuple[str, int | None]:
    """Remove line numbers, if they are consecutive."""
    start = _NUMBERED.match(content)
    if start is None:
        return content, None
    at = int(start[1])
    plain: list[str] = []
    for offset, line in enumerate(content.split("\n")):
        found = _NUMBERED.match(line)
        if found is not None and int(found[1]) == at + offset:
            plain.append(line[found.end() :])
        elif len(plain) == offset and offset and not line.strip():
            plain.append(line)
        elif offset == content.count("\n") or line.startswith(("...", "(")):
            plain.append(line)  # a closing remark, such as how much was left out
        else:
            return content, None
    return "\n".join(plain), at


def read_write_output(given: CallResult, name: Literal["write", "edit"]) -> ToolOutput:
    """Read what was written; a file that existed, even if empty, is not new."""
    diff = given.diff
    exists = flag(given.metadata.get("exists"))
    old = None if diff is None else diff.old_text or ""
    return WriteToolOutput(
        tool_name=name,
        data=WriteOutput(
            success="error" not in given.fields,
            new_text=None if diff is None else diff.new_text,
            old_text=old,
            is_new_file=not exists if diff is None else diff.is_new_file(exists=exists),
            diagnostics=_diagnostics(given.metadata.get("diagnostics")),
        ),
    )


def _diagnostics(raw: JsonValue) -> tuple[Diagnostic, ...]:
    return tuple(
        _diagnostic(path, obj(entry))
        for path, entries in obj(raw).items()
        for entry in items(entries)
    )


def _diagnostic(path: str, entry: Obj) -> Diagnostic:
    """Read a diagnostic in the language server protocol's form, with lines from 0."""
    start = obj(obj(entry.get("range")).get("start"))
    line = count(start.get("line"))
    severity = number(entry.get("severity"))
    return Diagnostic(
        path=path,
        line=None if line is None else line + 1,
        severity="error" if severity is None else _SEVERITIES.get(severity, "info"),
        message=text(entry.get("message")) or json.dumps(entry, ensure_ascii=False),
    )


def read_bash_output(given: CallResult) -> ToolOutput:
    """Read the text once, and the exit code from wherever it is."""
    return BashToolOutput(
        data=BashOutput(output=given.text, exit_code=_exit_code(given), truncated=given.truncated)
    )


def _exit_code(given: CallResult) -> int | None:
    for fields in filter(None, (given.fields, given.metadata)):
        code = number(first(fields, "exit_code", "exitCode", "exit"))
        if code is not None:
            return code
    return _exit_code_in_text(given.text)


def _exit_code_in_text(output: str) -> int | None:
    head, tail = output[:_LAST_CHARS], output[-_LAST_CHARS:]
    first_line = head.split("\n", 1)[0]
    last_lines = tail.rstrip().split("\n")[-_LAST_LINES:]
    found = _EXIT_CODE.fullmatch(first_line.rstrip())
    for line in reversed(last_lines):
        found = found or _EXIT_CODE_AFTER.fullmatch(line.strip())
    return None if found is None else int(found[1] or found[2])


def read_task_output(given: CallResult) -> ToolOutput:
    """Read a subagent's answer."""
    return TaskToolOutput(data=TaskOutput(result=given.text))


def read_todo_output(given: CallResult) -> ToolOutput:
    """Read the todos; the metadata's list takes precedence over the output's text."""
    listed = given.metadata.get("todos")
    if not isinstance(listed, list):
        try:
            listed = read_json(given.text)
        except (ValueError, RecursionError):
            listed = None
    return TodoToolOutput(data=TodoOutput(todos=read_todos(listed)))


def read_other_output(given: CallResult) -> ToolOutput:
    """Keep an output unchanged."""
    return UnknownToolOutput(data=given.text if given.raw is None else given.raw)
