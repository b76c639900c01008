"""Notes about a session and its folder: what the host alone knows of them and a page shows.

Of a session: at its agent, logins, policies, rules, trusted folders, answers to questions, edits of
queued prompts. Of its folder: changes of a turn, reverts, files, artifacts, terminals.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field

from acp_jupyter.protocol.files import ArtifactInfo
from acp_jupyter.protocol.objects import Model

SHOWN_NAME = Field(default="", validation_alias=AliasChoices("shown_name", "told"))
"""The field of notes with the name that is shown for a user; earlier logs call it ``told``."""
_RECORDING = Field(default="", validation_alias=AliasChoices("recording", "record"))
"""Earlier logs call it ``record``."""


class SessionAttached(Model):
    """The session is open at its agent."""

    note: Literal["session_attached"] = "session_attached"
    how: Literal["new", "resume", "load", "fork"]
    agent_session_id: str
    """The agent's own id of it."""
    without_history: bool = False
    """Whether the agent does not remember what is above."""


class RevertedTurn(Model):
    """What was taken back of one turn."""

    turn_id: str
    paths: tuple[str, ...]
    all_of_it: bool = False
    """Whether it was more than the named files."""


class Branch(Model):
    """Which session another goes on from, and before which of its turns."""

    session_id: str
    turn_id: str
    files: bool = True
    """Whether files went back, too."""
    also: tuple[str, ...] = ()
    """Turns of other sessions that were taken back with it, or with the sessions before."""
    told_in: str = ""
    """The turn whose prompt told the agent what was said before; empty until it is sent."""


class SessionBranched(Model):
    """The session goes on from an earlier one, before one of its turns."""

    note: Literal["session_branched"] = "session_branched"
    branch: Branch
    reverted: tuple[RevertedTurn, ...] = ()
    """Turns whose changes were taken back for it, in that order."""


class SessionContinued(Model):
    """The conversation goes on in a session that was made from an earlier turn of this one."""

    note: Literal["session_continued"] = "session_continued"
    session_id: str = ""
    """Empty where it goes on here again."""


class ReplayStarted(Model):
    """What the agent now tells of the session was said before."""

    note: Literal["replay_started"] = "replay_started"
    keep: bool = False
    """Whether it is to be shown: false where the log has it already."""


class ReplayEnded(Model):
    """What the agent tells from here on is new."""

    note: Literal["replay_ended"] = "replay_ended"


class AgentSilentNote(Model):
    """A turn runs, and the agent has said nothing for a while."""

    note: Literal["agent_silent"] = "agent_silent"
    turn_id: str
    since: float
    """Seconds since the epoch."""


class FolderScanNote(Model):
    """A turn waits for a look at its folder that takes long; or that has come to its end."""

    note: Literal["folder_look"] = "folder_look"
    turn_id: str
    over: bool = False


class MessageHeld(Model):
    """The next message waits before the agent gets it; or it does not any more."""

    note: Literal["message_held"] = "message_held"
    words: str = ""
    """Why, how long at most, and what can be done; empty where it waits no more."""


class LoginNeeded(Model):
    """The agent opens no session before somebody logs in."""

    note: Literal["login_needed"] = "login_needed"
    message: str
    """What happened and what to do."""


class LoginStarted(Model):
    """The user has chosen a way to log in, and it goes on."""

    note: Literal["login_started"] = "login_started"
    method_id: str
    name: str
    terminal: str = ""
    """The name of the terminal that it happens in."""


class LoginDone(Model):
    """A login or logout has ended."""

    note: Literal["login_done"] = "login_done"
    ok: bool
    message: str = ""
    """Why it failed, or what has changed."""
    logged_out: bool = False


Policy = Literal["ask", "read-only", "accept-edits", "allow-all", "deny"]
"""How permission requests are answered that no rule is about."""

Sandbox = Literal["off", "folder", "read-only", "copy"]
"""What the processes of an agent can reach, whatever they ask for."""

Network = Literal["all", "none", "hosts"]
"""What the processes of an agent in a sandbox reach of the network: all, nothing, or hosts that are
named; others are asked about."""

