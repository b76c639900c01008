"""`Session`: one conversation with an agent, as Python sees it; its settings, and the defaults.

A `Session` is a handle: the session itself is the host's (`acp_jupyter.host.session`). Settings
(mode, model, options) go by their ids or names. The kernel's defaults are what cells use that name
nothing else: agent, policy, and the session used last.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import JsonValue

from acp_jupyter.api.models.sessions import SetConfig
from acp_jupyter.api.models.turns import CancelToolCall
from acp_jupyter.errors import BadRequest, EmptyPrompt
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.kernel.written_file import write_whole
from acp_jupyter.protocol.host_events.notes import CellError, Origin
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.transcript.model.session_state import ConfigOption, SessionState

if TYPE_CHECKING:
    from acp_jupyter.kernel.turn.session_widgets import SessionWidget
    from acp_jupyter.kernel.variables import Described


_MOST_TURNS = 50
_TURNS: dict[str, deque[Turn]] = {}
"""Of each session that was used here: a cell and a program may hold two objects of one."""


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
    """

    def __init__(
        self, client: HostClient, state: SessionState, policy: Policy | None = None
    ) -> None:
        self._client = client
        self._policy: Policy | None = policy
        self._turns = _TURNS.setdefault(state.session_id, deque(maxlen=_MOST_TURNS))
        defaults.session_id = state.session_id
        self.id = state.session_id
        self.agent = state.agent
        self.cwd = Path(state.cwd)

    def prompt(
        self,
        prompt: str | Sequence[dict[str, JsonValue]],
        *,
        policy: Policy | None = None,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        timeout: float | None = None,
    ) -> Turn:
        """Send a prompt and return its turn without waiting. ACP: session/prompt.

        Parameters
        ----------
        prompt
            Text, or ACP content blocks.
        policy
            How permission requests of this turn are answered; default: as
            `connect` was told, else the session's policy.
        allow, deny
            Rules for this turn, e.g. ``execute:git status *``, ``edit:src/**``, ``read`` or
            ``fetch:https://docs.python.org/*``. What is denied is rejected, whatever allows it.
        timeout
            Seconds after which the turn is stopped.

        Raises
        ------
        EmptyPrompt
            There is nothing to send.
        """
        return self._prompt(prompt, None, policy=policy, allow=allow, deny=deny, timeout=timeout)

    def _prompt(
        self,
        prompt: str | Sequence[dict[str, JsonValue]],
        error: CellError | None,
        *,
        policy: Policy | None,
        allow: Sequence[str],
        deny: Sequence[str],
        timeout: float | None,
    ) -> Turn:
        if isinstance(prompt, str) and not prompt.strip():
            raise EmptyPrompt("The prompt is empty. Write what the agent should do.")
        cell = execution_context()
        origin = Origin(
            notebook_path=self._client.notebook_path,
            cell_id=cell.cell_id,
            view_id="" if cell.cell_id else uuid.uuid4().hex,
            source=clean_json(cell.source),
            error=error,
        )
        turn_id = self._client.prompt(
            self.id,
            clean_json(prompt) if isinstance(prompt, str) else tuple(map(clean_json, prompt)),
            policy=policy or self._policy,
            allow=tuple(allow),
            deny=tuple(deny),
            origin=origin,
            can_ask=cell.can_ask,
        )
        try:
            detail = self._client.turn(turn_id)
        except KeyboardInterrupt:
            self._client.cancel(self.id, turn_id)
            raise
        turn = Turn(self._client, detail, can_ask=cell.can_ask, timeout=timeout)
        self._turns.append(turn)
        return turn

    def steer(self, words: str) -> bool:
        """Say something in the turn that runs; see `Turn.steer`. Whoever sent the turn's prompt.

        Raises
        ------
        BadRequest
            No turn runs.
        EmptyPrompt
            There is nothing to say.
        """
        if self.state.active_turn_id is None:
            raise BadRequest("No turn runs in this session. Send a prompt.")
        can_ask = execution_context().can_ask
        return self._client.steer(self.id, words, can_ask=can_ask, policy=self._policy)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The newest turns of the session, whoever sent them, oldest first; 50 at most."""
        known = {turn.id: turn for turn in self._turns}
        names = [turn.turn_id for turn in self._client.turns(self.id)[-_MOST_TURNS:]]
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

        from acp_jupyter.kernel.attachments import with_attachments
        from acp_jupyter.kernel.variables import variable_blocks

        # What it takes is known once it runs.
        state = self._client.resume(self.id)
        takes = state.prompt_capabilities
        try:
            prompted = with_attachments(prompt, paths, Path(state.cwd), takes)
        except UsageError as error:
            if not self._client.behind_gateway:
                raise
            raise UsageError(
                f"{error} This kernel runs behind a gateway: the session's folder is the server's."
            ) from None
        return (*prompted, *variable_blocks(variables, takes))

    @property
    def state(self) -> SessionState:
        """What is true of the session now: title, status, mode, options, what waits."""
        return self._client.session(self.id)

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

    def apply(self, settings: Settings) -> None:
        """Change what differs from some settings."""
        if settings.is_empty:
            return
        state = self._client.resume(self.id)
        if changes := settings.changes(state):
            self._client.set_config(
                SetConfig(session_id=self.id, mode=changes.mode, config=changes.config)
            )

    def cancel(self) -> None:
        """Stop what runs and what waits. ACP: session/cancel."""
        state = self.state
        for queued in reversed(state.queue):
            self._client.cancel(self.id, queued.turn_id)
        if state.active_turn_id is not None:
            self._client.cancel(self.id, state.active_turn_id)

    def cancel_tool_call(self, tool_call_id: str) -> None:
        """Have the agent end one tool call alone, such as one that goes on in the background.

        It can be ended where ``can_cancel`` of the call, or of its terminal, is true. ACP:
        tool_call/cancel, terminal/cancel.

        Raises
        ------
        UnknownToolCall
            There is none of that id.
        CallNotCancellable
            It has ended, or the agent does not offer that.
        AgentRequestError
            The agent refused, or did not answer in time.
        """
        self._client.run(CancelToolCall(session_id=self.id, tool_call_id=tool_call_id))

    def fork(self) -> Session:
        """Return a new session that goes on from where this one is. ACP: session/fork.

        Raises
        ------
        NotSupported
            The agent can't do that.
        """
        return Session(self._client, self._client.fork(self.id), self._policy)

    def close(self) -> None:
        """End the session and its agent; it is kept, and the next prompt resumes it."""
        self._client.close_session(self.id)

    def delete(self) -> None:
        """End the session and remove what is kept of it."""
        self._client.delete_session(self.id)

    def to_markdown(self, *, thoughts: bool = False) -> str:
        """Return the whole session as Markdown."""
        return str(self._client.transcript(self.id, "markdown", thoughts=thoughts)["markdown"])

    def to_html(self, *, thoughts: bool = False) -> str:
        """Return the whole session as one HTML file, which needs nothing else."""
        return str(self._client.transcript(self.id, "html", thoughts=thoughts)["html"])

    def share(self, path: str | Path, *, thoughts: bool = False, force: bool = False) -> Path:
        """Write the session as one HTML file, as JupyterLab shows it; it plays in steps.

        Parameters
        ----------
        path
            Of the file.
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
        write_whole(Path(path), [page.encode()], force=force)
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


