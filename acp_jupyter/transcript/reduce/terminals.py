"""Terminals: the card that shows each, its output, and how it ended.

A card shows the terminal's whole output, even if the card comes later. A terminal that no tool call
names gets a card of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from acp_jupyter.protocol.content import ToolTerminal
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.host_events.session import (
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
)
from acp_jupyter.protocol.packets import ToolCallProgress, ToolCallStart
from acp_jupyter.protocol.tools.outputs import TerminalPiece
from acp_jupyter.protocol.vocabulary import ToolStatus
from acp_jupyter.transcript.escaping import one_line, without_ansi
from acp_jupyter.transcript.model.item_base import Text, index_of
from acp_jupyter.transcript.model.tool_items import CallFacts, KnownTerminal, TerminalView, ToolCall
from acp_jupyter.transcript.reduce.draft import Draft

_MAX_TERMINALS = 256
"""Most terminals kept from one turn to the next; above that only half of them are kept."""

TerminalNote = TerminalStarted | TerminalOutput | TerminalExited | TerminalReleased


def take_note(draft: Draft, packet: TerminalNote) -> None:
    """Apply the host's note about a terminal that it runs."""
    match packet:
        case TerminalStarted():
            _started(draft, packet)
        case TerminalOutput():
            _put_out(draft, packet)
        case TerminalExited():
            _exited(draft, packet)
        case TerminalReleased():
            change_terminal(draft, packet.terminal_id, released=True)
            show_in_own_card(draft, packet.terminal_id)
        case _:
            assert_never(packet)


def _started(draft: Draft, packet: TerminalStarted) -> None:
    view = TerminalView(
        terminal_id=packet.terminal_id,
        command=packet.command,
        cwd=relative_path(packet.cwd, draft.session.cwd),
        own=True,
        by_user=packet.by_user,
    )
    known = draft.terminals.get(packet.terminal_id)
    known = KnownTerminal(view) if known is None else replace(known, view=view)
    draft.terminals = draft.terminals.set(packet.terminal_id, known)
    change_terminal(draft, packet.terminal_id)
    if not may_be_named(draft):
        show_in_own_card(draft, packet.terminal_id)


def _put_out(draft: Draft, packet: TerminalOutput) -> None:
    text = packet.text
    if packet.left_out:
        text = f"\n… {packet.left_out:,} characters are not shown …\n{text}"
    if packet.cut or packet.left_out:
        change_terminal(draft, packet.terminal_id, truncated=True)
    append_output(draft, packet.terminal_id, text)


def _exited(draft: Draft, packet: TerminalExited) -> None:
    how = {"exit_code": packet.exit_code, "signal": packet.signal, "by": packet.by}
    change_terminal(draft, packet.terminal_id, running=False, **how)
    if not may_be_named(draft):
        show_in_own_card(draft, packet.terminal_id)


