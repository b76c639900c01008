"""A session or a turn as one HTML file that shows it as JupyterLab does, and plays it in steps.

``labextension/src/features/share/build.mjs`` builds the page with its view and content security
policy: two scripts run, known by their hashes, and nothing is fetched. This module fills in the
content: each turn as a notebook saves it, with its prompt, and a short text for readers without
JavaScript.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from acp_jupyter.errors import BadRequest, MissingPackage
from acp_jupyter.protocol.content import media_of
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.transcript.escaping import one_line, printable
from acp_jupyter.transcript.model.items import Item, UserMessage
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, ToolCall
from acp_jupyter.transcript.output.bundle import left_out_note, saved_turn, sections
from acp_jupyter.transcript.output.markdown import turn_plain_text
from acp_jupyter.transcript.output.record import item_record, run_mark, saved_record
from acp_jupyter.transcript.redactor import Scrubber

_PAGE = Path(__file__).parents[2] / "static" / "shared.html"
_PLACES = re.compile(r"\{\{(title|facts|words|turns)\}\}")

_TURN_BYTES = 100_000
"""Largest turn without its pictures; together with the page it is below 300 kB."""
_FILE_BYTES = 4_000_000
_PICTURE_CHARS = 1_000_000
"""Largest data of one picture; the page reads no more."""
_TURN_PICTURE_CHARS = 4_000_000
_FILE_PICTURE_CHARS = 16_000_000
_TEXT_CHARS = 48_000
_PROMPT_CHARS = 8_000
_WORDS_CHARS = 8_000
_TITLE_CHARS = 120


def shared_page(
    session: SessionState,
    turns: Sequence[TurnState],
    items: Iterable[Item],
    scrubber: Scrubber,
    *,
    thoughts: bool = False,
) -> str:
    """Return an HTML page with these turns.

    Parameters
    ----------
    session, turns, items
        The content of the page; the items of all turns in one sequence, in order.
    """
    parts = list(sections(turns, items))
    if not parts:
        raise BadRequest("There is no turn to share yet.")
    room = _Room()
    records: list[Obj] = []
    words: list[str] = []
    # The newest that fit.
    while parts and room.has_room:
        turn, own = parts[-1]
        record, plain = _record_and_text(
            turn, own, session, scrubber, room, len(parts), thoughts=thoughts
        )
        records.append(record)
        words.append(plain)
        parts.pop()
    title = turns[0].prompt if len(turns) == 1 else session.title
    what = {
        "title": one_line(scrubber.text(title or session.agent_info.name), _TITLE_CHARS),
        "facts": scrubber.text(" · ".join(_facts(session, turns, len(parts)))),
        "words": scrubber.text("\n\n".join(reversed(words)))[:_WORDS_CHARS],
    }
    places = {name: html.escape(printable(text)) for name, text in what.items()}
    places["turns"] = script_json({"turns": list(reversed(records))})
    return _PLACES.sub(lambda place: places[place[1]], _page())


def _page() -> str:
    try:
        return _PAGE.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise MissingPackage(
            "The page of what is shared was not built here. Run: make install", str(error)
        ) from error


def script_json(value: JsonValue) -> str:
    """Return JSON for a script element, escaped so that it can't end the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _facts(session: SessionState, turns: Sequence[TurnState], left_out: int) -> Iterable[str]:
    yield " ".join(filter(None, (session.agent_info.name, session.agent_info.version)))
    sent = turns[-1].queued_at or turns[-1].started_at if turns else None
    if sent is not None:
        yield f"{datetime.fromtimestamp(sent, UTC):%Y-%m-%d}"
    if left_out:
        yield f"{left_out} earlier turn{'s are' if left_out > 1 else ' is'} left out"


