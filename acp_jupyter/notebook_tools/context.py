"""The context of a tool call: its notebook, its kernel, and the cell whose prompt runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeAlias

from acp_jupyter.api.models.documents import Cell, CellEdit, NotebookRefusal, NotebookState
from acp_jupyter.cells.context import LEFT_OUT
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.notebook_tools.call_order import CallPlace
from acp_jupyter.notebook_tools.kernel_runner import KernelRunner, RunningCode
from acp_jupyter.notebook_tools.tool_permissions import ToolPermissions
from acp_jupyter.notebook_tools.tools import AnyTool
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.protocol.objects import Obj, obj, text


class KernelLookup(Protocol):
    """Finds the kernel of a notebook and the notebook of a kernel. Used on the host's loop."""

    async def kernel_of(self, notebook_path: str) -> str:
        """Return the id of a notebook's kernel; empty if it has none."""

    async def notebook_of(self, kernel_id: str) -> str:
        """Return the path of a kernel's notebook, relative to the root; empty if it has none."""


@dataclass(frozen=True, slots=True)
class CallTarget:
    """The notebook and kernel that a session's tools use now."""

    path: Path
    """The notebook's path."""
    name: str
    """The notebook's name for users."""
    kernel_id: str
    """Id of the kernel; empty if none runs."""
    turn_id: str
    prompt_cell: str
    """The cell whose prompt runs; empty for prompts of the panel."""
    agent: str
    own_kernel: bool = False
    """Whether only the agent uses the kernel, as in a variant."""
    note: str = ""
    """A note to the agent about that kernel."""
    is_other: bool = False
    """Whether it is not the session's notebook, but one that the prompt names."""

    @property
    def notebook(self) -> str:
        """The notebook in words; the session's own needs no name."""
        return self.name if self.is_other else "the notebook"

    @property
    def kernel(self) -> str:
        """The kernel in words, with the notebook's name."""
        return f"{self.kernel_name if self.own_kernel else 'the kernel'} of {self.name}"

    @property
    def kernel_name(self) -> str:
        """The kernel in words."""
        if self.is_other:
            return self.kernel
        return "the variant's own kernel" if self.own_kernel else "the notebook's kernel"


FindTarget: TypeAlias = Callable[[AnyTool], Awaitable[CallTarget]]
"""Finds the target of a tool call."""


async def find_target(session: Session, root: Path, where: KernelLookup) -> CallTarget:
    """Find a session's notebook and kernel, for each call again, as both may change."""
    origin = _origin(session)
    kernel_id = (origin.kernel_id if origin else "") or session.kernel_id
    path = await where.notebook_of(kernel_id) if kernel_id else ""
    if not path:
        path = session.state.notebook_path
        kernel_id = await where.kernel_of(path)
    return target_of(session, root / path, kernel_id)


async def find_other(session: Session, root: Path, where: KernelLookup, named: str) -> CallTarget:
    """Find the notebook that a call names: one that the running turn's prompt links to.

    Raises
    ------
    ToolError
        The prompt names no such notebook, or several.
    """
    own = await find_target(session, root, where)
    known = await asyncio.to_thread(_linked_notebooks, session, root, own.path)
    found = [path for path, names in known.items() if _plain(named) in names]
    if not found:
        listed = ", ".join(_name_of(path, session) for path in known if path != own.path)
        words = f"It names {listed}." if listed else "It names no other notebook."
        raise ToolError(
            f"not_named: the user's prompt does not name the notebook {named[:200]!r}. {words} "
            "Ask the user to name it with @ in the prompt."
        )
    if len(found) > 1:
        listed = ", ".join(_name_of(path, session) for path in found)
        raise ToolError(f"ambiguous: {named[:200]!r} is one of {listed}. Give its whole path.")
    (path,) = found
    if path == own.path:
        return own
    kernel_id = await where.kernel_of(path.relative_to(root).as_posix())
    target = target_of(session, path, kernel_id)
    return replace(target, name=_name_of(path, session), prompt_cell="", is_other=True)


def _linked_notebooks(session: Session, root: Path, own: Path) -> dict[Path, set[str]]:
    """Return the notebooks of the prompt by their paths below ``root``, with all their names.

    They are in the session's folder: tools reach no other.
    """
    folder = _folder_of(session)
    files = SessionFolder(folder)
    found: dict[Path, set[str]] = {own: {own.name, own.as_posix()}}
    for block in session.turns.sent:
        uri = text(block.get("uri")) or text(obj(block.get("resource")).get("uri"))
        path = files.file_of_uri(uri)
        if path is None or path.suffix != ".ipynb" or not path.is_relative_to(root.resolve()):
            continue
        place = path.relative_to(root.resolve())
        in_folder = path.relative_to(folder.resolve())
        sent = Path(session.state.cwd) / in_folder  # an agent in a copy gets that file's address
        names = (uri, sent.as_uri(), path.name, place.as_posix(), in_folder.as_posix())
        paths = (path.as_posix(), (root / place).as_posix(), sent.as_posix())
        found.setdefault(root / place, set()).update(names, paths)
    return found


