"""Messages of the Claude CLI: text, thoughts and tool calls of the model; ``system`` objects.

Text may be streamed or whole, and is shown once. System objects report sessions, hooks, retries,
states and rate limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import JsonValue

from acp_jupyter.dialects.claude_results import (
    CliResult,
    CliTurnError,
    StateChanged,
    Update,
    login_error,
)
from acp_jupyter.dialects.claude_tool_calls import ToolCalls, acp_blocks
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.objects import Obj, count, first, items, obj, text

_SYNTHETIC = "<synthetic>"


class AssistantReader:
    """Reads ``assistant`` lines and ``stream_event`` lines, which say the same twice."""

    def __init__(self) -> None:
        self.calls = ToolCalls()
        self.anything = False
        """Whether the turn has an answer in text."""
        self.error_words = ""
        """Words of the CLI instead of the model; its ``result`` says whether they are an error."""
        self.last_usage: Obj = {}
        self.last_model = ""
        self._streamed = StreamedText()

    def assistant(self, line: Obj) -> list[CliResult] | None:
        """Read a message, or the part of one that is complete."""
        message = obj(line.get("message"))
        content = message.get("content")
        if content is None:
            return None
        blocks = content if isinstance(content, list) else [content]
        parent, message_id = text(line.get("parent_tool_use_id")), text(message.get("id"))
        if message.get("model") == _SYNTHETIC or line.get("is_api_error_message") is True:
            texts = [text(block.get("text")) for block in acp_blocks(list(blocks))]
            self.error_words = "\n".join(texts) or self.error_words
            return []
        if not parent:
            self.last_usage = obj(message.get("usage"))
            self.last_model = text(message.get("model"))
        found: list[CliResult] = []
        for block in blocks:
            found += self._block(block, parent, message_id)
        return found

    def stream_event(self, line: Obj) -> list[CliResult] | None:
        """Read a piece of a message."""
        event = obj(line.get("event"))
        parent = text(line.get("parent_tool_use_id"))
        match event.get("type"):
            case "message_start":
                self._streamed.begin(parent, text(obj(event.get("message")).get("id")))
            case "content_block_start":
                return self._block_start(obj(event.get("content_block")), event, parent)
            case "content_block_delta":
                delta = obj(event.get("delta"))
                kind = {"text_delta": "text", "thinking_delta": "thinking"}
                name = kind.get(text(delta.get("type")))
                return [] if name is None else self._piece(event, parent, name, delta)
            case "content_block_stop" | "message_delta" | "message_stop" | "ping":
                pass
            case _:
                return None
        return []

    def whole(self, message_id: str, kind: str, words: str, parent: str) -> list[CliResult]:
        """Return the update with the part of a whole block that has not been shown."""
        return self._chunk(
            message_id, kind, self._streamed.remainder(message_id, kind, words), parent
        )

    def pending(self) -> list[CliResult]:
        """Return the CLI's held-back words, as they turned out to be no error."""
        words, self.error_words = self.error_words, ""
        return self._chunk("", "text", words, "")

    def end_turn(self) -> None:
        """Reset the state of the turn."""
        self.anything = False
        self.error_words = ""

    def _block(self, block: JsonValue, parent: str, message_id: str) -> list[CliResult]:
        match block:
            case {"type": "text", "text": str(words)}:
                return self.whole(message_id, "text", words, parent)
            case str(words):
                return self.whole(message_id, "text", words, parent)
            case {"type": "thinking", "thinking": str(words)}:
                return self.whole(message_id, "thinking", words, parent)
            case {"type": "redacted_thinking"}:
                return []
            case {"type": "tool_use" | "server_tool_use" | "mcp_tool_use"}:
                return [Update(self.calls.use(obj(block), parent))]
            case {"type": str(kind)} if kind.endswith("tool_result"):
                return [Update(self.calls.result(obj(block), parent, {}))]
            case _:
                return [Update(_chunk_update(part, "", parent)) for part in acp_blocks(block)]

    def _block_start(self, block: Obj, event: Obj, parent: str) -> list[CliResult]:
        match block.get("type"):
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                update = self.calls.announce(block, parent)
                return [] if update is None else [Update(update)]
            case "text" | "thinking" as kind if text(block.get(kind)):
                return self._piece(event, parent, kind, block)
            case _:
                return []

    def _piece(self, event: Obj, parent: str, kind: str, holder: Obj) -> list[CliResult]:
        index = count(event.get("index")) or 0
        piece = self._streamed.add(parent, index, kind, text(holder.get(kind)))
        return self._chunk(self._streamed.message_id(parent), kind, piece, parent)

    def _chunk(self, message_id: str, kind: str, words: str, parent: str) -> list[CliResult]:
        if not words:
            return []
        block: Obj = {"type": "text", "text": words}
        if kind == "thinking":
            return [Update(_chunk_update(block, message_id, parent, thought=True))]
        self.anything = self.anything or not parent
        return [Update(_chunk_update(block, message_id, parent))]


