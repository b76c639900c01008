"""`Note`, the union of all notes; notes about sessions, agents, queued prompts and turns."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.host_events.session import (
    SHOWN_NAME,
    AgentSilentNote,
    AgentWroteToDisk,
    ArtifactsFound,
    ElicitationSettled,
    FileSaved,
    FilesChanged,
    FileWritten,
    FolderScanNote,
    LoginDone,
    LoginNeeded,
    LoginStarted,
    MessageHeld,
    Network,
    Policy,
    RanOutside,
    ReplayEnded,
    ReplayStarted,
    Rule,
    RulesChanged,
    Sandbox,
    SessionAttached,
    SessionBranched,
    SessionContinued,
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
    TrustRequested,
    TrustSettled,
    TurnChangesNote,
    TurnChangesUnknown,
    TurnReverted,
    Variant,
    WallMet,
    WallsInForce,
)
from acp_jupyter.protocol.objects import Model


class TurnEdited(Model):
    """The text of a prompt was changed before it was sent."""

    note: Literal["turn_edited"] = "turn_edited"
    turn_id: str
    prompt: tuple[dict[str, JsonValue], ...]
    policy: Policy | None = None
    """Where it is another now: a cell had sent the prompt, and a user has changed it."""
    rules: tuple[Rule, ...] | None = None
    """The same."""
    user: str | None = None
    """The same; who answers for it from now on."""
    sandbox: Sandbox | None = None
    """The same."""


class TurnMoved(Model):
    """A prompt that waits was put before the others."""

    note: Literal["turn_moved"] = "turn_moved"
    turn_id: str


REPLAYED = " (replayed)"
"""After the name of an agent whose recording is replayed."""


class SessionOpened(Model):
    """First line of a session's log."""

    note: Literal["session_opened"] = "session_opened"
    session_id: str
    agent_id: str
    agent_name: str
    cwd: str
    folder: str
    policy: Policy = "ask"
    sandbox: Sandbox = "off"
    network: Network = "all"
    title: str = ""
    notebook_path: str = ""
    user: str = ""
    """Who chose the policy; empty where people have no names."""
    variant: Variant | None = None
    copied_folder: str = ""
    """The folder that ``cwd`` is a copy of, in the sandbox ``copy``."""


class AgentStarting(Model):
    """A process is being started for the session."""

    note: Literal["agent_starting"] = "agent_starting"


class AgentExited(Model):
    """The session's process ended."""

    note: Literal["agent_exited"] = "agent_exited"
    words: str
    stderr: tuple[str, ...] = ()
    expected: bool = False
    """Whether the host itself ended it."""


class CellError(Model):
    """An error that a prompt is about, and the cell that failed with it."""

    cell: str = Field(default="", max_length=200)
    """As a traceback names it, e.g. ``In[4]``; empty where that is not known."""
    cell_id: str = Field(default="", max_length=200)
    words: str = Field(default="", max_length=1_000)
    """Name and message, on one line. They are cut far below this, which leaves room to redact."""

    @property
    def head(self) -> str:
        """The beginning of the line that says so."""
        return f"About the error in cell {self.cell}" if self.cell else "About the error"


class Origin(Model):
    """Which notebook cell a prompt came from."""

    kernel_id: str = ""
    notebook_path: str = ""
    """Relative to the server's root, with forward slashes."""
    cell_id: str = ""
    view_id: str = ""
    """Of the turn's own widget, where no cell is known: a program or a button sent the prompt."""
    source: str = ""
    """The cell's whole source when it ran."""
    error: CellError | None = None
    """What ``%acp fix`` asks about."""


class CopiedTurn(Model):
    """The turn that another is a copy of, where a session was made from an earlier one."""

    turn_id: str
    """Of the first one: what it changed is kept under that id."""
    cell_id: str = ""
    """The cell that it came from, and that shows it."""


class TurnQueued(Model):
    """A prompt was accepted."""

    note: Literal["turn_queued"] = "turn_queued"
    turn_id: str
    prompt: tuple[dict[str, JsonValue], ...]
    policy: Policy = "ask"
    origin: Origin | None = None
    rules: tuple[Rule, ...] = ()
    """What is answered in this turn without asking."""
    user: str = ""
    """Who sent it, and so answers for it; empty for a kernel, or where people have no names."""
    sandbox: Sandbox = "off"
    copy_of: CopiedTurn | None = None


class TurnStartedNote(Model):
    """A queued prompt is being sent."""

    note: Literal["turn_started"] = "turn_started"
    turn_id: str


class TurnRemoved(Model):
    """A queued prompt was taken back before it was sent."""

    note: Literal["turn_removed"] = "turn_removed"
    turn_id: str


class TurnSteered(Model):
    """A queued prompt is not sent: the agent has taken it into the turn that ran."""

    note: Literal["turn_steered"] = "turn_steered"
    turn_id: str


class TurnFailed(Model):
    """A turn ended without the agent's own end of turn."""

    note: Literal["turn_failed"] = "turn_failed"
    turn_id: str
    message: str
    detail: str = ""
    reason: str = ""


class PermissionPlaces(Model):
    """Where the files of a permission request lead, which only the host can tell."""

    note: Literal["permission_places"] = "permission_places"
    request_id: str
    cautions: tuple[str, ...] = ()
    """What is to be known of the files, in words."""
    led: dict[str, str] = Field(default_factory=dict)
    """The files behind paths that lead to another name in the folder."""
    text_differs: bool = False
    """Whether a file holds another text than what the agent says it replaces."""
    has_secret: bool = False
    """Whether a known secret is in it, so that no rule can be made of it."""


