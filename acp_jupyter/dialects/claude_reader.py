"""`ClaudeCli`, the reader of stream-json objects; `CliOutput`, which makes them of bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acp_jupyter.dialects.claude_messages import AssistantReader, SystemReader, notice, rate_limit
from acp_jupyter.dialects.claude_results import (
    CliPermissionWithdrawn,
    CliResult,
    CliTurnError,
    ControlAnswered,
    ControlRequested,
    Update,
    is_logged_out,
    login_error,
    read_result,
    usage_update,
)
from acp_jupyter.dialects.claude_tool_calls import acp_blocks, read_permission
from acp_jupyter.protocol.json import clean_json, read_json
from acp_jupyter.protocol.objects import Obj, first, obj, text

_COMMAND_OUTPUT = ("<local-command-stdout>", "</local-command-stdout>")
_FOR_THE_MODEL = ("[Request interrupted by user", "<system-reminder>", "<local-command-caveat>")
_IGNORED = frozenset({"keep_alive", "tool_progress"})


class ClaudeCli:
    """Converts the objects of one CLI log, in order, to typed results."""

    def __init__(self) -> None:
        self._system = SystemReader()
        self._assistant = AssistantReader()

    @property
    def session_id(self) -> str:
        """The CLI's own id of the session, to resume it by; empty until the CLI has sent it."""
        return self._system.session_id

    def read(self, line: object) -> list[CliResult]:
        """Read one object; any JSON value or `BadOutput`."""
        if isinstance(line, BadOutput):
            words = "A line of the CLI could not be read."
            return [notice("Claude CLI", words, line.text, warns=True)]
        value = clean_json(line)
        found = self._read(value) if isinstance(value, dict) else None
        return [Update({"sessionUpdate": "unknown", "raw": value})] if found is None else found

    def finish(self) -> list[CliResult]:
        """End the log, or the CLI's process; close what is still open."""
        return [
            *self._assistant.pending(),
            *(Update(update) for update in self._assistant.calls.close()),
        ]

    def _read(self, line: Obj) -> list[CliResult] | None:
        match text(line.get("type")):
            case "system":
                return self._system.read(line)
            case "assistant":
                return self._assistant.assistant(line)
            case "user":
                return self._user(line)
            case "stream_event":
                return self._assistant.stream_event(line)
            case "result":
                return self._result(line)
            case "control_request" | "control_response" | "control_cancel_request":
                return _control(line)
            case "rate_limit_event":
                return rate_limit(line)
            case "auth_status":
                words = text(line.get("error"))
                error = CliTurnError(login_error(words), needs_login=True)
                return [error] if is_logged_out(words) else []
            case kind if kind in _IGNORED:
                return []
            case _:
                return None

    def _user(self, line: Obj) -> list[CliResult] | None:
        """Tool results; and in a log that has both directions, the prompts."""
        message = obj(line.get("message"))
        content = message.get("content")
        if content is None or message.get("role") != "user":
            return None
        blocks = content if isinstance(content, list) else [content]
        results = [obj(block) for block in blocks if obj(block).get("type") == "tool_result"]
        # The line's extra fields describe one tool's work, so they only count with one result.
        outcome = obj(line.get("tool_use_result")) if len(results) == 1 else {}
        parent = text(line.get("parent_tool_use_id"))
        found: list[CliResult] = [
            Update(self._assistant.calls.result(block, parent, outcome)) for block in results
        ]
        if parent or line.get("isSynthetic") is True or line.get("isMeta") is True:
            return found  # the CLI's own words to the model, and subagents' tasks
        others = [block for block in blocks if obj(block).get("type") != "tool_result"]
        for block in acp_blocks(others):
            found += _user_block(block)
        return found

    def _result(self, line: Obj) -> list[CliResult]:
        end = read_result(line, self._assistant.error_words)
        found: list[CliResult] = []
        if not isinstance(end, CliTurnError):
            found += self._assistant.pending()
            if not self._assistant.anything:
                found += self._assistant.whole("", "text", text(line.get("result")), "")
        models = (self._assistant.last_model, self._system.model)
        usage = usage_update(line, self._assistant.last_usage, models)
        if usage is not None:
            found.append(Update(usage))
        self._assistant.end_turn()
        return [*found, end]


def _user_block(block: Obj) -> list[CliResult]:
    words = text(block.get("text"))
    if block.get("type") == "text":
        if not words.strip() or words.startswith(_FOR_THE_MODEL):
            return []
        if words.startswith(_COMMAND_OUTPUT[0]):
            output = words.removeprefix(_COMMAND_OUTPUT[0]).removesuffix(_COMMAND_OUTPUT[1])
            return [notice("Claude CLI", output, output if "\n" in output else "")]
    return [Update({"sessionUpdate": "user_message_chunk", "content": block})]


def _control(line: Obj) -> list[CliResult] | None:
    request_id = text(line.get("request_id"))
    match text(line.get("type")):
        case "control_request" if request_id:
            request = obj(line.get("request"))
            if request.get("subtype") == "can_use_tool":
                return [read_permission(request_id, request)]
            return [ControlRequested(request_id, text(request.get("subtype")))]
        case "control_response":
            answer = obj(line.get("response"))
            error = text(first(answer, "error")) or "It was refused."
            failed = answer.get("subtype") == "error"
            answered = obj(answer.get("response"))
            asked = text(answer.get("request_id"))
            return [ControlAnswered(asked, answered, error if failed else "")]
        case "control_cancel_request":
            return [CliPermissionWithdrawn(request_id)]
        case _:
            return None


_MAX_LINE_BYTES = 64 * 1024 * 1024
_SHOWN_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class BadOutput:
    """A line that is not JSON, or was cut off."""

    text: str


class CliOutput:
    """Parses bytes to JSON values; skips blank lines, and reports torn ones."""

    def __init__(self, max_bytes: int = _MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[Any]:
        """Add bytes; return the values, and a `BadOutput` for each line that isn't JSON."""
        *lines, rest = data.split(b"\n")
        values: list[Any] = []
        for line in lines:
            values += self._read(line)
        self._size += len(rest)
        if rest and self._size <= self._max_bytes:
            self._parts.append(rest)
        return values

    def finish(self) -> list[Any]:
        """Note the end; a last line without a line feed counts if it is complete."""
        return self._read(b"")

    def _read(self, end: bytes) -> list[Any]:
        size = self._size + len(end)
        line = b"".join([*self._parts, end])
        self._parts.clear()
        self._size = 0
        text = line[: self._max_bytes].decode("utf-8", "replace").removeprefix("\ufeff").strip()
        if not text:
            return []
        if size <= self._max_bytes:
            try:
                return [read_json(text)]
            except (ValueError, RecursionError):
                pass
        return [BadOutput(text[:_SHOWN_CHARACTERS])]
