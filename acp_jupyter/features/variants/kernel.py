"""`try_several`: one prompt, tried several ways, each in a copy of the folder."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypedDict, overload

from acp_jupyter.api.settings import Settings
from acp_jupyter.errors import AcpError, AgentStartError, BadRequest, FolderNotTrusted, TurnError
from acp_jupyter.features.variants.commands import CreateVariant, Restore
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.session import Session, check_sandbox, defaults
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox
from acp_jupyter.transcript.escaping import one_line
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.output.bundle import is_kept
from acp_jupyter.transcript.output.plain_text import duration_text

if TYPE_CHECKING:
    from pandas import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
        DataFrame,
    )

_COPY_SECONDS = 600.0
_LOOK_SECONDS = 0.3
_TESTS = re.compile(
    r"\b(pytest|unittest|tox|nox|jest|vitest|ctest"
    r"|(npm|yarn|pnpm|cargo|go|make|mvn|dotnet) (run )?test)\b"
)
"""Commands that run tests."""


@dataclass(frozen=True, slots=True)
class VariantAgent:
    """An agent, maybe with a model, that tries a prompt."""

    agent: str
    model: str | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse ``AGENT`` or ``AGENT:MODEL``."""
        agent, _, model = text.strip().partition(":")
        if not agent.strip():
            raise BadRequest("Name an agent for each variant: claude, codex, or claude:opus.")
        return cls(agent.strip(), model.strip() or None)


class VariantRow(TypedDict):
    """A variant's row in a table."""

    number: int
    agent: str
    model: str
    status: str
    """``running``, ``asks``, ``kept``, or how the turn ended."""
    seconds: float | None
    tokens: int | None
    files: int
    lines_added: int
    lines_removed: int
    test_runs: int
    """Commands that run tests, by their names."""
    failed_test_runs: int
    left_out: str
    """Paths of the folder that were not in its copy."""
    kernel: str
    """Its own kernel, or why it had none."""


class Variants(Sequence[Turn]):
    """The turns of a prompt that is tried several ways. Made by `try_several` and ``--try``.

    Each works in a copy of the folder; in a notebook also with its own kernel. `Turn.keep` puts
    the changes of one into the folder.

    Parameters
    ----------
    turns
        One for each variant, in their order.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = tuple(turns)

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Turn]: ...
    def __getitem__(self, index: int | slice) -> Turn | Sequence[Turn]:
        return self._turns[index]

    def __len__(self) -> int:
        return len(self._turns)

    @property
    def done(self) -> bool:
        """Whether all have ended."""
        return all(turn.done for turn in self._turns)

    def wait(self, timeout: float | None = None) -> Self:
        """Wait until all have ended, and return them. One that fails does not end the others.

        Interrupting the kernel stops all of them.

        Parameters
        ----------
        timeout
            Longest wait in seconds. They go on after it.

        Raises
        ------
        TimeoutError
            Some have not ended by then.
        TurnError
            All of them have failed.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            self._wait(deadline)
        except KeyboardInterrupt:
            self.cancel()
            raise
        self.raise_for_error()
        return self

    def _wait(self, deadline: float | None) -> None:
        """Wait for each in turn, as any of them may ask something here."""
        begun: set[str] = set()
        while left := [turn for turn in self._turns if turn._detail.turn.status != "done"]:
            for turn in left:
                if deadline is not None and time.monotonic() > deadline:
                    raise TimeoutError("Not all variants have ended; they are still running.")
                with contextlib.suppress(TimeoutError):
                    turn._wait(_LOOK_SECONDS, None, is_new=turn.id not in begun)
                begun.add(turn.id)
        for turn in self._turns:
            with contextlib.suppress(AcpError):
                turn._client.changes(turn.id)  # waits until they are noted
                turn._detail = turn._client.turn(turn.id)

    def cancel(self) -> None:
        """Stop the running turns."""
        for turn in self._turns:
            with contextlib.suppress(AcpError):
                turn.cancel()

    def raise_for_error(self) -> None:
        """Raise the error of the first turn, if all have failed.

        Raises
        ------
        TurnError
            All of them have failed.
        """
        if all(turn.stop_reason == "error" for turn in self._turns):
            self._turns[0].raise_for_error()
            raise TurnError("All variants have failed.")

    def rows(self) -> list[VariantRow]:
        """Return a row for each variant, as dictionaries."""
        return [_row(turn) for turn in self._turns]

    def to_frame(self) -> DataFrame:
        """Return the same as a DataFrame."""
        from pandas import DataFrame

        return DataFrame(self.rows())

    def to_markdown(self, *, times: bool = True) -> str:
        """Return the same as a table in Markdown.

        Parameters
        ----------
        times
            Whether it has the times, which differ from run to run.
        """
        lines = [_HEADS if times else tuple(head for head in _HEADS if head != "Time")]
        lines += [("---",) * len(lines[0])]
        lines += [tuple(_cells(row, times=times)) for row in self.rows()]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def __repr__(self) -> str:
        return "\n".join(
            f"<Variant {row['number']} of {row['agent']}: {row['status']}, {row['files']} files>"
            for row in self.rows()
        )

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


