"""`Note`, the union of all notes; notes about sessions, agents, queued prompts and turns."""

from __future__ import annotations

from functools import cache
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
    """A queued prompt's text was edited before it was sent."""

    note: Literal["turn_edited"] = "turn_edited"
    turn_id: str
    prompt: tuple[dict[str, JsonValue], ...]
    policy: Policy | None = None
    """The new origin, if the user edited a prompt that came from a cell."""
    rules: tuple[Rule, ...] | None = None
    user: str | None = None
    """The user who now answers for the prompt."""
    sandbox: Sandbox | None = None


class TurnMoved(Model):
    """A queued prompt was moved to the front."""

    note: Literal["turn_moved"] = "turn_moved"
    turn_id: str


REPLAYED = " (replayed)"
"""Suffix of the name of an agent whose recording is replayed."""


def is_replayed(agent_name: str) -> bool:
    """Return whether a recording answers in the place of the agent of this name."""
    return agent_name.endswith(REPLAYED)


class SessionOpened(Model):
    """The first line of a session's log."""

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
    """Who chose the policy; empty if users have no names."""
    variant: Variant | None = None
    copied_folder: str = ""
    """The folder that ``cwd`` is a copy of, with the sandbox ``copy``."""


class AgentStarting(Model):
    """A process is being started for the session."""

    note: Literal["agent_starting"] = "agent_starting"


class AgentExited(Model):
    """The session's agent process ended."""

    note: Literal["agent_exited"] = "agent_exited"
    words: str
    stderr: tuple[str, ...] = ()
    expected: bool = False
    """Whether the host itself ended it."""


class CellError(Model):
    """The error that a prompt is about, and the cell that failed with it."""

    cell: str = Field(default="", max_length=200)
    """As in a traceback, e.g. ``In[4]``; empty if unknown."""
    cell_id: str = Field(default="", max_length=200)
    words: str = Field(default="", max_length=1_000)
    """Longest error message, on one line. Messages are cut far below this, which leaves room to
    redact."""

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
    """Id of the turn's own widget, if the prompt came from a program or a button and not a cell."""
    source: str = ""
    """The cell's whole source when it ran."""
    error: CellError | None = None
    """The error that ``%acp fix`` asks about."""


class CopiedTurn(Model):
    """The turn that this one is a copy of, in a session made from an earlier one."""

    turn_id: str
    """Id of the first original: its changes are stored under that id."""
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
    """What is allowed in this turn without asking."""
    user: str = ""
    """Who sent it, and so answers for it; empty for a kernel, or if users have no names."""
    sandbox: Sandbox = "off"
    copy_of: CopiedTurn | None = None


class TurnStartedNote(Model):
    """A queued prompt is being sent."""

    note: Literal["turn_started"] = "turn_started"
    turn_id: str


class TurnRemoved(Model):
    """A queued prompt was removed before it was sent."""

    note: Literal["turn_removed"] = "turn_removed"
    turn_id: str


class TurnSteered(Model):
    """A queued prompt is not sent: the agent took it as a message for the running turn."""

    note: Literal["turn_steered"] = "turn_steered"
    turn_id: str


class TurnFailed(Model):
    """A turn ended without a response from the agent."""

    note: Literal["turn_failed"] = "turn_failed"
    turn_id: str
    message: str
    detail: str = ""
    reason: str = ""


class PermissionPlaces(Model):
    """Where the paths of a permission request lead, which only the host can find out."""

    note: Literal["permission_places"] = "permission_places"
    request_id: str
    cautions: tuple[str, ...] = ()
    """What the user should know about the files, as text."""
    led: dict[str, str] = Field(default_factory=dict)
    """The real files of paths that lead to another name in the folder."""
    text_differs: bool = False
    """Whether a file differs from the text that the agent says it replaces."""
    has_secret: bool = False
    """Whether it contains a known secret, so that no rule can be made from it."""


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
    """How a permission request was answered, and by whom; written before the answer is sent."""

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
    """Who answered, by their user name at the server."""
    shown_name: str = SHOWN_NAME
    """Their display name."""


class PolicyChanged(Model):
    """The user changed the session's policy."""

    note: Literal["policy_changed"] = "policy_changed"
    policy: Policy
    user: str = ""
    """Who did; empty if users have no names."""


class SandboxChanged(Model):
    """The user changed the session's sandbox."""

    note: Literal["sandbox_changed"] = "sandbox_changed"
    sandbox: Sandbox


class NetworkChanged(Model):
    """The user changed the network of the session's sandbox."""

    note: Literal["network_changed"] = "network_changed"
    network: Network


class LimitChanged(Model):
    """Somebody limited what turns may use. Null for what stays."""

    note: Literal["limit_changed"] = "limit_changed"
    limit: str | None = None
    """Of all turns of the session together; empty for none."""
    turn_limit: str | None = None
    """Of each later turn; empty for none."""
    by_user: bool = False
    """Whether a user did, not a kernel."""


class WallsStarted(Model):
    """The agent is being started inside these walls, or outside any."""

    note: Literal["walls_started"] = "walls_started"
    walls: WallsInForce


class TitleChanged(Model):
    """The user renamed the session."""

    note: Literal["title_changed"] = "title_changed"
    title: str


class SessionArchived(Model):
    """The user archived or unarchived the session."""

    note: Literal["session_archived"] = "session_archived"
    archived: bool


class NotebookMoved(Model):
    """The path of the session's notebook changed."""

    note: Literal["notebook_moved"] = "notebook_moved"
    notebook_path: str = ""
    """Empty if it was deleted; a new notebook at the same path is not the session's."""
    cwd: str = ""
    """The session's folder, if that was renamed too; empty if it stays."""
    folder: str = ""
    """The folder for people: the home folder is shortened to ``~``."""


class TurnStopped(Model):
    """A turn was stopped; the agent may not have confirmed it yet."""

    note: Literal["turn_stopped"] = "turn_stopped"
    turn_id: str


class TurnTimeUp(Model):
    """A turn exceeded its time limit, or reached another one, and is being stopped."""

    note: Literal["turn_time_up"] = "turn_time_up"
    turn_id: str
    limit: str = ""
    """The limit that it reached, in words; empty for its time limit."""


StopCause = Literal["user", "time_limit", "nobody"]
"""Why a turn is stopped: by a user, at its time limit, or because nobody can be asked."""


class StartFailed(Model):
    """The session's agent did not start, and no turn was waiting for it."""

    note: Literal["start_failed"] = "start_failed"
    message: str
    detail: str = ""
    reason: str = "agent_start"


NoticeOffer = Literal["", "rewind", "undo_rewind"]
"""The action that a notice offers."""


class HostNotice(Model):
    """Something that the user should know about the session."""

    note: Literal["host_notice"] = "host_notice"
    severity: Literal["info", "warning", "error"] = "info"
    text: str
    offers: NoticeOffer = ""
    target: str = ""
    """For ``rewind``: the turn to go back to before."""


class ImportedPacket(Model):
    """A packet from outside the protocol: from an imported log, or from the host's own tools."""

    note: Literal["imported_packet"] = "imported_packet"
    packet: JsonValue


class NoiseNote(Model):
    """A line from the agent that is not a protocol message."""

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
        | LimitChanged
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


@cache
def _adapter() -> TypeAdapter[Note]:
    return TypeAdapter(Note)


def read_note(raw: JsonValue) -> Note | None:
    """Read a ``!`` line; None if this version does not know its note."""
    try:
        return _adapter().validate_python(raw)
    except ValidationError:
        return None
