"""Commands about sessions, agents, logins and terminals, and their results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.host.recording_file import RecordingOptions
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox, SandboxLevel
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.parse.login import AuthMethod
from acp_jupyter.protocol.session_packets import Ability
from acp_jupyter.transcript.model.session_state import SessionState


class CloseSession(BaseCommand):
    """End a session; it is kept, and can be opened again. ACP: session/close."""

    name: Literal["close_session"] = "close_session"
    session_id: str


class DeleteSession(BaseCommand):
    """End a session and remove all that is kept of it. ACP: session/delete."""

    name: Literal["delete_session"] = "delete_session"
    session_id: str


class ArchiveSession(BaseCommand):
    """End a session and put it into the archive, its agent's copy too. ACP: session/archive."""

    name: Literal["archive_session"] = "archive_session"
    session_id: str


class UnarchiveSession(BaseCommand):
    """Take a session out of the archive. ACP: session/unarchive."""

    name: Literal["unarchive_session"] = "unarchive_session"
    session_id: str


class ArchiveReply(Model):
    """Result of ``archive_session`` and ``unarchive_session``."""

    message: str = ""
    """Why the agent's copy is not where the session is, in words; empty where it is."""


class ForkSession(BaseCommand):
    """Make a session that goes on from where another is now. ACP: session/fork."""

    name: Literal["fork_session"] = "fork_session"
    session_id: str


_ALSO = 1000


class RewindSession(BaseCommand):
    """Go back to before a turn, with the files and what the agent remembers.

    What the turn and all later ones changed is taken back, or nothing is; then the conversation
    goes on in a new session, whose agent knows what was said before the turn and nothing of what
    came after. A turn that runs in the session is stopped. The session itself is kept.
    """

    name: Literal["rewind_session"] = "rewind_session"
    session_id: str
    turn_id: str
    files: bool = True
    """Whether files go back, too."""
    also: tuple[str, ...] = Field(default=(), max_length=_ALSO)
    """Later turns of other sessions whose changes go back with it. Their agents remember them."""


class UndoRewind(BaseCommand):
    """Go on where it was before: in the earlier session, with the files as they were there.

    What turns of this session have changed is taken back, too.
    """

    name: Literal["undo_rewind"] = "undo_rewind"
    session_id: str
    """The session that was made."""
    files: bool = True
    """Whether files are put back, where they went back."""


class RewindReply(Model):
    """Result of ``rewind_session`` and ``undo_rewind``."""

    session: SessionState
    """The session that it goes on in."""
    turns: int
    """How many turns were taken back, or are there again."""
    paths: tuple[str, ...] = ()
    """Files that are as they were."""
    left: tuple[str, ...] = ()
    """Files that these turns changed, and that could not be taken back."""
    words: str = ""
    """What was done, for people."""


class ResumeSession(BaseCommand):
    """Start the agent of a session again. ACP: session/resume, session/load."""

    name: Literal["resume_session"] = "resume_session"
    session_id: str


class ListAgentSessions(BaseCommand):
    """The sessions that an agent itself keeps. ACP: session/list."""

    name: Literal["list_agent_sessions"] = "list_agent_sessions"
    agent: str
    cwd: str | None = None
    """Absolute or relative to the server's root, which is the default."""
    cursor: str = ""
    archived: bool = False
    """Whether those in the agent's archive are listed, too."""


class OpenAgentSession(BaseCommand):
    """Open one of them here. ACP: session/load, session/resume."""

    name: Literal["open_agent_session"] = "open_agent_session"
    agent: str
    agent_session_id: str
    cwd: str | None = None
    title: str = ""
    trust: bool = False


class AgentSession(Model):
    """A session that an agent keeps."""

    agent_session_id: str
    cwd: str
    title: str = ""
    updated_at: str = ""
    """As the agent writes it."""
    archived: bool = False
    """Whether it is in the agent's archive."""
    session_id: str = ""
    """Our id of it, where it is known here."""


