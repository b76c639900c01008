"""Notes about a session and its folder.

Session: at its agent, logins, policies, rules, trusted folders, answers to questions, edits of
queued prompts. Folder: changes of a turn, reverts, files, artifacts, terminals.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field

from acp_jupyter.protocol.files import ArtifactInfo
from acp_jupyter.protocol.objects import Model

SHOWN_NAME = Field(default="", validation_alias=AliasChoices("shown_name", "told"))
"""The field with a user's display name; earlier logs call it ``told``."""
_RECORDING = Field(default="", validation_alias=AliasChoices("recording", "record"))
"""Earlier logs call it ``record``."""


class SessionAttached(Model):
    """The session is open at its agent."""

    note: Literal["session_attached"] = "session_attached"
    how: Literal["new", "resume", "load", "fork"]
    agent_session_id: str
    """The agent's own id of the session."""
    without_history: bool = False
    """Whether the agent does not remember the turns above."""


class RevertedTurn(Model):
    """What was reverted of one turn."""

    turn_id: str
    paths: tuple[str, ...]
    all_of_it: bool = False
    """Whether more than the named files was reverted."""


class Branch(Model):
    """The session that this one continues, and the turn that it branched off before."""

    session_id: str
    turn_id: str
    files: bool = True
    """Whether files were restored, too."""
    also: tuple[str, ...] = ()
    """Turns of other sessions that were reverted along with it, or with earlier sessions."""
    told_in: str = ""
    """The turn whose prompt carries the earlier conversation; empty until it is sent."""


class SessionBranched(Model):
    """The session branched off an earlier one, before one of its turns."""

    note: Literal["session_branched"] = "session_branched"
    branch: Branch
    reverted: tuple[RevertedTurn, ...] = ()
    """Turns whose changes were reverted for it, in that order."""


class SessionContinued(Model):
    """The conversation continues in a session that branched off this one."""

    note: Literal["session_continued"] = "session_continued"
    session_id: str = ""
    """Empty if it continues here again."""


class ReplayStarted(Model):
    """The agent begins to replay the session's history."""

    note: Literal["replay_started"] = "replay_started"
    keep: bool = False
    """Whether to show it: false if the log already has it."""


class ReplayEnded(Model):
    """The replay has ended; what follows is new."""

    note: Literal["replay_ended"] = "replay_ended"


class AgentSilentNote(Model):
    """A turn is running, and the agent has been silent for a while."""

    note: Literal["agent_silent"] = "agent_silent"
    turn_id: str
    since: float
    """Seconds since the epoch."""


class FolderScanNote(Model):
    """A turn waits for a slow scan of its folder, or no longer does."""

    note: Literal["folder_look"] = "folder_look"
    turn_id: str
    over: bool = False


class MessageHeld(Model):
    """The next message is held back before it reaches the agent, or no longer is."""

    note: Literal["message_held"] = "message_held"
    words: str = ""
    """Why, for how long at most, and what can be done; empty if it is no longer held."""


class LoginNeeded(Model):
    """The agent does not open the session until the user logs in."""

    note: Literal["login_needed"] = "login_needed"
    message: str
    """What happened and what to do."""


class LoginStarted(Model):
    """The user chose a login method, and the login started."""

    note: Literal["login_started"] = "login_started"
    method_id: str
    name: str
    terminal: str = ""
    """The name of its terminal."""


class LoginDone(Model):
    """A login or logout has ended."""

    note: Literal["login_done"] = "login_done"
    ok: bool
    message: str = ""
    """Why it failed, or what has changed."""
    logged_out: bool = False


Policy = Literal["ask", "read-only", "accept-edits", "allow-all", "deny"]
"""How permission requests are answered if no rule matches."""

Sandbox = Literal["off", "folder", "read-only", "copy"]
"""What the agent's processes can reach, whatever they ask for."""

Network = Literal["all", "none", "hosts"]
"""What an agent's processes in a sandbox can reach of the network: everything, nothing, or the
listed hosts; the user is asked about others.
"""

SandboxLevel = Literal["full", "partial", "none"]
"""How well this machine can enforce a sandbox."""


