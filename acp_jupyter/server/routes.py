"""The HTTP routes: which path and verb is which command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter, ValidationError

from acp_jupyter.api.models.frames import Command, validation_message
from acp_jupyter.errors import BadRequest
from acp_jupyter.host.limits import Limits

API = "acp-jupyter/api"


@dataclass(frozen=True)
class Verb:
    """How a request becomes a command: path groups, a JSON body, named query arguments.

    Whatever else the query holds (a token, what defeats a cache) is not for the command.
    """

    command: str
    """Its name in :mod:`acp_jupyter.api.models.frames`."""
    status: int = 200
    body: bool = False
    raw_body: str = ""
    """The field that takes the body as it is, where that is no JSON."""
    body_bytes: int = 32 * 1024 * 1024
    """Longest body."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Query argument to field."""


@dataclass(frozen=True)
class Route:
    """A path below the API's root with its verbs."""

    path: str
    verbs: Mapping[str, Verb]

    @property
    def pattern(self) -> str:
        """The path for tornado, with ``{name}`` as a group."""
        return f"{API}/" + self.path.replace("{", "(?P<").replace("}", ">[^/]+)")


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


_SESSION = "sessions/{session_id}"

ROUTES: tuple[Route, ...] = (
    Route("agents", {"GET": Verb("list_agents")}),
    Route("agents/{agent}/download", {"POST": Verb("allow_download", body=True)}),
    Route("agents/{agent}/restart", {"POST": Verb("restart_agent", body=True)}),
    Route(
        "sessions",
        {
            "GET": Verb("list_sessions"),
            "POST": Verb("create_session", body=True),
        },
    ),
    Route(
        _SESSION,
        {
            "GET": Verb("get_session"),
            "DELETE": Verb("delete_session"),
        },
    ),
    Route(f"{_SESSION}/close", {"POST": Verb("close_session")}),
    Route(f"{_SESSION}/fork", {"POST": Verb("fork_session")}),
    Route(f"{_SESSION}/resume", {"POST": Verb("resume_session")}),
    Route(
        "agents/{agent}/sessions",
        {
            "GET": Verb("list_agent_sessions", query=_same("cwd", "cursor")),
            "POST": Verb("open_agent_session", body=True),
        },
    ),
    Route(f"{_SESSION}/config", {"POST": Verb("set_config", body=True)}),
    Route(f"{_SESSION}/prompt", {"POST": Verb("prompt", status=202, body=True)}),
    Route(f"{_SESSION}/cancel", {"POST": Verb("cancel", body=True)}),
    Route(f"{_SESSION}/login", {"POST": Verb("login", body=True)}),
    Route(f"{_SESSION}/login/cancel", {"POST": Verb("cancel_login", body=True)}),
    Route(f"{_SESSION}/logout", {"POST": Verb("logout", body=True)}),
    Route(
        f"{_SESSION}/permissions/{{request_id}}",
        {"POST": Verb("answer_permission", body=True)},
    ),
    Route(
        f"{_SESSION}/elicitations/{{request_id}}",
        {"POST": Verb("answer_elicitation", body=True)},
    ),
    Route("turns/{turn_id}/edit", {"POST": Verb("edit_queued", body=True)}),
    Route(
        "turns/{turn_id}/changes",
        {"GET": Verb("get_changes", query={"path": "path", "format": "form"})},
    ),
    Route("turns/{turn_id}/revert", {"POST": Verb("revert_turn", body=True)}),
    Route("turns/{turn_id}/send-now", {"POST": Verb("send_now")}),
    Route(
        f"{_SESSION}/terminals/{{terminal_id}}/kill",
        {"POST": Verb("kill_terminal")},
    ),
    Route(f"{_SESSION}/items", {"GET": Verb("get_items", query=_same("start", "end"))}),
    Route(
        f"{_SESSION}/transcript",
        {"GET": Verb("get_transcript", query=_same("format", "thoughts"))},
    ),
    Route(
        f"{_SESSION}/traffic-lines",
        {
            "GET": Verb(
                "get_traffic",
                query=_same("after", "before", "limit", "direction", "method", "text"),
            )
        },
    ),
    Route(f"{_SESSION}/traffic-lines/{{place}}", {"GET": Verb("get_traffic_line")}),
    Route(
        "turns/{turn_id}",
        {"GET": Verb("get_turn", query={"wait": "wait_seconds", "start": "start"})},
    ),
    Route(
        "turns/{turn_id}/attach",
        {"GET": Verb("attach_turn", query=_same("notebook_path", "cell_id"))},
    ),
    Route(
        "import",
        {
            "POST": Verb(
                "import_log",
                raw_body="content",
                body_bytes=Limits().import_bytes,
                query={"name": "file_name", "dialect": "dialect", "session": "log_session"},
            )
        },
    ),
    Route("rules", {"GET": Verb("list_rules", query=_same("session_id"))}),
    Route("rules/{rule_id}", {"DELETE": Verb("revoke_rule")}),
    Route(
        "trust",
        {
            "GET": Verb("list_trust"),
            "POST": Verb("trust_folder", body=True),
            "DELETE": Verb("revoke_trust", query=_same("folder")),
        },
    ),
    Route("records", {"GET": Verb("get_records", query=_same("notebook_path"))}),
)


_COMMAND: TypeAdapter[Command] = TypeAdapter(Command)


def build_command(
    verb: Verb, path: Mapping[str, str], query: Mapping[str, str], body: object
) -> Command:
    """Join what a request carries to a command; the path wins over the body.

    Parameters
    ----------
    verb
        What the route says.
    path, query
        The path's groups and all query arguments.
    body
        The decoded JSON body, None for an empty one; or the raw one.

    Raises
    ------
    BadRequest
        It is not valid.
    """
    carried: object = {verb.raw_body: body} if verb.raw_body else {}
    if verb.body and body is not None:
        carried = body
    if not isinstance(carried, dict):
        raise BadRequest("The request is not valid (its body must be a JSON object).")
    asked = {to: query[name] for name, to in verb.query.items() if name in query}
    try:
        return _COMMAND.validate_python({**carried, **asked, **path, "name": verb.command})
    except ValidationError as error:
        raise BadRequest(validation_message(error)) from None
