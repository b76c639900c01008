"""Commands as requests to the server's routes."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from acp_jupyter.api.models.agents import ListAgents
from acp_jupyter.api.models.changes import GetChanges, RevertTurn
from acp_jupyter.api.models.commands import Command
from acp_jupyter.api.models.permissions import ListRules, RevokeRule
from acp_jupyter.api.models.sessions import CreateSession, ListSessions
from acp_jupyter.api.models.traffic import GetTranscript, ImportLog
from acp_jupyter.api.models.turns import Cancel, GetTurn, PromptSession
from acp_jupyter.kernel.http_permissions import rules_request
from acp_jupyter.kernel.http_sessions import session_request

__all__ = ["request_of"]


def request_of(command: Command) -> tuple[str, str, bytes]:  # noqa: C901 - one flat match
    """Return the method, path and body that a command is on the server's routes."""
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
