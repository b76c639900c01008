"""Updates of a kind that nobody knows: shown as a line, never nothing."""

from __future__ import annotations

import json

from acp_jupyter.packets.detect import session_update
from acp_jupyter.packets.json_fields import obj
from acp_jupyter.packets.models import Unknown
from acp_jupyter.packets.parse import known_kind
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import Notice

__all__ = ["unknown"]

_TITLE_CHARS = 100
_DETAIL_CHARS = 4000
_EMPTY = {"sessionUpdate": "unknown"}
"""What is made of an update that was no object."""
_TEXT = "The agent sent something that this version cannot show."


def unknown(draft: Draft, packet: Unknown) -> None:
    """Tell of a new kind of update, once in a turn; all of them are in the log.

    What is of a known kind and says nothing usable leaves no line. Text that is being said goes
    on where it was.
    """
    kind = session_update(obj(packet.raw))
    if not kind or known_kind(kind) or packet.raw == _EMPTY:
        return
    turn_id, title = draft.turn_id(), kind[:_TITLE_CHARS]
    start = 0 if turn_id is None else draft.turn_first.get(turn_id, len(draft.items))
    if not any(_tells(item, title) for item in draft.items[start:]):
        draft.add(
            Notice(
                id=draft.new_id(),
                turn_id=turn_id,
                title=title,
                text=_TEXT,
                detail=json.dumps(packet.raw, ensure_ascii=False, indent=2)[:_DETAIL_CHARS],
            )
        )


def _tells(item: object, title: str) -> bool:
    return isinstance(item, Notice) and (item.title, item.text) == (title, _TEXT)
