"""The history of a notebook: its turns as steps, and its folder and cells after each step.

Steps are read from checkpoints, one at a time. To restore one, see `rewind`.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from acp_jupyter.api.access import NotebookLookup, UserCaller
from acp_jupyter.api.commands.saved_cells import claimed_turns
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.errors import BadRequest, ChangesGone, UnknownTurn
from acp_jupyter.features.history.commands import (
    FileThen,
    GetHistory,
    History,
    HistoryMoment,
    HistoryStep,
)
from acp_jupyter.features.history.moments import kept_trees, read_file
from acp_jupyter.features.history.past_cells import read_cells
from acp_jupyter.features.history.turn_order import in_order
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.checkpoints.diff import read_changes, sizes, tree_changes
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.tree_change import TreeChange
from acp_jupyter.transcript.escaping import one_line
from acp_jupyter.transcript.model.session_state import TurnState

_MAX_STEPS = 1000
_PROMPT_CHARS = 300
_PICTURE_BYTES = 4 * 1024 * 1024
_PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
_RUNS = "This turn is still running. Its changes are shown when it has ended."
_GONE = "The state of the folder after this turn is no longer stored."
_NO_CELLS = "The cells at this moment are not kept: the notebook is not in the folder of this turn."
_UNREAD = "The notebook was incomplete at this moment, so its cells can't be shown."


@dataclass(frozen=True, slots=True)
class Step:
    """A turn of the notebook, in the session that continues it."""

    session: Session
    turn: TurnState

    @property
    def kept_as(self) -> str:
        """The id of the turn in the names of its checkpoints."""
        return self.turn.turn_id if self.turn.copy_of is None else self.turn.copy_of.turn_id

    @property
    def checkpoints(self) -> Checkpoints:
        """The checkpoints of the session's folder."""
        return self.session.turn_files.checkpoints.checkpoints

    @property
    def notebook_path(self) -> str:
        """The path of the notebook at that time, relative to the server's root."""
        origin = self.turn.origin
        return self.session.state.notebook_path if origin is None else origin.notebook_path


@dataclass(frozen=True, slots=True)
class _Moment:
    """A step before or after its turn, with the tree to compare it with."""

    step: Step
    start: str
    """The tree before the first turn that is stored."""
    tree: str
    notebooks: tuple[str, ...]
    """Possible paths of the notebook in the folder, the likeliest first."""


class NotebookHistory:
    """Answers ``get_history``. Lives on the host's loop, and reads in threads."""

    def __init__(self, host: AgentHost, pages_and_kernels: NotebookLookup) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels

    @handles(GetHistory)
    async def get(self, command: GetHistory, caller: UserCaller) -> History:
        """Return all steps; or the moment after one of them, or one file of it."""
        steps = await self._steps(command.notebook_path)
        for step in steps:
            if step.turn.status == "done":
                await step.session.turn_files.settled(step.turn.turn_id)
        if not command.turn_id:
            return History(steps=await asyncio.to_thread(_listed, steps))
        places = (n for n, step in enumerate(steps) if step.turn.turn_id == command.turn_id)
        place = next(places, None)
        if place is None:
            raise UnknownTurn("This notebook has no such turn, or the turn was reverted.")
        return await asyncio.to_thread(self._read, command, steps, place)

    # -- which turns -----------------------------------------------------------

    async def _steps(self, path: str) -> list[Step]:
        kernel_id = self._pages_and_kernels.kernel_of(path)
        names = await self._names(path, kernel_id)
        live = [
            session
            for session in self._host.sessions.values()
            if not session.state.copied
            if not self._host.sessions.goes_on_elsewhere(session.state)
        ]
        branches = [session.state.branch for session in live]
        gone = {turn_id for branch in branches if branch is not None for turn_id in branch.also}
        found: dict[str, Step] = {}
        for session in live:
            for turn in _turns(session):
                step = Step(session, turn)
                mine = _is_of(session, turn, names, kernel_id)
                if not mine or not turn.was_sent or step.kept_as in gone:
                    continue
                # Forks have copies of the turn; the turn's own session comes first.
                if turn.copy_of is None or step.kept_as not in found:
                    found[step.kept_as] = step
        by_turn = {step.turn.turn_id: step for step in found.values()}
        ordered = in_order((step.session, step.turn) for step in found.values())
        return [by_turn[turn.turn_id] for turn in ordered[-_MAX_STEPS:]]

    async def _names(self, path: str, kernel_id: str) -> set[str]:
        """Return the notebook's path, and its former paths.

        They follow from its kernel, or from the turns in its outputs. A former path must no longer
        exist: otherwise this notebook is a copy.
        """
        stored, root = self._host.sessions, self._host.config.root
        claimed = await asyncio.to_thread(_claimed, root / path, self._max_bytes)
        await stored.wake_notebook(path, claimed)
        named = {
            turn.origin.notebook_path
            for session in self._host.sessions.values()
            for turn in _turns(session)
            if turn.origin is not None
            if turn.turn_id in claimed or (kernel_id and turn.origin.kernel_id == kernel_id)
        }
        former = await asyncio.to_thread(_missing, root, named - {path, ""})
        for name in former:
            await stored.wake_notebook(name)
        return {path, *former}

    @property
    def _max_bytes(self) -> int:
        return self._host.config.limits.checkpoint_file_bytes

    # -- what they left. All of it blocks. -------------------------------------

    def _read(self, command: GetHistory, steps: Sequence[Step], place: int) -> History:
        step = steps[place]
        found = self._moment(steps, place, command)
        if isinstance(found, str):
            if command.path:
                raise ChangesGone(found)
            return History(moment=HistoryMoment(words=found))
        if command.path:
            return History(file=_file(found, command.path))
        try:
            changes = _changes(found)
            git, limits = step.checkpoints.git, step.checkpoints.limits
            listed = changes[: limits.listed_changes]
            blobs = {(c.new if c.new.exists else c.old).blob for c in listed}
            known = sizes(git, blobs, limits.checkpoint_seconds)
        except GitError as error:
            return History(moment=HistoryMoment(words=f"{_GONE} ({error})"))
        moment = HistoryMoment(
            files=tuple(change.as_changed_file(known) for change in listed),
            left_out=len(changes) - len(listed),
        )
        return History(moment=_with_cells(moment, found))

    def _moment(self, steps: Sequence[Step], place: int, command: GetHistory) -> _Moment | str:
        """Return a moment, or the reason why it is unknown."""
        step = steps[place]
        if step.turn.status != "done":
            return _RUNS
        trees = kept_trees(step.checkpoints)
        until = (each for each in steps[: place + 1] if each.checkpoints is step.checkpoints)
        kept = [trees[each.kept_as] for each in until if each.kept_as in trees]
        if not kept or step.kept_as not in trees:
            return _GONE
        before, after = trees[step.kept_as]
        # The turn's own path, then those of the nearest turns, then former paths.
        nearest = sorted(range(len(steps)), key=lambda other: abs(other - place))
        names = [*(steps[other].notebook_path for other in nearest), command.notebook_path]
        for session in self._host.sessions.values():
            if session.state.notebook_path == command.notebook_path:
                names += session.state.former_paths
        notebooks = _inside(self._host.config.root, Path(step.session.state.cwd), names)
        return _Moment(step, kept[0][0], before if command.before else after, notebooks)