class WallsInForce(Model):
    """The sandbox that the agent's processes run in."""

    sandbox: Sandbox
    level: SandboxLevel
    why: str = ""
    """Why it is not enforced, or not better: a sentence that says what to do."""
    network: Network = "all"


WallOffer = Literal["", "outside", "environment"]
"""What can be done for a call that a wall stopped: run its command once outside the sandbox, or
once inside with write access to one environment.
"""


class Wall(Model):
    """The wall of the sandbox that a tool call failed at."""

    path: str
    """What the call tried to reach; an absolute path, or empty for the network."""
    words: str
    """Which wall it was, as a sentence."""
    offers: WallOffer = ""
    environment: str = ""
    """The folder of the environment that the command would change; absolute."""
    run_id: str = ""
    """The tool call in which the command ran again for the user; empty until it does."""


class WallMet(Model):
    """A tool call failed at a wall of its agent's sandbox."""

    note: Literal["wall_met"] = "wall_met"
    turn_id: str
    tool_call_id: str
    wall: Wall


class RanOutside(Model):
    """The user allowed the command of such a call to run once more."""

    note: Literal["ran_outside"] = "ran_outside"
    turn_id: str
    tool_call_id: str
    run_id: str
    """The tool call in which it runs."""


RuleKind = Literal["read", "search", "edit", "delete", "move", "execute", "fetch"]
"""The protocol's tool kinds that a rule can check: they have paths, a command or an address."""

RuleEffect = Literal["allow", "deny"]
RuleScope = Literal["turn", "session", "workspace"]


class Rule(Model):
    """What is answered without asking again."""

    id: str
    scope: RuleScope
    """The scope of the rule: one turn, one session, or all sessions in one folder."""
    effect: RuleEffect
    tool_kind: RuleKind
    pattern: str = ""
    """Which commands, paths or addresses; empty for all of the kind."""
    words: str = ""
    """The same for people."""
    created_at: float = 0.0
    user: str = ""
    """The user whose prompts it applies to; empty for all."""


class RulesChanged(Model):
    """The current rules of the session."""

    note: Literal["rules_changed"] = "rules_changed"
    rules: tuple[Rule, ...] = ()


class TrustRequested(Model):
    """The user is asked whether agents may run in the session's folder."""

    note: Literal["trust_asked"] = "trust_asked"
    request_id: str
    agent_name: str
    folder: str
    """The folder for people."""
    recording: str = _RECORDING
    """The recording to replay, if it was made elsewhere."""
    warning: str = ""
    """What else would be trusted, if that is more than a project."""


class TrustSettled(Model):
    """How the trust request was answered."""

    note: Literal["trust_settled"] = "trust_settled"
    request_id: str
    trusted: bool = False
    by: Literal["user", "turn_cancelled"] = "user"
    user: str = ""
    """Who answered, by their user name at the server."""
    shown_name: str = SHOWN_NAME
    """Their display name."""


class ElicitationSettled(Model):
    """How an agent's question was answered, and by whom; written before the answer is sent."""

    note: Literal["elicitation_settled"] = "elicitation_settled"
    request_id: str
    by: Literal["user", "turn_cancelled", "nobody", "agent_exited", "withdrawn", "completed"]
    """``completed``: the agent says that it was done elsewhere."""
    user: str = ""
    """Who answered, by their user name at the server."""
    shown_name: str = SHOWN_NAME
    """Their display name."""


_HUNKS = 10_000
_EARLIER = 1000


class Hunk(Model):
    """One change in a file: a range of lines before the turn, and the range that replaced it.

    Lines are counted from 0, and the end is exclusive: an empty range is a position. In a notebook
    they are cells, and four zeros stand for the notebook's metadata.
    """

    old_start: int = Field(ge=0)
    old_end: int = Field(ge=0)
    new_start: int = Field(ge=0)
    new_end: int = Field(ge=0)


class FileHunks(Model):
    """Some of the changes in one file."""

    path: str
    hunks: tuple[Hunk, ...] = Field(max_length=_HUNKS)


