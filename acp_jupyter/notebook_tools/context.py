"""The context of one call: its notebook, its kernel, the cell whose prompt it serves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from acp_jupyter.api.models.documents import Cell, CellEdit, NotebookRefusal, NotebookState
from acp_jupyter.host.session.session import Session
from acp_jupyter.notebook_tools.kernel_runner import KernelRunner, RunningCode
from acp_jupyter.notebook_tools.tool_permissions import ToolPermissions
from acp_jupyter.protocol.objects import Obj


class KernelLookup(Protocol):
    """Knows which kernel runs for which notebook, now. Used on the host's loop."""

    async def kernel_of(self, notebook_path: str) -> str:
        """Return the id of the kernel of a notebook; empty where it has none."""

    async def notebook_of(self, kernel_id: str) -> str:
        """Return the path of a kernel's notebook, relative to the root; empty if it has none."""


@dataclass(frozen=True, slots=True)
class CallTarget:
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


async def find_target(session: Session, root: Path, where: KernelLookup) -> CallTarget:
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
    return CallTarget(
        path=root / path,
        name=path.rpartition("/")[2],
        kernel_id=kernel_id,
        turn_id=turn_id,
        prompt_cell=origin.cell_id if origin else "",
        agent=session.spec.id,
    )


class NotebookAccess(Protocol):
    """Reads and changes notebooks by their absolute path. Used on the host's loop."""

    async def read(self, path: Path) -> NotebookState | NotebookRefusal:
        """Return the notebook as it is now. Never raises, always ends."""

    async def apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        """Make all changes, in this order, or none; return what came of it.

        Each change that names a fingerprint is refused as ``stale`` where the cell holds another
        source by then, and as ``cell_gone`` where there is no such cell. Never raises.
        """


class PageNotebooks(Protocol):
    """The same by the pages that hold notebooks; None where the file on disk counts."""

    async def read(self, path: Path) -> NotebookState | NotebookRefusal | None:
        """Return the notebook as its editor has it; None: read the file."""

    async def apply(
        self, path: Path, edits: Sequence[CellEdit]
    ) -> NotebookState | NotebookRefusal | None:
        """Make all changes in the editor, and save; None: nothing was done, change the file."""


class ToolError(Exception):
    """Nothing was done; the message says why, and what to do."""


@dataclass(frozen=True)
class CallContext:
    """Where one call is dealt with."""

    target: CallTarget
    notebooks: NotebookAccess
    runner: KernelRunner
    code: RunningCode
    permissions: ToolPermissions
    arguments: Obj
    """As they were sent."""

    async def state(self) -> NotebookState:
        """Return the notebook as it is now.

        Raises
        ------
        ToolError
            It can't be read.
        """
        return _accepted(await self.notebooks.read(self.target.path))

    async def apply(self, *edits: CellEdit) -> NotebookState:
        """Change the notebook.

        Raises
        ------
        ToolError
            It was refused; nothing was changed.
        """
        return _accepted(await self.notebooks.apply(self.target.path, edits))

    def cell(self, state: NotebookState, cell_id: str) -> tuple[int, Cell]:
        """Return a cell and its place.

        Raises
        ------
        ToolError
            There is none of that id.
        """
        for place, cell in enumerate(state.cells):
            if cell.id == cell_id:
                return place, cell
        raise ToolError(
            f"cell_gone: there is no cell {cell_id} in {self.target.name}. Call list_cells again."
        )

    def turn_goes_on(self) -> bool:
        """Tell whether the turn of this call is still running. May be called in any thread."""
        return self.permissions.goes_on(self.target.turn_id)

    def refuse_prompt_cell(self, cell_ids: Sequence[str]) -> None:
        """Refuse to touch the cell that waits for this very turn."""
        if self.target.prompt_cell and self.target.prompt_cell in cell_ids:
            raise ToolError(
                f"Cell {self.target.prompt_cell} is the one that you are asked from; it runs until "
                "you have ended. Leave it as it is."
            )

    @property
    def kernel_id(self) -> str:
        """Id of the kernel.

        Raises
        ------
        ToolError
            None runs.
        """
        if not self.target.kernel_id:
            raise ToolError(
                f"no_kernel: no kernel runs for {self.target.name}. Ask the user to start one."
            )
        return self.target.kernel_id


def _accepted(answer: NotebookState | NotebookRefusal) -> NotebookState:
    if isinstance(answer, NotebookState):
        return answer
    raise ToolError(f"{answer.reason}: {answer.message}")
