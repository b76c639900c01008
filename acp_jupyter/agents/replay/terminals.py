"""Shows recorded commands without running them: a log may come from anyone.

What the log's client had shown of a terminal becomes updates of the tool call that names it, in the
``_meta`` that `acp_jupyter.protocol.tools.outputs` describes. Without notes of the client, its
responses to the agent provide the output.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self, TypeAlias, assert_never

from acp_jupyter.agents.replay.recording import (
    AgentRequest,
    Answered,
    Object,
    Part,
    RecordedSession,
    Send,
    TerminalNote,
)
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.host_events.session import TerminalExited, TerminalOutput, TerminalStarted

_DELTA = "terminal_output_delta"
_OUTPUT = "terminal_output"
"""The same for clients that do not know `_DELTA`."""
_TITLE_CHARS = 200
_NO_TEXT = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
_LIKE_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_Meta: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class CommandRunner:
    """How recorded commands are replayed.

    Attributes
    ----------
    are_run
        Whether the client is asked for them again; else they are only shown.
    by_deltas
        Whether it knows output that is only what is new from output that may be all.
    """

    are_run: bool = False
    by_deltas: bool = False

    @classmethod
    def of_client(cls, are_run: bool, hello: Object) -> Self:
        """Read the client's capabilities in the parameters of ``initialize``."""
        capabilities = hello.get("clientCapabilities")
        meta = capabilities.get("_meta") if isinstance(capabilities, Mapping) else None
        return cls(are_run, isinstance(meta, Mapping) and meta.get(_DELTA) is True)

    def replays(self, ask: AgentRequest) -> bool:
        """Return whether a recorded request is made again."""
        return self.are_run or not ask.method.startswith("terminal/")

    def message(self, step: Send) -> Object | None:
        """Return the messages for a step, None for nothing."""
        if not step.stands_in:
            return step.message
        if self.are_run:
            return None
        meta = step.update.get("_meta", {})
        if self.by_deltas or _DELTA not in meta:
            return step.message
        update = {**step.update, "_meta": {_OUTPUT: meta[_DELTA]}}
        return {**step.message, "params": {**step.message["params"], "update": update}}


def show_terminals(session: RecordedSession) -> None:
    """Add updates to a session's parts that show its commands without running them."""
    _Terminals(session).show()


@dataclass(slots=True)
class _Shown:
    call_id: str
    is_named: bool
    """Whether the client knows the call that shows it."""
    is_own: bool
    """Whether that call was made for it."""
    waiting: list[_Meta] = field(default_factory=list)


class _Terminals:
    def __init__(self, session: RecordedSession) -> None:
        self._session = session
        self._shown: dict[str, _Shown] = {}
        self._calls: dict[str, str] = {}
        noted: set[str] = set()
        for part in session.parts:
            noted |= {noted_now.note.terminal_id for noted_now in part.terminal_notes}
            for step in part.steps:
                if isinstance(step, Send):
                    for terminal_id in _terminal_ids(step):
                        self._calls.setdefault(terminal_id, str(step.update["toolCallId"]))
        self._notes_by_request = notes_by_request(session, noted)

    def show(self) -> None:
        for part in self._session.parts:
            self._show(part)

    def _show(self, part: Part) -> None:
        notes: dict[int, list[tuple[float, TerminalNote]]] = {}
        for each in part.terminal_notes:
            notes.setdefault(each.step, []).append((each.at, each.note))
        steps = part.steps
        part.steps = []
        for index, step in enumerate(steps):
            for at, note in notes.get(index, ()):
                part.steps += self._note(at, note)
            part.steps.append(step)
            match step:
                case Answered():
                    for note in self._notes_by_request.get(step.seq, ()):
                        part.steps += self._note(step.at, note)
                case Send():
                    for terminal_id in _terminal_ids(step):
                        part.steps += self._name(step, terminal_id)
                case _:
                    pass
        for at, note in notes.get(len(steps), ()):
            part.steps += self._note(at, note)

    def _note(self, at: float, note: TerminalNote) -> Iterator[Send]:
        terminal_id = note.terminal_id
        match note:
            case TerminalStarted():
                info = {"terminal_id": terminal_id, "command": note.command, "cwd": note.cwd}
                yield from self._start(at, terminal_id, note.command, {"terminal_info": info})
            case TerminalOutput():
                text = note.text
                if note.left_out:
                    text = f"\n… {note.left_out:,} characters are not shown …\n{text}"
                for piece in _pieces(text):
                    yield from self._write_note(
                        at, terminal_id, {_DELTA: {"terminal_id": terminal_id, "data": piece}}
                    )
            case TerminalExited():
                ended = {
                    "terminal_id": terminal_id,
                    "exit_code": note.exit_code,
                    "signal": note.signal or None,
                }
                status = "completed" if note.exit_code == 0 else "failed"
                yield from self._write_note(at, terminal_id, {"terminal_exit": ended}, status)
            case _:
                assert_never(note)

    def _start(self, at: float, terminal_id: str, command: str, meta: _Meta) -> Iterator[Send]:
        if terminal_id in self._shown:
            return
        call_id = self._calls.get(terminal_id)
        if call_id is not None:
            self._shown[terminal_id] = _Shown(call_id, is_named=False, is_own=False, waiting=[meta])
            return
        self._shown[terminal_id] = _Shown(terminal_id, is_named=True, is_own=True)
        yield self._update_of(
            at,
            "tool_call",
            toolCallId=terminal_id,
            title=_title(command),
            kind="execute",
            status="in_progress",
            content=[{"type": "terminal", "terminalId": terminal_id}],
            _meta=meta,
        )

    def _name(self, step: Send, terminal_id: str) -> Iterator[Send]:
        shown = self._shown.get(terminal_id)
        if shown is None or shown.is_named:
            return
        shown.is_named = True
        for meta in shown.waiting:
            yield self._update_of(step.at, "tool_call_update", toolCallId=shown.call_id, _meta=meta)
        shown.waiting.clear()

    def _write_note(
        self, at: float, terminal_id: str, meta: _Meta, status: str = ""
    ) -> Iterator[Send]:
        shown = self._shown.get(terminal_id)
        if shown is None:
            return
        if not shown.is_named:
            shown.waiting.append(meta)
            return
        more = {"status": status} if status and shown.is_own else {}
        yield self._update_of(at, "tool_call_update", toolCallId=shown.call_id, **more, _meta=meta)

    def _update_of(self, at: float, name: str, /, **fields: object) -> Send:
        params = {"sessionId": self._session.id, "update": {"sessionUpdate": name, **fields}}
        return Send(at, {"method": "session/update", "params": params}, stands_in=True)


