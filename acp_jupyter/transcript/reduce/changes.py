"""Files that a turn changed or made: changes, what was reverted, artifacts, written files."""

from __future__ import annotations

from acp_jupyter.protocol.content import ToolDiff
from acp_jupyter.protocol.files import (
    ArtifactCreated,
    ArtifactInfo,
    FileWrite,
    artifact_type_name,
    file_operation_title,
    human_size,
    relative_path,
)
from acp_jupyter.protocol.host_events.session import (
    ArtifactsFound,
    ChangedFile,
    FileWritten,
    Hunk,
    TurnChanges,
    TurnChangesNote,
    TurnChangesUnknown,
    TurnReverted,
)
from acp_jupyter.transcript.model.items import Artifact, FileWriteItem, Notice
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.state import WrittenDiff
from acp_jupyter.transcript.model.tool_items import Diff, ToolCall
from acp_jupyter.transcript.reduce.draft import Draft
from acp_jupyter.transcript.reduce.tool_fields import content_diffs

_OTHER_WORK = {"read", "search", "fetch", "think", "execute"}
"""Kinds of tool calls that a written file is not the work of."""


_OF_OLD = "An earlier version noted this turn: it is not known whose changes these are."


def take_changes(draft: Draft, note: TurnChangesNote) -> None:
    """Apply the changes of a turn; the note may come after the turn's end."""
    turn = draft.turns.get(note.turn_id)
    if turn is not None:
        changes = TurnChanges(**{name: getattr(note, name) for name in TurnChanges.model_fields})
        if any(file.author == "" for file in changes.files):
            words = f"{changes.words} {_OF_OLD}".strip()
            changes = changes.model_copy(update={"words": words})
        if turn.to_be_kept:
            changes = _not_kept_yet(changes)
        _set_changes(draft, turn, changes)


def take_unknown(draft: Draft, note: TurnChangesUnknown) -> None:
    """Note that a turn's changes are unknown; or, with empty words, that it changed nothing."""
    turn = draft.turns.get(note.turn_id)
    if turn is not None and turn.changes is None:
        _announce(draft, turn.model_copy(update={"changes_unknown": note.words}))


def _not_kept_yet(changes: TurnChanges) -> TurnChanges:
    """Return the changes of a variant, which count as reverted until they are kept."""
    files = (f.model_copy(update={"reverted": True}) if f.kept else f for f in changes.files)
    return changes.model_copy(update={"files": tuple(files)})


def take_revert(draft: Draft, note: TurnReverted) -> None:
    """Mark reverted changes, or remove the mark."""
    turn = draft.turns.get(note.turn_id)
    if turn is None or turn.changes is None:
        return
    paths = set(note.paths)
    hunks = {each.path: each.hunks for each in note.hunks}
    in_copy = turn.to_be_kept
    files = tuple(
        _as_a_whole(file, note, in_copy=in_copy)
        if file.path in paths
        else _with_hunks(file, hunks.get(file.path, ()), note, in_copy=in_copy)
        for file in turn.changes.files
    )
    already = turn.changes.already if note.already is None else note.already
    put = turn.changes.put_folders if note.put_folders is None else note.put_folders
    update = {"files": files, "already": already, "put_folders": put}
    changes = turn.changes.model_copy(update=update)
    _set_changes(draft, turn, changes)


def _as_a_whole(file: ChangedFile, note: TurnReverted, *, in_copy: bool) -> ChangedFile:
    if in_copy:
        none = {"reverted_hunks": (), "kept_hunks": (), "together": ()}
        return file.model_copy(update={"reverted": not note.undone, **none})
    if note.undone:
        together = file.together if file.reverted_hunks else ()
    else:
        together = note.earlier or file.together
    return file.model_copy(update={"reverted": not note.undone, "together": together})


def _with_hunks(
    file: ChangedFile, hunks: tuple[Hunk, ...], note: TurnReverted, *, in_copy: bool
) -> ChangedFile:
    if not hunks:
        return file
    if in_copy and file.reverted:
        rest = tuple(hunk for hunk in file.kept_hunks if hunk not in hunks)
        return file.model_copy(update={"kept_hunks": (*rest, *hunks) if note.undone else rest})
    others = [hunk for hunk in file.reverted_hunks if hunk not in hunks]
    left = others if note.undone else [*others, *hunks]
    ordered = tuple(sorted(left, key=lambda hunk: (hunk.new_start, hunk.old_start)))
    together = note.earlier if ordered else ()
    return file.model_copy(update={"reverted_hunks": ordered, "together": together})


def _set_changes(draft: Draft, turn: TurnState, changes: TurnChanges) -> None:
    _announce(draft, turn.model_copy(update={"changes": changes, "changes_unknown": ""}))