def _turns(session: Session) -> list[TurnState]:
    transcript = session.transcript
    return [transcript.turns[turn_id] for turn_id in transcript.turn_order]


def _is_of(session: Session, turn: TurnState, names: set[str], kernel_id: str) -> bool:
    """Return whether a turn is the notebook's; one from the page has only its session's."""
    if turn.origin is None:
        of_kernel = bool(kernel_id) and session.kernel_id == kernel_id
        return of_kernel or session.state.notebook_path in names
    return turn.origin.notebook_path in names or kernel_id == turn.origin.kernel_id != ""


def _claimed(notebook: Path, max_bytes: int) -> frozenset[str]:
    try:
        if notebook.stat().st_size > max_bytes:
            return frozenset()
        return claimed_turns(notebook.read_bytes())
    except (OSError, ValueError):
        return frozenset()


def _missing(root: Path, names: Iterable[str]) -> list[str]:
    return [name for name in names if not (root / name).exists()]


def _inside(root: Path, folder: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Return paths relative to a folder, without those outside it."""
    whole = (root / name for name in dict.fromkeys(names) if name)
    return tuple(
        path.relative_to(folder).as_posix() for path in whole if path.is_relative_to(folder)
    )


def _listed(steps: Sequence[Step]) -> tuple[HistoryStep, ...]:
    trees = {each.root: each for each in (step.checkpoints for step in steps)}
    kept = {root: kept_trees(checkpoints) for root, checkpoints in trees.items()}
    return tuple(_step(step, kept[step.checkpoints.root]) for step in steps)


def _step(step: Step, kept: dict[str, tuple[str, str]]) -> HistoryStep:
    turn, state = step.turn, step.session.state
    changes = turn.changes
    return HistoryStep(
        turn_id=turn.turn_id,
        session_id=state.session_id,
        agent_name=state.agent_name,
        prompt=one_line(turn.prompt, _PROMPT_CHARS),
        running=turn.status != "done",
        kept=turn.status == "done" and step.kept_as in kept,
        files=0 if changes is None else changes.own_count,
        started_at=turn.started_at,
    )


def _changes(moment: _Moment) -> list[TreeChange]:
    """Return the changes without the notebook, whose cells are shown."""
    checkpoints = moment.step.checkpoints
    seconds = checkpoints.limits.checkpoint_seconds
    books = {name for name in moment.notebooks if name.endswith(".ipynb")}
    return [
        change
        for change in tree_changes(checkpoints.git, moment.start, moment.tree, seconds)
        if change.path not in books
    ]


def _file(moment: _Moment, path: str) -> FileThen:
    checkpoints = moment.step.checkpoints
    try:
        changes = {change.path: change for change in _changes(moment)}
    except GitError as error:
        raise ChangesGone(f"{_GONE} ({error})") from None
    if path not in changes:
        raise BadRequest(f"{path} was the same before the first turn, or was not there.")
    sides = read_changes(checkpoints, (moment.start, moment.tree), {path})[path]
    file = FileThen(
        **{**dict(changes[path].as_changed_file({})), "binary": sides.binary},
        old_text=sides.old_text,
        new_text=sides.new_text,
        too_large=sides.too_large,
    )
    media_type = _PICTURES.get(PurePosixPath(path).suffix.lower(), "")
    data = read_file(checkpoints, moment.tree, path) if media_type else None
    if data is None or len(data) > _PICTURE_BYTES:
        return file
    picture = base64.b64encode(data).decode()
    return file.model_copy(update={"media_type": media_type, "picture": picture})


def _with_cells(moment: HistoryMoment, found: _Moment) -> HistoryMoment:
    for path in found.notebooks:
        data = read_file(found.step.checkpoints, found.tree, path)
        if data is None:
            continue
        read = read_cells(data)
        if read is None:
            return moment.model_copy(update={"notebook_path": path, "cells_words": _UNREAD})
        cells, language = read
        update = {"notebook_path": path, "cells": cells, "language": language}
        return moment.model_copy(update=update)
    return moment.model_copy(update={"cells_words": _NO_CELLS})
