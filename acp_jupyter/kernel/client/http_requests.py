"""HTTP requests for commands: the method, path and body of each on the server's routes."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from acp_jupyter.api.models.frames import Command
from acp_jupyter.api.models.permissions import ListRules, RevokeRule
from acp_jupyter.api.models.sessions import (
    CloseSession,
    CreateSession,
    DeleteSession,
    ForkSession,
    GetSession,
    ListAgents,
    ListSessions,
    ResumeSession,
    SetConfig,
)
from acp_jupyter.api.models.traffic import GetTraffic, GetTranscript, ImportLog
from acp_jupyter.api.models.turns import Cancel, GetChanges, GetTurn, PromptSession, RevertTurn


def request_of(command: Command) -> tuple[str, str, bytes]:  # noqa: C901 - one flat match
    """Return the method, path and body of a command's HTTP request."""
    match command:
        case ListAgents():
            return "GET", "agents", b""
        case ListSessions():
            return "GET", "sessions", b""
        case CreateSession():
            body = command.model_dump_json(exclude={"name"}, exclude_defaults=True)
            return "POST", "sessions", body.encode()
        case PromptSession():
            body = command.model_dump_json(exclude={"name", "session_id"}, exclude_none=True)
            return "POST", f"sessions/{quote(command.session_id, safe='')}/prompt", body.encode()
        case Cancel():
            body = command.model_dump_json(exclude={"name", "session_id"}, exclude_none=True)
            return "POST", f"sessions/{quote(command.session_id, safe='')}/cancel", body.encode()
        case GetTurn():
            wanted: dict[str, float] = {"wait": command.wait_seconds}
            query = urlencode(wanted if command.start is None else {"start": command.start})
            return "GET", f"turns/{quote(command.turn_id, safe='')}?{query}", b""
        case GetChanges():
            asked = {"format": command.form, "path": command.path}
            query = urlencode({name: value for name, value in asked.items() if value})
            return "GET", f"turns/{quote(command.turn_id, safe='')}/changes?{query}", b""
        case RevertTurn():
            body = command.model_dump_json(exclude={"name", "turn_id"}, exclude_none=True)
            return "POST", f"turns/{quote(command.turn_id, safe='')}/revert", body.encode()
        case GetTranscript():
            query = urlencode({"format": command.format, "thoughts": command.thoughts})
            return "GET", f"sessions/{quote(command.session_id, safe='')}/transcript?{query}", b""
        case ImportLog():
            named = {
                "name": command.file_name,
                "dialect": command.dialect,
                "session": command.log_session,
            }
            query = urlencode({name: value for name, value in named.items() if value})
            return "POST", f"import?{query}", command.content
        case ListRules() | RevokeRule():
            return rules_request(command)
        case _:
            return session_request(command)


def session_request(command: Command) -> tuple[str, str, bytes]:
    """Return the method, path and body of a command's HTTP request."""
    match command:
        case GetSession():
            return "GET", _path(command.session_id), b""
        case SetConfig():
            body = command.model_dump_json(exclude={"name", "session_id"}, exclude_none=True)
            return "POST", f"{_path(command.session_id)}/config", body.encode()
        case GetTraffic():
            asked = command.model_dump(exclude={"name", "session_id"}, exclude_defaults=True)
            query = f"?{urlencode(asked)}" if asked else ""
            return "GET", f"{_path(command.session_id)}/traffic-lines{query}", b""
        case ResumeSession():
            return "POST", f"{_path(command.session_id)}/resume", b""
        case ForkSession():
            return "POST", f"{_path(command.session_id)}/fork", b""
        case CloseSession():
            return "POST", f"{_path(command.session_id)}/close", b""
        case DeleteSession():
            return "DELETE", _path(command.session_id), b""
        case _:
            raise TypeError(command.name)


def _path(session_id: str) -> str:
    return f"sessions/{quote(session_id, safe='')}"


def rules_request(command: ListRules | RevokeRule) -> tuple[str, str, bytes]:
    """Return the method, path and body of a command."""
    if isinstance(command, RevokeRule):
        return "DELETE", f"rules/{quote(command.rule_id, safe='')}", b""
    query = urlencode({"session_id": command.session_id}) if command.session_id else ""
    return "GET", f"rules?{query}" if query else "rules", b""
