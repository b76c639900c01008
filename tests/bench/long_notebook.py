"""A notebook of 300 turns in cells: what a page gets with the third turn, and with the last."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from acp_jupyter.api.models.turns import GetSavedOutputs, SavedOutputs
from acp_jupyter.protocol.host_events.notes import Origin
from tests.support.host.driver import driving
from tests.support.host.restarts import Server
from tests.support.server.jupyter_server import fake_agents

__all__ = ["TURNS", "NotebookTurn", "measure_notebook"]

TURNS = (3, 150, 300)
_PATH = "long.ipynb"
_SOURCE = "%%acp\n1"


@dataclass(frozen=True, slots=True)
class NotebookTurn:
    """What one turn of a notebook costs, with so many before it."""

    turn: int
    told_kb: float
    """With what has changed."""
    told_ms: float
    """Of the processor, to make it."""
    whole_kb: float
    """With all turns of the notebook, as a page gets that knows none."""
    whole_ms: float
    turn_ms: float
    """Of the processor for the turn itself, without its agent; the median of three."""


def measure_notebook(folder: Path, turns: Sequence[int] = TURNS) -> list[NotebookTurn]:
    """Run turns one after the other in a host, and ask for saved outputs as a page does."""
    rows: list[NotebookTurn] = []
    with driving(folder, fake_agents("works")) as driver:
        server = Server(driver.host, driver.root)
        session = driver.open("works", notebook_path=_PATH)
        known: dict[str, Any] = {}
        costs: list[float] = []
        for turn in range(1, max(turns) + 1):
            before = time.process_time()
            origin = Origin(notebook_path=_PATH, cell_id=f"c{turn}", source=_SOURCE)
            driver.done(session, driver.prompt(session, f"turn-{turn}", origin=origin))
            costs.append(1e3 * (time.process_time() - before))
            told, told_kb, told_ms = _ask(server, **known)
            if turn in turns:
                _, whole_kb, whole_ms = _ask(server)
                cost = statistics.median(costs[-3:])
                rows.append(NotebookTurn(turn, told_kb, told_ms, whole_kb, whole_ms, cost))
            known = {"after": told.number, "epoch": told.epoch}
    return rows


def _ask(server: Server, **known: Any) -> tuple[SavedOutputs, float, float]:
    """Return the answer as a page gets it, its kilobytes and milliseconds."""
    before = time.process_time()
    told = server.send(GetSavedOutputs(notebook_path=_PATH, **known), seconds=600)
    sent = len(to_json(told))
    assert isinstance(told, SavedOutputs)
    return told, sent / 1e3, 1e3 * (time.process_time() - before)
