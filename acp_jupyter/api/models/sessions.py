"""Commands about sessions, agents, logins and terminals, and their results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox, SandboxLevel
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.parse.login import AuthMethod
from acp_jupyter.protocol.session_packets import Ability
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.use import Use


class CloseSession(BaseCommand):
    """Close a session; it stays stored, and can be opened again. ACP: session/close."""

    name: Literal["close_session"] = "close_session"
    session_id: str


class DeleteSession(BaseCommand):
    """Close a session and delete everything stored about it. ACP: session/delete."""

    name: Literal["delete_session"] = "delete_session"
    session_id: str


class ArchiveSession(BaseCommand):
    """Close and archive a session, including its agent's copy. ACP: session/archive."""

    name: Literal["archive_session"] = "archive_session"
    session_id: str


class UnarchiveSession(BaseCommand):
    """Unarchive a session. ACP: session/unarchive."""

    name: Literal["unarchive_session"] = "unarchive_session"
    session_id: str


class ArchiveReply(Model):
    """Result of ``archive_session`` and ``unarchive_session``."""

    message: str = ""
    """Why the agent's copy was not archived or unarchived along, as text; empty if it was."""


class ForkSession(BaseCommand):
    """Create a session that continues from the current state of another. ACP: session/fork."""

    name: Literal["fork_session"] = "fork_session"
    session_id: str


class RewindReply(Model):
    """Result of ``rewind_session`` and ``undo_rewind``."""

    session: SessionState
    """The session that continues."""
    turns: int
    """How many turns were reverted, or restored."""
    paths: tuple[str, ...] = ()
    """Files that were restored."""
    left: tuple[str, ...] = ()
    """Files that these turns changed, and that could not be reverted."""
    words: str = ""
    """A message about what was done."""


class ResumeSession(BaseCommand):
    """Start the agent of a session again. ACP: session/resume, session/load."""

    name: Literal["resume_session"] = "resume_session"
    session_id: str


class ListAgentSessions(BaseCommand):
    """List the sessions that an agent stores. ACP: session/list."""

    name: Literal["list_agent_sessions"] = "list_agent_sessions"
    agent: str
    cwd: str | None = None
    """Absolute or relative to the server's root, which is the default."""
    cursor: str = ""
    archived: bool = False
    """Whether to include the agent's archive."""


class OpenAgentSession(BaseCommand):
    """Open one of them here. ACP: session/load, session/resume."""

    name: Literal["open_agent_session"] = "open_agent_session"
    agent: str
    agent_session_id: str
    cwd: str | None = None
    title: str = ""
    trust: bool = False


class AgentSession(Model):
    """A session that an agent stores."""

    agent_session_id: str
    cwd: str
    title: str = ""
    updated_at: str = ""
    """ISO 8601, as the agent sent it."""
    archived: bool = False
    """Whether it is in the agent's archive."""
    session_id: str = ""
    """Our id of it, if it is known here."""


class AgentSessions(Model):
    """Result of ``list_agent_sessions``."""

    sessions: tuple[AgentSession, ...]
    next_cursor: str = ""


class SearchSessions(BaseCommand):
    """Search the prompts and answers of all sessions, the newest first.

    Each call searches for a limited time. Call again with ``next_cursor`` to continue.
    """

    name: Literal["search_sessions"] = "search_sessions"
    text: str = Field(min_length=1, max_length=200)
    """Words to find in this order; case and white space are ignored."""
    cursor: str = Field(default="", max_length=400)


class FoundText(Model):
    """A hit in a session."""

    session_id: str
    turn_id: str
    """Empty if the turn is unknown."""
    where: Literal["prompt", "answer"]
    before: str
    """The text just before the hit,"""
    match: str
    """the hit itself,"""
    after: str
    """and the text just after it."""


class FoundSessions(Model):
    """Result of ``search_sessions``."""

    hits: tuple[FoundText, ...]
    searched: int
    """Sessions searched so far, including earlier calls."""
    total: int
    next_cursor: str = ""
    """Cursor for the next call; empty when all sessions were searched."""
    cut: bool = False
    """Whether there may be more hits: in a session with many, or with a very long log."""