def _terminal_ids(step: Send) -> Iterator[str]:
    """Yield the terminals in a tool call's update."""
    update = step.update
    content = update.get("content")
    if not isinstance(update.get("toolCallId"), str) or not isinstance(content, list):
        return
    for part in content:
        if isinstance(part, Mapping) and part.get("type") == "terminal":
            terminal_id = part.get("terminalId")
            if isinstance(terminal_id, str):
                yield terminal_id


def _title(command: str) -> str:
    line = " ".join(_NO_TEXT.sub("", command).split())
    return shorten(line, _TITLE_CHARS) or "Running command"


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces that no reader takes for base64, which some agents send."""
    if len(text) % 4 == 0 and _LIKE_BASE64.fullmatch(text):
        yield text[:1]
        text = text[1:]
    if text:
        yield text


_TAIL_CHARS = 200


@dataclass(slots=True)
class _Known:
    text: str = ""
    exited: TerminalExited | None = None


def notes_by_request(
    session: RecordedSession, noted: Collection[str]
) -> dict[int, list[TerminalNote]]:
    """Return notes by the request whose response has them."""
    found: dict[int, list[TerminalNote]] = {}
    known: dict[str, _Known] = {}
    requests: dict[int, AgentRequest] = {}
    for part in session.parts:
        for step in part.steps:
            if isinstance(step, AgentRequest):
                requests[step.seq] = step
            elif isinstance(step, Answered) and step.seq in requests:
                notes = list(_notes_of(requests.pop(step.seq), known, noted))
                if notes:
                    found[step.seq] = notes
    return found


def _notes_of(
    ask: AgentRequest, known: dict[str, _Known], noted: Collection[str]
) -> Iterator[TerminalNote]:
    result = ask.answer.get("result") if ask.answer is not None else None
    if not isinstance(result, Mapping):
        return
    of_answer = ask.method == "terminal/create"
    terminal_id = (result if of_answer else ask.params).get("terminalId")
    if not isinstance(terminal_id, str) or terminal_id in noted:
        return
    if of_answer:
        known[terminal_id] = _Known()
        cwd = ask.params.get("cwd")
        yield TerminalStarted(
            terminal_id=terminal_id,
            command=_command(ask.params),
            cwd=cwd if isinstance(cwd, str) else "",
        )
        return
    terminal = known.get(terminal_id)
    if terminal is None:
        return
    match ask.method:
        case "terminal/output":
            yield from _put_out(terminal_id, terminal, result.get("output"))
            yield from _ended(terminal_id, terminal, result.get("exitStatus"))
        case "terminal/wait_for_exit":
            yield from _ended(terminal_id, terminal, result)
        case _:
            pass


def _put_out(terminal_id: str, terminal: _Known, output: object) -> Iterator[TerminalNote]:
    """Yield what is new; each response has the whole output, or its end."""
    if not isinstance(output, str) or output == terminal.text:
        return
    before = terminal.text
    terminal.text = output
    if output.startswith(before):
        new = output[len(before) :]
    else:
        tail = before[-_TAIL_CHARS:]
        at = output.rfind(tail)
        new = output[at + len(tail) :] if at >= 0 else f"\n…\n{output}"
    yield TerminalOutput(terminal_id=terminal_id, text=new)
    if terminal.exited is not None:
        yield terminal.exited  # a command with output counts as running


def _ended(terminal_id: str, terminal: _Known, status: object) -> Iterator[TerminalNote]:
    if terminal.exited is not None or not isinstance(status, Mapping):
        return
    code, signal = status.get("exitCode"), status.get("signal")
    terminal.exited = TerminalExited(
        terminal_id=terminal_id,
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        signal=signal if isinstance(signal, str) else "",
    )
    yield terminal.exited


def _command(params: Object) -> str:
    """Return a command as typed in a shell; agents send a line, or a program and its arguments."""
    command, args = params.get("command"), params.get("args")
    words = [arg for arg in args if isinstance(arg, str)] if isinstance(args, list) else []
    return " ".join([command if isinstance(command, str) else "", *map(shlex.quote, words)])