class AgentSessions(Model):
    """Result of ``list_agent_sessions``."""

    sessions: tuple[AgentSession, ...]
    next_cursor: str = ""


class SearchSessions(BaseCommand):
    """Look for words in the prompts and answers of all sessions, the newest first.

    One call looks for a limited time. Ask again with its ``next_cursor`` to go on.
    """

    name: Literal["search_sessions"] = "search_sessions"
    text: str = Field(min_length=1, max_length=200)
    """Its words in this order; capital letters and the space between them make no difference."""
    cursor: str = Field(default="", max_length=400)


class FoundText(Model):
    """A place in a session where the words are."""

    session_id: str
    turn_id: str
    """Empty where no turn is known."""
    where: Literal["prompt", "answer"]
    before: str
    """The text just before the words..."""
    match: str
    """...the words as they stand there..."""
    after: str
    """...and the text just after them."""


class FoundSessions(Model):
    """Result of ``search_sessions``."""

    hits: tuple[FoundText, ...]
    searched: int
    """Sessions that were looked through, with the calls before this one."""
    total: int
    next_cursor: str = ""
    """Where the next call goes on; empty when all is done."""
    cut: bool = False
    """Whether there may be more: in a session with many hits, or with a very long log."""


class KillTerminal(BaseCommand):
    """End a command that the host runs for the agent; its output stays."""

    name: Literal["kill_terminal"] = "kill_terminal"
    session_id: str
    terminal_id: str


class ListSessions(BaseCommand):
    """The sessions that the caller may see."""

    name: Literal["list_sessions"] = "list_sessions"


class CreateSession(BaseCommand):
    """Start, or find again, a session. ACP: session/new.

    With ``label`` and ``notebook_path`` the session of that label in that
    notebook is found again, unless ``new`` is set.
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
    """Of the session that is made; a kernel's is that of its own prompts in it."""
    sandbox: Sandbox | None = None
    """The same."""
    in_copy: bool | None = None
    """Whether its agent works in a copy of the folder, which lasts as long as the session: another
    session is found, or made, than where it does not. Default: as ``sandbox`` says."""
    network: Network | None = None
    """Of the sandbox of the session that is made; a kernel can only have it reach less."""
    trust: bool = False
    """Whether agents may run in the folder; a kernel's word counts for prompts of kernels."""
    ask_trust: bool = False
    """Whether somebody who sees the session can be asked about the folder. Then its agent starts
    when they have said yes; else an untrusted folder is refused."""
    start: Literal["wait", "background", "lazy"] = "wait"
    """When the agent's process starts: before the answer, beside it, or at the first prompt."""
    record: RecordingOptions | None = None
    """Whether to record the session, or to replay its recording instead of the agent."""
    tools: bool = True
    """Whether the agent is offered tools for the session's notebook and its kernel."""


class GetSession(BaseCommand):
    """One session's state."""

    name: Literal["get_session"] = "get_session"
    session_id: str


class SetConfig(BaseCommand):
    """Change a config option, mode, model, policy, sandbox, its network, or the title."""

    name: Literal["set_config"] = "set_config"
    session_id: str
    config: dict[str, str | bool] = Field(default_factory=dict)
    mode: str | None = None
    policy: Policy | None = None
    sandbox: Sandbox | None = None
    network: Network | None = None
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
    """How much goes on beside its turns."""
    stored: bool = False
    """Whether it is only in its folder; opened when somebody asks for it."""
    read_only: str = ""
    """Why nothing can be sent from here; empty where it can."""
    archived: bool = False
    branched_from: str = ""
    """The session that it goes on from, at an earlier turn; empty where it began anew."""
    continues_in: str = ""
    """The session that goes on from an earlier turn of this one, where one took its place."""
    can: tuple[Ability, ...] = ()
    """What its agent can do with sessions."""
    serves_cells: bool = False
    """Whether new prompts of its notebook's cells to its agent go to it."""
    is_variant: bool = False
    """Whether it is one of several tries of a prompt."""
    updated_at: float | None = None


