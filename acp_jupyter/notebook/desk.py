"""One call of a tool, with all that it needs around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acp_jupyter.delivery.notebook_cells import (
    Cell,
    CellEdit,
    NotebookRefusal,
    NotebookState,
)
from acp_jupyter.notebook.gate import Gate
from acp_jupyter.notebook.kernel_runner import KernelRunner
from acp_jupyter.notebook.open_notebook import OpenNotebook
from acp_jupyter.notebook.place import Place
from acp_jupyter.notebook.running_code import RunningCode
from acp_jupyter.packets.json_fields import Obj

__all__ = ["Desk", "NotDone"]


class NotDone(Exception):
    """Nothing was done; the message says why, and what to do."""


@dataclass(frozen=True)
class Desk:
    """Where one call is dealt with."""

    target: Place
    notebooks: OpenNotebook
    runner: KernelRunner
    code: RunningCode
    permissions: Gate
    arguments: Obj
    """As they were sent."""

    async def state(self) -> NotebookState:
        """Return the notebook as it is now.

        Raises
        ------
        NotDone
            It can't be read.
        """
        return _accepted(await self.notebooks.read(self.target.path))

    async def apply(self, *edits: CellEdit) -> NotebookState:
        """Change the notebook.

        Raises
        ------
        NotDone
            It was refused; nothing was changed.
        """
        return _accepted(await self.notebooks.apply(self.target.path, edits))

    def cell(self, state: NotebookState, cell_id: str) -> tuple[int, Cell]:
        """Return a cell and its place.

        Raises
        ------
        NotDone
            There is none of that id.
        """
        for place, cell in enumerate(state.cells):
            if cell.id == cell_id:
                return place, cell
        raise NotDone(
            f"cell_gone: there is no cell {cell_id} in {self.target.name}. Call list_cells again."
        )

    def turn_goes_on(self) -> bool:
        """Tell whether the turn of this call is still running. May be called in any thread."""
        return self.permissions.goes_on(self.target.turn_id)

    def refuse_prompt_cell(self, cell_ids: Sequence[str]) -> None:
        """Refuse to touch the cell that waits for this very turn."""
        if self.target.prompt_cell and self.target.prompt_cell in cell_ids:
            raise NotDone(
                f"Cell {self.target.prompt_cell} is the one that you are asked from; it runs until "
                "you have ended. Leave it as it is."
            )

    @property
    def kernel_id(self) -> str:
        """Id of the kernel.

        Raises
        ------
        NotDone
            None runs.
        """
        if not self.target.kernel_id:
            raise NotDone(
                f"no_kernel: no kernel runs for {self.target.name}. Ask the user to start one."
            )
        return self.target.kernel_id


def _accepted(answer: NotebookState | NotebookRefusal) -> NotebookState:
    if isinstance(answer, NotebookState):
        return answer
    raise NotDone(f"{answer.reason}: {answer.message}")
