"""Collects what is seen, while a turn runs, of who changes its files."""

from __future__ import annotations

from dataclasses import replace

from acp_jupyter.protocol.host_events.session import (
    AgentWroteToDisk,
    FileSaved,
    FileWritten,
    TerminalExited,
    TerminalStarted,
)
from acp_jupyter.transcript.model.evidence import Span, TurnEvidence, Wait
from acp_jupyter.transcript.model.persistent import Map
from acp_jupyter.transcript.reduce.draft import Draft

_RUNNING = 0.0


def begin(draft: Draft, turn_id: str) -> None:
    """Forget the evidence of an earlier turn; its commands may still run."""
    old = draft.evidence
    draft.evidence = TurnEvidence(
        turn_id, terminals=_running(old.terminals), by_user=_running(old.by_user)
    )


def _running(spans: Map[str, Span]) -> Map[str, Span]:
    return Map.of({name: span for name, span in spans.items() if span[1] == _RUNNING})


def take_evidence(draft: Draft, note: FileSaved | AgentWroteToDisk) -> None:
    """Note that a file was saved, or that the agent's process wrote to a disk."""
    evidence = draft.evidence
    if note.turn_id != evidence.turn_id:
        return
    match note:
        case AgentWroteToDisk():
            disk = evidence.disk.append((note.since, note.until))
            draft.evidence = replace(evidence, disk=disk)
        case FileSaved():
            if note.by_agent:
                _wrote(draft, note.path)
            if note.by_person:
                saved = evidence.saved.set(note.path, None)
                draft.evidence = replace(draft.evidence, saved=saved)


def take_written(draft: Draft, note: FileWritten) -> None:
    """Note that the agent wrote a file through the host."""
    if draft.session.active_turn_id is not None:
        _wrote(draft, note.path)


def _wrote(draft: Draft, path: str) -> None:
    written = draft.evidence.written.set(path, None)
    draft.evidence = replace(draft.evidence, written=written)


def take_terminal(draft: Draft, note: TerminalStarted | TerminalExited) -> None:
    """Note when a command of the agent or the user ran."""
    evidence, name = draft.evidence, note.terminal_id
    if isinstance(note, TerminalStarted):
        span = (draft.at, _RUNNING)
        by_user = note.by_user
    else:
        by_user = name in evidence.by_user
        known = (evidence.by_user if by_user else evidence.terminals).get(name)
        if known is None:
            return
        span = (known[0], draft.at)
    if by_user:
        draft.evidence = replace(evidence, by_user=evidence.by_user.set(name, span))
    else:
        draft.evidence = replace(evidence, terminals=evidence.terminals.set(name, span))


def take_wait(draft: Draft, item_id: str, asked_at: float | None) -> None:
    """Note that a call's permission request was answered."""
    if asked_at is not None and draft.session.active_turn_id is not None:
        waits = draft.evidence.waits.append(Wait(item_id, (asked_at, draft.at)))
        draft.evidence = replace(draft.evidence, waits=waits)
