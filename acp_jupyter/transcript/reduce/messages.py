"""Messages and thoughts that arrive in chunks, steps, plans and notices."""

from __future__ import annotations

import json

from acp_jupyter.protocol.content import OtherBlock, TextBlock
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.objects import obj
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    Unknown,
    UserMessageChunk,
)
from acp_jupyter.protocol.parse.packet import PACKET_NAMES, session_update
from acp_jupyter.protocol.parse.session import COMPACTING
from acp_jupyter.protocol.session_packets import NoticePacket, StepEnd, StepStart
from acp_jupyter.transcript.model.items import (
    AgentMessage,
    Notice,
    Plan,
    PlanEntry,
    Thought,
    UserMessage,
)
from acp_jupyter.transcript.model.state import OpenItem
from acp_jupyter.transcript.model.tool_items import ContentBlockItem
from acp_jupyter.transcript.reduce.draft import Draft


def agent_chunk(draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk) -> None:
    """Extend the open message or thought, or open one.

    Without a message id a chunk extends the newest item of its kind, as long
    as nothing else came between. What subagents say at the same time does not come between.
    """
    if draft.refused:
        return  # the sentence that the agent was stopped in
    block = packet.block
    parent = draft.parent(packet.parent_id)
    if isinstance(block, OtherBlock):
        draft.close_open_item(parent)
        draft.add(block_item(block, draft.new_id(), draft.turn_id(), parent))
        return
    if packet.replaces and _replace_text(draft, packet, block.text):
        return
    if not block.text:
        return
    if isinstance(packet, AgentThoughtChunk) and packet.step_id:
        draft.append_text(_item_of_step(draft, packet.step_id), "text", block.text)
        return
    opened = draft.opened(parent) or (None if parent else _reopened(draft))
    if opened is None or not _continues(opened, draft, packet):
        draft.close_open_item(parent)
        item = _new_item(draft, packet, parent)
        if packet.message_id:
            draft.add_renewable(item, packet.message_id)
        else:
            draft.add(item)
        opened = _open_item(item, packet.message_id)
    draft.set_open(parent, opened)
    draft.append_text(opened.id, "text", block.text)


def _replace_text(draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk, text: str) -> bool:
    """Replace the text of the message with the packet's id; return whether it exists."""
    kind = "agent_message" if isinstance(packet, AgentMessageChunk) else "thought"
    item = draft.known(kind, draft.turn_id(), packet.message_id)
    if item is None:
        return False
    draft.set_text(item.id, "text", text)
    return True


def _open_item(item: AgentMessage | Thought, message_id: str = "") -> OpenItem:
    return OpenItem(item.id, isinstance(item, AgentMessage), item.turn_id, message_id)


def step_start(draft: Draft, packet: StepStart) -> None:
    """Open a named thought."""
    draft.close_open_item()
    _open_step(draft, packet.step_id, packet.step_name)


def step_end(draft: Draft, packet: StepEnd) -> None:
    """Close a step."""
    item_id = draft.steps.get(packet.step_id)
    if item_id is not None:
        draft.steps = draft.steps.discard(packet.step_id)
        draft.close_item(item_id)


def _item_of_step(draft: Draft, step_id: str) -> str:
    """Return the item of a step; open the step if it is not open."""
    item_id = draft.steps.get(step_id)
    if item_id is None:
        draft.close_open_item()
        item_id = _open_step(draft, step_id, "")
    return item_id


def _open_step(draft: Draft, step_id: str, name: str) -> str:
    item = Thought(id=draft.new_id(), turn_id=draft.turn_id(), title=name, started_at=draft.at)
    draft.add(item)
    draft.steps = draft.steps.set(step_id, item.id)
    return item.id


def _continues(
    opened: OpenItem, draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk
) -> bool:
    same_kind = opened.is_message == isinstance(packet, AgentMessageChunk)
    same_id = packet.message_id in {"", opened.message_id} or not opened.message_id
    return same_kind and same_id and opened.turn_id == draft.turn_id()


def _reopened(draft: Draft) -> OpenItem | None:
    """Append late text after the turn's end to the turn's last text (opencode)."""
    if draft.session.active_turn_id is not None or len(draft.items) < 2:
        return None
    item = draft.items[-2]
    if not isinstance(item, AgentMessage) or item.parent_id or draft.items[-1].kind != "turn_end":
        return None
    return _open_item(item)


def _new_item(
    draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk, parent: str
) -> AgentMessage | Thought:
    item_id, turn_id = draft.new_id(), draft.turn_id()
    if isinstance(packet, AgentMessageChunk):
        return AgentMessage(id=item_id, turn_id=turn_id, parent_id=parent)
    return Thought(id=item_id, turn_id=turn_id, parent_id=parent, started_at=draft.at)


