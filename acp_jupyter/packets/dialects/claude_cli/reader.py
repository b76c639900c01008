"""``claude -p --output-format stream-json``: each of its lines, in the protocol's words.

The one place that knows the dialect. The adapter reads the live CLI with it and the import a
pasted log, so that both give the same transcript.
"""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.packets.dialects.claude_cli.blocks import acp_blocks
from acp_jupyter.packets.dialects.claude_cli.end import (
    login_error,
    read_result,
    usage_update,
    wants_login,
)
from acp_jupyter.packets.dialects.claude_cli.lines import BadLine
from acp_jupyter.packets.dialects.claude_cli.permission import read_permission
from acp_jupyter.packets.dialects.claude_cli.results import (
    CliResult,
    ControlAnswered,
    ControlAsked,
    PermissionWithdrawn,
    TurnError,
    Update,
)
from acp_jupyter.packets.dialects.claude_cli.said import Said
from acp_jupyter.packets.dialects.claude_cli.system import SystemLines, notice, rate_limit
from acp_jupyter.packets.json_fields import Obj, first, obj, text
from acp_jupyter.packets.json_shape import clean_json

__all__ = ["ClaudeCli"]

_COMMAND_OUTPUT = ("<local-command-stdout>", "</local-command-stdout>")
_FOR_THE_MODEL = ("[Request interrupted by user", "<system-reminder>", "<local-command-caveat>")
_SILENT = frozenset({"keep_alive", "tool_progress"})


class ClaudeCli:
    """Turns the objects of one CLI log, in order, into what they mean."""

    def __init__(self) -> None:
        self._system = SystemLines()
        self._assistant = Said()

    @property
    def session_id(self) -> str:
        """The CLI's own id of the session, to resume it by; empty until it said so."""
        return self._system.session_id

    def read(self, line: object) -> list[CliResult]:
        """Read one object; any JSON value or `BadLine`.

        Returns
        -------
        list of CliResult
            Never raises; what nobody here knows becomes an update of kind ``unknown``.
        """
        if isinstance(line, BadLine):
            words = "A line of the CLI could not be read."
            return [notice("Claude CLI", words, line.text, warns=True)]
        value = clean_json(line)
        found = self._read(value) if isinstance(value, dict) else None
        return [_unknown(value)] if found is None else found

    def finish(self) -> list[CliResult]:
        """End the log, or the CLI's process: what was left open is closed."""
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
                error = TurnError(login_error(words), needs_login=True)
                return [error] if wants_login(words) else []
            case kind if kind in _SILENT:
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
        # What one tool did in fields of its own belongs to a line with one result.
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
        if not isinstance(end, TurnError):
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
            said = words.removeprefix(_COMMAND_OUTPUT[0]).removesuffix(_COMMAND_OUTPUT[1])
            return [notice("Claude CLI", said, said if "\n" in said else "")]
    return [Update({"sessionUpdate": "user_message_chunk", "content": block})]


def _control(line: Obj) -> list[CliResult] | None:
    request_id = text(line.get("request_id"))
    match text(line.get("type")):
        case "control_request" if request_id:
            request = obj(line.get("request"))
            if request.get("subtype") == "can_use_tool":
                return [read_permission(request_id, request)]
            return [ControlAsked(request_id, text(request.get("subtype")))]
        case "control_response":
            answer = obj(line.get("response"))
            error = text(first(answer, "error")) or "It was refused."
            failed = answer.get("subtype") == "error"
            answered = obj(answer.get("response"))
            asked = text(answer.get("request_id"))
            return [ControlAnswered(asked, answered, error if failed else "")]
        case "control_cancel_request":
            return [PermissionWithdrawn(request_id)]
        case _:
            return None


def _unknown(value: JsonValue) -> Update:
    return Update({"sessionUpdate": "unknown", "raw": value})