SandboxLevel = Literal["full", "partial", "none"]
"""How well a sandbox is kept on this machine."""


class WallsInForce(Model):
    """What holds the agent's processes now."""

    sandbox: Sandbox
    level: SandboxLevel
    why: str = ""
    """Why it is not kept, or not better: a sentence that says what to do."""
    network: Network = "all"


WallOffer = Literal["", "outside", "environment"]
"""What can be done for a call that a wall stopped: its command can run once outside the sandbox, or
once in it with one environment that it may change."""


class Wall(Model):
    """The wall of a sandbox at which a tool call failed."""

    path: str
    """What it wanted; absolute, empty where it was the network."""
    words: str
    """Which wall it was: a sentence."""
    offers: WallOffer = ""
    environment: str = ""
    """The folder of the environment that the command would change; absolute."""
    run_id: str = ""
    """The tool call in which the command ran once more for the user; empty until it does."""


class WallMet(Model):
    """A tool call failed at a wall of its agent's sandbox."""

    note: Literal["wall_met"] = "wall_met"
    turn_id: str
    tool_call_id: str
    wall: Wall


class RanOutside(Model):
    """The user has allowed that the command of such a call runs once more."""

    note: Literal["ran_outside"] = "ran_outside"
    turn_id: str
    tool_call_id: str
    run_id: str
    """The tool call in which it runs."""


RuleKind = Literal["read", "search", "edit", "delete", "move", "execute", "fetch"]
"""The protocol's kinds that leave evidence: paths, a command or an address."""

RuleEffect = Literal["allow", "deny"]
RuleScope = Literal["turn", "session", "workspace"]


class Rule(Model):
    """What is answered without asking again."""

    id: str
    scope: RuleScope
    """How long it counts: for one turn, one session, or for all sessions in one folder."""
    effect: RuleEffect
    tool_kind: RuleKind
    pattern: str = ""
    """Which commands, paths or addresses; empty for all of the kind."""
    words: str = ""
    """The same for people."""
    created_at: float = 0.0
    user: str = ""
    """Whose prompts it allows things for; empty for all."""


class RulesChanged(Model):
    """The rules of the session as they are now."""

    note: Literal["rules_changed"] = "rules_changed"
    rules: tuple[Rule, ...] = ()


class TrustRequested(Model):
    """The user is asked whether agents may run in the session's folder."""

    note: Literal["trust_asked"] = "trust_asked"
    request_id: str
    agent_name: str
    folder: str
    """For people."""
    recording: str = _RECORDING
    """The recording that would be replayed, if it was made elsewhere."""
    warning: str = ""
    """What else would be trusted, where that is more than a project."""


class TrustSettled(Model):
    """What became of that question."""

    note: Literal["trust_settled"] = "trust_settled"
    request_id: str
    trusted: bool = False
    by: Literal["user", "turn_cancelled"] = "user"
    user: str = ""
    """Who answered, as the server knows them."""
    shown_name: str = SHOWN_NAME
    """The name that is shown for them."""


class ElicitationSettled(Model):
    """Who or what answered a question of the agent; written before the answer."""

    note: Literal["elicitation_settled"] = "elicitation_settled"
    request_id: str
    by: Literal["user", "turn_cancelled", "nobody", "agent_exited", "withdrawn", "completed"]
    """``completed``: the agent says that it was done elsewhere."""
    user: str = ""
    """Who answered, as the server knows them."""
    shown_name: str = SHOWN_NAME
    """The name that is shown for them."""


_HUNKS = 10_000
_EARLIER = 1000


class Hunk(Model):
    """One change in a file: lines before the turn, and what the turn made of them.

    Lines are counted from 0, and the end is not one of them: an empty range is a place.
    In a notebook they are its cells, and four zeros are what it says of itself.
    """

    old_start: int = Field(ge=0)
    old_end: int = Field(ge=0)
    new_start: int = Field(ge=0)
    new_end: int = Field(ge=0)


class FileHunks(Model):
    """Some of the changes in one file."""

    path: str
    hunks: tuple[Hunk, ...] = Field(max_length=_HUNKS)


