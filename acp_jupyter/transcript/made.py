"""What a turn made: artifacts and written files."""

from __future__ import annotations

from acp_jupyter.packets.display import artifact_type_name, file_operation_title, human_size
from acp_jupyter.packets.made_models import ArtifactCreated, FileWrite
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import Artifact, FileWriteItem

__all__ = ["artifact", "file_write"]


def artifact(draft: Draft, packet: ArtifactCreated) -> None:
    """Add an artifact, or renew the one with its id in this turn."""
    made = packet.artifact
    turn_id = draft.turn_id()
    item = Artifact(
        id=draft.new_id(),
        turn_id=turn_id,
        artifact_id=made.id,
        type=made.type,
        type_name=artifact_type_name(made.type),
        name=made.name,
        path=relative_path(made.path, draft.session.cwd),
        preview_url=_filled(made.preview_url, draft.session.session_id),
        download_url=_filled(made.download_url, draft.session.session_id),
        mime_type=made.mime_type,
        size_bytes=made.size_bytes,
        size=_size(made.size_bytes),
    )
    start = 0 if turn_id is None else draft.turn_first.get(turn_id, len(draft.items))
    for old in draft.items[start:]:
        if isinstance(old, Artifact) and (old.turn_id, old.artifact_id) == (turn_id, made.id):
            draft.replace(item.model_copy(update={"id": old.id}))
            return
    draft.close_open_item()
    draft.add(item)


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
