"""What turns changed in the folder, and changes that were taken back."""

from __future__ import annotations

from acp_jupyter.packets.change_notes import (
    ChangedFile,
    FileWritten,
    Hunk,
    TurnChanges,
    TurnChangesNote,
    TurnReverted,
)
from acp_jupyter.packets.content import ToolDiff
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import Diff, ToolCall
from acp_jupyter.transcript.session_state import TurnState
from acp_jupyter.transcript.state import Written
from acp_jupyter.transcript.tool_diffs import diffs

__all__ = ["changed", "hang_written", "reverted", "written"]

_OTHER_WORK = {"read", "search", "fetch", "think", "execute"}
"""Kinds of tool calls that a written file is not the work of."""


def changed(draft: Draft, note: TurnChangesNote) -> None:
    """Take in what a turn changed; it may be told after the turn's end."""
    turn = draft.turns.get(note.turn_id)
    if turn is not None:
        told = TurnChanges(**{name: getattr(note, name) for name in TurnChanges.model_fields})
        _renew(draft, turn, told)


def reverted(draft: Draft, note: TurnReverted) -> None:
    """Mark what was taken back, or unmark it."""
    turn = draft.turns.get(note.turn_id)
    if turn is None or turn.changes is None:
        return
    paths = set(note.paths)
    hunks = {each.path: each.hunks for each in note.hunks}
    files = tuple(
        _as_a_whole(file, note)
        if file.path in paths
        else _with_hunks(file, hunks.get(file.path, ()), note)
        for file in turn.changes.files
    )
    _renew(draft, turn, turn.changes.model_copy(update={"files": files}))


def _as_a_whole(file: ChangedFile, note: TurnReverted) -> ChangedFile:
    if note.undone:
        together = file.together if file.reverted_hunks else ()
    else:
        together = note.earlier or file.together
    return file.model_copy(update={"reverted": not note.undone, "together": together})


def _with_hunks(file: ChangedFile, hunks: tuple[Hunk, ...], note: TurnReverted) -> ChangedFile:
    if not hunks:
        return file
    others = [hunk for hunk in file.reverted_hunks if hunk not in hunks]
    left = others if note.undone else [*others, *hunks]
    ordered = tuple(sorted(left, key=lambda hunk: (hunk.new_start, hunk.old_start)))
    together = note.earlier if ordered else ()
    return file.model_copy(update={"reverted_hunks": ordered, "together": together})


def _renew(draft: Draft, turn: TurnState, changes: TurnChanges) -> None:
    renewed = turn.model_copy(update={"changes": changes})
    if turn.status == "done":
        draft.announce_ended(renewed)
    else:
        draft.announce_started(renewed)


def written(draft: Draft, note: FileWritten) -> None:
    """S2.54: hang the change on the card of the same path, where the agent told none."""
    turn_id = draft.session.active_turn_id
    if turn_id is None or not note.kept:
        return
    diff = _diff(draft, note, note.old_text)
    known = draft.written.get(diff.path)
    start = draft.turn_first.get(turn_id, len(draft.items))
    for item in reversed(tuple(draft.items.recent(start))):
        if isinstance(item, ToolCall) and item.turn_id == turn_id and _is_work(item, diff):
            if known is not None and known.item_id == item.id:
                _hang(draft, item, _diff(draft, note, known.diff.old_text))
            elif not item.diffs:
                _hang(draft, item, diff)
            return
    draft.written = draft.written.set(diff.path, Written(turn_id, diff))


def _diff(draft: Draft, note: FileWritten, old_text: str | None) -> Diff:
    told = ToolDiff(path=note.path, old_text=old_text, new_text=note.new_text)
    return diffs((told,), draft.session.cwd, exists=old_text is not None)[0]


def hang_written(draft: Draft, item_id: str) -> None:
    """Do the same for a card that comes after the file was written, or tells its content anew."""
    item = draft.get(item_id)
    if not isinstance(item, ToolCall) or item.diffs:
        return
    for path in (item.path, *(place.path for place in item.locations)):
        known = draft.written.get(path)
        if (
            known is not None
            and known.turn_id == item.turn_id
            and known.item_id in {"", item.id}
            and _is_work(item, known.diff)
        ):
            _hang(draft, item, known.diff)
            return


def _is_work(item: ToolCall, diff: Diff) -> bool:
    paths = {item.path, *(place.path for place in item.locations)}
    return item.tool_kind not in _OTHER_WORK and diff.path in paths


def _hang(draft: Draft, item: ToolCall, diff: Diff) -> None:
    new = diff.is_new_file if item.is_new_file is None else item.is_new_file
    draft.written = draft.written.set(diff.path, Written(item.turn_id or "", diff, item.id))
    draft.replace(item.model_copy(update={"diffs": (diff,), "is_new_file": new}))
