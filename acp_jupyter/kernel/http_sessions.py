"""The routes of commands about sessions as a whole."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from acp_jupyter.api.models.commands import Command
from acp_jupyter.api.models.sessions import (
    CloseSession,
    DeleteSession,
    ForkSession,
    GetSession,
    ResumeSession,
    SetConfig,
)
from acp_jupyter.api.models.traffic import GetTraffic

__all__ = ["session_request"]


def session_request(command: Command) -> tuple[str, str, bytes]:
    """Return the method, path and body that a command is on the server's routes."""
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
