"""Permissions for changes of files; whether questions are answered as recorded."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acp_jupyter.agents.replay.recording import AgentRequest, Object
from acp_jupyter.agents.rpc import Json, Peer, RpcError

_WRITES = frozenset({"edit", "move"})
_REMOVES = frozenset({"delete", "move"})
_Diff: TypeAlias = tuple[str, str, str]
"""Path, old text, new text."""


@dataclass(frozen=True, slots=True)
class _Call:
    kind: str = ""
    paths: tuple[str, ...] = ()
    diffs: tuple[_Diff, ...] = ()

    def names(self, path: str) -> bool:
        return path in self.paths or any(path == diff[0] for diff in self.diffs)


class AllowedChanges:
    """Tracks the tool calls of a turn, and the answers to their permission requests."""

    def __init__(self, root: str) -> None:
        self._root = root.replace("\\", "/").rstrip("/") + "/"
        self._calls: dict[str, _Call] = {}
        self._requests: dict[int, _Call] = {}
        self._allowed: list[_Call] = []

    def begin(self) -> None:
        """Forget everything: another turn begins."""
        self._calls.clear()
        self._requests.clear()
        self._allowed.clear()

    def record(self, update: Object) -> None:
        """Record a tool call that was sent to the client."""
        call_id = update.get("toolCallId")
        if isinstance(call_id, str):
            self._calls[call_id] = self._joined(self._calls.get(call_id, _Call()), update)

    def remember_request(self, seq: int, params: Object) -> None:
        """Record what a permission request shows."""
        call = params.get("toolCall")
        if isinstance(call, Mapping):
            self.record(call)
            self._requests[seq] = self._calls.get(str(call.get("toolCallId")), _Call())

    def allowed(self, seq: int) -> None:
        """Record that the request was allowed."""
        if seq in self._requests:
            self._allowed.append(self._requests.pop(seq))

    def covers(self, path: str, before: str | None, after: str | None, *, removed: bool) -> bool:
        """Return whether a change of a file was allowed in this turn.

        If the request showed a diff, the change must be exactly that.

        Parameters
        ----------
        before, after
            Texts; None for a file that is not there, or is no text.
        """
        naming = [call for call in self._allowed if call.names(path)]
        if removed:
            return any(call.kind in _REMOVES for call in naming)
        shown = [diff for call in naming for diff in call.diffs if diff[0] == path]
        if not shown:
            return any(call.kind in _WRITES for call in naming)
        return after is not None and _leads_to(before or "", shown, after)

    def _joined(self, call: _Call, update: Object) -> _Call:
        kind, locations, content = (update.get(k) for k in ("kind", "locations", "content"))
        if isinstance(kind, str):
            call = replace(call, kind=kind)
        if isinstance(locations, list):
            call = replace(call, paths=tuple(self._paths(locations)))
        if isinstance(content, list):
            call = replace(call, diffs=tuple(self._diffs(content)))
        return call

    def _paths(self, locations: Iterable[object]) -> Iterable[str]:
        for location in locations:
            match location:
                case {"path": str(path)}:
                    yield self._relative(path)
                case _:
                    pass

    def _diffs(self, content: Iterable[object]) -> Iterable[_Diff]:
        for part in content:
            match part:
                case {"type": "diff", "path": str(path), "newText": str(new), "oldText": str(old)}:
                    yield self._relative(path), old, new
                case {"type": "diff", "path": str(path), "newText": str(new)}:
                    yield self._relative(path), "", new
                case _:
                    pass

    def _relative(self, path: str) -> str:
        return path.replace("\\", "/").removeprefix(self._root)


def _leads_to(text: str, diffs: Iterable[_Diff], after: str) -> bool:
    """Return whether the diffs, of whole texts or parts, turn ``text`` into ``after``."""
    for _path, old, new in diffs:
        if old in {"", text}:
            text = new
        elif text.count(old) == 1:
            text = text.replace(old, new)
        else:
            return False
    return text.rstrip("\n") == after.rstrip("\n")


_OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]
_SHOWN_CHARS = 200_000
_NAMED = 3


class NotAllowedError(Exception):
    """It is not allowed now; the message is for the user."""


class StoppedError(Exception):
    """The turn was stopped before an answer came."""


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change of a file, as shown to the user.

    Attributes
    ----------
    name
        Relative to the session's folder.
    old, new
        Texts; None for a file that is not there, or is no text.
    removes
        Whether the file is deleted.
    """

    path: Path
    name: str
    old: str | None
    new: str | None
    removes: bool = False


async def request_changes(
    peer: Peer,
    session_id: str,
    kind: Literal["edit", "delete", "other"],
    title: str,
    changes: Sequence[ShownChange],
) -> str:
    """Return the id of the tool call that allows the changes.

    ACP: session/request_permission. No policy and no rule may allow the kind ``other``.
    """
    # The writer of a log can't know the id, so nothing in the log can change this call.
    call_id = f"replay-{uuid.uuid4().hex}"
    call: Json = {
        "toolCallId": call_id,
        "title": f"{title} {named(change.name for change in changes)}",
        "kind": kind,
        "status": "pending",
        "locations": [{"path": str(change.path)} for change in changes],
        "content": _content(changes),
    }
    peer.notify(
        "session/update",
        {"sessionId": session_id, "update": {"sessionUpdate": "tool_call", **call}},
    )
    params: Json = {"sessionId": session_id, "toolCall": call, "options": _OPTIONS}
    ask = AgentRequest(0.0, 0, {"method": "session/request_permission", "params": params})
    try:
        live = LiveAnswer(await peer.request(ask.method, params))
    except RpcError as error:
        live = LiveAnswer({}, error.message)
    if is_allowed(ask, live):
        return call_id
    report_changes(peer, session_id, call_id, "failed")
    if is_cancelled(ask, live):
        raise StoppedError
    raise NotAllowedError(named(change.name for change in changes))


