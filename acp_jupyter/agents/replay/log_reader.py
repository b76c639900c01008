"""Reads a log from disk and sorts its entries into a `Recording`."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from acp_jupyter.agents.replay.recording import (
    OPENINGS,
    AgentRequest,
    Answered,
    Cancelled,
    Object,
    Opening,
    Part,
    RecordedReply,
    RecordedSession,
    Recording,
    RecordingError,
    Send,
    Step,
    TerminalNote,
    TerminalOutputNote,
)
from acp_jupyter.agents.replay.terminals import show_terminals
from acp_jupyter.protocol.host_events.notes import read_note
from acp_jupyter.protocol.host_events.session import FilesChanged, FileWritten
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.parse import steering
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.version_2 import in_version_1

_MAX_BYTES = 64 * 1024 * 1024


def read_recording(path: Path, sha256: str = "") -> Recording:
    """Read a log.

    Parameters
    ----------
    sha256
        Its digest, in hexadecimal digits; empty for any.
    """
    try:
        with path.open("rb") as file:
            found = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise RecordingError(f"{path} can't be read: {error.strerror or error}.") from error
    if len(found) > _MAX_BYTES:
        raise RecordingError(f"{path} is larger than {_MAX_BYTES // 2**20} MiB.")
    if sha256 and hashlib.sha256(found).hexdigest() != sha256:
        raise RecordingError(f"{path} has changed: it is not the log to be played.")
    recording = build(path, io.BytesIO(found))
    if not recording.entries:
        reason = recording.trouble or f"{path} is empty"
        raise RecordingError(f"This is not a log of ACP traffic. {reason.removesuffix('.')}.")
    return recording


_CREATE = "terminal/create"
_WRITE = "fs/write_text_file"


def build(path: Path, lines: Iterable[bytes]) -> Recording:
    """Return the recording in ``lines``; what can't be read is in its problems."""
    builder = _Builder(Recording(path))
    for found in in_version_1(read_log(lines)):
        if isinstance(found, LogProblem):
            builder.recording.problems.append(found)
        else:
            builder.enter(found)
    for session in builder.recording.sessions:
        show_terminals(session)
    return builder.recording


@dataclass(slots=True)
class _Live:
    """The part that a session's next steps belong to."""

    session: RecordedSession
    current: Part
    running: list[Part] = field(default_factory=list)
    """Prompts without a response: the first is the running turn."""


