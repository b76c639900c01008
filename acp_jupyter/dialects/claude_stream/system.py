"""The Claude CLI's ``system`` objects: session, hooks, retries, states; and its rate limits."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.dialects.claude_stream.results import (
    CliResult,
    StateChanged,
    TurnError,
    Update,
    login_error,
)
from acp_jupyter.protocol.objects import Obj, count, first, items, obj, text

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
    line = " ".join(words[:_DETAIL_LENGTH].split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


class SystemReader:
    """Reads ``system`` lines; remembers what the session is known to be."""

    def __init__(self) -> None:
        self.session_id = ""
        self.model = ""
        self._last_setup: Obj = {}
        self._mode = ""

    def read(self, line: Obj) -> list[CliResult] | None:
        """Return what a line says; None where nobody here knows its subtype."""
        match text(line.get("subtype")):
            case "init":
                return self._init(line)
            case "hook_response":
                return [_hook(line)]
            case "auth_required":
                words = text(first(line, "message", "error")) or "The CLI asks for a login."
                return [TurnError(login_error(words), needs_login=True)]
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
        told: Obj = {"model": self.model, "tools": tools}
        if told == self._last_setup:
            return self._mode_is(line)  # the CLI says it again with every turn
        self._last_setup = told
        update: Obj = {
            "sessionUpdate": "session_info_update",
            "_meta": {"acp-jupyter/session": told},
        }
        return [Update(update), *self._mode_is(line)]

    def _status(self, line: Obj) -> list[CliResult]:
        if line.get("status") == "compacting":
            update: Obj = {"sessionUpdate": "compaction_update", "status": "in_progress"}
            return [Update(update)]
        return self._mode_is(line)

    def _mode_is(self, line: Obj) -> list[CliResult]:
        """Tell of a mode that changed; the first one is the session's own."""
        mode = text(line.get("permissionMode"))
        before = self._mode
        self._mode = mode or before
        if not mode or not before or mode == before:
            return []
        return [Update({"sessionUpdate": "current_mode_update", "currentModeId": mode})]


def _hook(line: Obj) -> Update:
    """S4.22: one line; its whole output when opened."""
    stdout, stderr = text(line.get("stdout")), text(line.get("stderr"))
    code = line.get("exit_code")
    failed = code not in (None, 0)
    parts = [f"Hook failed, exit code {code}."] if failed else []
    said = (stderr if failed and stderr.strip() else stdout or stderr).strip()
    parts += [said.partition("\n")[0]] if said else [] if failed else ["Hook finished."]
    detail = "\n".join(part.rstrip("\n") for part in (stdout, stderr) if part)
    warns = failed or bool(stderr.strip())
    name = text(line.get("hook_name")) or "Hook"
    return notice(name, " ".join(parts), detail, warns=warns)


def _retry(line: Obj) -> list[CliResult]:
    """Tell of the first retry and of those that take long; the others are over at once."""
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
    """Tell of a rate limit that is near or reached."""
    info = obj(line.get("rate_limit_info"))
    status = text(info.get("status"))
    if status in ("", "allowed"):
        return []
    kind = text(info.get("rateLimitType")).replace("_", " ") or "usage"
    return [notice("Rate limit", f"{status.replace('_', ' ')} ({kind})", warns=True)]
