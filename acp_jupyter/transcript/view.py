"""`TurnView`: a turn as it is read, from its items and the events that follow.

`Turn`, the widgets' traits and the outputs read it. Rows are plain tuples, dictionaries and texts,
so that ``pandas.DataFrame(widget.tool_calls)`` is a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from acp_jupyter.protocol.formatting import quantity
from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemReplaced,
    SessionChanged,
    TextAppended,
    TurnEnded,
    TurnStarted,
)
from acp_jupyter.transcript.model.item_base import StepBase, Text, index_of
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

Values: TypeAlias = dict[str, Any]
Request: TypeAlias = ToolCall | Elicitation | TrustRequest

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
"""The values, in the order in which they change: at the end all else is as it stays."""

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


class TurnView:
    """One turn, as known from its items and later events.

    An event costs the same in a long turn as in a short one, and a value that has not changed
    stays the same object.
    """

    def __init__(self, turn: TurnState, items: Iterable[Item] = ()) -> None:
        self.turn = turn
        self._values = dict(EMPTY)
        self._texts: dict[str, dict[int, Text]] = {"text": {}, "thoughts": {}}
        self._plans: dict[int, Plan] = {}
        self._call_ids: set[str] = set()
        self._fresh: dict[int, ToolCall] = {}
        """Calls whose row is not made yet."""
        self._calls: dict[int, Values] = {}
        self._diffs: dict[int, tuple[Diff, ...]] = {}
        self._requests: dict[int, Request] = {}
        self._final_diffs: tuple[Diff, ...] | None = None
        self._usage: Values | None = None
        self._touched = set(NAMES)
        for item in items:
            self.add(item)

    # -- what changes it -------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Take an event of the turn or its session."""
        match event:
            case TextAppended(field="text"):
                index = index_of(event.item_id)
                for name, texts in self._texts.items():
                    if index in texts:
                        texts[index] = texts[index].continued(event.text, event.offset)
                        self._touched.add(name)
            case ItemAdded() | ItemReplaced():
                self.add(event.item)
            case TurnStarted() | TurnEnded():
                self.update(event.turn)
            case SessionChanged():
                self.use(event.session)
            case _:
                pass  # output of a call, which is in no row

    def update(self, turn: TurnState) -> None:
        """Set the turn's own state."""
        self.turn = turn
        self._touched |= {"error", "stop_reason", "status"}

    def add(self, item: Item) -> None:
        """Add a new item, or replace a changed one."""
        index = index_of(item.id)
        match item:
            case AgentMessage() | Thought():
                if item.parent_id not in self._call_ids:  # otherwise it is a subagent's
                    name = "text" if isinstance(item, AgentMessage) else "thoughts"
                    self._texts[name][index] = Text().append(item.text)
                    self._touched.add(name)
            case Plan():
                self._plans[index] = item
                self._touched.add("plan")
            case ToolCall():
                self._call_ids.add(item.id)
                self._fresh[index] = item
                if item.diffs or index in self._diffs:
                    # Calls that failed or were rejected have changed nothing.
                    stands = item.status not in {"failed", "cancelled"}
                    self._diffs[index] = item.diffs if stands else ()
                    self._touched.add("diffs")
                self._ask(index, item)
            case Elicitation() | TrustRequest():
                self._ask(index, item)
            case _:
                pass

    def use(self, session: SessionState) -> None:
        """Update the usage from the session's state."""
        usage = None if session.usage is None else session.usage.model_dump()
        if usage != self._usage:
            self._usage = usage
            self._touched.add("usage")

    def end_with(self, diffs: Iterable[Diff]) -> None:
        """Set the diffs of the ended turn, in place of those that its calls report."""
        self._final_diffs = tuple(diffs)
        self._touched.add("diffs")

    # -- what is read ----------------------------------------------------------

    @property
    def text(self) -> str:
        """The agent's own answer, Markdown."""
        return self._joined("text")

    @property
    def thoughts(self) -> str:
        """The agent's own reasoning, Markdown."""
        return self._joined("thoughts")

    @property
    def plan(self) -> tuple[PlanEntry, ...]:
        """The newest plan."""
        return self._plans[max(self._plans)].entries if self._plans else ()

    @property
    def reported_diffs(self) -> tuple[Diff, ...]:
        """The diffs of all calls that stand, in order."""
        return tuple(diff for index in sorted(self._diffs) for diff in self._diffs[index])

    @property
    def requests(self) -> tuple[Request, ...]:
        """The items that wait for the user's answer, in order."""
        return tuple(self._requests[index] for index in sorted(self._requests))

    @property
    def values(self) -> Values:
        """All values by name, as of the last call of `changed`."""
        return dict(self._values)

    def changed(self) -> Values:
        """Return the values that have changed since the last call, in the order of `NAMES`."""
        for index, call in self._fresh.items():
            row = call_row(call)
            if self._calls.get(index) != row:
                self._calls[index] = row
                self._touched.add("tool_calls")
        self._fresh.clear()
        news: Values = {}
        for name in NAMES:
            if name in self._touched:
                value = self._value(name)
                if value != self._values[name]:
                    news[name] = self._values[name] = value
        self._touched.clear()
        return news

    # -- within ----------------------------------------------------------------

    def _ask(self, index: int, item: Request) -> None:
        if is_open(item):
            self._requests[index] = item
            self._touched.add("pending")
        elif self._requests.pop(index, None) is not None:
            self._touched.add("pending")

    def _joined(self, name: str) -> str:
        texts = self._texts[name]
        return "\n\n".join(str(texts[index]) for index in sorted(texts))

    def _value(self, name: str) -> Any:
        turn = self.turn
        match name:
            case "text" | "thoughts":
                return self._joined(name)
            case "plan":
                return tuple(map(PlanEntry.model_dump, self.plan))
            case "tool_calls":
                return tuple(self._calls[index] for index in sorted(self._calls))
            case "diffs":
                final = self._final_diffs
                return tuple(map(diff_row, self.reported_diffs if final is None else final))
            case "usage":
                return self._usage
            case "pending":
                return () if turn.status == "done" else tuple(map(request_row, self.requests))
            case "error":
                return "" if turn.failure is None else turn.failure.message
            case "stop_reason":
                return turn.stop_reason or None
            case _:
                return turn.status