Restore = Literal["dill", "rerun", "none"]
"""What a variant's own kernel begins with: copies of the variables that dill makes, what the cells
above give when they run again, or nothing."""


class Variant(Model):
    """Which of several tries of one prompt a session is: it works in a copy of a folder."""

    try_id: str
    """The same for all variants of a prompt."""
    number: int
    """Counts from 1."""
    folder: str
    """The folder that was copied; absolute."""
    left_out: str = ""
    """What of it is not in the copy, in words."""
    kernel: str = ""
    """What kernel it has of its own, in words, or why it has none."""
    begins_empty: bool = False
    """Whether that kernel begins without variables, as it was asked for."""


Author = Literal["", "agent", "another", "you", "unknown"]
"""Whose change it is, by what was seen when it happened: the agent's of the turn, that of another
turn in the folder, a person's who saved it here, or nobody's that we saw. Empty in logs of old."""


class ChangedFile(Model):
    """What became of one file in a turn."""

    path: str
    """Relative to the session's folder, with forward slashes; absolute outside it."""
    change: Literal["added", "modified", "deleted", "renamed", "type"]
    """``type``: a file became a link, or a link a file."""
    old_path: str = ""
    """Where it was, if it was renamed."""
    added: int | None = None
    """Lines; null where they were not counted."""
    removed: int | None = None
    binary: bool = False
    size: int | None = None
    """In bytes: after the turn, or before it if the file is gone."""
    old_mode: int | None = None
    """Its permission bits before the turn."""
    new_mode: int | None = None
    """And after it."""
    came_from: str = ""
    """Where what took its place lay before the turn, if that was not kept: it goes back there."""
    kept: bool = True
    """Whether it can be taken back."""
    words: str = ""
    """Why not."""
    reverted: bool = False
    reverted_hunks: tuple[Hunk, ...] = ()
    """What was taken back of it, in their order; a file that is taken back keeps them for Undo."""
    together: tuple[str, ...] = ()
    """Earlier turns that it was taken back with: these lines are of before the first of them."""
    old_text_id: str = ""
    """The same for the same content; empty where that is not known."""
    new_text_id: str = ""
    author: Author = ""
    yours_too: bool = False
    """Whether a person saved other changes of it while the turn ran: those are not the turn's."""

    @property
    def unread(self) -> bool:
        """Whether only the agent can say what changed in it."""
        return not (self.kept or self.old_text_id or self.new_text_id)

    @property
    def is_turns(self) -> bool:
        """Whether it counts as the turn's change, as everything does in logs of old."""
        return self.author in {"", "agent"}


class TurnChanges(Model):
    """What changed in a turn's folder while it ran; each file says whose change it is."""

    files: tuple[ChangedFile, ...] = ()
    left_out: int = 0
    """How many more the turn changed."""
    unknown_left_out: int = 0
    """How many more nobody was seen to change."""
    revertible: bool = True
    words: str = ""
    """What is to be known of it, e.g. why it can't be taken back."""
    checkpoint: str = ""
    """Names what is kept of the folder; empty where nothing is."""
    made_folders: tuple[str, ...] = ()
    already: tuple[str, ...] = ()
    """Of what was reverted, or of a variant kept: what was so already. Undo leaves it."""
    put_folders: tuple[str, ...] = ()
    """Folders that were made for what was reverted or kept: Undo removes them if they are empty."""

    @property
    def own_count(self) -> int:
        """How many files the turn changed."""
        return sum(file.is_turns for file in self.files) + self.left_out


class TurnChangesNote(TurnChanges):
    """Written at the end of a turn that changed something."""

    note: Literal["turn_changes"] = "turn_changes"
    turn_id: str


class TurnChangesUnknown(Model):
    """It is not known what a turn changed; without words it is after all: nothing."""

    note: Literal["turn_changes_unknown"] = "turn_changes_unknown"
    turn_id: str
    words: str = ""
    """Why not."""