class _Builder:
    """Sorts the lines of a log into parts."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._lives: dict[str, _Live] = {}
        self._newest: _Live | None = None
        self._opening: Part | None = None
        self._calls: dict[int, Part | str] = {}
        self._requests: dict[int, tuple[AgentRequest, _Live | None]] = {}
        self._terminals: dict[str, _Live | None] = {}
        self._commands: dict[object, Object] = {}
        """The client's cards for commands that it ran for the agent, by their ids."""
        self._one_session = False
        self._turn_id = ""

    def enter(self, entry: TrafficEntry) -> None:
        """Add the next line."""
        message = entry.message
        method = message.get("method")
        self.recording.entries += entry.direction != "!"
        match entry.direction:
            case "!":
                self._note(entry.t, message)
            case ">" if isinstance(method, str):
                self._client_call(entry, method)
            case ">":
                if entry.re in self._requests:
                    ask, live = self._requests.pop(entry.re)
                    ask.answer = message
                    self._add(live, Answered(entry.t, ask.seq))
            case "<" if entry.re in self._calls and "method" not in message:
                self._agent_answer(entry, self._calls.pop(entry.re))
            case "<" if "id" in message and isinstance(method, str):
                live = self._live_of(message)
                ask = AgentRequest(entry.t, entry.seq, message)
                self._requests[entry.seq] = (ask, live)
                self._add(live, ask)
            case "<" if "method" in message or "id" not in message:
                self._add(self._live_of(message), Send(entry.t, message))
            case _:
                pass  # a response without a request

    def _note(self, at: float, message: Object) -> None:
        match message.get("note"):
            case "session_opened":
                self._one_session = True
            case "turn_started":
                self._turn_id = str(message.get("turn_id"))
            case "turn_failed":
                for live in self._lives.values():
                    live.running = [p for p in live.running if p.turn_id != message.get("turn_id")]
            case "files_changed" | "file_written":
                self._changed(read_note(dict(message)))
            case "imported_packet":
                self._refused(at, message.get("packet"))
            case "terminal_started" | "terminal_output" | "terminal_exited":
                self._terminal(at, message)
            case _:
                pass

    def _refused(self, at: float, packet: object) -> None:
        """Record that a command was not run: a replay asks no client for it."""
        if not isinstance(packet, Mapping):
            return
        call_id = packet.get("toolCallId")
        if packet.get("type") == "tool_call" and packet.get("kind") == "execute":
            self._commands[call_id] = packet
        if packet.get("status") != "failed" or call_id not in self._commands:
            return
        call = {**self._commands.pop(call_id), **packet, "sessionUpdate": "tool_call"}
        del call["type"]
        live = self._asking_to_run()
        if live is not None:
            params = {"sessionId": live.session.id, "update": call}
            self._add(
                live, Send(at, {"method": "session/update", "params": params}, stands_in=True)
            )

    def _asking_to_run(self) -> _Live | None:
        """Return the session that waits for its own command to start, else the newest."""
        open_requests = (live for ask, live in self._requests.values() if ask.method == _CREATE)
        return next(open_requests, None) or self._newest

    def _terminal(self, at: float, message: Object) -> None:
        note = read_note(dict(message))
        if not isinstance(note, TerminalNote):
            return
        if note.note == "terminal_started":
            self._terminals[note.terminal_id] = self._asking_to_run()
        live = self._terminals.get(note.terminal_id)
        if live is not None:
            live.current.terminal_notes.append(
                TerminalOutputNote(at, len(live.current.steps), note)
            )

    def _changed(self, note: object) -> None:
        if isinstance(note, FilesChanged):
            self._files(note)
        elif isinstance(note, FileWritten):
            self._written(note)

    def _written(self, note: FileWritten) -> None:
        for ask, _live in self._requests.values():
            if ask.method == _WRITE and ask.params.get("path") == note.path and not ask.written:
                ask.written = note
                return

    def _files(self, note: FilesChanged) -> None:
        prompts = [
            part for s in self.recording.sessions for part in s.parts if part.kind == "prompt"
        ]
        named = [part for part in prompts if part.turn_id == note.turn_id]
        for part in (named or prompts)[-1:]:
            part.files += note.files

    def _client_call(self, entry: TrafficEntry, method: str) -> None:
        raw = entry.message.get("params")
        params: Object = raw if isinstance(raw, Mapping) else {}
        live = self._lives.get(_session_id(params))
        if "id" not in entry.message:
            if method == "session/cancel" and live is not None and live.running:
                self._add(live, Cancelled(entry.t))
            return
        if method in OPENINGS:
            part = Part("open", method, params, entry.t)
            self._calls[entry.seq] = self._opening = part
            if live is not None and method != "session/fork" and not live.running:
                live.session.parts.append(part)
                live.current = part
        elif method == "session/prompt":
            live = live or self._session(_session_id(params), entry.t)
            part = Part("prompt", method, params, entry.t, self._turn_id)
            self._turn_id = ""
            self._calls[entry.seq] = part
            live.session.parts.append(part)
            live.running.append(part)
            if len(live.running) == 1:
                live.current = part
            self._newest = live
        elif method == "initialize":
            self._calls[entry.seq] = method
            self._opening = None
            for each in self._lives.values():
                each.running.clear()  # the process that should have answered has ended
        elif live is not None and not live.running:
            part = Part("other", method, params, entry.t)
            self._calls[entry.seq] = part
            live.session.parts.append(part)
            live.current = part
        else:
            self._calls[entry.seq] = (
                Part("other", method, params, entry.t) if method == steering.METHOD else method
            )

    def _agent_answer(self, entry: TrafficEntry, call: Part | str) -> None:
        message = entry.message
        if call == "initialize":
            self.recording.hello = self.recording.hello or message
            return
        if isinstance(call, str):
            self.recording.answers[call].append(message)
            return
        call.steps.append(RecordedReply(entry.t, message))
        match call.kind:
            case "open":
                self._opened(call, message)
            case "prompt":
                for live in self._lives.values():
                    if call in live.running:
                        live.running.remove(call)
                        live.current = live.running[0] if live.running else live.current
            case "other":
                self.recording.answers[call.method].append(message)
                if call.method == steering.METHOD:
                    self._steered(entry.t, call.params, message)

    def _steered(self, at: float, request: Object, answer: Object) -> None:
        """Add a message that the user sent during the turn, since nobody sends it again."""
        result = answer.get("result")
        taken = steering.taken_message(result if isinstance(result, dict) else {}, dict(request))
        for said in taken:
            update = {
                "sessionUpdate": "user_message_chunk",
                "content": said.block.model_dump(mode="json"),
                "_meta": steering.PLAYED,
            }
            params = {"sessionId": _session_id(request), "update": update}
            send = Send(at, {"method": "session/update", "params": params})
            self._add(self._lives.get(_session_id(request)), send)

    def _opened(self, part: Part, message: Object) -> None:
        self._opening = None
        result = message.get("result")
        given = _session_id(result) if isinstance(result, Mapping) else ""
        session_id = given or ("" if part.method == "session/fork" else _session_id(part.params))
        if not session_id or "error" in message:
            self.recording.openings[part.method].append(Opening(part, None))
            return
        live = self._lives.get(session_id) or self._session(session_id, part.at, part)
        if part not in live.session.parts:
            live.session.parts.append(part)
            live.current = part
        cwd = part.params.get("cwd")
        if not live.session.cwd and isinstance(cwd, str):
            live.session.cwd = cwd
        self.recording.openings[part.method].append(Opening(part, live.session))
        self._newest = live

    def _session(self, session_id: str, at: float, part: Part | None = None) -> _Live:
        """Return a session that the log has not named before."""
        if self._one_session and self._lives:
            # The agent was restarted in the middle of it.
            live = next(iter(self._lives.values()))
        else:
            part = part or Part("open", "", {}, at)
            live = _Live(RecordedSession(session_id, parts=[part]), part)
            self.recording.sessions.append(live.session)
        live.session.ids.add(session_id)
        self._lives[session_id] = live
        return live

    def _live_of(self, message: Object) -> _Live | None:
        """Return the session of the agent's ``message``; None if it has none yet."""
        params = message.get("params", message)
        session_id = _session_id(params) if isinstance(params, Mapping) else ""
        if session_id in self._lives:
            return self._lives[session_id]
        return None if self._opening is not None else self._newest

    def _add(self, live: _Live | None, step: Step) -> None:
        if live is not None:
            live.current.steps.append(step)
        elif self._opening is not None:
            self._opening.steps.append(step)
        elif isinstance(step, Send):
            self.recording.before.append(step)


def _session_id(params: Object) -> str:
    found = params.get("sessionId", params.get("session_id"))
    return found if isinstance(found, str) else ""