def call_row(call: ToolCall) -> Values:
    """Return the row of a tool call."""
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


def diff_row(diff: Diff) -> Values:
    """Return the row of a changed file."""
    return {
        "path": diff.path,
        "old_text": diff.old_text,
        "new_text": diff.new_text,
        "is_new_file": diff.is_new_file,
        "added": diff.added,
        "removed": diff.removed,
    }


def is_open(item: Request) -> bool:
    """Return whether an item waits for the user's answer."""
    return item.awaits_permission if isinstance(item, ToolCall) else item.state == "pending"


def request_row(item: Request) -> Values:
    """Return the row of an open request."""
    match item:
        case ToolCall():
            permission = item.permission
            assert permission is not None
            return {
                "kind": "permission",
                "request_id": permission.request_id,
                "title": permission.title,
                "description": item.command or item.path or item.description,
                "options": tuple(option.name for option in permission.options),
            }
        case Elicitation():
            kind, description = "elicitation", item.message
        case TrustRequest():
            kind, description = "trust", item.folder
    asked = {"kind": kind, "request_id": item.request_id, "title": item.title}
    return {**asked, "description": description, "options": ()}


def markdown_of(part: str, values: Values) -> str:
    """Return a part of a finished turn as Markdown, from its values."""
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


# -- items in their order ------------------------------------------------------


def nested(items: Iterable[Item]) -> list[tuple[Item, tuple[Item, ...]]]:
    """Return the agent's own items, each with the items of its subagents, in order.

    Each item appears once: below its outermost call, or on its own if that call doesn't precede
    it. Recordings may come from anyone, and may lack calls.
    """
    top: list[Item] = []
    steps: dict[str, list[Item]] = {}
    outermost: dict[str, str] = {}
    for item in items:
        root = outermost.get(item.parent_id) if isinstance(item, StepBase) else None
        if isinstance(item, ToolCall):
            outermost[item.id] = item.id if root is None else root
        if root is None:
            top.append(item)
        else:
            steps.setdefault(root, []).append(item)
    # If an id occurs twice, only the first gets the steps.
    return [(item, tuple(steps.pop(item.id, ()))) for item in top]


def step_count_text(steps: Sequence[Item]) -> str:
    """Return the number of tool calls in words; empty if there are none."""
    count = sum(isinstance(step, ToolCall) for step in steps)
    return quantity(count, "step") if count else ""
