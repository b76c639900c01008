"""The first cell of a job sets its agent, policy, sandbox and recording, and keeps its turns."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from acp_jupyter.api.kernel_auth import URL_VARIABLE
from acp_jupyter.errors import AcpError
from acp_jupyter.features.batches.jobs import (
    LIMIT,
    OF_JOB,
    RECORDING,
    SETUP,
    TURNS,
    KeptTurns,
    Setup,
    TurnRecord,
)
from acp_jupyter.host.sessions.bound import Bound
from acp_jupyter.kernel.client.embedded_host import EmbeddedHost
from acp_jupyter.kernel.client.recording import run_recording
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.execution_context import current_shell, tool_code_runs
from acp_jupyter.kernel.session import defaults
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.turn_limit import read_turn_limit
from acp_jupyter.transcript.model.session_state import AT_LIMIT, TurnState

_SESSION_VARIABLE = "JPY_SESSION_NAME"
"""The variable that gives a kernel its notebook's path."""
_MAX_CHARS = 1_000_000
"""Most characters to keep of a turn's text."""
_GO_ON = "Call batch again with a higher limit: the job begins again then."


def begin() -> None:
    """Prepare the kernel of a job. Called by the cell that a batch inserts first."""
    folder = Path.cwd().parent
    setup = Setup.model_validate_json((folder / SETUP).read_bytes())
    shell = current_shell()
    assert shell is not None
    # The Jupyter server that the batch was started from doesn't know this kernel.
    os.environ.pop(URL_VARIABLE, None)
    os.environ[_SESSION_VARIABLE] = setup.notebook
    shell.run_line_magic("load_ext", "acp_jupyter")
    defaults.agent = setup.agent or defaults.agent
    defaults.policy = setup.policy
    defaults.sandbox = setup.sandbox
    defaults.network = setup.network
    defaults.trust = setup.trust
    client = host_client()
    assert isinstance(client, EmbeddedHost)
    if setup.limit:
        limit = read_turn_limit(setup.limit)
        client.host.sessions.limit_of_all = Bound(limit, of=OF_JOB, go_on=_GO_ON)
    run_recording(setup.mode, ["on", RECORDING], client)
    shell.events.register("post_run_cell", _TurnSaver(client, folder / TURNS).keep)


class _TurnSaver:
    """Saves the ended turns after each cell, as a later cell may end the kernel."""

    def __init__(self, client: EmbeddedHost, file: Path) -> None:
        self._client = client
        self._file = file
        self._kept: dict[str, tuple[float, TurnRecord]] = {}

    def keep(self, *_result: object) -> None:
        """Rewrite the file if a turn has ended."""
        if tool_code_runs():
            return  # within a turn
        before = len(self._kept)
        with suppress(AcpError):
            self._look()
        if len(self._kept) == before:
            return
        turns = tuple(record for _, record in sorted(self._kept.values(), key=lambda kept: kept[0]))
        use = self._client.host.sessions.use_of_all()
        part = self._file.with_suffix(".part")
        part.write_text(KeptTurns(turns=turns, use=use).model_dump_json(), "utf-8")
        part.replace(self._file)

    def _look(self) -> None:
        for session_id in tuple(self._client.host.sessions):
            for state in self._client.turns(session_id):
                if state.status == "done" and state.turn_id not in self._kept:
                    turn = Turn(self._client, self._client.turn(state.turn_id))
                    self._kept[state.turn_id] = state.started_at or 0.0, _record(turn)


def _error(state: TurnState) -> tuple[str, str]:
    """Return why a turn did not end by itself, in words and as a stable word."""
    if state.failure is not None:
        return state.failure.message, state.failure.reason
    if state.words.startswith(AT_LIMIT) and state.words.endswith(f"{OF_JOB}."):
        return f"{state.words} {_GO_ON}", LIMIT
    return "", ""


def _record(turn: Turn) -> TurnRecord:
    state, session = turn._detail.turn, turn._detail.session
    usage = session.usage
    message, reason = _error(state)
    try:
        patch, missing = turn.patch(), ""
    except AcpError as error:
        patch, missing = "", error.message
    return TurnRecord(
        agent=session.agent,
        session_id=session.session_id,
        stop_reason=state.stop_reason,
        message=message,
        reason=reason,
        text=turn.text[:_MAX_CHARS],
        patch=patch,
        patch_missing=missing,
        seconds=turn.duration,
        tokens=turn.tokens,
        cost_amount=None if usage is None else usage.cost_amount,
        cost_currency="" if usage is None else usage.cost_currency,
        walls=session.walls,
    )
