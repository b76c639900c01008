"""A turn whose folder has checkpoints, and the files of it that a command names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.session.session import Session
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.protocol.host_events.workspace import ChangedFile, TurnChanges
from acp_jupyter.transcript.model.session_state import TurnState


@dataclass(frozen=True, slots=True)
class CheckpointedTurn:
    """A turn whose folder was kept."""

    session: Session
    turn: TurnState
    checkpoints: Checkpoints
    trees: tuple[str, str]
    """Before and after it; before the first of the ``earlier`` ones, if there are any."""
    earlier: tuple[tuple[Session, TurnState], ...] = ()
    """Turns whose changes go with it, the oldest first."""

    @property
    def renames(self) -> bool:
        """Whether its changes were told with renames. Those of several turns are not."""
        return not self.earlier

    def modes(self, files: Iterable[ChangedFile]) -> dict[str, int]:
        """Return the permission bits of files before it, as far as they are known."""
        first = self.earlier[0][1].changes if self.earlier else None
        told = {} if first is None else {file.path: file for file in first.files}
        before = [told.get(file.path, file) for file in files]
        return {f.old_path or f.path: f.old_mode for f in before if f.old_mode is not None}

    def new_modes(self, files: Iterable[ChangedFile]) -> dict[str, int]:
        """Return the permission bits of files after it, as far as they are known."""
        return {f.path: f.new_mode for f in files if f.new_mode is not None}

    @property
    def new_folders(self) -> tuple[str, ...]:
        """New folders of new files."""
        turns = (*(turn for _, turn in self.earlier), self.turn)
        made = (turn.changes.made_folders for turn in turns if turn.changes is not None)
        return tuple({folder: None for folders in made for folder in folders})

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """Of all of them."""
        return (*(turn.turn_id for _, turn in self.earlier), self.turn.turn_id)

    @property
    def own_notebooks(self) -> frozenset[str]:
        """The notebooks that they were sent from: those are saved while they run."""
        turns = (*self.earlier, (self.session, self.turn))
        return frozenset(session.turn_files.own_notebook(turn.turn_id) for session, turn in turns)

    @property
    def changes(self) -> TurnChanges:
        """What it changed."""
        return self.turn.changes or TurnChanges()


def named_files(changes: TurnChanges, paths: tuple[str, ...]) -> tuple[ChangedFile, ...]:
    """Return the files of a turn that have these paths.

    Raises
    ------
    BadRequest
        It did not change one of them.
    """
    known = {file.path: file for file in changes.files}
    for path in paths:
        if path not in known:
            raise BadRequest(f"The turn did not change a file {path}.")
    return tuple(known[path] for path in dict.fromkeys(paths))


def paths_of(files: Iterable[ChangedFile]) -> tuple[str, ...]:
    """Return where files were before the turn and after it, as far as they were read."""
    read = (file for file in files if not file.unread)
    return tuple(path for file in read for path in (file.path, file.old_path) if path)