_YES = {"true", "yes", "on", "1"}
_NO = {"false", "no", "off", "0"}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a cell or a line asks of a session."""

    mode: str | None = None
    model: str | None = None
    config: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return self.mode is None and self.model is None and not self.config

    def changes(self, state: SessionState) -> SettingChanges:
        """Return what has to be changed for it.

        Raises
        ------
        BadRequest
            The agent does not offer it; the message says what it offers.
        """
        found = SettingChanges()
        if self.mode is not None:
            _change_mode(found, state, self.mode)
        if self.model is not None:
            _change(found, _of_category(state, "model"), self.model)
        for name, value in self.config:
            _change(found, find_option(state, name), value)
        return found


@dataclass(slots=True)
class SettingChanges:
    """What differs from what is asked for."""

    mode: str | None = None
    config: dict[str, str | bool] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.mode is not None or bool(self.config)


def split_setting(text: str) -> tuple[str, str]:
    """Return name and value of ``K=V``.

    Raises
    ------
    BadRequest
        It is not of that form.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise BadRequest(f"{text!r} is not a setting. Type NAME=VALUE.")
    return name.strip(), value.strip()


def find_option(state: SessionState, name: str) -> ConfigOption:
    """Return the option of that id or name.

    Raises
    ------
    BadRequest
        The agent has no such option.
    """
    for option in state.config_options:
        if name == option.id or name.casefold() == option.name.casefold():
            return option
    known = ", ".join(option.id for option in state.config_options)
    what = f"It has: {known}." if known else "It has none."
    raise BadRequest(f"{state.agent_info.name} has no option {name!r}. {what}")


def values_of(option: ConfigOption) -> list[str]:
    """Return what an option may be."""
    if option.type == "boolean":
        return ["true", "false"]
    return [choice.value for choice in option.choices]


def _of_category(state: SessionState, category: str) -> ConfigOption:
    found = next((each for each in state.config_options if each.category == category), None)
    if found is None:
        raise BadRequest(f"{state.agent_info.name} offers no choice of its {category}.")
    return found


def _change_mode(found: SettingChanges, state: SessionState, named: str) -> None:
    if not state.modes:
        _change(found, _of_category(state, "mode"), named)
        return
    pairs = [(mode.id, mode.name) for mode in state.modes]
    mode = _value(pairs, named, f"{state.agent_info.name} has no mode {named!r}.")
    if mode != state.current_mode_id:
        found.mode = mode


def _change(found: SettingChanges, option: ConfigOption, named: str) -> None:
    value: str | bool
    if option.type == "boolean":
        value = _flag(option, named)
    else:
        pairs = [(choice.value, choice.name) for choice in option.choices]
        value = _value(pairs, named, f"{option.name or option.id} can't be {named!r}.")
    if value != option.current_value:
        found.config[option.id] = value


def _flag(option: ConfigOption, named: str) -> bool:
    if named.casefold() in _YES | _NO:
        return named.casefold() in _YES
    raise BadRequest(f"{option.name or option.id} can't be {named!r}. Type true or false.")


def _value(pairs: Sequence[tuple[str, str]], named: str, complaint: str) -> str:
    for value, _ in pairs:
        if named == value:
            return value
    for value, name in pairs:
        if named.casefold() in {value.casefold(), name.casefold()}:
            return value
    raise BadRequest(f"{complaint} There are: {', '.join(value for value, _ in pairs)}.")


@dataclass(slots=True)
class _Defaults:
    agent: str = "demo"
    policy: Policy | None = None
    """Of cells that name none; None for that of their session."""
    trust: bool = False
    """Whether the folder is trusted for this kernel, as by ``--trust`` in each cell."""
    session_id: str = ""
    """The session that was used last here."""
    labels: set[str] = field(default_factory=set)
    """Names of sessions that cells have used."""
    chosen: dict[tuple[str, str], str] = field(default_factory=dict)
    """Sessions that were taken up by id, by agent and name: cells go on in them."""


defaults = _Defaults()
"""Changed by ``%acp use`` and its like."""
