"""The record of a turn in a notebook: short, and the same for equal turns.

Ids and times, which differ from run to run, are one string in the output's metadata. The page reads
both (``labextension/src/wire/saved_record.ts``), and the records of earlier versions.
"""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Model, Obj
from acp_jupyter.protocol.packets import Location
from acp_jupyter.transcript.model.items import Item, Thought, TurnEnd
from acp_jupyter.transcript.model.session_state import AgentInfo, TurnState
from acp_jupyter.transcript.model.tool_items import Diff, ToolCall

TURN_MIME = "application/vnd.acp-jupyter.turn+json"

RUNS_KEY = "acp_jupyter"
"""The key of an output's metadata that holds the ids and times of its turn."""

_VERSION = 2


class TurnSnapshot(Model):
    """A turn as it is read from an output: a pointer to it, and a capped copy.

    Only what the server knows of ``turn_id`` gives a view live state and
    controls; the copy is drawn without them.
    """

    version: int = 1
    turn_id: str
    session_id: str
    final: bool
    agent: AgentInfo
    session_title: str = ""
    turn: TurnState
    items: tuple[Item, ...] = ()
    footer: tuple[str, ...] = ()
    """Agent and version, model, mode, policy, sandbox, files changed, tokens."""


def saved_record(snapshot: TurnSnapshot) -> Obj:
    """Return the value of :data:`TURN_MIME`.

    It has no ids, no times, no null, empty or false values, no status of completed items, and no
    fields that only a running turn needs. A step refers to its tool call by its index in the list.
    """
    shown = [item for item in snapshot.items if not _is_said_elsewhere(item)]
    places = {item.id: place for place, item in enumerate(shown)}
    turn: Obj = snapshot.turn.model_dump(mode="json", exclude=_NOT_OF_TURN)
    if (changes := snapshot.turn.changes) is not None:
        files = [file.model_dump(mode="json", exclude=_NOT_OF_FILE) for file in changes.files]
        turn["changes"] = changes.model_dump(mode="json", exclude=_NOT_OF_CHANGES) | {
            "files": files
        }
    if snapshot.final:
        del turn["status"]
    if turn["policy"] == "ask":
        del turn["policy"]
    if turn["sandbox"] == "off":
        del turn["sandbox"]
    record: Obj = {
        "version": _VERSION,
        "final": snapshot.final,
        "agent": {"name": snapshot.agent.name},
        "session_title": snapshot.session_title,
        "turn": turn,
        "items": [_item(item, places) for item in shown],
        "footer": list(snapshot.footer),
    }
    short = _short(record)
    assert isinstance(short, dict)
    return short


def item_record(item: Item) -> Obj:
    """Return one item as in a record, but without its parent."""
    short = _short(_item(item, {}))
    assert isinstance(short, dict)
    return short


def run_mark(turn: TurnState, items: Iterable[Item]) -> Obj:
    """Return the output's metadata: the ids of turn and session, and all times.

    One string per run, keyed by the turn's id, so that git merges two branches that ran the cell.
    It holds the session's id and when the prompt was sent (milliseconds since the epoch); then,
    relative to that, the turn's start and end, the duration that the agent reports, and the start
    and end of each tool call and thought.
    """
    shown = [item for item in items if not _is_said_elsewhere(item)]
    times = [turn.started_at, turn.ended_at]
    for item in shown:
        if isinstance(item, ToolCall | Thought):
            times += [item.started_at, item.ended_at]
    base = turn.queued_at or turn.started_at
    if base is None:
        return {RUNS_KEY: {turn.turn_id: turn.session_id}}
    reported = (item.duration_seconds for item in items if isinstance(item, TurnEnd))
    relative = [None if at is None else at - base for at in times]
    words = [str(round(base * 1000)), *map(_milliseconds, [*relative[:2], next(reported, None)])]
    words += map(_milliseconds, relative[2:])
    return {RUNS_KEY: {turn.turn_id: " ".join([turn.session_id, *words])}}


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else str(round(seconds * 1000))