class KillTerminal(BaseCommand):
    """End a command that the host runs for the agent; its output stays."""

    name: Literal["kill_terminal"] = "kill_terminal"
    session_id: str
    terminal_id: str


class ListSessions(BaseCommand):
    """List the sessions that the caller may see."""

    name: Literal["list_sessions"] = "list_sessions"


class CreateSession(BaseCommand):
    """Create a session, or find one. ACP: session/new.

    With ``label`` and ``notebook_path``, the session with that label in that notebook is found,
    unless ``new`` is set.
    """

    name: Literal["create_session"] = "create_session"
    agent: str
    cwd: str | None = None
    """Absolute or relative to the server's root; default: chosen from the notebook."""
    notebook_path: str = ""
    label: str = ""
    new: bool = False
    mode: str | None = None
    model: str | None = None
    policy: Policy | None = None
    """Policy of a new session; from a kernel, of the kernel's own prompts."""
    sandbox: Sandbox | None = None
    """Sandbox of a new session; from a kernel, of the kernel's own prompts."""
    in_copy: bool | None = None
    """Whether its agent works in a copy of the folder, which lasts as long as the session. Sessions
    with and without a copy are distinct. Default: as ``sandbox`` says."""
    network: Network | None = None
    """Network of a new session's sandbox; a kernel can only restrict it."""
    trust: bool = False
    """Whether agents may run in the folder; from a kernel, this counts for prompts of kernels."""
    ask_trust: bool = False
    """Whether the user can be asked about the folder. The agent then starts after their consent;
    otherwise an untrusted folder is refused."""
    start: Literal["wait", "background", "lazy"] = "wait"
    """When the agent's process starts: before the reply, in parallel, or at the first prompt."""
    record: RecordingOptions | None = None
    """Whether to record the session, or to replay its recording instead of the agent."""
    tools: bool = True
    """Whether to offer the agent tools for the session's notebook and its kernel."""


class GetSession(BaseCommand):
    """Get a session's state."""

    name: Literal["get_session"] = "get_session"
    session_id: str


class GetUsage(BaseCommand):
    """Say what today's turns used in all sessions, and what one session used. Nothing is opened."""

    name: Literal["get_usage"] = "get_usage"
    session_id: str = ""
    """The session; empty for today only."""


class UsageReply(Model):
    """Result of ``get_usage``."""

    day: str
    """Today's date where the sessions are, such as ``2026-12-01``."""
    today: Use
    """What the turns used that ended today, in all sessions that are still there."""
    session: Use | None = None
    """What the session used, all its turns together; null without one."""


class SetConfig(BaseCommand):
    """Change a config option, mode, model, policy, sandbox, its network, a limit, or the title."""

    name: Literal["set_config"] = "set_config"
    session_id: str
    config: dict[str, str | bool] = Field(default_factory=dict)
    mode: str | None = None
    policy: Policy | None = None
    sandbox: Sandbox | None = None
    network: Network | None = None
    limit: str | None = Field(default=None, max_length=200)
    """The most that all turns together may use; empty for no limit."""
    turn_limit: str | None = Field(default=None, max_length=200)
    """The most that each later turn may use."""
    title: str | None = None


# -- to the page -----------------------------------------------------------


class SessionSummary(Model):
    """A line of the session list."""

    session_id: str
    title: str
    agent_id: str
    agent_name: str
    status: Literal["starting", "idle", "running", "requires_action", "stopped"]
    notebook_path: str = ""
    waiting: int = 0
    background: int = 0
    """How many tasks run in the background."""
    stored: bool = False
    """Whether it is only stored; it is opened on demand."""
    read_only: str = ""
    """Why nothing can be sent from here; empty if it can."""
    archived: bool = False
    branched_from: str = ""
    """The session that it branched off, at an earlier turn; empty if it did not."""
    continues_in: str = ""
    """The session that branched off this one and replaced it."""
    can: tuple[Ability, ...] = ()
    """The agent's session capabilities."""
    serves_cells: bool = False
    """Whether new prompts from its notebook's cells to its agent go to it."""
    is_variant: bool = False
    """Whether it is a variant of a prompt."""
    updated_at: float | None = None


