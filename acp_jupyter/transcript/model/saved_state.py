"""Saves a transcript as JSON and bytes, so that reading its log can continue from there.

Items, tool calls and turns are saved one by one, so that only those that have changed are written.
A transcript with anything open is not saved: a request that waits, a text that grows, a turn that
runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import JsonValue, TypeAdapter

from acp_jupyter.transcript.model.item_base import Text
from acp_jupyter.transcript.model.packed import (
    NEWEST,
    TEXT_AT,
    Calls,
    Items,
    SpillStore,
    Turns,
)
from acp_jupyter.transcript.model.persistent import Map, Vector
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.spilling import NEWEST_TURNS
from acp_jupyter.transcript.model.state import Transcript, WrittenDiff
from acp_jupyter.transcript.model.tool_items import KnownTerminal, TerminalView
from acp_jupyter.transcript.model.use import Use


@dataclass(frozen=True, slots=True)
class SavedParts:
    """Positions of saved items, calls and turns; each as two lists: names and positions."""

    items: tuple[Sequence[int], Sequence[int]]
    calls: tuple[Sequence[str], Sequence[int]]
    turns: tuple[Sequence[str], Sequence[int]]


@dataclass(frozen=True, slots=True)
class _SavedTerminal:
    view: TerminalView
    items: tuple[str, ...]
    waiting: str
    has_own_card: bool


@dataclass(frozen=True, slots=True)
class _Rest:
    """The other fields of a transcript, which are small."""

    session: SessionState
    seq: int
    left: tuple[int, ...]
    total: int
    turn_order: tuple[str, ...]
    turn_first: dict[str, int]
    turn_last: dict[str, int]
    steps: dict[str, str]
    notices: dict[str, str]
    renewable: tuple[tuple[tuple[str, str | None, str], str], ...]
    url_elicitations: dict[str, str]
    terminals: dict[str, _SavedTerminal]
    stopping: str | None
    time_up: str | None
    limit_words: str
    turn_use: Use
    refused: bool
    written: dict[str, WrittenDiff]


@cache
def _parts() -> TypeAdapter[SavedParts]:
    return TypeAdapter(SavedParts)


@cache
def _rest() -> TypeAdapter[_Rest]:
    return TypeAdapter(_Rest)


def is_at_rest(transcript: Transcript) -> bool:
    """Return whether nothing is open, so that the transcript can be saved."""
    session = transcript.session
    return (
        session.active_turn_id is None
        and not session.queue
        and not session.waiting
        and transcript.open is None
        and not len(transcript.opened_by)
        and not len(transcript.request_items)
        and not len(transcript.held)
        and not session.background
        and not len(transcript.settled_by)
    )


def put_parts(
    transcript: Transcript,
    indexes: Iterable[int],
    call_ids: Iterable[str],
    turn_ids: Iterable[str],
    put: Callable[[bytes], int],
) -> bytes:
    """Save items, calls and turns with ``put``, which returns positions; return these as JSON."""

    def put_item(index: int) -> int:
        text = transcript.text_of(f"i{index}")
        text_at = -1 if text is None else put(str(text).encode("utf-8", "surrogatepass"))
        return put(TEXT_AT.pack(text_at) + transcript.items.packed(index))

    # Ids without a call belong to the own cards of terminals.
    calls = sorted(call for call in call_ids if call in transcript.calls)
    items, turns = sorted(indexes), list(turn_ids)
    parts = SavedParts(
        items=(items, [put_item(index) for index in items]),
        calls=(calls, [put(transcript.calls.packed(call)) for call in calls]),
        turns=(turns, [put(transcript.turns.packed(turn)) for turn in turns]),
    )
    return _parts().dump_json(parts)


def save_rest(transcript: Transcript) -> JsonValue:
    """Return all other fields as JSON."""
    terminals = {
        name: _SavedTerminal(known.view, known.items, str(known.waiting), known.has_own_card)
        for name, known in transcript.terminals.items()
    }
    rest = _Rest(
        session=transcript.session,
        seq=transcript.seq,
        left=tuple(transcript.items.left),
        total=len(transcript.items),
        turn_order=tuple(transcript.turn_order),
        turn_first=dict(transcript.turn_first.items()),
        turn_last=dict(transcript.turn_last.items()),
        steps=dict(transcript.steps.items()),
        notices=dict(transcript.notices.items()),
        renewable=tuple(transcript.renewable.items()),
        url_elicitations=dict(transcript.url_elicitations.items()),
        terminals=terminals,
        stopping=transcript.stopping,
        time_up=transcript.time_up,
        limit_words=transcript.limit_words,
        turn_use=transcript.turn_use,
        refused=transcript.refused,
        written=dict(transcript.written.items()),
    )
    saved: JsonValue = _rest().dump_python(rest, mode="json")
    return saved


def restored(parts: Iterable[bytes], saved: JsonValue, shelf: SpillStore) -> Transcript:
    """Return the transcript that was saved as these parts, oldest first, and other fields."""
    rest = _rest().validate_python(saved, strict=False)
    items: list[int] = [-1] * rest.total
    calls: dict[str, int] = {}
    turns: dict[str, int] = {}
    for each in map(_parts().validate_json, parts):
        for index, position in zip(*each.items, strict=True):
            items[index] = position
        calls.update(zip(*each.calls, strict=True))
        turns.update(zip(*each.turns, strict=True))
    if -1 in items or any(turn_id not in turns for turn_id in rest.turn_order):
        raise ValueError("the state of a session is not whole")
    old_turns = max(0, len(rest.turn_order) - NEWEST_TURNS)
    return Transcript(rest.session).changed(
        seq=rest.seq,
        items=Items(
            Vector.of(items),
            Map.of(dict.fromkeys(rest.left)),
            shelf,
            max(0, len(items) - NEWEST),
        ),
        calls=Calls(Map.of(calls), shelf),
        turns=Turns(Map.of(turns), shelf, old_turns),
        turn_order=Vector.of(rest.turn_order),
        turn_first=Map.of(rest.turn_first),
        turn_last=Map.of(rest.turn_last),
        steps=Map.of(rest.steps),
        notices=Map.of(rest.notices),
        renewable=Map.of(dict(rest.renewable)),
        url_elicitations=Map.of(rest.url_elicitations),
        terminals=Map.of(_terminals(rest.terminals)),
        stopping=rest.stopping,
        time_up=rest.time_up,
        limit_words=rest.limit_words,
        turn_use=rest.turn_use,
        refused=rest.refused,
        written=Map.of(rest.written),
    )


def _terminals(saved: Mapping[str, _SavedTerminal]) -> dict[str, KnownTerminal]:
    return {
        name: KnownTerminal(
            each.view,
            each.items,
            Text().append(each.waiting) if each.waiting else Text(),
            each.has_own_card,
        )
        for name, each in saved.items()
    }