_NOT_OF_TURN = {
    "turn_id", "session_id", "copy_of", "rules", "user", "queued_at", "started_at", "ended_at",
    "prompt",  # it is the cell's source
    "tokens", "input_tokens", "output_tokens",  # the footer says them
}  # fmt: skip
_NOT_OF_CHANGES = {"already", "checkpoint", "made_folders", "put_folders"}
_NOT_OF_FILE = {"size", "old_mode", "new_mode", "came_from", "together"}
_NOT_OF_ITEM = {
    "id", "turn_id", "parent_id", "request_id", "tool_call_id", "plan_id", "artifact_id",
    "started_at", "ended_at", "asked_at", "duration_seconds", "at", "answered_by",
    "tool_name", "raw_input", "raw_output", "open", "can_cancel", "cancelling",
    "subagent_session_id",
    "offers", "target",
}  # fmt: skip
_NOT_OF_PERMISSION = {
    "request_id", "asked_at", "title", "reason", "options", "chosen", "rule", "wider_rules",
    "answered_by", "too_large",
}  # fmt: skip
_NOT_OF_TERMINAL = {"terminal_id", "own", "released", "cwd", "can_cancel"}


def _is_said_elsewhere(item: Item) -> bool:
    """Return whether an item is a turn's end that adds nothing to the turn itself."""
    return isinstance(item, TurnEnd) and not item.summary


def _item(item: Item, places: dict[str, int]) -> Obj:
    said: Obj = item.model_dump(mode="json", exclude=_NOT_OF_ITEM)
    parent = places.get(getattr(item, "parent_id", ""))
    if parent is not None:
        said["parent"] = parent
    if isinstance(item, ToolCall):
        said |= _call(item)
    return said


def _call(call: ToolCall) -> Obj:
    """Return the fields of a call that need a conversion."""
    said: Obj = {"blocks": [_item(block, {}) for block in call.blocks]}
    if call.ui_kind == call.tool_kind:
        said["ui_kind"] = ""
    if call.locations in ((Location(path=call.path),), (Location(path=call.path, line=1),)):
        said |= {"locations": [], "located": True}
    if call.permission is not None:
        said["permission"] = call.permission.model_dump(mode="json", exclude=_NOT_OF_PERMISSION)
    if call.terminal is not None:
        terminal = call.terminal.model_dump(mode="json", exclude=_NOT_OF_TERMINAL)
        if call.terminal.exit_code is not None and call.terminal.command == call.command:
            del terminal["command"]
        said["terminal"] = terminal
    said["diffs"] = [_diff(diff, call) for diff in call.diffs]
    return said


def _diff(diff: Diff, call: ToolCall) -> Obj:
    said: Obj = diff.model_dump(mode="json")
    for name in ("old_line", "new_line"):
        # Left out for the usual first line; 0 means unknown.
        said[name] = None if said[name] == 1 else said[name] or 0
    if diff.path == call.path:
        del said["path"]
    if not diff.is_new_file:
        del said["is_new_file"]
    return said


_EMPTY_SAYS = frozenset({"files", "hits", "todos"})
"""Fields that are saved even if empty: a search without hits differs from no search."""
_FALSE_SAYS = frozenset({"is_new_file", "kept"})


def _short(value: JsonValue) -> JsonValue:
    """Leave out null, empty and false values at any depth."""
    if isinstance(value, dict):
        short = {name: _short(each) for name, each in value.items()}
        return {name: each for name, each in short.items() if not _is_idle(name, each)}
    if isinstance(value, list):
        return [_short(each) for each in value]
    return value


def _is_idle(name: str, value: JsonValue) -> bool:
    if value is False:
        return name not in _FALSE_SAYS
    if value is True:
        return name == "kept"
    if value == 0:
        return name in {"left_out", "unknown_left_out", "variant"}
    if value == "completed":
        return name == "status"
    return (
        value is None or name == "priority" or (value in ("", [], {}) and name not in _EMPTY_SAYS)
    )