class AllowDownload(BaseCommand):
    """Let a package be downloaded and run, as it was shown."""

    name: Literal["allow_download"] = "allow_download"
    agent: str
    package: str = Field(min_length=1, max_length=300)
    """With its version. Another one than is offered now is refused."""
    run: str | None = Field(default=None, max_length=10_000)
    """The command as it was shown. Another one is refused, too; null where none was shown."""


class RestartAgent(BaseCommand):
    """End an agent's processes; each session starts it anew when it next needs it."""

    name: Literal["restart_agent"] = "restart_agent"
    agent: str


class Login(BaseCommand):
    """Log in to a session's agent. ACP: authenticate; or its own program in a terminal."""

    name: Literal["login"] = "login"
    session_id: str
    method_id: str = Field(default="", max_length=1000)
    """One of the session's ``auth_methods``; empty for the first that can be used."""


class CancelLogin(BaseCommand):
    """End a login that goes on."""

    name: Literal["cancel_login"] = "cancel_login"
    session_id: str


class Logout(BaseCommand):
    """Log out of a session's agent. ACP: logout."""

    name: Literal["logout"] = "logout"
    session_id: str


class LoginReply(Model):
    """Result of ``login`` and ``logout``: what the user has to know."""

    message: str
    terminal: str = ""
    """The terminal to look at."""
    command: str = ""
    """What to type where no terminal can be shown."""


class ListAgents(BaseCommand):
    """The configured agents and whether they can start."""

    name: Literal["list_agents"] = "list_agents"
    notebook_path: str = ""
    """The notebook whose own agents are listed, too. A kernel's is known."""


class ServeAgent(BaseCommand):
    """Offer an agent that runs in this kernel to its notebook's sessions."""

    name: Literal["serve_agent"] = "serve_agent"
    agent: str
    """Its name."""
    address: str
    """The private socket on which the kernel serves it."""
    key: str
    """What opens the socket."""


class GetRegistry(BaseCommand):
    """The list of the public registry that is in use."""

    name: Literal["get_registry"] = "get_registry"


class GetSandboxes(BaseCommand):
    """Which sandboxes agents can have here, and how well they are kept."""

    name: Literal["get_sandboxes"] = "get_sandboxes"


class UpdateRegistry(BaseCommand):
    """Download a newer list of the public registry, where that is allowed."""

    name: Literal["update_registry"] = "update_registry"


# -- results of commands ---------------------------------------------------


class RegistryReply(Model):
    """Result of ``get_registry`` and ``update_registry``."""

    date: str
    """As ``2026-02-07``; empty where there is no list."""
    downloaded: bool = False
    """Whether it was downloaded since; otherwise it came with this version."""
    may_update: bool = False
    """Whether a newer one may be downloaded."""
    failure: str = ""
    """Why the last download failed; the list is the one from before."""


class SandboxesReply(Model):
    """Result of ``get_sandboxes``."""

    level: SandboxLevel
    kept_by: str = ""
    """What keeps them, with its version; empty where nothing does."""
    why_not_more: str = ""
    """What is missing for the next level, and what to do; empty for the full one."""
    allowed: tuple[Sandbox, ...] = ()
    """Those that may be chosen."""
    required_level: SandboxLevel = "none"
    """The lowest level at which an agent is started in one."""


class AgentEntry(Model):
    """Result of ``list_agents``, one agent."""

    id: str
    name: str
    status: Literal["ready", "needs_login", "not_installed", "broken"]
    detail: str = ""
    install: str = ""
    """The command that installs it, to be typed in a terminal."""
    website: str = ""
    package: str = ""
    """What may be downloaded after a click: a package with its version."""
    run: str = ""
    """The command that will then be run."""
    notes: tuple[str, ...] = ()
    """What to know before: what it needs, what is checked, what is not."""
    listed: bool = False
    """Whether it is known from the public registry alone."""
    methods: tuple[AuthMethod, ...] = ()
    """Ways to log in, where it needs that."""
