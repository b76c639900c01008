"""Chunks of text and other content blocks."""

from __future__ import annotations

from acp_jupyter.packets.content import OtherBlock, TextBlock
from acp_jupyter.packets.models import AgentMessageChunk, AgentThoughtChunk, UserMessageChunk
from acp_jupyter.packets.session_models import StepEnd, StepStart
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import AgentMessage, ContentBlockItem, Thought, UserMessage
from acp_jupyter.transcript.state import OpenItem

__all__ = ["agent_chunk", "block_item", "step_end", "step_start", "user_chunk"]


def agent_chunk(draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk) -> None:
    """Extend the open message or thought, or open one.

    Without a message id a chunk extends the newest item of its kind, as long
    as nothing else came between. What subagents say at the same time does not come between.
    """
    block = packet.block
    parent = draft.parent(packet.parent_id)
    if isinstance(block, OtherBlock):
        draft.close_open_item(parent)
        draft.add(block_item(block, draft.new_id(), draft.turn_id(), parent))
        return
    if not block.text:
        return
    if isinstance(packet, AgentThoughtChunk) and packet.step_id:
        draft.append_text(_step(draft, packet.step_id), "text", block.text)
        return
    opened = draft.opened(parent) or (None if parent else _reopened(draft))
    if opened is None or not _extends(opened, draft, packet):
        draft.close_open_item(parent)
        item = _new_item(draft, packet, parent)
        draft.add(item)
        opened = _opened(item, packet.message_id)
    draft.set_open(parent, opened)
    draft.append_text(opened.id, "text", block.text)


def _opened(item: AgentMessage | Thought, message_id: str = "") -> OpenItem:
    return OpenItem(item.id, isinstance(item, AgentMessage), item.turn_id, message_id)


def step_start(draft: Draft, packet: StepStart) -> None:
    """Open a named thought (S3.4)."""
    draft.close_open_item()
    _open_step(draft, packet.step_id, packet.step_name)


def step_end(draft: Draft, packet: StepEnd) -> None:
    """Close a step (S3.6)."""
    item_id = draft.steps.get(packet.step_id)
    if item_id is not None:
        draft.steps = draft.steps.discard(packet.step_id)
        draft.close_item(item_id)


def _step(draft: Draft, step_id: str) -> str:
    """Return the item of a step, whatever came since; a step that nobody opened opens (S3.5)."""
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


def _extends(opened: OpenItem, draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk) -> bool:
    same_kind = opened.is_message == isinstance(packet, AgentMessageChunk)
    same_id = packet.message_id in {"", opened.message_id} or not opened.message_id
    return same_kind and same_id and opened.turn_id == draft.turn_id()


def _reopened(draft: Draft) -> OpenItem | None:
    """Late text after the turn's end goes on where the text ended (opencode)."""
    if draft.session.active_turn_id is not None or len(draft.items) < 2:
        return None
    item = draft.items[-2]
    if not isinstance(item, AgentMessage) or item.parent_id or draft.items[-1].kind != "turn_end":
        return None
    return _opened(item)


def _new_item(
    draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk, parent: str
) -> AgentMessage | Thought:
    item_id, turn_id = draft.new_id(), draft.turn_id()
    if isinstance(packet, AgentMessageChunk):
        return AgentMessage(id=item_id, turn_id=turn_id, parent_id=parent)
    return Thought(id=item_id, turn_id=turn_id, parent_id=parent, started_at=draft.at)


def user_chunk(draft: Draft, packet: UserMessageChunk) -> None:
    """Add a replayed prompt; an echo of the running turn's own is left out (S4.3)."""
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


def block_item(
    block: OtherBlock, item_id: str, turn_id: str | None, parent: str = ""
) -> ContentBlockItem:
    """Make an item of a content block."""
    return ContentBlockItem(id=item_id, turn_id=turn_id, parent_id=parent, **block.model_dump())
