"""The table of commands: one row each, with its model, its route, who may send it, its result.

It defines the type that frames are parsed with, the dispatcher's checks, the server's HTTP routes,
the requests of the kernel's client, and the page's types. Handlers are in `commands`, marked with
`handles`; kernels import this table without them. More routes, for streams, files and waiting
cells, are in `acp_jupyter.server.handlers`.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.api.models.command_row import DELETE, GET, POST, BaseCommand, CommandRow, same
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.sessions import (
    AgentEntry,
    AgentSessions,
    AllowDownload,
    ArchiveReply,
    ArchiveSession,
    CancelLogin,
    CloseSession,
    CreateSession,
    DeleteSession,
    ForkSession,
    FoundSessions,
    GetRegistry,
    GetSandboxes,
    GetSession,
    GetUsage,
    KillTerminal,
    ListAgents,
    ListAgentSessions,
    ListSessions,
    Login,
    LoginReply,
    Logout,
    OpenAgentSession,
    RegistryReply,
    RestartAgent,
    ResumeSession,
    SandboxesReply,
    SearchSessions,
    ServeAgent,
    SetConfig,
    UnarchiveSession,
    UpdateRegistry,
    UsageReply,
)
from acp_jupyter.api.models.traffic import (
    IMPORT_BYTES,
    CancelImport,
    GetImport,
    GetTraffic,
    GetTrafficLine,
    GetTranscript,
    ImportLog,
    ImportResult,
    ImportState,
    StartImport,
    TrafficDetail,
    TrafficPage,
)
from acp_jupyter.api.models.turns import (
    AnswerElicitation,
    AnswerPermission,
    AttachedTurn,
    AttachTurn,
    Cancel,
    CancelToolCall,
    ChangesReply,
    ChangingSessions,
    EditQueued,
    GetCell,
    GetChanges,
    GetContext,
    GetItems,
    GetSavedOutputs,
    GetTurn,
    ItemsPage,
    KeepVariant,
    ListChangingSessions,
    ListRules,
    ListTrust,
    NotebookContext,
    PromptSession,
    RedactedText,
    RedactText,
    RevertReply,
    RevertTurn,
    RevokeRule,
    RevokeTrust,
    RuleEntry,
    RunOutside,
    SavedOutputs,
    SendNow,
    Steer,
    TrustFolder,
    TurnDetail,
)
from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.features import registered
from acp_jupyter.host.store.permission_stores import TrustedFolder
from acp_jupyter.transcript.model.session_state import SessionState

_SESSION = "sessions/{session_id}"

_LIFECYCLE = (
    CommandRow(CloseSession, POST(f"{_SESSION}/close"), wakes="session"),
    CommandRow(DeleteSession, DELETE(_SESSION), only_user="delete a session", wakes="session"),
    CommandRow(
        ArchiveSession,
        POST(f"{_SESSION}/archive"),
        ArchiveReply,
        only_user="archive a session",
        wakes="session",
    ),
    CommandRow(
        UnarchiveSession,
        POST(f"{_SESSION}/unarchive"),
        ArchiveReply,
        only_user="take a session out of the archive",
        wakes="session",
    ),
    CommandRow(ForkSession, POST(f"{_SESSION}/fork"), SessionState, wakes="session"),
    CommandRow(ResumeSession, POST(f"{_SESSION}/resume"), SessionState, wakes="session"),
    CommandRow(
        ListAgentSessions,
        GET("agents/{agent}/sessions", query=same("cwd", "cursor", "archived")),
        AgentSessions,
        only_user="list the sessions of an agent",
    ),
    CommandRow(
        OpenAgentSession,
        POST("agents/{agent}/sessions", body=True),
        SessionState,
        only_user="open a session of an agent",
    ),
)

_OF_FEATURES: list[CommandRow] = [row for rows in registered("commands").values() for row in rows]

COMMANDS = (
    CommandRow(
        ListAgents,
        GET("agents", query=same("notebook_path")),
        tuple[AgentEntry, ...],
        while_agent_code_runs=True,
    ),
    CommandRow(
        ServeAgent,
        POST("served-agents", body=True),
        AgentEntry,
        while_kernel_stops=False,
        in_page=False,
    ),
    CommandRow(GetRegistry, GET("registry"), RegistryReply, while_agent_code_runs=True),
    CommandRow(GetSandboxes, GET("sandboxes"), SandboxesReply, while_agent_code_runs=True),
    CommandRow(
        UpdateRegistry,
        POST("registry/update"),
        RegistryReply,
        only_user="download a newer list of agents",
    ),
    CommandRow(ListSessions, GET("sessions"), tuple[SessionState, ...], while_agent_code_runs=True),
    CommandRow(
        SearchSessions,
        GET("search", query=same("text", "cursor"), sends_defaults=False),
        FoundSessions,
        only_user="search the sessions",
    ),
    CommandRow(CreateSession, POST("sessions", body=True, sends_defaults=False), SessionState),
    CommandRow(
        GetSession, GET(_SESSION), SessionState, while_agent_code_runs=True, wakes="session"
    ),
    CommandRow(
        GetUsage, GET("usage", query=same("session_id")), UsageReply, while_agent_code_runs=True
    ),
    *_LIFECYCLE,
    CommandRow(
        PromptSession,
        POST(f"{_SESSION}/prompt", status=202, body=True),
        dict[str, str],
        wakes="session",
    ),
    CommandRow(
        Cancel,
        POST(f"{_SESSION}/cancel", body=True),
        while_agent_code_runs=True,
        while_kernel_stops=False,
        wakes="session",
    ),
    CommandRow(
        AnswerPermission,
        POST(f"{_SESSION}/permissions/{{request_id}}", body=True),
        dict[str, str],
        only_user="answer a permission request",
        grants=True,
        wakes="session",
    ),
    CommandRow(SetConfig, POST(f"{_SESSION}/config", body=True), SessionState, wakes="session"),
    CommandRow(
        GetItems,
        GET(f"{_SESSION}/items", query=same("start", "end", "turn_id")),
        ItemsPage,
        wakes="session",
    ),
    CommandRow(GetCell, GET(f"{_SESSION}/cells/{{number}}"), Cell, wakes="session", in_page=False),
    CommandRow(
        GetContext, GET("context", query=same("notebook_path", "session_id")), NotebookContext
    ),
    CommandRow(RedactText, None, RedactedText, only_user="ask what is a secret"),
    CommandRow(
        GetTurn,
        GET("turns/{turn_id}", query={"wait": "wait_seconds", "start": "start"}),
        TurnDetail,
        while_agent_code_runs=True,
        wakes="turn",
    ),
    CommandRow(
        AttachTurn,
        GET("turns/{turn_id}/attach", query=same("notebook_path", "cell_id")),
        AttachedTurn,
        only_user="attach to a turn",
        wakes="turn",
        finds_kernel=True,
    ),
    CommandRow(
        GetSavedOutputs,
        GET("records", query=same("notebook_path", "after", "epoch", "ended_after")),
        SavedOutputs,
        only_user="read the saved outputs of a notebook",
        wakes="notebook",
        finds_kernel=True,
    ),
    CommandRow(
        GetTranscript,
        GET(f"{_SESSION}/transcript", query=same("turn_id", "format", "thoughts")),
        dict[str, JsonValue],
        while_agent_code_runs=True,
        wakes="session",
    ),
    CommandRow(
        GetTraffic,
        GET(
            f"{_SESSION}/traffic-lines",
            query={
                **same("after", "before", "limit", "direction", "method", "text", "gather"),
                "wait": "wait_seconds",
            },
            sends_defaults=False,
        ),
        TrafficPage,
        while_agent_code_runs=True,
        wakes="session",
    ),
    CommandRow(
        GetTrafficLine,
        GET(
            f"{_SESSION}/traffic-lines/{{place}}",
            query=same("end"),
            sends_defaults=False,
        ),
        TrafficDetail,
        wakes="session",
    ),
    CommandRow(
        ImportLog,
        POST(
            "import",
            raw_body="content",
            body_bytes=IMPORT_BYTES,
            query={"name": "file_name", "dialect": "dialect", "session": "log_session"},
        ),
        ImportResult,
        in_page=False,
    ),
    CommandRow(
        StartImport,
        POST(
            "imports",
            raw_body="content",
            body_bytes=IMPORT_BYTES,
            query={"name": "file_name", "dialect": "dialect", "session": "log_session"},
        ),
        ImportState,
        in_page=False,
    ),
    CommandRow(
        GetImport,
        GET("imports/{import_id}", query={"wait": "wait_seconds"}),
        ImportState,
        while_agent_code_runs=True,
        in_page=False,
    ),
    CommandRow(CancelImport, DELETE("imports/{import_id}"), while_agent_code_runs=True),
    CommandRow(
        AnswerElicitation,
        POST(f"{_SESSION}/elicitations/{{request_id}}", body=True),
        dict[str, str],
        only_user="answer a question of the agent",
        grants=True,
        wakes="session",
    ),
    CommandRow(
        EditQueued,
        POST("turns/{turn_id}/edit", body=True),
        only_user="edit a message that waits",
        grants=True,
        wakes="turn",
    ),
    CommandRow(SendNow, POST("turns/{turn_id}/send-now"), wakes="turn"),
    CommandRow(Steer, POST("turns/{turn_id}/steer"), dict[str, str], wakes="turn"),
    CommandRow(KillTerminal, POST(f"{_SESSION}/terminals/{{terminal_id}}/kill"), wakes="session"),
    CommandRow(CancelToolCall, POST(f"{_SESSION}/tool-calls/cancel", body=True), wakes="session"),
    CommandRow(
        RunOutside,
        POST(f"{_SESSION}/tool-calls/run-outside", body=True),
        only_user="run a command outside the sandbox",
        grants=True,
        wakes="session",
    ),
    CommandRow(
        GetChanges,
        GET("turns/{turn_id}/changes", query={"path": "path", "format": "form"}),
        ChangesReply,
        while_agent_code_runs=True,
        wakes="turn",
    ),
    CommandRow(ListChangingSessions, None, ChangingSessions, only_user="ask who changed a file"),
    CommandRow(RevertTurn, POST("turns/{turn_id}/revert", body=True), RevertReply, wakes="turn"),
    CommandRow(KeepVariant, POST("turns/{turn_id}/keep", body=True), RevertReply, wakes="turn"),
    CommandRow(
        AllowDownload,
        POST("agents/{agent}/download", body=True),
        AgentEntry,
        only_user="allow a download",
        grants=True,
    ),
    CommandRow(
        RestartAgent,
        POST("agents/{agent}/restart", body=True),
        LoginReply,
        only_user="restart an agent",
    ),
    CommandRow(
        Login,
        POST(f"{_SESSION}/login", body=True),
        LoginReply,
        only_user="log in to an agent",
        grants=True,
        wakes="session",
    ),
    CommandRow(
        CancelLogin,
        POST(f"{_SESSION}/login/cancel", body=True),
        LoginReply,
        only_user="cancel a login",
        wakes="session",
    ),
    CommandRow(
        Logout,
        POST(f"{_SESSION}/logout", body=True),
        LoginReply,
        only_user="log out of an agent",
        wakes="session",
    ),
    CommandRow(
        ListRules,
        GET("rules", query=same("session_id")),
        tuple[RuleEntry, ...],
        while_agent_code_runs=True,
        wakes="session",
    ),
    CommandRow(RevokeRule, DELETE("rules/{rule_id}"), grants=True),
    CommandRow(
        TrustFolder,
        POST("trust", body=True),
        dict[str, str],
        only_user="trust a folder",
        grants=True,
        wakes="session",
    ),
    CommandRow(
        ListTrust,
        GET("trust"),
        tuple[TrustedFolder, ...],
        only_user="list the trusted folders",
    ),
    CommandRow(
        RevokeTrust,
        DELETE("trust", query=same("folder")),
        only_user="change the trusted folders",
    ),
    *_OF_FEATURES,
)
"""Every command, in the order in which the page's types list them."""

