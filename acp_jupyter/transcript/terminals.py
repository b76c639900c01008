"""Terminals in the transcript: whose card shows them, and what that card then says."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from acp_jupyter.packets.content import ToolTerminal
from acp_jupyter.packets.models import ToolCallProgress, ToolCallStart
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.packets.terminal_meta import TerminalPiece
from acp_jupyter.packets.terminal_notes import (
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
)
from acp_jupyter.transcript import terminal_cards as cards
from acp_jupyter.transcript.call_facts import CallFacts
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import ToolCall
from acp_jupyter.transcript.markdown import without_ansi
from acp_jupyter.transcript.terminal_items import KnownTerminal, TerminalView

__all__ = ["TerminalNote", "adopt", "keeps_text", "note", "outlives", "said", "turn_ends"]

TerminalNote = TerminalStarted | TerminalOutput | TerminalExited | TerminalReleased


def note(draft: Draft, packet: TerminalNote) -> None:
    """Take in what the host writes of a terminal that it runs."""
    match packet:
        case TerminalStarted():
            _started(draft, packet)
        case TerminalOutput():
            _put_out(draft, packet)
        case TerminalExited():
            _exited(draft, packet)
        case TerminalReleased():
            cards.change(draft, packet.terminal_id, released=True)
            cards.show_alone(draft, packet.terminal_id)
        case _:
            assert_never(packet)


def _started(draft: Draft, packet: TerminalStarted) -> None:
    view = TerminalView(
        terminal_id=packet.terminal_id,
        command=packet.command,
        cwd=relative_path(packet.cwd, draft.session.cwd),
        own=True,
    )
    known = draft.terminals.get(packet.terminal_id)
    known = KnownTerminal(view) if known is None else replace(known, view=view)
    draft.terminals = draft.terminals.set(packet.terminal_id, known)
    cards.change(draft, packet.terminal_id)
    if not cards.may_be_named(draft):
        cards.show_alone(draft, packet.terminal_id)


def _put_out(draft: Draft, packet: TerminalOutput) -> None:
    text = packet.text
    if packet.left_out:
        text = f"\n… {packet.left_out:,} characters are not shown …\n{text}"
    if packet.cut or packet.left_out:
        cards.change(draft, packet.terminal_id, truncated=True)
    cards.append(draft, packet.terminal_id, text)


def _exited(draft: Draft, packet: TerminalExited) -> None:
    how = {"exit_code": packet.exit_code, "signal": packet.signal, "by": packet.by}
    cards.change(draft, packet.terminal_id, running=False, **how)
    if not cards.may_be_named(draft):
        cards.show_alone(draft, packet.terminal_id)


def adopt(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> None:
    """Make a terminal's own card that of the tool call which names it later."""
    if packet.tool_call_id in draft.calls:
        return
    for terminal_id in _named(packet):
        known = draft.terminals.get(terminal_id)
        if known is None or not known.has_own_card:
            continue
        item = draft.get(known.items[0])
        if not isinstance(item, ToolCall) or item.turn_id != draft.turn_id():
            continue
        draft.terminals = draft.terminals.set(terminal_id, replace(known, has_own_card=False))
        draft.calls = draft.calls.set(packet.tool_call_id, CallFacts(item.id))
        draft.replace(item.model_copy(update={"tool_call_id": packet.tool_call_id}))
        return


def said(draft: Draft, item_id: str, packet: ToolCallStart | ToolCallProgress) -> None:
    """Take in what a tool call's packet says of terminals: which it shows, what one did."""
    for terminal_id in _named(packet):
        cards.show(draft, terminal_id, item_id)
    if packet.terminal is not None:
        _piece(draft, item_id, packet.terminal)
    item = draft.get(item_id)
    if isinstance(item, ToolCall) and item.terminal is not None and item.status not in cards.OPEN:
        _settle(draft, item.terminal)


def keeps_text(
    draft: Draft, item_id: str, packet: ToolCallStart | ToolCallProgress, text: str
) -> bool:
    """Tell whether a call's output is its terminal's; what else is said at the end is added."""
    item = draft.get(item_id)
    shown = draft.text_of(item_id)
    if not isinstance(item, ToolCall) or item.terminal is None or shown is None:
        return False
    if packet.content and packet.status in {"completed", "failed"} and not _named(packet):
        whole = without_ansi(str(shown))
        new = text.strip()
        if new not in whole and whole.strip() not in new:
            between = "" if whole.endswith("\n") else "\n"
            draft.append_text(item_id, "output", between + text)
    return True


def turn_ends(draft: Draft) -> None:
    """Show what no card shows; agents tell no more of their own terminals."""
    for terminal_id in sorted(draft.terminals):
        known = draft.terminals[terminal_id]
        if not known.items:
            cards.show_alone(draft, terminal_id)
        _settle(draft, known.view)


def outlives(draft: Draft, item: ToolCall) -> bool:
    """Tell whether an item is the own card of a command that goes on after the turn."""
    if item.terminal is None or not item.terminal.running:
        return False
    known = draft.terminals.get(item.terminal.terminal_id)
    return known is not None and known.has_own_card and known.view.own


# -- the agent's own ---------------------------------------------------------


def _named(packet: ToolCallStart | ToolCallProgress) -> list[str]:
    content = packet.content or ()
    return [part.terminal_id for part in content if isinstance(part, ToolTerminal)]


def _piece(draft: Draft, item_id: str, piece: TerminalPiece) -> None:
    known = draft.terminals.get(piece.terminal_id)
    if known is not None and known.view.own:
        return  # we know better
    cards.show(draft, piece.terminal_id, item_id)
    about: dict[str, object] = {}
    if piece.command:
        about["command"] = piece.command
    if piece.cwd:
        about["cwd"] = relative_path(piece.cwd, draft.session.cwd)
    if piece.ended:
        item = draft.get(item_id)
        # claude calls every failure 1 here, and says the true code in the same line's output.
        told = item.exit_code if isinstance(item, ToolCall) else None
        code = piece.exit_code if told is None else told
        about |= {"running": False, "exit_code": code, "signal": piece.signal}
    elif piece.text:
        about["running"] = True
    text = piece.text
    if piece.may_be_whole and (old := _extended(draft, item_id, text)):
        text = text[len(old) :]
    cards.append(draft, piece.terminal_id, text)
    cards.change(draft, piece.terminal_id, **about)


def _extended(draft: Draft, item_id: str, text: str) -> str:
    """Return the output that ``text`` repeats, where some agents send all of it each time."""
    known = draft.text_of(item_id)
    if known is None or known.length >= 2 * len(text):
        return ""
    old = str(known)
    # One character again and again is progress, not the same output once more.
    return old if len(text) > len(old) and text.startswith(old) and len(set(old)) > 1 else ""


def _settle(draft: Draft, view: TerminalView) -> None:
    if view.running and not view.own:
        cards.change(draft, view.terminal_id, running=False)
