"""What a turn made: artifacts and written files."""

from __future__ import annotations

from acp_jupyter.packets.display import artifact_type_name, file_operation_title, human_size
from acp_jupyter.packets.file_notes import ArtifactsMade
from acp_jupyter.packets.made_models import ArtifactCreated, ArtifactInfo, FileWrite
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import Artifact, FileWriteItem, Notice

__all__ = ["artifact", "artifacts_made", "file_write"]


def artifact(draft: Draft, packet: ArtifactCreated) -> None:
    """Add an artifact, or renew the one with its id in this turn."""
    _add_artifact(draft, packet.artifact, draft.turn_id())


def artifacts_made(draft: Draft, note: ArtifactsMade) -> None:
    """Add what a look at the folder found (C28), with a line for what is too much."""
    if note.turn_id not in draft.turns:
        return
    for made in note.artifacts:
        _add_artifact(draft, made, note.turn_id)
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


def _add_artifact(draft: Draft, artifact: ArtifactInfo, turn_id: str | None) -> None:
    item = Artifact(
        id=draft.new_id(),
        turn_id=turn_id,
        artifact_id=artifact.id,
        type=artifact.type,
        type_name=artifact_type_name(artifact.type),
        name=artifact.name,
        path=relative_path(artifact.path, draft.session.cwd),
        preview_url=_filled(artifact.preview_url, draft.session.session_id),
        download_url=_filled(artifact.download_url, draft.session.session_id),
        mime_type=artifact.mime_type,
        size_bytes=artifact.size_bytes,
        size=_size(artifact.size_bytes),
    )
    old = draft.known("artifact", turn_id, artifact.id)
    if old is not None:
        draft.replace(item.model_copy(update={"id": old.id}))
        return
    draft.close_open_item()
    draft.add_renewable(item, artifact.id)


def _filled(url: str, session_id: str) -> str:
    """S3.25: the template's place for the session."""
    return url.replace("{session_id}", session_id)


def file_write(draft: Draft, packet: FileWrite) -> None:
    """Add a line for a file that was written (S3.22)."""
    draft.close_open_item()
    draft.add(
        FileWriteItem(
            id=draft.new_id(),
            turn_id=draft.turn_id(),
            path=relative_path(packet.path, draft.session.cwd),
            title=file_operation_title(packet.operation),
            size_bytes=packet.size_bytes,
            size=_size(packet.size_bytes),
        )
    )


def _size(size_bytes: int | None) -> str:
    return "" if size_bytes is None else human_size(size_bytes)