def _announce(draft: Draft, renewed: TurnState) -> None:
    if renewed.status == "done":
        draft.announce_ended(renewed)
    else:
        draft.announce_started(renewed)


def take_written_file(draft: Draft, note: FileWritten) -> None:
    """Add the change to the card of the same path, if the agent sent no diff there."""
    turn_id = draft.session.active_turn_id
    if turn_id is None or not note.kept:
        return
    diff = _written_diff(draft, note, note.old_text)
    known = draft.written.get(diff.path)
    start = draft.turn_first.get(turn_id, len(draft.items))
    for item in reversed(tuple(draft.items.recent(start))):
        if isinstance(item, ToolCall) and item.turn_id == turn_id and _may_have_written(item, diff):
            if known is not None and known.item_id == item.id:
                _attach_diff(draft, item, _written_diff(draft, note, known.diff.old_text))
            elif not item.diffs:
                _attach_diff(draft, item, diff)
            return
    draft.written = draft.written.set(diff.path, WrittenDiff(turn_id, diff))


def _written_diff(draft: Draft, note: FileWritten, old_text: str | None) -> Diff:
    diff = ToolDiff(path=note.path, old_text=old_text, new_text=note.new_text)
    return content_diffs((diff,), draft.session.cwd, exists=False)[0]


def attach_written_diff(draft: Draft, item_id: str) -> None:
    """Attach the diff to a card that comes after the file was written, or that is updated then."""
    item = draft.get_call(item_id)
    if item.diffs:
        return
    for path in (item.path, *(location.path for location in item.locations)):
        known = draft.written.get(path)
        if (
            known is not None
            and known.turn_id == item.turn_id
            and known.item_id in {"", item.id}
            and _may_have_written(item, known.diff)
        ):
            _attach_diff(draft, item, known.diff)
            return


def _may_have_written(item: ToolCall, diff: Diff) -> bool:
    paths = {item.path, *(location.path for location in item.locations)}
    return item.tool_kind not in _OTHER_WORK and diff.path in paths


def _attach_diff(draft: Draft, item: ToolCall, diff: Diff) -> None:
    new = diff.is_new_file if item.is_new_file is None else item.is_new_file
    draft.written = draft.written.set(diff.path, WrittenDiff(item.turn_id or "", diff, item.id))
    draft.replace(item.model_copy(update={"diffs": (diff,), "is_new_file": new}))


def add_artifact(draft: Draft, packet: ArtifactCreated) -> None:
    """Add an artifact, or renew the one with its id in this turn."""
    _put_artifact(draft, packet.artifact, draft.turn_id())


def artifacts_found(draft: Draft, note: ArtifactsFound) -> None:
    """Add the artifacts found in the folder, and a notice of how many were left out."""
    if note.turn_id not in draft.turns:
        return
    for artifact in note.artifacts:
        _put_artifact(draft, artifact, note.turn_id)
    if note.left_out:
        files = "file that is" if note.left_out == 1 else "files that are"
        draft.close_open_item()
        draft.add(
            Notice(
                id=draft.new_id(),
                turn_id=note.turn_id,
                text=f"The turn made {note.left_out} more {files} not shown here.",
            )
        )


def _put_artifact(draft: Draft, artifact: ArtifactInfo, turn_id: str | None) -> None:
    item = Artifact(
        id=draft.new_id(),
        turn_id=turn_id,
        artifact_id=artifact.id,
        type=artifact.type,
        type_name=artifact_type_name(artifact.type),
        name=artifact.name,
        path=relative_path(artifact.path, draft.session.cwd),
        preview_url=_filled_url(artifact.preview_url, draft.session.session_id),
        download_url=_filled_url(artifact.download_url, draft.session.session_id),
        mime_type=artifact.mime_type,
        size_bytes=artifact.size_bytes,
        size=_size_words(artifact.size_bytes),
    )
    old = draft.known("artifact", turn_id, artifact.id)
    if old is not None:
        draft.replace(item.model_copy(update={"id": old.id}))
        return
    draft.close_open_item()
    draft.add_renewable(item, artifact.id)


def _filled_url(url: str, session_id: str) -> str:
    """Put the session's id into a URL that has a place for it."""
    return url.replace("{session_id}", session_id)


def add_file_write(draft: Draft, packet: FileWrite) -> None:
    """Add a line for a file that was written."""
    draft.close_open_item()
    draft.add(
        FileWriteItem(
            id=draft.new_id(),
            turn_id=draft.turn_id(),
            path=relative_path(packet.path, draft.session.cwd),
            title=file_operation_title(packet.operation),
            size_bytes=packet.size_bytes,
            size=_size_words(packet.size_bytes),
        )
    )


def _size_words(size_bytes: int | None) -> str:
    return "" if size_bytes is None else human_size(size_bytes)