_HEADS = ("", "Agent", "Status", "Time", "Tokens", "Files", "Tests")


def _cells(row: VariantRow, *, times: bool) -> Iterator[str]:
    yield str(row["number"])
    yield " ".join(filter(None, (row["agent"], row["model"])))
    yield row["status"]
    if times:
        yield duration_text(row["seconds"]) or "–"
    yield "–" if row["tokens"] is None else f"{row['tokens']:,}"
    changed = f" (+{row['lines_added']} −{row['lines_removed']})" if row["files"] else ""
    yield f"{row['files']}{changed}"
    failed = f", {row['failed_test_runs']} failed" if row["failed_test_runs"] else ""
    yield f"{row['test_runs']} run{failed}" if row["test_runs"] else "–"


def _row(turn: Turn) -> VariantRow:
    detail, state = turn._current(), _state(turn)
    files = () if state.changes is None else state.changes.files
    tests = [call for call in turn.tool_calls if _TESTS.search(call.command)]
    variant = detail.session.variant
    return VariantRow(
        number=state.variant,
        agent=one_line(detail.session.agent_info.name),
        model=one_line(_model(detail.session)),
        status=_status(state),
        seconds=turn.duration,
        tokens=state.tokens,
        files=len(files),
        lines_added=sum(file.added or 0 for file in files),
        lines_removed=sum(file.removed or 0 for file in files),
        test_runs=len(tests),
        failed_test_runs=sum(call.status == "failed" or bool(call.exit_code) for call in tests),
        left_out="" if variant is None else variant.left_out,
        kernel="" if variant is None else variant.kernel,
    )


def _state(turn: Turn) -> TurnState:
    """Return the present state of a turn: what is kept of it may change after its end."""
    try:
        return turn._client.turn_state(turn.id)
    except AcpError:
        return turn._detail.turn


def _status(state: TurnState) -> str:
    if state.status != "done":
        return "asks" if state.status == "requires_action" else "running"
    if is_kept(state):
        return "kept"
    return state.stop_reason.replace("_", " ")


def _model(session: SessionState) -> str:
    for option in session.config_options:
        if option.category == "model":
            names = {choice.value: choice.name for choice in option.choices}
            return names.get(str(option.current_value), str(option.current_value))
    return session.model


def try_several(
    prompt: str,
    agents: Sequence[str],
    *,
    cwd: str | Path | None = None,
    policy: Policy | None = None,
    sandbox: Sandbox | None = None,
    allow: Sequence[str] = (),
    deny: Sequence[str] = (),
    timeout: float | None = None,
    trust: bool = False,
    tools: bool = True,
    restore: Restore | None = None,
    network: Network | None = None,
) -> Variants:
    """Try a prompt several ways, each in a copy of the folder, and return the turns at once.

    Each variant has one turn. Its copy is removed at the end of the turn; its changes are stored,
    and `Turn.keep` puts them into the folder. In a notebook of a Jupyter server its agent gets the
    notebook tools for the copy and for a kernel of its own; elsewhere it gets neither.

    Parameters
    ----------
    prompt
        The text.
    agents
        Two or more ids of agents, the same one again if you like, each perhaps with a model:
        ``["claude:opus", "claude:haiku", "codex"]``.
    cwd
        The folder to copy; default: as for `connect`.
    policy, sandbox, allow, deny, timeout
        Of each turn, as for `Session.prompt`.
    trust
        Whether the agents may run in the folder and its copies.
    tools
        Whether they get the notebook tools, and so kernels.
    restore
        What these kernels begin with: ``dill`` for copies of this kernel's variables, ``rerun``
        for what the cells above give when they run again, or ``none``; default: dill, if it is
        installed.
    network
        What the agents reach from their sandbox, as for `connect`; default: that of the notebook's
        session with each.

    Raises
    ------
    BadRequest
        There are fewer than two agents, the folder can't be copied, or no kernel can begin so.
    DiskRefused
        The disk has no room for the copies.
    FolderNotTrusted
        The folder is not trusted, and nobody can be asked, or they said no.

    Examples
    --------
    >>> variants = try_several("Add a README", ["demo", "demo"]).wait()
    >>> variants[0].keep()
    """
    check_sandbox(sandbox)
    sessions = make_variants(
        agents,
        cwd=cwd,
        trust=trust,
        tools=tools,
        restore=restore,
        sandbox=sandbox,
        network=network,
    )

    def send(session: Session) -> Turn:
        return session.prompt(
            prompt, policy=policy, sandbox=sandbox, allow=allow, deny=deny, timeout=timeout
        )

    return send_all(sessions, send)


