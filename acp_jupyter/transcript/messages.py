"""Chunks of text and other content blocks."""

from __future__ import annotations

from acp_jupyter.packets.content import OtherBlock, TextBlock
from acp_jupyter.packets.models import AgentMessageChunk, AgentThoughtChunk, UserMessageChunk
from acp_jupyter.packets.session_models import StepEnd, StepStart
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import AgentMessage, ContentBlockItem, Thought, UserMessage

__all__ = ["agent_chunk", "block_item", "step_end", "step_start", "user_chunk"]


def agent_chunk(draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk) -> None:
    """Extend the open message or thought, or open one.

    Without a message id a chunk extends the newest item of its kind, as long
    as nothing else came between.
    """
    block = packet.block
    if isinstance(block, OtherBlock):
        draft.close_open_item()
        draft.add(block_item(block, draft.new_id(), draft.turn_id()))
        return
    if not block.text:
        return
    if isinstance(packet, AgentThoughtChunk) and packet.step_id:
        draft.append_text(_step(draft, packet.step_id), "text", block.text)
        return
    if not _extends(draft, packet):
        draft.close_open_item()
        item = _new_item(draft, packet)
        draft.add(item)
        draft.open_item = item.id
        draft.open_message_id = packet.message_id
    if draft.open_item is not None:
        draft.append_text(draft.open_item, "text", block.text)


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


def _extends(draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk) -> bool:
    if draft.open_item is None:
        return _reopens(draft, packet)
    item = draft.get(draft.open_item)
    same_kind = isinstance(item, AgentMessage) == isinstance(packet, AgentMessageChunk)
    same_id = packet.message_id in {"", draft.open_message_id} or not draft.open_message_id
    return same_kind and same_id and item.turn_id == draft.turn_id()


def _reopens(draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk) -> bool:
    """Late text after the turn's end goes on where the text ended (opencode)."""
    if draft.session.active_turn_id is not None or len(draft.items) < 2:
        return False
    item = draft.items[-2]
    if not (isinstance(item, AgentMessage) and isinstance(packet, AgentMessageChunk)):
        return False
    if draft.items[-1].kind != "turn_end":
        return False
    draft.open_item = item.id
    return True


def _new_item(
    draft: Draft, packet: AgentMessageChunk | AgentThoughtChunk
) -> AgentMessage | Thought:
    if isinstance(packet, AgentMessageChunk):
        return AgentMessage(id=draft.new_id(), turn_id=draft.turn_id())
    return Thought(id=draft.new_id(), turn_id=draft.turn_id(), started_at=draft.at)


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


def block_item(block: OtherBlock, item_id: str, turn_id: str | None) -> ContentBlockItem:
    """Make an item of a content block."""
    return ContentBlockItem(id=item_id, turn_id=turn_id, **block.model_dump())