def user_chunk(draft: Draft, packet: UserMessageChunk) -> None:
    """Add a replayed prompt, or what the agent took in mid-turn.

    An echo of the running turn's own is left out.
    """
    if packet.steered:
        _steered(draft, packet)
        return
    if draft.session.active_turn_id is not None:
        return
    draft.close_open_item()
    if isinstance(packet.block, TextBlock):
        last = draft.items[-1] if len(draft.items) else None
        if isinstance(last, UserMessage) and last.turn_id is None:
            draft.append_text(last.id, "text", packet.block.text)
            return
        item = UserMessage(id=draft.new_id(), at=draft.at)
        draft.add(item)
        draft.append_text(item.id, "text", packet.block.text)
    else:
        draft.add(block_item(packet.block, draft.new_id(), None))


def _steered(draft: Draft, packet: UserMessageChunk) -> None:
    draft.close_open_item()
    item_id, turn_id = draft.new_id(), draft.turn_id()
    if isinstance(packet.block, OtherBlock):
        draft.add(block_item(packet.block, item_id, turn_id))
        return
    text = packet.block.text
    draft.add(UserMessage(id=item_id, turn_id=turn_id, text=text, at=draft.at, steered=True))


def block_item(
    block: OtherBlock, item_id: str, turn_id: str | None, parent: str = ""
) -> ContentBlockItem:
    """Make an item from a content block."""
    return ContentBlockItem(id=item_id, turn_id=turn_id, parent_id=parent, **block.model_dump())


def update_plan(draft: Draft, packet: AgentPlanUpdate) -> None:
    """Replace the turn's plan with this id, or add it."""
    turn_id = draft.turn_id()
    entries = tuple(PlanEntry(**entry.model_dump()) for entry in packet.entries)
    item = draft.known("plan", turn_id, packet.plan_id)
    if isinstance(item, Plan):
        draft.replace(item.model_copy(update={"entries": entries, "text": packet.text}))
        return
    if not entries and not packet.text:
        return
    draft.close_open_item()
    draft.add_renewable(
        Plan(
            id=draft.new_id(),
            turn_id=turn_id,
            plan_id=packet.plan_id,
            entries=entries,
            text=packet.text,
        ),
        packet.plan_id,
    )


_TITLE_CHARS = 100
_DETAIL_CHARS = 4000
_EMPTY_UPDATE = {"sessionUpdate": "unknown"}
"""The replacement for an update that was not an object."""
_NOTICE_CHARS = {"severity": 100, "title": 300, "text": 4000, "detail": 8000}
_UNKNOWN_TEXT = "The agent sent something that this version cannot show."


def add_notice(draft: Draft, packet: NoticePacket) -> None:
    """Add a line, or change the one that is about the same."""
    old = _known_notice(draft, packet.key)
    fields = packet.model_dump(include={"severity", "title", "text", "detail"})
    if packet.key and not packet.title:
        fields = {"title": COMPACTING, "detail": packet.detail}
        if old is not None:
            fields = {"detail": old.detail + packet.detail}
    elif old is not None:
        kept = {
            name: getattr(old, name) for name in ("text", "detail") if name not in packet.clears
        }
        fields |= {name: words for name, words in kept.items() if not fields[name]}
    fields = {name: shorten(words, _NOTICE_CHARS[name]) for name, words in fields.items()}
    if old is not None:
        draft.replace(old.model_copy(update=fields))
        return
    draft.close_open_item()
    item = Notice(id=draft.new_id(), turn_id=draft.turn_id(), **fields)
    draft.add(item)
    if packet.key:
        draft.notices = draft.notices.set(packet.key, item.id)


def add_host_notice(draft: Draft, note: HostNotice) -> None:
    """Add a line of the host's own, which may offer to do something."""
    draft.close_open_item()
    item = Notice(
        id=draft.new_id(),
        turn_id=draft.turn_id(),
        severity=note.severity,
        text=shorten(note.text, _NOTICE_CHARS["text"]),
        offers=note.offers,
        target=note.target,
    )
    draft.add(item)


def _known_notice(draft: Draft, key: str) -> Notice | None:
    item_id = draft.notices.get(key) if key else None
    item = None if item_id is None else draft.get(item_id)
    return item if isinstance(item, Notice) else None


def add_unknown_update(draft: Draft, packet: Unknown) -> None:
    """Add a notice about an unknown kind of update, once per turn and kind.

    An update of a known kind without usable content adds none. The open message stays open, and
    the next chunk still extends it.
    """
    kind = session_update(obj(packet.raw))
    if not kind or kind in PACKET_NAMES or packet.raw == _EMPTY_UPDATE:
        return
    turn_id, title = draft.turn_id(), kind[:_TITLE_CHARS]
    if draft.known("notice", turn_id, title) is None:
        draft.add_renewable(
            Notice(
                id=draft.new_id(),
                turn_id=turn_id,
                title=title,
                text=_UNKNOWN_TEXT,
                detail=json.dumps(packet.raw, ensure_ascii=False, indent=2)[:_DETAIL_CHARS],
            ),
            title,
        )
