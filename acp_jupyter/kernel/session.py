"""`Session`, the Python interface of a conversation with an agent; and the kernel's defaults.

A `Session` is a handle: the session itself belongs to the host (`acp_jupyter.host.sessions`). The
defaults are for cells that name nothing else: agent, policy, sandbox, and the session used last.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self, get_args

from pydantic import BaseModel, JsonValue

from acp_jupyter.api.models.sessions import GetUsage, RewindReply, SetConfig, UsageReply
from acp_jupyter.api.models.turns import CancelToolCall, PromptSession
from acp_jupyter.api.settings import Settings
from acp_jupyter.errors import BadLine, BadRequest, EmptyPrompt
from acp_jupyter.kernel.atomic_write import atomic_write
from acp_jupyter.kernel.client.host_client import QUICK_SECONDS, HostClient
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.host_events.notes import CellError, Origin
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.transcript.model.session_state import SessionState

if TYPE_CHECKING:
    from acp_jupyter.kernel.turn.session_widgets import SessionWidget
    from acp_jupyter.kernel.variables import Described


_MAX_TURNS = 50
_TURNS: dict[str, deque[Turn]] = {}
"""Turns of each session used here, as a cell and a program may have two objects of one."""


def plain_blocks(
    prompt: str | Sequence[dict[str, JsonValue] | BaseModel],
) -> str | tuple[dict[str, JsonValue], ...]:
    """Return a prompt as it is sent: text, or content blocks as JSON."""
    if isinstance(prompt, str):
        return str(clean_json(prompt))
    return tuple(
        clean_json(
            block.model_dump(mode="json", by_alias=True, exclude_none=True)
            if isinstance(block, BaseModel)
            else block
        )
        for block in prompt
    )


class Session:
    """A conversation with an agent. Made by `connect`.

    As a context manager it is closed at the end; what was said is kept.

    Attributes
    ----------
    id
        The session's id.
    agent
        The agent's id.
    cwd
        The folder that the agent works in.
    files
        The same folder, or for a copy the folder with the user's files.
    rewound
        The result of going back, for a session that `rewind` or `undo_rewind` returned.
    """

    def __init__(
        self,
        client: HostClient,
        state: SessionState,
        policy: Policy | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        self._client = client
        self._policy: Policy | None = policy
        self._sandbox: Sandbox | None = sandbox
        self._turns = _TURNS.setdefault(state.session_id, deque(maxlen=_MAX_TURNS))
        defaults.session_id = state.session_id
        self.id = state.session_id
        self.agent = state.agent
        self.cwd = Path(state.cwd)
        self.rewound: RewindReply | None = None
        self.files = Path(state.copied or state.cwd)

    def prompt(
        self,
        prompt: str | Sequence[dict[str, JsonValue] | BaseModel],
        *,
        policy: Policy | None = None,
        sandbox: Sandbox | None = None,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        timeout: float | None = None,
        limit: str = "",
    ) -> Turn:
        """Send a prompt and return its turn without waiting. ACP: session/prompt.

        Parameters
        ----------
        prompt
            Text, or ACP content blocks: dicts, or models of the protocol's SDK.
        policy
            Policy for the permission requests of this turn; default: the policy that was
            passed to `connect`, else the session's.
        sandbox
            Sandbox of the agent's processes in this turn: ``off``, ``folder`` or ``read-only``;
            default: the sandbox that was passed to `connect`, else the session's. ``copy`` is the
            sandbox of a whole session, which `connect` opens.
        allow, deny
            Rules for this turn, e.g. ``execute:git status *``, ``edit:src/**``, ``read`` or
            ``fetch:https://docs.python.org/*``. A rule that denies takes precedence.
        timeout
            Seconds after which the turn is stopped.
        limit
            The most that the turn may use, such as ``10 min, 200k tokens, 30 calls, 2 USD``; then
            it is stopped. Time in which a question waits for an answer doesn't count.

        Raises
        ------
        EmptyPrompt
            There is nothing to send.
        BadRequest
            There is no such sandbox.
        """
        check_sandbox(sandbox)
        command = PromptSession(
            session_id=self.id,
            prompt=plain_blocks(prompt),
            policy=policy or self._policy,
            sandbox=sandbox or self._sandbox,
            allow=tuple(allow),
            deny=tuple(deny),
            limit=limit,
        )
        return self._send(command, timeout)

    def _send(
        self, command: PromptSession, timeout: float | None, error: CellError | None = None
    ) -> Turn:
        """Send a prompt from the cell that runs."""
        if isinstance(command.prompt, str) and not command.prompt.strip():
            raise EmptyPrompt("The prompt is empty. Write what the agent should do.")
        cell = execution_context()
        origin = Origin(
            notebook_path=self._client.notebook_path,
            cell_id=cell.cell_id,
            view_id="" if cell.cell_id else uuid.uuid4().hex,
            source=clean_json(cell.source),
            error=error,
        )
        command = command.model_copy(update={"origin": origin, "can_ask": cell.can_ask})
        turn_id = str(self._client.call(command, QUICK_SECONDS)["turn_id"])
        try:
            detail = self._client.turn(turn_id)
        except KeyboardInterrupt:
            self._client.cancel(self.id, turn_id)
            raise
        turn = Turn(self._client, detail, can_ask=cell.can_ask, timeout=timeout)
        self._turns.append(turn)
        return turn

    def steer(self, words: str) -> bool:
        """Send a message into the running turn, whoever sent its prompt; see `Turn.steer`.

        Raises
        ------
        BadRequest
            No turn runs.
        EmptyPrompt
            There is nothing to say.
        """
        if self.state.active_turn_id is None:
            raise BadRequest("No turn runs in this session. Send a prompt.")
        message = PromptSession(
            session_id=self.id,
            prompt=clean_json(words),
            policy=self._policy,
            sandbox=self._sandbox,
            can_ask=execution_context().can_ask,
        )
        return self._client.steer(message)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The newest turns of the session, whoever sent them, oldest first; 50 at most."""
        known = {turn.id: turn for turn in self._turns}
        names = [turn.turn_id for turn in self._client.turns(self.id)[-_MAX_TURNS:]]
        for name in names:
            if name not in known:
                known[name] = Turn(self._client, self._client.turn(name))
        turns = tuple(known[name] for name in names)
        self._turns.clear()
        self._turns.extend(turns)
        return turns

    def with_context(
        self, prompt: str, paths: Sequence[str], variables: Sequence[Described] = ()
    ) -> tuple[dict[str, JsonValue], ...]:
        """Return a prompt with files from the session's folder and with described variables.

        Each as the agent can take it.

        Raises
        ------
        UsageError
            A file is not there, lies outside the folder, or is too large.
        """
        from IPython.core.error import UsageError

        from acp_jupyter.api.attachments import with_attachments
        from acp_jupyter.kernel.variables import variable_blocks

        # The agent's capabilities are known once it runs.
        state = self._client.resume(self.id)
        takes = state.prompt_capabilities
        try:
            prompted = with_attachments(prompt, paths, self.files, takes)
        except BadLine as error:
            if not self._client.behind_gateway:
                raise UsageError(str(error)) from None
            raise UsageError(
                f"{error} This kernel runs behind a gateway: the session's folder is the server's."
            ) from None
        return (*prompted, *variable_blocks(variables, takes))

    @property
    def state(self) -> SessionState:
        """The present state of the session: title, status, mode, options, queue."""
        return self._client.session(self.id)

    @property
    def usage(self) -> UsageReply:
        """What the turns of this session used, and those of all sessions that ended today.

        Each has ``turns``, ``seconds``, ``calls``, ``tokens`` and ``costs``. Tokens and costs are
        what agents report: None and empty where they reported none.
        """
        reply: UsageReply = self._client.run(GetUsage(session_id=self.id))
        return reply

    def configure(
        self,
        *,
        mode: str | None = None,
        model: str | None = None,
        title: str | None = None,
        **config: str | bool,
    ) -> SessionState:
        """Change mode, model or other options, by their ids or names; return the state.

        The agent is started for it.

        Raises
        ------
        BadRequest
            The agent does not offer it; the message says what it offers.
        """
        given = tuple((name, str(value)) for name, value in config.items())
        self.apply(Settings(mode, model, given))
        if title is not None:
            self._client.set_config(SetConfig(session_id=self.id, title=title))
        return self.state

    def set_limit(self, limit: str, *, each_turn: bool = False) -> SessionState:
        """Limit what all turns of this session together may use; return the state.

        Parameters
        ----------
        limit
            The most, such as ``1 h, 500k tokens, 100 calls, 5 USD``; empty for no limit. The turn
            that reaches it is stopped, and later prompts are refused.
        each_turn
            Whether it is for each later turn instead, as ``limit`` of `prompt` is for one.

        Raises
        ------
        BadRequest
            It is no limit, or the session has used as much already.
        NotAllowed
            A user set a lower limit in the page.
        """
        whole, each = (None, limit) if each_turn else (limit, None)
        return self._client.set_config(SetConfig(session_id=self.id, limit=whole, turn_limit=each))

    def apply(self, settings: Settings) -> None:
        """Apply settings that differ from the present ones."""
        if settings.is_empty:
            return
        state = self._client.resume(self.id)
        if changes := settings.changes(state):
            self._client.set_config(
                SetConfig(session_id=self.id, mode=changes.mode, config=changes.config)
            )

    def cancel(self) -> None:
        """Stop the running turn, and remove queued prompts. ACP: session/cancel."""
        state = self.state
        for queued in reversed(state.queue):
            self._client.cancel(self.id, queued.turn_id)
        if state.active_turn_id is not None:
            self._client.cancel(self.id, state.active_turn_id)

    def cancel_tool_call(self, tool_call_id: str) -> None:
        """Cancel a single tool call, such as one in the background.

        This needs ``can_cancel`` of the call or of its terminal. ACP: tool_call/cancel,
        terminal/cancel.

        Raises
        ------
        UnknownToolCall
            There is no call of that id.
        CallNotCancellable
            The call has ended, or the agent can't cancel it.
        AgentRequestError
            The agent refused, or did not answer in time.
        """
        self._client.run(CancelToolCall(session_id=self.id, tool_call_id=tool_call_id))

    def fork(self) -> Session:
        """Return a new session that continues a copy of this one. ACP: session/fork.

        Raises
        ------
        NotSupported
            The agent can't do that.
        """
        return Session(self._client, self._client.fork(self.id), self._policy, self._sandbox)

    def rewind(self, turn: Turn | str, *, files: bool = True) -> Session:
        """Go back to before a turn; return the new session that continues from there.

        Reverts the file changes of that turn and all later ones; if a file was changed since,
        nothing is done. The agent of the new session knows the conversation before the turn, and
        nothing after it. Later cells use the new session. The kernel's variables stay.

        Parameters
        ----------
        turn
            The turn, or its id.
        files
            Whether files go back, too.

        Raises
        ------
        ChangesRefused
            A file was changed since.
        ChangesGone
            Former contents are no longer stored.
        """
        turn_id = turn if isinstance(turn, str) else turn.id
        return self._moved(self._client.rewind(self.id, turn_id, files=files))

    def undo_rewind(self, *, files: bool = True) -> Session:
        """Undo the `rewind` that created this session; return the earlier session.

        Reverts the changes by turns of this session, and restores those that `rewind` reverted.

        Parameters
        ----------
        files
            False to leave the files as they are.

        Raises
        ------
        BadRequest
            The session was not created by `rewind`.
        ChangesRefused
            A file was changed since.
        """
        return self._moved(self._client.undo_rewind(self.id, files=files))

    def _moved(self, reply: RewindReply) -> Session:
        for key, session_id in tuple(defaults.chosen.items()):
            if session_id == self.id:
                defaults.chosen[key] = reply.session.session_id
        session = Session(self._client, reply.session, self._policy, self._sandbox)
        session.rewound = reply
        return session

    def close(self) -> None:
        """Close the session and its agent; it stays saved, and the next prompt resumes it."""
        self._client.close_session(self.id)

    def delete(self) -> None:
        """Close the session and delete its files."""
        self._client.delete_session(self.id)

    def to_markdown(self, *, thoughts: bool = False) -> str:
        """Return the whole session as Markdown."""
        return str(self._client.transcript(self.id, "markdown", thoughts=thoughts)["markdown"])

    def to_html(self, *, thoughts: bool = False) -> str:
        """Return the whole session as one self-contained HTML file."""
        return str(self._client.transcript(self.id, "html", thoughts=thoughts)["html"])

    def share(self, path: str | Path, *, thoughts: bool = False, force: bool = False) -> Path:
        """Write the session as one HTML file, as JupyterLab shows it; it plays in steps.

        Parameters
        ----------
        path
            Path of the new file.
        thoughts
            Whether the agent's reasoning is part of it.
        force
            Whether a file that is there is replaced.

        Raises
        ------
        BadRequest
            There is no turn yet, or the file is there already or can't be written.
        """
        page = self._client.shared_page(self.id, "", thoughts=thoughts)
        atomic_write(Path(path), [page.encode()], force=force)
        return Path(path)

    @property
    def widget(self) -> SessionWidget:
        """The session with its message box as an ipywidget, for any layout; one in a kernel."""
        from acp_jupyter.kernel.turn.session_widgets import session_widget

        return session_widget(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Session {self.id[:8]} of {self.agent}>"


_SANDBOXES: tuple[Sandbox, ...] = get_args(Sandbox)


def check_sandbox(sandbox: str | None) -> None:
    """Check the name of a sandbox; None is valid. The host may still refuse it."""
    if sandbox is not None and sandbox not in _SANDBOXES:
        raise BadRequest(
            f"There is no sandbox {sandbox!r}. Name one of: off, folder, copy, read-only."
        )


@dataclass(slots=True)
class _Defaults:
    agent: str = "demo"
    policy: Policy | None = None
    """Policy of cells that name none; None for their session's policy."""
    sandbox: Sandbox | None = None
    """The same."""
    network: Network | None = None
    """Of sessions that are connected to without one; set for the jobs of a batch."""
    trust: bool = False
    """Whether the folder is trusted for this kernel, as by ``--trust`` in each cell."""
    session_id: str = ""
    """The session that was used last here."""
    labels: set[str] = field(default_factory=set)
    """Names of sessions that cells have used."""
    chosen: dict[tuple[str, str], str] = field(default_factory=dict)
    """Sessions that were taken up by id, by agent and name: cells go on in them."""
    kept: set[str] = field(default_factory=set)
    """Ids of those that were resumed after another session had replaced them."""


defaults = _Defaults()
"""Changed by ``%acp use`` and its like."""