class Variant(Model):
    """Which variant of a prompt a session is; it works in a copy of the folder."""

    try_id: str
    """Id of the prompt, the same for all its variants."""
    number: int
    """Counts from 1."""
    folder: str
    """The folder that was copied; absolute."""
    left_out: str = ""
    """What the copy leaves out, as text."""
    kernel: str = ""
    """The variant's own kernel, or why it has none, as text."""
    begins_empty: bool = False
    """Whether that kernel begins without variables although they were requested."""


Author = Literal["", "agent", "another", "you", "unknown"]
"""Who made a change, by what was observed at the time: the turn's agent, another turn in the
folder, a user who saved it here, or nobody that was observed. Empty in old logs.
"""


class ChangedFile(Model):
    """What happened to one file in a turn."""

    path: str
    """Relative to the session's folder, with forward slashes; absolute outside it."""
    change: Literal["added", "modified", "deleted", "renamed", "type"]
    """``type``: a file became a link, or a link a file."""
    old_path: str = ""
    """Its old path, if it was renamed."""
    added: int | None = None
    """Lines; null if they were not counted."""
    removed: int | None = None
    binary: bool = False
    size: int | None = None
    """In bytes: after the turn, or before it if the file is gone."""
    old_mode: int | None = None
    """Its permission bits before the turn."""
    new_mode: int | None = None
    """Its permission bits after the turn."""
    came_from: str = ""
    """Where the content that it replaced was before the turn, if that was not stored: a revert
    moves it back."""
    kept: bool = True
    """Whether it can be reverted."""
    words: str = ""
    """Why not."""
    reverted: bool = False
    reverted_hunks: tuple[Hunk, ...] = ()
    """What was reverted of it, in order; a reverted file keeps them for Undo."""
    kept_hunks: tuple[Hunk, ...] = ()
    """Of a file in a copy that isn't kept as a whole: the changes that are in the folder."""
    together: tuple[str, ...] = ()
    """Earlier turns that it was reverted with: these lines are from before the first of them."""
    old_text_id: str = ""
    """The same for equal content; empty if unknown."""
    new_text_id: str = ""
    author: Author = ""
    yours_too: bool = False
    """Whether a user saved other changes to the file while the turn ran: those are not the
    turn's."""

    @property
    def unread(self) -> bool:
        """Whether only the agent knows what changed in it."""
        return not (self.kept or self.old_text_id or self.new_text_id)

    @property
    def is_all_kept(self) -> bool:
        """Of a file in a copy: whether all of it is in the folder."""
        return not (self.reverted or self.reverted_hunks)

    @property
    def is_not_kept(self) -> bool:
        """Of a file in a copy: whether nothing of it is in the folder."""
        return self.reverted and not self.kept_hunks

    @property
    def is_turns(self) -> bool:
        """Whether it counts as the turn's change, as everything does in old logs."""
        return self.author in {"", "agent"}


class TurnChanges(Model):
    """What changed in a turn's folder while it ran; each file has its author."""

    files: tuple[ChangedFile, ...] = ()
    left_out: int = 0
    """How many more files the turn changed."""
    unknown_left_out: int = 0
    """How many more files changed without an observed author."""
    revertible: bool = True
    words: str = ""
    """A note for the user, e.g. why it can't be reverted."""
    checkpoint: str = ""
    """Id of the stored folder; empty if nothing is stored."""
    made_folders: tuple[str, ...] = ()
    already: tuple[str, ...] = ()
    """Reverted, or kept from a variant, but already in that state; Undo does not touch it."""
    put_folders: tuple[str, ...] = ()
    """Folders created by a revert or a kept variant: Undo removes them if they are empty."""

    @property
    def own_count(self) -> int:
        """How many files the turn changed."""
        return sum(file.is_turns for file in self.files) + self.left_out


class TurnChangesNote(TurnChanges):
    """Written at the end of a turn that changed something."""

    note: Literal["turn_changes"] = "turn_changes"
    turn_id: str


class TurnChangesUnknown(Model):
    """It is unknown what a turn changed; with an empty reason it is known again: nothing."""

    note: Literal["turn_changes_unknown"] = "turn_changes_unknown"
    turn_id: str
    words: str = ""
    """Why it is unknown."""