def adopt_card(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> None:
    """Give a terminal's card to the tool call that names the terminal later."""
    if packet.tool_call_id in draft.calls:
        return
    for terminal_id in _terminal_ids(packet):
        known = draft.terminals.get(terminal_id)
        if known is None or not known.has_own_card:
            continue
        item = draft.get_call(known.items[0])
        if item.turn_id != draft.turn_id():
            continue
        draft.terminals = draft.terminals.set(terminal_id, replace(known, has_own_card=False))
        draft.calls = draft.calls.set(packet.tool_call_id, CallFacts(item.id))
        draft.replace(item.model_copy(update={"tool_call_id": packet.tool_call_id}))
        return


def update_from_call(draft: Draft, item_id: str, packet: ToolCallStart | ToolCallProgress) -> None:
    """Apply a tool call's packet to terminals: which ones the call shows, and new output."""
    for terminal_id in _terminal_ids(packet):
        show_terminal(draft, terminal_id, item_id)
    if packet.terminal is not None:
        _add_output(draft, item_id, packet.terminal)
    item = draft.get_call(item_id)
    if item.terminal is not None and not item.is_open:
        stop_running(draft, item.terminal)


def keeps_output(
    draft: Draft, item_id: str, packet: ToolCallStart | ToolCallProgress, text: str
) -> bool:
    """Return whether the terminal's output is the call's; append other text of the last update."""
    shown = draft.text_of(item_id)
    if draft.get_call(item_id).terminal is None or shown is None:
        return False
    if packet.content and packet.status in {"completed", "failed"} and not _terminal_ids(packet):
        whole = without_ansi(str(shown))
        new = text.strip()
        if new not in whole and whole.strip() not in new:
            between = "" if whole.endswith("\n") else "\n"
            draft.append_text(item_id, "output", between + text)
    return True


def close_terminals(draft: Draft) -> None:
    """Show terminals that no card shows; stop the agent's own, unless in the background."""
    for terminal_id in sorted(draft.terminals):
        known = draft.terminals[terminal_id]
        show_in_own_card(draft, terminal_id)
        if draft.background.items.isdisjoint(known.items):
            stop_running(draft, known.view)


def forget_old(draft: Draft) -> None:
    """Forget the oldest terminals that have ended; their cards keep the output."""
    if len(draft.terminals) <= _MAX_TERMINALS:
        return
    ended = (
        (name, known)
        for name, known in draft.terminals.items()
        if known.items and not known.view.running
    )
    old = sorted(ended, key=lambda each: index_of(each[1].items[0]))
    for name, _ in old[: len(draft.terminals) - _MAX_TERMINALS // 2]:
        draft.terminals = draft.terminals.discard(name)


def outlives_turn(draft: Draft, item: ToolCall) -> bool:
    """Return whether an item is the own card of a command that goes on after the turn."""
    if item.terminal is None or not item.terminal.running:
        return False
    known = draft.terminals.get(item.terminal.terminal_id)
    ends_it = known is not None and (known.has_own_card or known.view.by_user)
    return ends_it and item.terminal.own


# -- the agent's own ---------------------------------------------------------


def _terminal_ids(packet: ToolCallStart | ToolCallProgress) -> list[str]:
    content = packet.content or ()
    return [part.terminal_id for part in content if isinstance(part, ToolTerminal)]


def _add_output(draft: Draft, item_id: str, piece: TerminalPiece) -> None:
    known = draft.terminals.get(piece.terminal_id)
    if known is not None and known.view.own:
        return  # we know better
    show_terminal(draft, piece.terminal_id, item_id)
    # claude calls every failure 1 here, and says the true code in the same line's output.
    exit_code = draft.get_call(item_id).exit_code
    about = _about(draft, piece, piece.exit_code if exit_code is None else exit_code)
    if piece.ended and draft.get_call(item_id).cancelling:
        about["by"] = "user"
    _take_text(draft, piece, draft.text_of(item_id))
    change_terminal(draft, piece.terminal_id, **about)


def _about(draft: Draft, piece: TerminalPiece, code: int | None) -> dict[str, object]:
    """Return what a piece says of its terminal, beside the output."""
    about: dict[str, object] = {}
    if piece.command:
        about["command"] = piece.command
    if piece.cwd:
        about["cwd"] = relative_path(piece.cwd, draft.session.cwd)
    if piece.ended:
        about |= {"running": False, "exit_code": code, "signal": piece.signal}
    elif piece.text:
        about["running"] = True
    if piece.can_cancel is not None:
        about["can_cancel"] = piece.can_cancel
    return about


def take_piece(draft: Draft, piece: TerminalPiece) -> None:
    """Apply an agent's update of a terminal that comes without a tool call."""
    known = draft.terminals.get(piece.terminal_id)
    if known is None:
        known = KnownTerminal(TerminalView(terminal_id=piece.terminal_id))
        draft.terminals = draft.terminals.set(piece.terminal_id, known)
    if known.view.own:
        return
    if not known.items and not may_be_named(draft) and (piece.text or piece.ended):
        change_terminal(draft, piece.terminal_id, command=piece.command or known.view.command)
        show_in_own_card(draft, piece.terminal_id)
        known = draft.terminals[piece.terminal_id]
    if known.items:
        _add_output(draft, known.items[0], piece)
        return
    _take_text(draft, piece, known.waiting)
    change_terminal(draft, piece.terminal_id, **_about(draft, piece, piece.exit_code))


def _take_text(draft: Draft, piece: TerminalPiece, shown: Text | None) -> None:
    """Append text; an update with the terminal's whole output replaces the output."""
    if piece.alone and piece.may_be_whole:
        _set_output(draft, piece.terminal_id, piece.text)
        return
    old = _repeated(piece.text, shown or Text()) if piece.may_be_whole else ""
    append_output(draft, piece.terminal_id, piece.text[len(old) :])


def _repeated(text: str, shown: Text) -> str:
    """Return the output that ``text`` repeats, where some agents send all of it each time."""
    # Output that is much longer can't be a prefix of the text: don't join its pieces for that.
    old = "" if shown.length >= 2 * len(text) else str(shown)
    # One character over and over is a progress bar, not repeated output.
    return old if len(text) > len(old) and text.startswith(old) and len(set(old)) > 1 else ""


def stop_running(draft: Draft, view: TerminalView) -> None:
    """Mark the agent's own terminal as ended, unless it runs in the background."""
    if view.running and not view.own and view.terminal_id not in draft.background.terminals:
        change_terminal(draft, view.terminal_id, running=False)


def append_output(draft: Draft, terminal_id: str, text: str) -> None:
    """Append to a terminal's output; the cost depends on the new text only."""
    known = draft.terminals.get(terminal_id)
    if known is None or not text:
        return
    if not known.items:
        waiting = replace(known, waiting=known.waiting.append(text))
        draft.terminals = draft.terminals.set(terminal_id, waiting)
        return
    for item_id in known.items:
        draft.append_text(item_id, "output", text)


def _set_output(draft: Draft, terminal_id: str, text: str) -> None:
    known = draft.terminals[terminal_id]
    if not known.items:
        waiting = replace(known, waiting=Text().append(text))
        draft.terminals = draft.terminals.set(terminal_id, waiting)
        return
    for item_id in known.items:
        draft.set_text(item_id, "output", text)


def change_terminal(draft: Draft, terminal_id: str, **changes: object) -> None:
    """Change a terminal's known state, and the cards that show it."""
    known = draft.terminals.get(terminal_id)
    if known is None:
        return
    view = known.view.model_copy(update=changes)
    draft.terminals = draft.terminals.set(terminal_id, replace(known, view=view))
    for item_id in known.items:
        item = draft.get_call(item_id)
        fields = _card_fields(draft, item, view, known.has_own_card or view.by_user)
        draft.replace(item.model_copy(update=fields))


def _card_fields(
    draft: Draft, item: ToolCall, view: TerminalView, ends_it: bool
) -> dict[str, object]:
    fields: dict[str, object] = {"terminal": view, "command": item.command or view.command}
    if view.exit_code is not None:
        fields["exit_code"] = view.exit_code
    if ends_it and not view.running and item.is_open:
        fields |= {"status": _ended_status(view), "ended_at": draft.at}
    return fields


def _ended_status(view: TerminalView) -> ToolStatus:
    if view.by in {"agent", "user", "session"}:
        return "cancelled"
    return "completed" if view.exit_code == 0 else "failed"


def show_terminal(draft: Draft, terminal_id: str, item_id: str) -> None:
    """Show a terminal in a card, with its output so far."""
    known = draft.terminals.get(terminal_id)
    if known is None:
        known = KnownTerminal(TerminalView(terminal_id=terminal_id))
    elif item_id in known.items:
        return
    text = draft.text_of(known.items[0]) if known.items else known.waiting
    known = replace(known, items=(*known.items, item_id), waiting=Text())
    draft.terminals = draft.terminals.set(terminal_id, known)
    change_terminal(draft, terminal_id)
    draft.append_text(item_id, "output", "" if text is None else str(text))


def may_be_named(draft: Draft) -> bool:
    """Return whether a tool call is open that may yet name a terminal."""
    start = draft.turn_first.get(draft.session.active_turn_id or "", len(draft.items))
    return any(
        isinstance(item, ToolCall) and item.is_open and item.terminal is None
        for item in draft.items.recent(start)
    )


def show_in_own_card(draft: Draft, terminal_id: str) -> None:
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
    show_terminal(draft, terminal_id, item.id)
