"""Lines about something: notices, compactions, and updates of a kind that nobody knows."""

from __future__ import annotations

import json

from acp_jupyter.packets.detect import PACKET_NAMES, session_update
from acp_jupyter.packets.json_fields import obj
from acp_jupyter.packets.models import Unknown
from acp_jupyter.packets.session_models import NoticePacket
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import Notice

__all__ = ["notice", "unknown"]

_TITLE_CHARS = 100
_DETAIL_CHARS = 4000
_EMPTY = {"sessionUpdate": "unknown"}
"""What is made of an update that was no object."""
_SUMMARY = "Summary of older messages"
_TEXT = "The agent sent something that this version cannot show."


def notice(draft: Draft, packet: NoticePacket) -> None:
    """Add a line, or change the one that is about the same."""
    old = _known(draft, packet.key)
    fields = packet.model_dump(include={"severity", "title", "text", "detail"})
    if packet.key and not packet.title:
        fields = {"title": _SUMMARY, "detail": packet.detail}
        if old is not None:
            fields = {"detail": (old.detail + packet.detail)[:_DETAIL_CHARS]}
    if old is not None:
        fields["detail"] = fields["detail"] or old.detail
        draft.replace(old.model_copy(update=fields))
        return
    draft.close_open_item()
    item = Notice(id=draft.new_id(), turn_id=draft.turn_id(), **fields)
    draft.add(item)
    if packet.key:
        draft.notices = draft.notices.set(packet.key, item.id)


def _known(draft: Draft, key: str) -> Notice | None:
    item_id = draft.notices.get(key) if key else None
    item = None if item_id is None else draft.get(item_id)
    return item if isinstance(item, Notice) else None


def unknown(draft: Draft, packet: Unknown) -> None:
    """Tell of a new kind of update, once in a turn; all of them are in the log.

    What is of a known kind and says nothing usable leaves no line. Text that is being said goes
    on where it was.
    """
    kind = session_update(obj(packet.raw))
    if not kind or kind in PACKET_NAMES or packet.raw == _EMPTY:
        return
    turn_id, title = draft.turn_id(), kind[:_TITLE_CHARS]
    if draft.known("notice", turn_id, title) is None:
        draft.add_renewable(
            Notice(
                id=draft.new_id(),
                turn_id=turn_id,
                title=title,
                text=_TEXT,
                detail=json.dumps(packet.raw, ensure_ascii=False, indent=2)[:_DETAIL_CHARS],
            ),
            title,
        )