class TurnReverted(Model):
    """Changes of a turn were taken back, or are there again."""

    note: Literal["turn_reverted"] = "turn_reverted"
    turn_id: str
    paths: tuple[str, ...] = ()
    """Whole files."""
    hunks: tuple[FileHunks, ...] = ()
    """Parts of others."""
    earlier: tuple[str, ...] = Field(default=(), max_length=_EARLIER)
    """Turns before it whose changes of these files went with it, the oldest first."""
    undone: bool = False
    """Whether what was taken back is there again."""
    already: tuple[str, ...] | None = None
    """What is true of `TurnChanges.already` from now on; null where that has not changed."""
    put_folders: tuple[str, ...] | None = None
    """The same of `TurnChanges.put_folders`."""


class FileWritten(Model):
    """An agent wrote a file through us (ACP: fs/write_text_file).

    So the change can be shown where the agent itself sends no diff.
    """

    note: Literal["file_written"] = "file_written"
    path: str
    old_text: str | None = None
    """Null for a new file."""
    new_text: str = ""
    old_digest: str = ""
    """SHA-256 of the old text in UTF-8, in hexadecimal digits; empty for a new file."""
    kept: bool = True
    """Whether the texts are here; else they are too large."""


class FileSaved(Model):
    """A person saved, renamed or deleted a file while a turn ran.

    By the contents API, or in a shared document.
    """

    note: Literal["file_saved"] = "file_saved"
    turn_id: str
    path: str
    """Absolute."""
    by_person: bool = True
    """Whether something of it is the person's; else the page saved what an agent wrote there."""
    by_agent: bool = False
    """Whether something of it is what the turn's agent wrote into the open document."""


class AgentWroteToDisk(Model):
    """The agent's process, or a child of it, wrote to a disk; which file, no system tells.

    Only looked for as long as the agent has announced no tool call in the turn.
    """

    note: Literal["agent_wrote_to_disk"] = "agent_wrote_to_disk"
    turn_id: str
    since: float
    """Seconds since the epoch."""
    until: float


class FileText(Model):
    """A file's content that is UTF-8."""

    text: str


class FileBytes(Model):
    """A file's content that is not."""

    base64: str


class FileChange(Model):
    """A file before and after a turn."""

    path: str
    """Relative to the session's folder, with forward slashes."""
    before: str | None = None
    """SHA-256 of its bytes, in hexadecimal digits; None for a file that was not there."""
    after: FileText | FileBytes | None = None
    """None for a file that is no longer there."""


class FilesChanged(Model):
    """What a turn did to files, whoever wrote them.

    The protocol does not say it: most agents write by their own tools.
    """

    note: Literal["files_changed"] = "files_changed"
    turn_id: str
    files: tuple[FileChange, ...] = ()


class ArtifactsFound(Model):
    """What a turn made that is worth opening, found by looking at the folder."""

    note: Literal["artifacts_made"] = "artifacts_made"
    turn_id: str
    artifacts: tuple[ArtifactInfo, ...] = ()
    left_out: int = 0
    """How many more there are."""


EndedBy = Literal["", "agent", "user", "time_limit", "session"]
"""Who ended a command; nobody where it ended by itself."""


class TerminalStarted(Model):
    """A command runs. ACP: terminal/create."""

    note: Literal["terminal_started"] = "terminal_started"
    terminal_id: str
    command: str
    """As one would type it."""
    cwd: str = ""
    """Absolute."""
    by_user: bool = False
    """Whether it runs for the user, who was asked, and not for the agent."""


class TerminalOutput(Model):
    """What a command has put out since the last such note."""

    note: Literal["terminal_output"] = "terminal_output"
    terminal_id: str
    text: str = ""
    left_out: int = 0
    """Characters before ``text`` that are not in the log."""
    cut: bool = False
    """Whether nothing more is written until the command has ended."""


class TerminalExited(Model):
    """A command has ended."""

    note: Literal["terminal_exited"] = "terminal_exited"
    terminal_id: str
    exit_code: int | None = None
    signal: str = ""
    """Its name, e.g. ``SIGTERM``."""
    by: EndedBy = ""


class TerminalReleased(Model):
    """The agent needs the terminal no more; it is still shown. ACP: terminal/release."""

    note: Literal["terminal_released"] = "terminal_released"
    terminal_id: str