def _folder_of(session: Session) -> Path:
    """Return the session's folder; of a session in a copy, the one with the user's files."""
    return Path(session.state.copied or session.state.cwd)


def _name_of(path: Path, session: Session) -> str:
    """Return a notebook's name for users: its path in the session's folder."""
    folder = _folder_of(session)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def _plain(named: str) -> str:
    return named if named.startswith("file:") else named.removeprefix("./").replace("\\", "/")


def target_of(session: Session, path: Path, kernel_id: str) -> CallTarget:
    """Return the target of a session's tools, for a notebook and its kernel."""
    origin = _origin(session)
    return CallTarget(
        path=path,
        name=path.name,
        kernel_id=kernel_id,
        turn_id=session.state.active_turn_id or "",
        prompt_cell=origin.cell_id if origin else "",
        agent=session.spec.id,
    )


def _origin(session: Session) -> Origin | None:
    turn = session.transcript.turns.get(session.state.active_turn_id or "")
    return None if turn is None else turn.origin


class NotebookAccess(Protocol):
    """Reads and changes notebooks by their absolute path. Used on the host's loop."""

    async def read(self, path: Path) -> NotebookState | NotebookRefusal:
        """Return the present notebook. Never raises, and waits for a limited time."""

    async def apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        """Apply all edits in this order, or none; return the new notebook or why not.

        An edit with a fingerprint is refused as ``stale`` if the cell has another source, and as
        ``cell_gone`` if there is no such cell. Never raises.
        """


class PageNotebooks(Protocol):
    """Reads and changes notebooks in the pages that have them open."""

    async def read(self, path: Path) -> NotebookState | NotebookRefusal | None:
        """Return the notebook in its editor; None if the caller must read the file."""

    async def apply(
        self, path: Path, edits: Sequence[CellEdit]
    ) -> NotebookState | NotebookRefusal | None:
        """Apply all edits in the editor and save; None if the caller must change the file."""


class ToolError(Exception):
    """A tool call failed without effect; the message says why, and what to do."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        """Why the notebook refused, if it did."""


@dataclass(frozen=True)
class CallContext:
    """One call of a tool, with its session and target."""

    target: CallTarget
    notebooks: NotebookAccess
    runner: KernelRunner
    code: RunningCode
    permissions: ToolPermissions
    arguments: Obj
    """The arguments as sent."""
    redact: Callable[[str], str]
    """Returns a text without secrets."""
    place: CallPlace
    """Its place among the session's calls."""

    async def state(self) -> NotebookState:
        """Return the present notebook, without the content of cells that are left out."""
        return _accepted(await self.notebooks.read(self.target.path)).for_agents()

    async def apply(self, *edits: CellEdit) -> NotebookState:
        """Change the notebook."""
        return _accepted(await self.notebooks.apply(self.target.path, edits)).for_agents()

    def cell(self, state: NotebookState, cell_id: str) -> tuple[int, Cell]:
        """Return a cell and its index; refuse one that is left out."""
        index, cell = self.place_of(state, cell_id)
        if cell.is_left_out:
            raise ToolError(
                f"left_out: cell {index + 1} (id={cell_id}) is {LEFT_OUT}. It can't be read, "
                "changed or run by tools."
            )
        return index, cell

    def place_of(self, state: NotebookState, cell_id: str) -> tuple[int, Cell]:
        """Return a cell and its index; one that is left out has no content."""
        for index, cell in enumerate(state.cells):
            if cell.id == cell_id:
                return index, cell
        raise ToolError(
            f"cell_gone: there is no cell {cell_id} in {self.target.name}. Call list_cells again."
        )

    def turn_goes_on(self) -> bool:
        """Return whether the turn of this call is still running. May be called in any thread."""
        return self.permissions.goes_on(self.target.turn_id)

    def refuse_prompt_cell(self, cell_ids: Sequence[str]) -> None:
        """Raise `ToolError` if a call changes the cell that waits for this turn."""
        if self.target.prompt_cell and self.target.prompt_cell in cell_ids:
            raise ToolError(
                f"Cell {self.target.prompt_cell} is the one that you are asked from; it runs until "
                "you have ended. Leave it as it is."
            )

    @property
    def kernel_id(self) -> str:
        """The kernel's id."""
        if not self.target.kernel_id and self.target.own_kernel:
            raise ToolError("no_kernel: your kernel has not been started, so nothing runs in it.")
        if not self.target.kernel_id:
            raise ToolError(
                f"no_kernel: no kernel runs for {self.target.name}. Ask the user to start one."
            )
        return self.target.kernel_id


def _accepted(answer: NotebookState | NotebookRefusal) -> NotebookState:
    if isinstance(answer, NotebookState):
        return answer
    raise ToolError(f"{answer.reason}: {answer.message}", answer.reason)