def report_changes(
    peer: Peer, session_id: str, call_id: str, status: Literal["completed", "failed"] = "completed"
) -> None:
    """Report the outcome of requested changes."""
    update = {"sessionUpdate": "tool_call_update", "toolCallId": call_id, "status": status}
    peer.notify("session/update", {"sessionId": session_id, "update": update})


def named(names: Iterable[str]) -> str:
    """Return a list of names as text."""
    known = list(names)
    more = len(known) - _NAMED
    return ", ".join(known[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _content(changes: Iterable[ShownChange]) -> list[object]:
    """Return the changes as diffs, within limits; the locations have all of them."""
    room = _SHOWN_CHARS
    content: list[object] = []
    for change in changes:
        size = len(change.old or "") + len(change.new or "")
        if change.removes:
            continue
        if change.new is None or size > room:
            words = f"{change.name} is not shown: it is not text, or is too long."
            content.append({"type": "content", "content": {"type": "text", "text": words}})
            continue
        room -= size
        diff = {"type": "diff", "path": str(change.path), "newText": change.new}
        content.append(diff if change.old is None else {**diff, "oldText": change.old})
    return content


_MUST_SUCCEED = {
    "fs/write_text_file": "A file could be written when this was recorded, and can't be now",
    "terminal/create": "A command could be started when this was recorded, and can't be now",
}


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """The client's response: a result, or an error's message."""

    result: Object
    error: str | None = None


def difference(ask: AgentRequest, live: LiveAnswer) -> str | None:
    """Return why the recording can't continue after this response; None if it can.

    Only the decision counts: allowing once and always are the same.
    """
    if ask.answer is None:
        return None
    recorded = _recorded(ask.answer)
    match ask.method:
        case "session/request_permission":
            then, now = _decision(ask, recorded), _decision(ask, live)
        case "elicitation/create":
            then, now = str(recorded.result.get("action")), str(live.result.get("action"))
        case method if method in _MUST_SUCCEED and recorded.error is None and live.error:
            return f"{_MUST_SUCCEED[method]}: {live.error}"
        case _:
            return None
    if then == now:
        return None
    return (
        f"A question was answered “{_answer_text(ask, recorded)}” when this was recorded, and is "
        f"answered “{_answer_text(ask, live)}” now. The rest of the turn can't be played."
    )


def is_cancelled(ask: AgentRequest, live: LiveAnswer) -> bool:
    """Return whether the client cancelled the turn instead of answering."""
    return ask.method == "session/request_permission" and _decision(ask, live) == "cancelled"


def is_allowed(ask: AgentRequest, live: LiveAnswer) -> bool:
    """Return whether a permission was requested and granted."""
    return ask.method == "session/request_permission" and _decision(ask, live) == "allowed"


def is_rejected(ask: AgentRequest, live: LiveAnswer) -> bool:
    """Return whether a permission was requested and denied."""
    permission = ask.method == "session/request_permission"
    return permission and _decision(ask, live) not in ("allowed", "cancelled")


def _recorded(message: Object) -> LiveAnswer:
    result, error = message.get("result"), message.get("error")
    if error is not None:
        words = error.get("message") if isinstance(error, Mapping) else error
        return LiveAnswer({}, str(words))
    return LiveAnswer(result if isinstance(result, Mapping) else {})


def _decision(ask: AgentRequest, answer: LiveAnswer) -> str:
    if answer.error is not None:
        return "failed"
    match answer.result.get("outcome"):
        case {"outcome": "cancelled"}:
            return "cancelled"
        case {"outcome": "selected", "optionId": option_id}:
            kind = _option(ask, option_id).get("kind")
            if isinstance(kind, str) and kind.startswith(("allow", "reject")):
                return "allowed" if kind.startswith("allow") else "rejected"
            return f"option {option_id}"
        case _:
            return "failed"


def _option(ask: AgentRequest, option_id: object) -> Object:
    options = ask.params.get("options")
    for option in options if isinstance(options, list) else []:
        if isinstance(option, Mapping) and option.get("optionId") == option_id:
            return option
    return {}


def _answer_text(ask: AgentRequest, answer: LiveAnswer) -> str:
    if answer.error is not None:
        return answer.error
    if ask.method == "elicitation/create":
        return str(answer.result.get("action", "not at all"))
    outcome: Any = answer.result.get("outcome")
    if isinstance(outcome, Mapping) and outcome.get("outcome") == "selected":
        option_id = outcome.get("optionId")
        return str(_option(ask, option_id).get("name", option_id))
    return "cancelled" if _decision(ask, answer) == "cancelled" else "not at all"