def make_variants(
    agents: Sequence[str],
    *,
    cwd: str | Path | None = None,
    trust: bool = False,
    tools: bool = True,
    restore: Restore | None = None,
    sandbox: Sandbox | None = None,
    network: Network | None = None,
    settings: Settings | None = None,
    report: Callable[[str], None] = lambda _words: None,
) -> list[Session]:
    """Return a session in a copy of the folder for each agent."""
    asked = [VariantAgent.read(each) for each in agents]
    if len(asked) < 2:
        raise BadRequest("Name two agents or more, or one again: claude, codex or claude, claude.")
    client = host_client()
    if restore is not None and client.location != "server":
        raise BadRequest(
            "No Jupyter server can start a kernel for each variant here: leave out --restore."
        )
    has_dill = importlib.util.find_spec("dill") is not None
    if restore == "dill" and not has_dill:
        raise BadRequest("dill is not installed here: %pip install dill, or choose rerun or none.")
    command = CreateVariant(
        agent="",
        cwd=None if cwd is None else str(Path(cwd).expanduser().resolve()),
        notebook_path=client.notebook_path,
        trust=trust or defaults.trust,
        ask_trust=client.location == "server",
        tools=tools,
        restore=restore or ("dill" if has_dill else "none"),
        sandbox=sandbox or defaults.sandbox,
        network=network or defaults.network,
        cell_id=execution_context().cell_id,
    )
    used = defaults.session_id
    sessions: list[Session] = []
    try:
        for number, each in enumerate(asked, 1):
            report(f"Copying the folder for variant {number} of {len(asked)}")
            command = command.model_copy(update={"agent": each.agent})
            try:
                state: SessionState = client.run(command, _COPY_SECONDS)
            except FolderNotTrusted as error:
                _ask_trust(error)
                command = command.model_copy(update={"trust": True})
                state = client.run(command, _COPY_SECONDS)
            assert state.variant is not None
            command = command.model_copy(update={"try_id": state.variant.try_id})
            sessions.append(Session(client, state))
        for session, each in zip(sessions, asked, strict=True):
            own = settings or Settings()
            _apply(session, Settings(own.mode, each.model or own.model, own.config))
    except BaseException:
        _close(client, sessions)
        raise
    finally:
        defaults.session_id = used  # they are over with this prompt
    return sessions


def _apply(session: Session, settings: Settings) -> None:
    """Change settings; ignore an agent that doesn't start, as its turn will report that."""
    with contextlib.suppress(AgentStartError):
        session.apply(settings)


def _ask_trust(error: FolderNotTrusted) -> None:
    from acp_jupyter.kernel.turn.stdin_questions import ask_trust

    if not execution_context().can_type or not ask_trust(error):
        raise error


def send_all(sessions: Sequence[Session], send: Callable[[Session], Turn]) -> Variants:
    """Send a prompt to each; where one can't be sent, none is left running."""
    turns: list[Turn] = []
    try:
        for session in sessions:
            turns.append(send(session))
    except BaseException:
        _close(sessions[0]._client, sessions)
        raise
    return Variants(turns)


def _close(client: HostClient, sessions: Iterable[Session]) -> None:
    for session in sessions:
        with contextlib.suppress(AcpError):
            client.close_session(session.id)
