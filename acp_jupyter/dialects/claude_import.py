"""Imports a log of the Claude CLI as the traffic that its adapter would have had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, assert_never

from acp_jupyter.dialects.claude_reader import ClaudeCli
from acp_jupyter.dialects.claude_results import (
    CliPermissionWithdrawn,
    CliResult,
    CliTurnEnd,
    CliTurnError,
    ControlAnswered,
    ControlRequested,
    PermissionRequested,
    StateChanged,
    Update,
)
from acp_jupyter.dialects.import_turns import (
    AFTER_TURN,
    IN_TURN,
    JSONRPC,
    EntryWriter,
    ImplicitTurns,
    as_blocks,
    session_update,
)
from acp_jupyter.protocol.log import to_epoch
from acp_jupyter.protocol.objects import Obj, obj, text
from acp_jupyter.protocol.traffic import TrafficEntry

_MAX_OPEN = 1000


class ClaudeImport:
    """Converts the CLI's objects to messages of the protocol, and assigns them to turns."""

    def __init__(self, writer: EntryWriter, session_id: str) -> None:
        self._writer = writer
        self._session_id = session_id
        self._cli = ClaudeCli()
        self._turns = ImplicitTurns(writer, session_id)
        self._requests: dict[str, tuple[int, dict[str, str]]] = {}

    def read(self, line: dict[str, Any]) -> Iterator[TrafficEntry | str]:
        """Yield the lines for an object."""
        seconds = to_epoch(line.get("timestamp"), "timestamp", self._writer.at)
        self._writer.at = self._writer.at if seconds is None else seconds
        yield from self._written(self._cli.read(line))

    def finish(self) -> Iterator[TrafficEntry]:
        """Yield the entries that are still missing when the log ends."""
        yield from self._written(self._cli.finish())
        yield from self._turns.finish()

    def _written(self, results: Iterable[CliResult]) -> Iterator[TrafficEntry]:
        for result in results:
            match result:
                case Update():
                    yield from self._update(result.update)
                case CliTurnEnd():
                    yield from self._turns.end(result.response)
                case CliTurnError():
                    yield from self._turns.end({}, result.error)
                case PermissionRequested():
                    yield from self._request(result)
                case CliPermissionWithdrawn():
                    yield from self._answer(result.request_id, None)
                case ControlAnswered():
                    yield from self._answer(result.request_id, _decision(result))
                case ControlRequested() | StateChanged():
                    pass  # between the CLI and its client; nothing of it is for the user
                case _:
                    assert_never(result)

    def _update(self, update: Obj) -> Iterator[TrafficEntry]:
        kind = text(update.get("sessionUpdate"))
        if kind == "user_message_chunk":
            for block in as_blocks(update.get("content")):
                yield from self._turns.add_prompt(block)
            return
        if kind in IN_TURN or (kind in AFTER_TURN and not self._turns.any_yet):
            yield from self._turns.begin()
        yield self._writer.line("<", session_update(self._session_id, update))

    def _request(self, control_request: PermissionRequested) -> Iterator[TrafficEntry]:
        yield from self._turns.begin()
        params = {"sessionId": self._session_id, **control_request.params}
        method = "session/request_permission"
        request = {**JSONRPC, "id": control_request.request_id, "method": method, "params": params}
        line = self._writer.line("<", request)
        options = control_request.params.get("options")
        kinds = {
            text(option.get("kind")): text(option.get("optionId"))
            for option in map(obj, options if isinstance(options, list) else [])
        }
        if len(self._requests) < _MAX_OPEN:
            self._requests[control_request.request_id] = (line.seq, kinds)
        yield line

    def _answer(self, request_id: str, kind: str | None) -> Iterator[TrafficEntry]:
        """Answer a permission request; ``kind`` None cancels it."""
        if request_id not in self._requests:
            return  # the answer to another request
        seq, options = self._requests.pop(request_id)
        if kind == "allow_always" and kind not in options:
            kind = "allow_once"
        outcome = {"outcome": "cancelled"}
        if kind in options:
            outcome = {"outcome": "selected", "optionId": options[kind]}
        answer = {**JSONRPC, "id": request_id, "result": {"outcome": outcome}}
        yield self._writer.line(">", answer, seq)


def _decision(answered: ControlAnswered) -> str | None:
    """Return the kind of option that an answer of the CLI's client means."""
    match answered.response:
        case {"behavior": "allow", "updatedPermissions": [_, *_]}:
            return "allow_always"
        case {"behavior": "allow"}:
            return "allow_once"
        case {"behavior": "deny"}:
            return "reject_once"
        case _:
            return None
