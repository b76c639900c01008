"""The values of a turn's traits, kept up to date from the session's events.

Plain tuples, dictionaries and texts, so that ``pandas.DataFrame(widget.tool_calls)`` is a table.
A value that has not changed stays the same object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_jupyter.api.models.turns import FileTexts
from acp_jupyter.transcript.model.events import TextAppended
from acp_jupyter.transcript.model.item_base import index_of, utf16_length
from acp_jupyter.transcript.model.items import (
    AgentMessage,
    Elicitation,
    Item,
    Plan,
    PlanEntry,
    Thought,
    TrustRequest,
)
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import Diff, ToolCall

Values = dict[str, Any]

NAMES = (
    "text",
    "thoughts",
    "plan",
    "tool_calls",
    "diffs",
    "usage",
    "pending",
    "error",
    "stop_reason",
    "status",
)
"""The traits, in the order in which they change: at the end all else is as it stays."""

EMPTY: Values = {
    "text": "",
    "thoughts": "",
    "plan": (),
    "tool_calls": (),
    "diffs": (),
    "usage": None,
    "pending": (),
    "error": "",
    "stop_reason": None,
    "status": "",
}
"""The values without a turn."""


def words_of(part: str, values: Values) -> str:
    """Return the part of a finished turn as Markdown."""
    match part:
        case "plan":
            marks = {"completed": "x"}
            lines = [f"- [{marks.get(e['status'], ' ')}] {e['content']}" for e in values["plan"]]
        case "tool_calls":
            lines = [f"- {call['title']} ({call['status']})" for call in values["tool_calls"]]
        case "diffs":
            lines = [
                f"- `{diff['path']}` +{diff['added'] or 0} −{diff['removed'] or 0}"
                for diff in values["diffs"]
            ]
        case "permission":
            lines = []
        case _:
            return str(values["text"])
    return "\n".join(lines) or "Nothing."


class TurnValues:
    """The trait values of one turn, computed from its items and later events."""

    def __init__(self, turn: TurnState) -> None:
        self.turn = turn
        self._values = dict(EMPTY)
        self._texts: dict[str, dict[int, _Text]] = {"text": {}, "thoughts": {}}
        self._plans: dict[int, Plan] = {}
        self._call_ids: set[str] = set()
        self._calls: dict[int, dict[str, Any]] = {}
        self._diffs: dict[int, tuple[dict[str, Any], ...]] = {}
        self._pending: dict[int, dict[str, Any]] = {}
        self._final_diffs: tuple[dict[str, Any], ...] | None = None
        self._usage: dict[str, Any] | None = None
        self._touched = set(NAMES)

    @property
    def values(self) -> Values:
        """All values, as of the last call of `changed`."""
        return dict(self._values)

    @property
    def pending(self) -> tuple[dict[str, Any], ...]:
        """The open requests, as of the last call of `changed`."""
        asked: tuple[dict[str, Any], ...] = self._values["pending"]
        return asked

    @property
    def reported(self) -> tuple[dict[str, Any], ...]:
        """The diffs of all calls, in order."""
        return tuple(diff for index in sorted(self._diffs) for diff in self._diffs[index])

    def set_state(self, turn: TurnState) -> None:
        """Set the turn's own state."""
        self.turn = turn
        self._touched |= {"error", "stop_reason", "status"}

    def put(self, item: Item) -> None:
        """Add a new item, or replace a changed one."""
        index = index_of(item.id)
        match item:
            case AgentMessage() | Thought():
                if item.parent_id not in self._call_ids:  # otherwise it is a subagent's
                    name = "text" if isinstance(item, AgentMessage) else "thoughts"
                    self._texts[name][index] = _Text(item.text)
                    self._touched.add(name)
            case Plan():
                self._plans[index] = item
                self._touched.add("plan")
            case ToolCall():
                self._put_call(index, item)
            case Elicitation() | TrustRequest():
                self._ask(index, _question(item))
            case _:
                pass

    def append(self, event: TextAppended) -> None:
        """Append text to an item."""
        if event.field != "text":
            return
        index = index_of(event.item_id)
        for name, texts in self._texts.items():
            if index in texts:
                texts[index].add(event.text, event.offset)
                self._touched.add(name)

    def use(self, session: SessionState) -> None:
        """Update the usage from the session's state."""
        usage = session.usage
        told = None if usage is None else usage.model_dump()
        if told != self._usage:
            self._usage = told
            self._touched.add("usage")

    def settle_diffs(self, files: Iterable[FileTexts]) -> None:
        """Set the diffs of the ended turn from its changes."""
        self._final_diffs = tuple(row for file in files for row in self._rows_of(file))
        self._touched.add("diffs")

    def changed(self) -> Values:
        """Return the values that have changed since the last call, in the order of `NAMES`."""
        told: Values = {}
        for name in NAMES:
            if name in self._touched:
                value = self._value(name)
                if value != self._values[name]:
                    told[name] = self._values[name] = value
        self._touched.clear()
        return told

    # -- within ----------------------------------------------------------------

    def _rows_of(self, file: FileTexts) -> Iterable[dict[str, Any]]:
        row = {
            "path": file.path,
            "old_text": file.old_text,
            "new_text": file.new_text or "",
            "is_new_file": file.change == "added",
            "added": file.added,
            "removed": file.removed,
        }
        # For a file that could not be stored, only the calls have the change.
        told = [each for each in self.reported if each["path"] == file.path] if file.unread else []
        return told or [row]

    def _put_call(self, index: int, call: ToolCall) -> None:
        self._call_ids.add(call.id)
        row = call_row(call)
        if self._calls.get(index) != row:
            self._calls[index] = row
            self._touched.add("tool_calls")
        if call.diffs or index in self._diffs:
            # Calls that failed or were rejected have changed nothing.
            stands = call.status not in {"failed", "cancelled"}
            self._diffs[index] = tuple(map(diff_row, call.diffs)) if stands else ()
            self._touched.add("diffs")
        self._ask(index, _permission(call))

    def _ask(self, index: int, asked: dict[str, Any] | None) -> None:
        if asked is not None:
            self._pending[index] = asked
            self._touched.add("pending")
        elif self._pending.pop(index, None) is not None:
            self._touched.add("pending")

    def _value(self, name: str) -> Any:
        turn = self.turn
        match name:
            case "text" | "thoughts":
                texts = self._texts[name]
                return "\n\n".join(texts[index].whole() for index in sorted(texts))
            case "plan":
                newest = self._plans[max(self._plans)] if self._plans else None
                return () if newest is None else tuple(map(PlanEntry.model_dump, newest.entries))
            case "tool_calls":
                return tuple(self._calls[index] for index in sorted(self._calls))
            case "diffs":
                return self.reported if self._final_diffs is None else self._final_diffs
            case "usage":
                return self._usage
            case "pending":
                done = turn.status == "done"
                return () if done else tuple(self._pending[at] for at in sorted(self._pending))
            case "error":
                failure = turn.failure
                return "" if failure is None else failure.message
            case "stop_reason":
                return turn.stop_reason or None
            case _:
                return turn.status


