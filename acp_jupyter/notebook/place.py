"""Where a session's tools work: which notebook, which kernel, which cell asks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from acp_jupyter.host.session import Session

__all__ = ["Place", "Whereabouts", "find_place"]


class Whereabouts(Protocol):
    """Knows which kernel runs for which notebook, now. Used on the host's loop."""

    async def kernel_of(self, notebook_path: str) -> str:
        """Return the id of the kernel of a notebook; empty where it has none."""

    async def notebook_of(self, kernel_id: str) -> str:
        """Return the path of a kernel's notebook, relative to the root; empty if it has none."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tools of a session work at this moment."""

    path: Path
    """Of the notebook."""
    name: str
    """Of it, for people."""
    kernel_id: str
    """Empty where no kernel runs."""
    turn_id: str
    prompt_cell: str
    """The cell whose prompt is being worked on; empty for prompts of the panel."""
    agent: str


async def find_place(session: Session, root: Path, where: Whereabouts) -> Place:
    """Look again each time: notebooks are renamed, kernels are changed."""
    state = session.state
    turn_id = state.active_turn_id or ""
    turn = session.transcript.turns.get(turn_id)
    origin = None if turn is None else turn.origin
    kernel_id = (origin.kernel_id if origin else "") or session.kernel_id
    path = await where.notebook_of(kernel_id) if kernel_id else ""
    if not path:
        path = state.notebook_path
        kernel_id = await where.kernel_of(path)
    return Place(
        path=root / path,
        name=path.rpartition("/")[2],
        kernel_id=kernel_id,
        turn_id=turn_id,
        prompt_cell=origin.cell_id if origin else "",
        agent=session.spec.id,
    )
