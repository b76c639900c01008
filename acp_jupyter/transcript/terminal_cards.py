"""The cards that show terminals; each shows all of its terminal, whenever it comes."""

from __future__ import annotations

from dataclasses import replace

from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import ToolCall, ToolStatus
from acp_jupyter.transcript.markdown import one_line
from acp_jupyter.transcript.terminal_items import KnownTerminal, TerminalView
from acp_jupyter.transcript.text import Text

__all__ = ["OPEN", "append", "change", "may_be_named", "show", "show_alone"]

OPEN: frozenset[ToolStatus] = frozenset({"pending", "in_progress"})


def append(draft: Draft, terminal_id: str, text: str) -> None:
    """Add to a terminal's output; costs as much as the piece."""
    known = draft.terminals.get(terminal_id)
    if known is None or not text:
        return
    for item_id in known.items:
        draft.append_text(item_id, "output", text)
    if not known.items:
        waiting = replace(known, waiting=known.waiting.append(text))
        draft.terminals = draft.terminals.set(terminal_id, waiting)


def change(draft: Draft, terminal_id: str, **changes: object) -> None:
    """Change what is known of a terminal, and the cards that show it."""
    known = draft.terminals.get(terminal_id)
    if known is None:
        return
    view = known.view.model_copy(update=changes)
    draft.terminals = draft.terminals.set(terminal_id, replace(known, view=view))
    for item_id in known.items:
        item = draft.get(item_id)
        if isinstance(item, ToolCall):
            draft.replace(item.model_copy(update=_fields(draft, item, view, known.has_own_card)))


def _fields(
    draft: Draft, item: ToolCall, view: TerminalView, has_own_card: bool
) -> dict[str, object]:
    fields: dict[str, object] = {"terminal": view, "command": item.command or view.command}
    if view.exit_code is not None:
        fields["exit_code"] = view.exit_code
    if has_own_card and not view.running and item.status in OPEN:
        fields |= {"status": _ended_status(view), "ended_at": draft.at}
    return fields


def _ended_status(view: TerminalView) -> ToolStatus:
    if view.by in {"agent", "user", "session"}:
        return "cancelled"
    return "completed" if view.exit_code == 0 else "failed"


def show(draft: Draft, terminal_id: str, item_id: str) -> None:
    """Show a terminal in a card, with what it has put out already."""
    known = draft.terminals.get(terminal_id)
    if known is None:
        known = KnownTerminal(TerminalView(terminal_id=terminal_id))
    elif item_id in known.items:
        return
    text = draft.text_of(known.items[0]) if known.items else known.waiting
    known = replace(known, items=(*known.items, item_id), waiting=Text())
    draft.terminals = draft.terminals.set(terminal_id, known)
    change(draft, terminal_id)
    draft.append_text(item_id, "output", "" if text is None else str(text))


def may_be_named(draft: Draft) -> bool:
    """Tell whether a tool call is open that may yet name a terminal."""
    turn_id = draft.session.active_turn_id
    if turn_id is None:
        return False
    start = draft.turn_first.get(turn_id, len(draft.items))
    return any(
        isinstance(item, ToolCall) and item.status in OPEN and item.terminal is None
        for item in draft.items.recent(start)
    )


def show_alone(draft: Draft, terminal_id: str) -> None:
    """Make a card for a terminal that no tool call has named."""
    known = draft.terminals.get(terminal_id)
    if known is None or known.items:
        return
    draft.close_open_item()
    command = known.view.command
    item = ToolCall(
        id=draft.new_id(),
        turn_id=draft.turn_id(),
        tool_call_id=terminal_id,
        tool_kind="execute",
        ui_kind="execute",
        title=one_line(command) or "Running command",
        status="in_progress",
        command=command,
        started_at=draft.at,
    )
    draft.add(item)
    draft.terminals = draft.terminals.set(terminal_id, replace(known, has_own_card=True))
    show(draft, terminal_id, item.id)