class TurnReverted(Model):
    """Changes of a turn were reverted, or restored."""

    note: Literal["turn_reverted"] = "turn_reverted"
    turn_id: str
    paths: tuple[str, ...] = ()
    """Whole files."""
    hunks: tuple[FileHunks, ...] = ()
    """Parts of other files."""
    earlier: tuple[str, ...] = Field(default=(), max_length=_EARLIER)
    """Earlier turns whose changes to these files were reverted along with it, the oldest first."""
    undone: bool = False
    """Whether a revert was undone."""
    already: tuple[str, ...] | None = None
    """The new value of `TurnChanges.already`; null if unchanged."""
    put_folders: tuple[str, ...] | None = None
    """The new value of `TurnChanges.put_folders`; null if unchanged."""


class FileWritten(Model):
    """An agent wrote a file through the client (ACP: fs/write_text_file).

    It lets the page show the change if the agent itself sends no diff.
    """

    note: Literal["file_written"] = "file_written"
    path: str
    old_text: str | None = None
    """Null for a new file."""
    new_text: str = ""
    old_digest: str = ""
    """SHA-256 of the old text in UTF-8, as hexadecimal digits; empty for a new file."""
    kept: bool = True
    """Whether the texts are included; otherwise they are too large."""


class FileSaved(Model):
    """A user saved, renamed or deleted a file while a turn ran.

    Through the contents API, or in a shared document.
    """

    note: Literal["file_saved"] = "file_saved"
    turn_id: str
    path: str
    """Absolute."""
    by_person: bool = True
    """Whether some of the change is the user's; otherwise the page saved what an agent wrote
    there."""
    by_agent: bool = False
    """Whether some of the change is what the turn's agent wrote into the open document."""


class AgentWroteToDisk(Model):
    """The agent's process, or a child of it, wrote to a disk; the system does not say which file.

    Checked only until the agent announces a tool call in the turn.
    """

    note: Literal["agent_wrote_to_disk"] = "agent_wrote_to_disk"
    turn_id: str
    since: float
    """Seconds since the epoch."""
    until: float


class FileText(Model):
    """The content of a file in UTF-8."""

    text: str


class FileBytes(Model):
    """The content of a file that is not UTF-8."""

    base64: str


class FileChange(Model):
    """A file before and after a turn."""

    path: str
    """Relative to the session's folder, with forward slashes."""
    before: str | None = None
    """SHA-256 of its bytes, as hexadecimal digits; None for a file that did not exist."""
    after: FileText | FileBytes | None = None
    """None for a file that no longer exists."""


class FilesChanged(Model):
    """What a turn did to files, whoever wrote them.

    The protocol does not report this: most agents write with tools of their own.
    """

    note: Literal["files_changed"] = "files_changed"
    turn_id: str
    files: tuple[FileChange, ...] = ()


class ArtifactsFound(Model):
    """Artifacts of a turn, found by scanning the folder."""

    note: Literal["artifacts_made"] = "artifacts_made"
    turn_id: str
    artifacts: tuple[ArtifactInfo, ...] = ()
    left_out: int = 0
    """How many more there are."""


EndedBy = Literal["", "agent", "user", "time_limit", "session"]
"""Who ended a command; empty if it ended by itself."""


class TerminalStarted(Model):
    """A command started. ACP: terminal/create."""

    note: Literal["terminal_started"] = "terminal_started"
    terminal_id: str
    command: str
    """As typed in a shell."""
    cwd: str = ""
    """Absolute."""
    by_user: bool = False
    """Whether it runs for the user, who was asked, and not for the agent."""


class TerminalOutput(Model):
    """A command's output since the last such note."""

    note: Literal["terminal_output"] = "terminal_output"
    terminal_id: str
    text: str = ""
    left_out: int = 0
    """Characters before ``text`` that are not in the log."""
    cut: bool = False
    """Whether nothing more is logged until the command ends."""


class TerminalExited(Model):
    """A command ended."""

    note: Literal["terminal_exited"] = "terminal_exited"
    terminal_id: str
    exit_code: int | None = None
    signal: str = ""
    """The signal's name, e.g. ``SIGTERM``."""
    by: EndedBy = ""


class TerminalReleased(Model):
    """The agent no longer needs the terminal; it is still shown. ACP: terminal/release."""

    note: Literal["terminal_released"] = "terminal_released"
    terminal_id: str
