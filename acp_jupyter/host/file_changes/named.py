"""Files that the tool calls of a turn name."""

from __future__ import annotations

from collections.abc import Iterator

from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall

__all__ = ["edited_paths", "names_file", "shown_paths"]


def shown_paths(transcript: Transcript, turn_id: str) -> set[str]:
    """Return the paths of the diffs that the turn shows."""
    return {diff.path for call in _calls(transcript, turn_id) for diff in call.diffs}


def edited_paths(transcript: Transcript, turn_id: str) -> set[str]:
    """Return those of them whose tool call was completed."""
    done = (call for call in _calls(transcript, turn_id) if call.status == "completed")
    return {diff.path for call in done for diff in call.diffs}


def names_file(transcript: Transcript, turn_id: str, path: str) -> bool:
    """Tell whether one of the turn's tool calls names a file."""
    name = path.rpartition("/")[2]
    return bool(name) and any(
        path in {call.path, *(p.path for p in call.locations), *(d.path for d in call.diffs)}
        or name in call.command
        for call in _calls(transcript, turn_id)
    )


def _calls(transcript: Transcript, turn_id: str) -> Iterator[ToolCall]:
    for item in transcript.items.since(transcript.turn_first.get(turn_id, len(transcript.items))):
        if isinstance(item, ToolCall) and item.turn_id == turn_id:
            yield item