def _chunk_update(block: Obj, message_id: str, parent: str, *, thought: bool = False) -> Obj:
    # What a subagent says is not the answer: the agent that asked it reads it, and answers.
    kind = "agent_thought_chunk" if thought or parent else "agent_message_chunk"
    update: Obj = {"sessionUpdate": kind, "content": block}
    if message_id:
        update["messageId"] = message_id
    if parent:
        update["_meta"] = {"claudeCode": {"parentToolUseId": parent}}
    return update


_MAX_MESSAGES = 64


@dataclass(slots=True)
class _Block:
    kind: str
    parts: list[str] = field(default_factory=list)
    is_whole: bool = False


class StreamedText:
    """Remembers which parts of each message were shown."""

    def __init__(self) -> None:
        self._current: dict[str, str] = {}
        self._messages: dict[str, dict[int, _Block]] = {}

    def begin(self, parent: str, message_id: str) -> None:
        """Note that a message begins to stream; each subagent streams its own."""
        if len(self._messages) >= _MAX_MESSAGES:
            del self._messages[next(iter(self._messages))]
        if len(self._current) >= _MAX_MESSAGES:
            del self._current[next(iter(self._current))]
        self._current[parent] = message_id
        self._messages[message_id] = {}

    def message_id(self, parent: str) -> str:
        """Return the id of the message that streams."""
        return self._current.get(parent, "")

    def add(self, parent: str, index: int, kind: str, piece: str) -> str:
        """Add a piece of a block; return the part of it to show."""
        blocks = self._messages.setdefault(self.message_id(parent), {})
        block = blocks.get(index)
        if block is None or block.kind != kind:
            block = blocks[index] = _Block(kind)
        if block.is_whole:
            return ""
        block.parts.append(piece)
        return piece

    def remainder(self, message_id: str, kind: str, whole: str) -> str:
        """Return the part of a whole block that has not been shown yet."""
        for block in self._messages.get(message_id, {}).values():
            if block.kind == kind and not block.is_whole:
                block.is_whole = True
                return _after("".join(block.parts), whole)
        return whole


def _after(shown: str, whole: str) -> str:
    if whole.startswith(shown):
        return whole[len(shown) :]
    # The CLI may strip blank lines at the beginning and end of a model's text.
    bare, full = shown.strip(), whole.strip()
    if full.startswith(bare):
        return full[len(bare) :]
    return "" if bare.startswith(full) else whole


_TITLE_LENGTH = 100
_MESSAGE_LENGTH = 200
_DETAIL_LENGTH = 20_000
_LONG_DELAY_MS = 5000

_IGNORED = frozenset(
    {
        "thinking_tokens",
        "hook_started",
        "hook_progress",
        "task_started",
        "task_progress",
        "task_updated",
        "background_tasks_changed",
        "files_persisted",
    }
)
"""Progress that other lines say again, and better."""


def notice(title: str, message: str, detail: str = "", *, warns: bool = False) -> Update:
    """Return an update that shows one line, and more when opened (ACP: notice)."""
    update: Obj = {
        "sessionUpdate": "notice",
        "severity": "warning" if warns else "info",
        "title": _one_line(title, _TITLE_LENGTH),
        "message": _one_line(message, _MESSAGE_LENGTH),
    }
    if detail:
        update["_meta"] = {"acp-jupyter/detail": detail[:_DETAIL_LENGTH]}
    return Update(update)


def _one_line(words: str, length: int) -> str:
    return shorten(" ".join(words[:_DETAIL_LENGTH].split()), length)