_ROWS = {row.model: row for row in COMMANDS}

if TYPE_CHECKING:
    Command = BaseCommand
else:
    # The page's types have one name for these.
    SessionCommand = TypeAliasType(
        "SessionCommand", reduce(operator.or_, (row.model for row in _LIFECYCLE))
    )
    _KINDS = dict.fromkeys(SessionCommand if row in _LIFECYCLE else row.model for row in COMMANDS)
    Command = TypeAliasType(
        "Command", Annotated[reduce(operator.or_, _KINDS), Field(discriminator="name")]
    )


def row_of(command: BaseCommand) -> CommandRow:
    """Return the row of a command."""
    return _ROWS[type(command)]


def of_feature(name: str, **fields: object) -> BaseCommand:
    """Return the command of a feature by its name."""
    row = next((row for row in _OF_FEATURES if row.name == name), None)
    if row is None:
        raise BadRequest(f"There is no command {name} here.")
    return row.model.model_validate(fields)


_GRANTING_FIELDS = ("trust", "policy", "sandbox", "network", "mode", "config", "allow")


def needs_proof(command: BaseCommand) -> bool:
    """Return whether a page's cookie alone is not enough for a command.

    That applies to commands that answer or allow something, since scripts in outputs have the
    cookie, too.
    """
    asked = (getattr(command, name, None) for name in _GRANTING_FIELDS)
    return row_of(command).grants or any(asked)


def request_of(command: BaseCommand) -> tuple[str, str, bytes]:
    """Return the method, path and body of a command's HTTP request."""
    route = row_of(command).route
    if route is None:
        raise TypeError(command.name)
    return route.request(command)


def require_read_only(command: BaseCommand) -> None:
    """Refuse what an agent's code may not do, whatever identity it claims."""
    if not row_of(command).while_agent_code_runs:
        raise NotAllowed(
            "An agent's tool runs this code, so it can't start, prompt or configure agents, or "
            "answer for the user. Write it into a cell and ask the user to run the cell."
        )
