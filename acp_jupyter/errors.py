"""Every error that acp-jupyter raises.

::

    AcpError
    ├── UnknownAgent            no agent of that id is configured
    ├── AgentStartError         the process did not start or did not answer
    │   └── LoginNeeded         it opens no session before somebody logs in
    ├── AgentDied               the process ended while something waited for it
    ├── AgentRequestError       the agent answered a request with an error
    ├── UnknownSession          no session of that id
    ├── UnknownTurn             no turn of that id, or not one of the asking cell
    ├── BadRequest              a command that makes no sense as it was sent
    │   ├── BadLine             words of a line, or a cell's first line, that can't be read
    │   ├── EmptyPrompt         nothing to send
    │   ├── InvalidAnswers      answers that do not fit the fields of a form
    │   ├── InvalidBlock        a part of a prompt that is malformed or too large
    │   ├── NotQueued           the prompt does not wait any more
    │   └── NothingToImport     a file that is no log, or not one of the named kind
    ├── NotAllowed              the caller may not do this
    ├── ImportCancelled         somebody stopped the import of a log
    ├── SessionImported         a session that was read from a log has no agent
    ├── FolderNotTrusted        agents have not been allowed to run in this folder
    ├── SharedFileBroken          a file of rules or trust can't be read or written
    ├── DiskRefused             what a command has to write, the disk does not take
    ├── PermissionSettled       somebody answered first
    ├── PermissionGone          the process that asked has ended
    ├── QuestionSettled         somebody answered the agent's question first
    ├── QuestionGone            the process that asked it has ended
    ├── NotSupported            the agent can't take a part of the prompt
    ├── FileRefused             outside the workspace, too large, or not a plain file
    │   └── FileOutside         outside the workspace
    ├── FileMissing             no such file
    ├── ChangesRefused          files were changed since the turn that is to be reverted
    ├── ChangesGone             what a turn changed is not kept, or no longer
    ├── TerminalRefused         a command that can't be run as an agent asked
    ├── UnknownTerminal         no terminal of that id
    ├── UnknownToolCall         no tool call of that id
    ├── CallNotCancellable      a tool call that has ended, or that can't be ended alone
    ├── HostClosed              the host is shutting down
    ├── MissingPackage          something needs a package that is not installed
    ├── ServerUnreachable       the kernel found no usable server extension
    ├── VersionMismatch         kernel and server hold different acp-jupyter versions
    └── TurnError               a turn ended in an error
        ├── TurnTimeout         it took longer than ``--timeout``
        ├── RecordingMissing    there is no recording to replay
        └── NobodyToAsk         a permission was refused because nobody could answer
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

__all__ = [
    "AcpError",
    "AgentDied",
    "AgentRequestError",
    "AgentStartError",
    "BadLine",
    "BadRequest",
    "CallNotCancellable",
    "ChangesGone",
    "ChangesRefused",
    "DiskRefused",
    "DocumentConflict",
    "EmptyPrompt",
    "FileMissing",
    "FileOutside",
    "FileRefused",
    "FolderNotTrusted",
    "HostClosed",
    "ImportCancelled",
    "InvalidAnswers",
    "InvalidBlock",
    "LoginNeeded",
    "MissingPackage",
    "NobodyToAsk",
    "NotAllowed",
    "NotQueued",
    "NotSupported",
    "NothingToImport",
    "PermissionGone",
    "PermissionSettled",
    "QuestionGone",
    "QuestionSettled",
    "RecordingMissing",
    "ServerUnreachable",
    "SessionImported",
    "SharedFileBroken",
    "TerminalRefused",
    "TurnError",
    "TurnTimeout",
    "UnknownAgent",
    "UnknownSession",
    "UnknownTerminal",
    "UnknownToolCall",
    "UnknownTurn",
    "VersionMismatch",
]


def plain_reason(error: Exception, *, path: bool = False) -> str:
    """Return why something failed, as text for people: no error number, no Python names."""
    if isinstance(error, UnicodeError):
        return "it is not UTF-8 text"
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    named = f" ({error.filename})" if path and error.filename else ""
    return f"{error.strerror}{named}"


class AcpError(Exception):
    """Base of all errors here.

    Attributes
    ----------
    reason
        Stable word for programs, sent as ``reason`` over HTTP.
    status
        HTTP status that this error has on the server's routes.
    detail
        Further lines for the user, e.g. the last lines of the agent's stderr.
    """

    reason: ClassVar[str] = "error"
    status: ClassVar[int] = 500

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail


class UnknownAgent(AcpError):
    """No agent of that id is configured."""

    reason = "unknown_agent"
    status = 404


class AgentStartError(AcpError):
    """The process did not start, or did not answer in time."""

    reason = "agent_start"
    status = 502


class LoginNeeded(AgentStartError):
    """The agent opens no session until the user logs in.

    Attributes
    ----------
    initialize_result
        Its answer to ``initialize``, with the ways to log in.
    """

    reason = "login_needed"
    status = 409

    def __init__(
        self, message: str, detail: str = "", initialize_result: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message, detail)
        self.initialize_result = initialize_result or {}


class AgentDied(AcpError):
    """The process ended while something waited for it."""

    reason = "agent_died"
    status = 502


class AgentRequestError(AcpError):
    """The agent answered a request with a JSON-RPC error.

    Attributes
    ----------
    code
        The JSON-RPC error code, or None if it sent none.
    """

    reason = "agent_error"
    status = 502

    def __init__(self, message: str, detail: str = "", code: int | None = None) -> None:
        super().__init__(message, detail)
        self.code = code


class UnknownSession(AcpError):
    """No session of that id."""

    reason = "unknown_session"
    status = 404


class UnknownTurn(AcpError):
    """No turn has that id, or it is not one of the asking cell."""

    reason = "unknown_turn"
    status = 404


class BadRequest(AcpError):
    """A command is invalid."""

    reason = "bad_request"
    status = 400


class BadLine(BadRequest):
    """Words of a line, or of a cell's first line, can't be read; in IPython, a `UsageError`."""

    reason = "bad_line"


class EmptyPrompt(BadRequest):
    """There is nothing to send."""

    reason = "empty_prompt"


class InvalidAnswers(BadRequest):
    """Answers do not fit the fields of a form.

    Attributes
    ----------
    fields
        What is wrong with each, by field name.
    """

    reason = "invalid_answers"

    def __init__(
        self, message: str, detail: str = "", fields: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, detail)
        self.fields = dict(fields or {})


class InvalidBlock(BadRequest):
    """A part of a prompt is malformed or too large."""

    reason = "invalid_block"


class NotQueued(BadRequest):
    """The prompt is no longer queued, so it can't be changed."""

    reason = "not_queued"
    status = 409