SettledBy = Literal[
    "user",
    "policy",
    "rule",
    "turn_cancelled",
    "nobody",
    "agent_exited",
    "record",
    "withdrawn",
    "changed",
]


class PermissionSettledNote(Model):
    """Who or what answered a permission request; written before the answer."""

    note: Literal["permission_settled"] = "permission_settled"
    request_id: str
    by: SettledBy
    """``record``: as it was answered when the turn that is replayed was recorded.
    ``withdrawn``: the agent does not ask any more. ``changed``: a yes came too late, as a path
    leads elsewhere now."""
    rule: str = ""
    reason: str = ""
    """Why the user said no, in their words; or what has changed."""
    user: str = ""
    """Who answered, as the server knows them."""
    shown_name: str = SHOWN_NAME
    """The name that is shown for them."""


class PolicyChanged(Model):
    """The session's policy was changed by its user."""

    note: Literal["policy_changed"] = "policy_changed"
    policy: Policy
    user: str = ""
    """Who did; empty where people have no names."""


class SandboxChanged(Model):
    """The session's sandbox was changed by its user."""

    note: Literal["sandbox_changed"] = "sandbox_changed"
    sandbox: Sandbox


class NetworkChanged(Model):
    """The network of the session's sandbox was changed by its user."""

    note: Literal["network_changed"] = "network_changed"
    network: Network


class WallsStarted(Model):
    """The agent is being started in these walls, or in none."""

    note: Literal["walls_started"] = "walls_started"
    walls: WallsInForce


class TitleChanged(Model):
    """The session was renamed by its user."""

    note: Literal["title_changed"] = "title_changed"
    title: str


class SessionArchived(Model):
    """The session was put into the archive by its user, or out of it."""

    note: Literal["session_archived"] = "session_archived"
    archived: bool


class NotebookMoved(Model):
    """The session's notebook has another path now."""

    note: Literal["notebook_moved"] = "notebook_moved"
    notebook_path: str = ""
    """Empty where it was deleted: another of its name is not the session's."""
    cwd: str = ""
    """The session's own folder, where that was renamed, too; empty where it stays."""
    folder: str = ""
    """The same for people: home shortened to ``~``."""


class TurnStopped(Model):
    """A turn was stopped; the agent may still have to say so itself."""

    note: Literal["turn_stopped"] = "turn_stopped"
    turn_id: str


class TurnTimeUp(Model):
    """A turn took longer than its sender allows, and is being stopped."""

    note: Literal["turn_time_up"] = "turn_time_up"
    turn_id: str


StopCause = Literal["user", "time_limit", "nobody"]
"""Why a turn is stopped: by somebody, at its time limit, or since nobody can be asked."""


class StartFailed(Model):
    """The session's agent did not start, and no turn was waiting for it."""

    note: Literal["start_failed"] = "start_failed"
    message: str
    detail: str = ""
    reason: str = "agent_start"


NoticeOffer = Literal["", "rewind", "undo_rewind"]
"""What a notice of the host offers to do."""


class HostNotice(Model):
    """Something that the user should know of the session."""

    note: Literal["host_notice"] = "host_notice"
    severity: Literal["info", "warning", "error"] = "info"
    text: str
    offers: NoticeOffer = ""
    target: str = ""
    """Of ``rewind``: the turn to go back to before."""


class ImportedPacket(Model):
    """A packet that is no traffic of the protocol: of a log, or said by the host's own tools."""

    note: Literal["imported_packet"] = "imported_packet"
    packet: JsonValue


class NoiseNote(Model):
    """A line of the agent that was no message of the protocol."""

    note: Literal["noise"] = "noise"
    text: str = ""


Note = TypeAliasType(
    "Note",
    Annotated[
        SessionOpened
        | AgentStarting
        | AgentExited
        | TurnQueued
        | TurnStartedNote
        | TurnRemoved
        | TurnSteered
        | TurnFailed
        | PermissionPlaces
        | PermissionSettledNote
        | PolicyChanged
        | SandboxChanged
        | NetworkChanged
        | WallsStarted
        | WallMet
        | RanOutside
        | TitleChanged
        | SessionArchived
        | NotebookMoved
        | TurnStopped
        | TurnTimeUp
        | StartFailed
        | HostNotice
        | FilesChanged
        | ArtifactsFound
        | TurnChangesNote
        | TurnChangesUnknown
        | TurnReverted
        | FileWritten
        | FileSaved
        | AgentWroteToDisk
        | LoginNeeded
        | LoginStarted
        | LoginDone
        | ElicitationSettled
        | TurnEdited
        | TurnMoved
        | RulesChanged
        | TrustRequested
        | TrustSettled
        | TerminalStarted
        | TerminalOutput
        | TerminalExited
        | TerminalReleased
        | ImportedPacket
        | SessionAttached
        | SessionBranched
        | SessionContinued
        | ReplayStarted
        | ReplayEnded
        | AgentSilentNote
        | FolderScanNote
        | MessageHeld
        | NoiseNote,
        Field(discriminator="note"),
    ],
)

_ADAPTER: TypeAdapter[Note] = TypeAdapter(Note)


def read_note(raw: JsonValue) -> Note | None:
    """Read a ``!`` line; None for one that this version does not know."""
    try:
        return _ADAPTER.validate_python(raw)
    except ValidationError:
        return None