class _Text:
    """A growing text; pieces may be sent twice."""

    def __init__(self, text: str) -> None:
        self._pieces = [text]
        self._units = utf16_length(text)

    def add(self, piece: str, offset: int) -> None:
        """Append the new part of a piece; ``offset`` is in UTF-16 code units."""
        known = self._units - offset
        if known > 0:
            piece = piece.encode("utf-16-le")[2 * known :].decode("utf-16-le", "replace")
        self._pieces.append(piece)
        self._units += utf16_length(piece)

    def whole(self) -> str:
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


def call_row(call: ToolCall) -> dict[str, Any]:
    """Return the row of a tool call in the trait."""
    named = dict.fromkeys([call.path, *(place.path for place in call.locations)])
    return {
        "tool_call_id": call.tool_call_id,
        "title": call.title,
        "description": call.description,
        "kind": call.tool_kind,
        "status": call.status,
        "paths": tuple(path for path in named if path),
        "started_at": call.started_at,
        "ended_at": call.ended_at,
        "parent_id": call.parent_id,
    }


def diff_row(diff: Diff) -> dict[str, Any]:
    """Return the row of a changed file in the trait."""
    return {
        "path": diff.path,
        "old_text": diff.old_text,
        "new_text": diff.new_text,
        "is_new_file": diff.is_new_file,
        "added": diff.added,
        "removed": diff.removed,
    }


def _permission(call: ToolCall) -> dict[str, Any] | None:
    permission = call.permission
    if permission is None or permission.state != "pending":
        return None
    return {
        "kind": "permission",
        "request_id": permission.request_id,
        "title": permission.title,
        "description": call.command or call.path or call.description,
        "options": tuple(option.name for option in permission.options),
    }


def _question(item: Elicitation | TrustRequest) -> dict[str, Any] | None:
    if item.state != "pending":
        return None
    asked = {
        "kind": "elicitation" if isinstance(item, Elicitation) else "trust",
        "request_id": item.request_id,
        "title": item.title,
        "description": item.message if isinstance(item, Elicitation) else item.folder,
        "options": (),
    }
    return asked