class SystemReader:
    """Reads ``system`` lines; remembers the session's known state."""

    def __init__(self) -> None:
        self.session_id = ""
        self.model = ""
        self._last_setup: Obj = {}
        self._mode = ""

    def read(self, line: Obj) -> list[CliResult] | None:
        """Return the updates for a line; None for an unknown subtype."""
        match text(line.get("subtype")):
            case "init":
                return self._init(line)
            case "hook_response":
                return [_hook(line)]
            case "auth_required":
                words = text(first(line, "message", "error")) or "The CLI asks for a login."
                return [CliTurnError(login_error(words), needs_login=True)]
            case "api_retry":
                return _retry(line)
            case "status":
                return self._status(line)
            case "session_state_changed":
                return [StateChanged(text(line.get("state")))]
            case "compact_boundary":
                update: Obj = {"sessionUpdate": "compaction_update", "status": "completed"}
                return [Update(update)]
            case "task_notification":
                status = text(line.get("status")) or "ended"
                return [_summary(f"Background task {status}", text(line.get("summary")))]
            case subtype if subtype in _IGNORED:
                return []
            case _:
                return None

    def _init(self, line: Obj) -> list[CliResult]:
        self.session_id = text(line.get("session_id")) or self.session_id
        self.model = text(line.get("model")) or self.model
        tools: list[JsonValue] = [name for name in items(line.get("tools")) if text(name)]
        fields: Obj = {"model": self.model, "tools": tools}
        if fields == self._last_setup:
            return self._mode_is(line)  # the CLI says it again with every turn
        self._last_setup = fields
        update: Obj = {
            "sessionUpdate": "session_info_update",
            "_meta": {"acp-jupyter/session": fields},
        }
        return [Update(update), *self._mode_is(line)]

    def _status(self, line: Obj) -> list[CliResult]:
        if line.get("status") == "compacting":
            update: Obj = {"sessionUpdate": "compaction_update", "status": "in_progress"}
            return [Update(update)]
        return self._mode_is(line)

    def _mode_is(self, line: Obj) -> list[CliResult]:
        """Report a changed mode; the first one is the session's initial mode."""
        mode = text(line.get("permissionMode"))
        before = self._mode
        self._mode = mode or before
        if not mode or not before or mode == before:
            return []
        return [Update({"sessionUpdate": "current_mode_update", "currentModeId": mode})]


def _hook(line: Obj) -> Update:
    """Return the one-line notice of a hook; opened, it shows the whole output."""
    stdout, stderr = text(line.get("stdout")), text(line.get("stderr"))
    code = line.get("exit_code")
    failed = code not in (None, 0)
    parts = [f"Hook failed, exit code {code}."] if failed else []
    output = (stderr if failed and stderr.strip() else stdout or stderr).strip()
    parts += [output.partition("\n")[0]] if output else [] if failed else ["Hook finished."]
    detail = "\n".join(part.rstrip("\n") for part in (stdout, stderr) if part)
    warns = failed or bool(stderr.strip())
    name = text(line.get("hook_name")) or "Hook"
    return notice(name, " ".join(parts), detail, warns=warns)


def _retry(line: Obj) -> list[CliResult]:
    """Report the first retry and long ones; the others are over too soon."""
    attempt, delay = count(line.get("attempt")), count(line.get("retry_delay_ms")) or 0
    if attempt != 1 and delay < _LONG_DELAY_MS:
        return []
    status, error = line.get("error_status"), text(line.get("error")).replace("_", " ")
    why = " ".join(str(part) for part in (status, error) if part not in (None, "", "unknown"))
    message = f"{why or 'The request failed'}; attempt {attempt} of {line.get('max_retries')}"
    return [notice("Asking the model again", f"{message}, in {delay / 1000:.0f} s.", warns=True)]


def _summary(title: str, summary: str) -> Update:
    return notice(title, summary.partition("\n")[0], summary if "\n" in summary else "")


def rate_limit(line: Obj) -> list[CliResult]:
    """Report a rate limit that is near or reached."""
    info = obj(line.get("rate_limit_info"))
    status = text(info.get("status"))
    if status in ("", "allowed"):
        return []
    kind = text(info.get("rateLimitType")).replace("_", " ") or "usage"
    return [notice("Rate limit", f"{status.replace('_', ' ')} ({kind})", warns=True)]