class AllowDownload(BaseCommand):
    """Allow a package to be downloaded and run, as shown to the user."""

    name: Literal["allow_download"] = "allow_download"
    agent: str
    package: str = Field(min_length=1, max_length=300)
    """The package with its version. It is refused unless it is the one offered now."""
    run: str | None = Field(default=None, max_length=10_000)
    """The command as shown; refused unless it is still the same. Null if none was shown."""


class RestartAgent(BaseCommand):
    """End an agent's processes; each session restarts it when needed."""

    name: Literal["restart_agent"] = "restart_agent"
    agent: str


class Login(BaseCommand):
    """Log in to a session's agent. ACP: authenticate; or its own program in a terminal."""

    name: Literal["login"] = "login"
    session_id: str
    method_id: str = Field(default="", max_length=1000)
    """One of the session's ``auth_methods``; empty for the first usable one."""


class CancelLogin(BaseCommand):
    """Cancel a running login."""

    name: Literal["cancel_login"] = "cancel_login"
    session_id: str


class Logout(BaseCommand):
    """Log out of a session's agent. ACP: logout."""

    name: Literal["logout"] = "logout"
    session_id: str


class LoginReply(Model):
    """Result of ``login`` and ``logout``: a message for the user."""

    message: str
    terminal: str = ""
    """The terminal to open."""
    command: str = ""
    """The command to type if no terminal can be shown."""


class ListAgents(BaseCommand):
    """List the configured agents and whether they can start."""

    name: Literal["list_agents"] = "list_agents"
    notebook_path: str = ""
    """The notebook whose own agents to include. For a kernel, it is known."""


class ServeAgent(BaseCommand):
    """Offer an agent that runs in this kernel to its notebook's sessions."""

    name: Literal["serve_agent"] = "serve_agent"
    agent: str
    """The agent's name."""
    address: str
    """The private socket on which the kernel serves it."""
    key: str
    """The secret that the socket asks for."""


class GetRegistry(BaseCommand):
    """Get the list of the public registry that is in use."""

    name: Literal["get_registry"] = "get_registry"


class GetSandboxes(BaseCommand):
    """Get the sandboxes that agents can have here, and how well they are enforced."""

    name: Literal["get_sandboxes"] = "get_sandboxes"


class UpdateRegistry(BaseCommand):
    """Download a newer list of the public registry, if that is allowed."""

    name: Literal["update_registry"] = "update_registry"


# -- results of commands ---------------------------------------------------


class RegistryReply(Model):
    """Result of ``get_registry`` and ``update_registry``."""

    date: str
    """A date like ``2026-02-07``; empty if there is no list."""
    downloaded: bool = False
    """Whether it was downloaded; otherwise it came with this version."""
    may_update: bool = False
    """Whether a newer one may be downloaded."""
    failure: str = ""
    """Why the last download failed; the earlier list stays in use."""


class SandboxesReply(Model):
    """Result of ``get_sandboxes``."""

    level: SandboxLevel
    kept_by: str = ""
    """What enforces them, with its version; empty if nothing does."""
    why_not_more: str = ""
    """What is missing for the next level, and what to do; empty for the full one."""
    allowed: tuple[Sandbox, ...] = ()
    """The sandboxes that may be chosen."""
    required_level: SandboxLevel = "none"
    """The lowest level at which an agent is started in a sandbox."""


class AgentEntry(Model):
    """Result of ``list_agents``, one agent."""

    id: str
    name: str
    status: Literal["ready", "needs_login", "not_installed", "broken"]
    detail: str = ""
    install: str = ""
    """The command that installs it, to type in a terminal."""
    website: str = ""
    package: str = ""
    """The package, with its version, that may be downloaded after a click."""
    run: str = ""
    """The command that will then run."""
    notes: tuple[str, ...] = ()
    """Notes for the user: what it needs, what is checked, what is not."""
    listed: bool = False
    """Whether it is known only from the public registry."""
    methods: tuple[AuthMethod, ...] = ()
    """Login methods, if it needs a login."""