def _record_and_text(
    turn: TurnState | None,
    items: Sequence[Item],
    session: SessionState,
    scrubber: Scrubber,
    room: _Room,
    number: int,
    *,
    thoughts: bool,
) -> tuple[Obj, str]:
    """Return a turn as JSON and as text; items between turns make one without a prompt."""
    known = turn or TurnState(turn_id="", session_id="", status="done")
    named = known.model_copy(update={"turn_id": f"turn-{number}", "session_id": "shared"})
    prompts = [
        scrubber.model(item) for item in items if isinstance(item, UserMessage) and not item.steered
    ]
    snapshot, shown = saved_turn(
        named,
        items,
        session,
        scrubber,
        thoughts=thoughts,
        picture_chars=_PICTURE_CHARS,
        fit=lambda saved, earlier: room.fit(prompts, saved, earlier),
    )
    if turn is None:
        snapshot = snapshot.model_copy(update={"footer": ()})
    record: Obj = {
        "record": saved_record(snapshot),
        "metadata": run_mark(named, snapshot.items),
    }
    asked = [one_line(item.text, _TITLE_CHARS) for item in prompts]
    plain = turn_plain_text(snapshot.turn, shown, footer=snapshot.footer)
    return record, "\n".join([*asked, plain])


class _Room:
    """The room that is left in the file."""

    def __init__(self) -> None:
        self._bytes = _FILE_BYTES
        self._picture_chars = _FILE_PICTURE_CHARS

    @property
    def has_room(self) -> bool:
        return self._bytes > 0

    def fit(
        self, prompts: Sequence[UserMessage], items: Sequence[Item], earlier: int
    ) -> tuple[Item, ...]:
        """Return the prompts and the newest items that fit, and a note in place of the others."""
        pictures = min(_TURN_PICTURE_CHARS, self._picture_chars)
        self._picture_chars -= pictures
        room = _TURN_BYTES
        fitting: list[Item] = []
        for item in reversed(items):
            item, pictures = _cut(item, pictures)
            size = _size(item)
            if size > _TURN_BYTES:
                continue  # an item that can't fit alone must not push out the others
            if size > room:
                break
            room -= size
            fitting.append(item)
        self._picture_chars += pictures
        shown = [_shortened(prompt, _PROMPT_CHARS) for prompt in reversed(prompts)]
        self._bytes -= _TURN_BYTES - room + sum(map(_size, shown))
        left_out = len(items) - len(fitting) + earlier
        if left_out:
            turn_id = items[0].turn_id if items else None
            fitting.append(left_out_note(turn_id, left_out))
        fitting += shown
        return tuple(reversed(fitting))


def _cut(item: Item, pictures: int) -> tuple[Item, int]:
    """Return the item cut to size, and how many characters of pictures are left."""
    if isinstance(item, ContentBlockItem):
        return _with_picture(item, pictures)
    if isinstance(item, ToolCall) and item.blocks:
        blocks: list[ContentBlockItem] = []
        for block in item.blocks:
            block, pictures = _with_picture(block, pictures)
            blocks.append(block)
        return item.model_copy(update={"blocks": tuple(blocks)}), pictures
    return _shortened(item, _TEXT_CHARS), pictures


def _with_picture(block: ContentBlockItem, room: int) -> tuple[ContentBlockItem, int]:
    if media_of(block.type) is None:
        return block, room
    if block.data and len(block.data) <= room:
        return block, room - len(block.data)
    words = f"{block.name or block.type.capitalize()} (left out: too large for this file)"
    return block.model_copy(update={"type": "other", "data": "", "name": words}), room


def _shortened(item: Item, chars: int) -> Any:
    text = getattr(item, "text", "")
    if len(text) <= chars:
        return item
    left_out = len(text) - chars
    cut = f"{text[:chars]}\n\n… {left_out:,} characters left out …"
    return item.model_copy(update={"text": cut})


def _size(item: Item) -> int:
    """Return the size of an item in the file, in bytes without its pictures."""
    blocks = item.blocks if isinstance(item, ToolCall) else (item,)
    pictures = sum(len(block.data) for block in blocks if isinstance(block, ContentBlockItem))
    return len(script_json(item_record(item)).encode()) - pictures


TRANSCRIPTS = {"shared": shared_page}
