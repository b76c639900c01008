"""A session's folder before and after a turn, and what that says of the turn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from acp_jupyter.host.checkpoints.diff import TreeChange, blobs, sizes, tree_changes
from acp_jupyter.host.checkpoints.folder import NotKept, Taken
from acp_jupyter.host.checkpoints.git import GitError
from acp_jupyter.host.checkpoints.marked_cells import has_marked
from acp_jupyter.host.checkpoints.store import CheckpointStore
from acp_jupyter.host.file_changes.scan import FileChanged, FolderScan
from acp_jupyter.packets.change_notes import ChangedFile, TurnChangesNote

__all__ = ["Looks", "TurnCheckpoints"]

_NAMED = 3
_MADE_FOLDERS = 1000
_ID_CHARS = 16
_HOW = {"made": "added", "changed": "modified", "deleted": "deleted"}
_SHARED = (
    "Another turn ran in this folder at the same time. Its changes can't be told apart from these."
)
_NOTEBOOK = "The notebook of this turn is saved while it runs, so it is not taken back."
_MARKED = (
    "The notebook of this turn is saved while it runs: only the cells that tools wrote are "
    "taken back, while it is open."
)


@dataclass(frozen=True, slots=True)
class Looks:
    """What looking at the folder has shown."""

    before: FolderScan
    after: FolderScan
    found: tuple[FileChanged, ...]
    notebook: str = ""
    """The turn's own notebook, relative to the folder."""
    names_notebook: bool = False
    """Whether a tool call names that notebook; else only its page has saved it."""


class TurnCheckpoints:
    """Keeps a session's folder, turn by turn. Blocks; one thread at a time.

    Parameters
    ----------
    store
        Of the host.
    root
        The session's folder.
    """

    def __init__(self, store: CheckpointStore, root: Path) -> None:
        self.store = store
        self.checkpoints = store.of(root)
        self._root = root
        self._before: Taken | None = None
        self._why_not = ""

    def before(self, turn_id: str) -> None:
        """Keep the folder as it is before a turn."""
        self.store.begin(turn_id, self._root)
        self._before = None
        try:
            self._before = self.checkpoints.take(turn_id, "before")
        except NotKept as error:
            self._why_not = str(error)

    def after(self, turn_id: str, looks: Looks) -> TurnChangesNote | None:
        """Keep it as it is after the turn; return what to tell, None for nothing."""
        shared = self.store.end(turn_id)
        if self._before is None:
            return self._untaken(turn_id, looks, self._why_not, shared=shared)
        limits = self.checkpoints.limits
        try:
            taken = self.checkpoints.take(turn_id, "after", self._before)
            git, seconds = self.checkpoints.git, limits.checkpoint_seconds
            left_out = self._before.left_out | taken.left_out
            all_changes = tree_changes(git, self._before.tree, taken.tree, seconds)
            marked = self._marked(turn_id, all_changes, looks.notebook)
            changes = [
                change
                for change in all_changes
                if change.path not in left_out and change.old_path not in left_out
                if change.path != looks.notebook or looks.names_notebook or marked
            ]
            told = changes[: limits.told_changes]
            shown = {(c.new if c.new.exists else c.old).blob for c in told}
            known = sizes(git, shown, seconds)
            uncovered = self._uncovered(changes, looks, left_out, taken.nested)
        except NotKept as error:
            return self._untaken(turn_id, looks, str(error), shared=shared)
        except GitError as error:
            words = f"What changed could not be compared: {error}."
            return self._untaken(turn_id, looks, words, shared=shared)
        files = tuple(_file(change, known, looks, marked=marked) for change in told)
        if not files:
            return None
        return TurnChangesNote(
            turn_id=turn_id,
            files=files,
            left_out=len(changes) - len(told),
            words=" ".join(_words(shared, uncovered, files)),
            checkpoint=self.checkpoints.git.folder.name,
            made_folders=_made_folders(changes, looks),
        )

    def _marked(self, turn_id: str, changes: Iterable[TreeChange], notebook: str) -> bool:
        """Tell whether tools wrote cells of the turn's own notebook."""
        names = [c.new.blob for c in changes if c.path == notebook and c.change == "modified"]
        git, limits = self.checkpoints.git, self.checkpoints.limits
        seconds, most = limits.checkpoint_seconds, limits.change_text_bytes
        held = blobs(git, names, seconds, most) if names else {}
        return any(has_marked(data.decode(errors="replace"), {turn_id}) for data in held.values())

    def _untaken(
        self, turn_id: str, looks: Looks, why: str, *, shared: bool
    ) -> TurnChangesNote | None:
        """Tell what looking alone has shown."""
        most = self.checkpoints.limits.told_changes
        found = [c for c in looks.found if c.path != looks.notebook or looks.names_notebook]
        files = tuple(
            ChangedFile.model_validate({"path": each.path, "change": _HOW[each.how], "kept": False})
            for each in found[:most]
        )
        if not files:
            return None
        return TurnChangesNote(
            turn_id=turn_id,
            files=files,
            left_out=len(found) - len(files),
            revertible=False,
            words=" ".join((why, *_words(shared, [], files))),
        )

    def _uncovered(
        self,
        changes: Iterable[TreeChange],
        looks: Looks,
        left_out: Collection[str],
        nested: tuple[str, ...],
    ) -> list[str]:
        """Return what changed and is not kept."""
        told = {path for change in changes for path in (change.path, change.old_path)}
        told.add(looks.notebook)
        others = [each.path for each in looks.found if each.path not in told]
        if not others:
            return []
        said = self.checkpoints.git.run(
            *("check-ignore", "-z", "--stdin", "--no-index"),
            stdin=b"".join(b"./" + path.encode() + b"\0" for path in others),  # no magic
            seconds=self.checkpoints.limits.checkpoint_seconds,
            fine=(0, 1),
        )
        ignored = {path.removeprefix("./") for path in said.decode().split("\0")}
        return [p for p in others if p in ignored or p in left_out or p.startswith(nested)]


def _file(change: TreeChange, known: dict[str, int], looks: Looks, *, marked: bool) -> ChangedFile:
    signature = looks.before.files.get(change.old_path or change.path)
    own = change.path == looks.notebook
    return ChangedFile(
        path=change.path,
        change=change.change,
        old_path=change.old_path,
        added=change.added,
        removed=change.removed,
        binary=change.binary,
        size=known.get((change.new if change.new.exists else change.old).blob),
        old_mode=None if signature is None else signature.mode,
        kept=marked or not own,
        words="" if not own else _MARKED if marked else _NOTEBOOK,
        old_text_id=change.old.blob[:_ID_CHARS],
        new_text_id=change.new.blob[:_ID_CHARS],
    )


def _words(shared: bool, uncovered: list[str], files: Iterable[ChangedFile]) -> Iterator[str]:
    if shared:
        yield _SHARED
    yield from {file.words for file in files if file.words in {_NOTEBOOK, _MARKED}}
    if uncovered:
        more = len(uncovered) - _NAMED
        named = ", ".join(uncovered[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        yield (
            f"Changed too, but not kept, so it can't be taken back: {named}. Git ignores it, it is "
            "too large, or it lies in a repository of its own."
        )


def _made_folders(changes: Iterable[TreeChange], looks: Looks) -> tuple[str, ...]:
    """Return the new folders of new files."""
    parents = {
        str(parent)
        for change in changes
        if change.new.exists
        for parent in PurePosixPath(change.path).parents
    }
    new = sorted((looks.after.folders - looks.before.folders) & parents)
    return tuple(new[:_MADE_FOLDERS])