class NothingToImport(BadRequest):
    """The file is not a log, or not one of the named kind."""

    reason = "nothing_to_import"


class NotAllowed(AcpError):
    """The caller may not do this."""

    reason = "not_allowed"
    status = 403


class ImportCancelled(AcpError):
    """The import of a log was cancelled."""

    reason = "import_cancelled"
    status = 409


class SessionImported(AcpError):
    """The session was imported from a log, so it has no agent to ask."""

    reason = "imported"
    status = 409


class FolderNotTrusted(AcpError):
    """No agent has been allowed to run in this folder yet."""

    reason = "folder_not_trusted"
    status = 409


class SharedFileBroken(AcpError):
    """A file of rules or of trusted folders can't be read or written."""

    reason = "kept_file_broken"


class DiskRefused(AcpError):
    """A command could not write to the disk, which is full, read-only or broken."""

    reason = "disk_refused"
    status = 507

    def __init__(self, why: str, detail: str = "") -> None:
        super().__init__(f"Nothing can be written to the disk: {why}.", detail)


class PermissionSettled(AcpError):
    """A user or a rule answered this permission request first."""

    reason = "permission_settled"
    status = 409


class PermissionGone(AcpError):
    """The process that asked for this permission has ended."""

    reason = "permission_gone"
    status = 410


class QuestionSettled(AcpError):
    """Somebody answered this question first, or the agent withdrew it."""

    reason = "question_settled"
    status = 409


class QuestionGone(AcpError):
    """The process that asked this question has ended."""

    reason = "question_gone"
    status = 410


class NotSupported(AcpError):
    """The agent does not support a part of the prompt."""

    reason = "not_supported"
    status = 409


class FileRefused(AcpError):
    """The path is outside the workspace, or the file is too large or not a regular one."""

    reason = "file_refused"
    status = 403


class FileOutside(FileRefused):
    """The path is outside the workspace."""


class DocumentConflict(FileRefused):
    """The user has changed the same part of an open document since."""


class FileMissing(AcpError):
    """There is no such file."""

    reason = "file_missing"
    status = 404


class TerminalRefused(AcpError):
    """The command can't be run the way the agent asked for."""

    reason = "terminal_refused"
    status = 409


class UnknownTerminal(AcpError):
    """There is no terminal of that id."""

    reason = "unknown_terminal"
    status = 404


class UnknownToolCall(AcpError):
    """There is no tool call of that id."""

    reason = "unknown_tool_call"
    status = 404


class CallNotCancellable(AcpError):
    """The tool call has ended, or its agent can't end it by itself."""

    reason = "call_not_cancellable"
    status = 409


class ChangesRefused(AcpError):
    """Files were changed since the turn to revert; ``detail`` names each."""

    reason = "changes_refused"
    status = 409


class ChangesGone(AcpError):
    """The changes of a turn are not stored, or no longer."""

    reason = "changes_gone"
    status = 410


class HostClosed(AcpError):
    """The host is shutting down."""

    reason = "host_closed"
    status = 503


class MissingPackage(AcpError):
    """A package that this needs is not installed."""

    reason = "missing_package"
    status = 501


class ServerUnreachable(AcpError):
    """The kernel found no usable acp-jupyter server extension."""

    reason = "server_unreachable"
    status = 503


class VersionMismatch(AcpError):
    """Kernel and server have different versions of acp-jupyter."""

    reason = "version_mismatch"
    status = 409


class TurnError(AcpError):
    """A turn ended in an error: the agent died, a request failed, or nobody could be asked."""

    reason = "turn_error"


class TurnTimeout(TurnError):
    """A turn took longer than its time limit and was cancelled."""

    reason = "turn_timeout"
    status = 504


class RecordingMissing(TurnError):
    """There is no recording to replay a turn from."""

    reason = "record_missing"
    status = 404


class NobodyToAsk(TurnError):
    """A permission was refused because nobody could be asked."""

    reason = "nobody_to_ask"
