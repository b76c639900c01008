"""`ReplayAgent`: ACP's methods, answered from a recording; defaults for what was not recorded."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_jupyter._version import __version__
from acp_jupyter.agents.replay.file_writes import SessionFiles
from acp_jupyter.agents.replay.log_reader import read_recording
from acp_jupyter.agents.replay.player import Player
from acp_jupyter.agents.replay.recording import (
    OPENINGS,
    Localiser,
    Object,
    Opening,
    Part,
    RecordedReply,
    RecordedSession,
    Recording,
    RecordingError,
    Send,
)
from acp_jupyter.agents.replay.session import LiveSession
from acp_jupyter.agents.replay.terminals import CommandRunner
from acp_jupyter.agents.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Json,
    Peer,
    RpcError,
)

_GOODBYE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Options:
    """How a log is replayed.

    Attributes
    ----------
    speed
        How many times as fast as recorded; None for no waiting.
    applies_files
        Whether recorded changes of files are made again.
    runs_commands
        Whether the client is asked to run the recorded commands again.
    sha256
        Of the log; empty for any.
    """

    log: Path
    speed: float | None = 1.0
    applies_files: bool = False
    runs_commands: bool = False
    sha256: str = ""


class ReplayAgent:
    """An ACP agent on this process's stdin and stdout."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._ended = asyncio.Event()
        self._peer = Peer(self._on_request, self._on_notification, self._ended.set)
        self._sessions: dict[str, LiveSession] = {}
        self._used: Counter[str] = Counter()
        self._commands = CommandRunner(options.runs_commands)
        self._reads = False
        self._broken = ""
        self._recording = Recording(options.log)
        try:
            self._recording = read_recording(options.log, options.sha256)
        except RecordingError as error:
            self._broken = str(error)

    async def serve(self) -> None:
        """Serve until stdin ends; then flush the output."""
        self._peer.stdio.start()
        await self._ended.wait()
        tasks = [task for session in self._sessions.values() for task in session.close()]
        try:
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await asyncio.gather(*tasks, return_exceptions=True)
                await self._peer.stdio.drain(0)
        except TimeoutError:
            pass  # the client reads no more

    def _on_request(self, request_id: object, method: str, params: Json) -> None:
        match method:
            case "initialize":
                self._hello(request_id, params)
            case "session/prompt":
                self._session(params).prompt(request_id, params)
            case method if method in OPENINGS:
                self._open(request_id, method, params)
            case _:
                self._other(request_id, method, params)

    def _on_notification(self, method: str, params: Json) -> None:
        session = self._sessions.get(str(params.get("sessionId")))
        if method == "session/cancel" and session is not None:
            session.cancel()

    def _hello(self, request_id: object, params: Json) -> None:
        self._commands = CommandRunner.of_client(self._options.runs_commands, params)
        self._reads = _can_read(params)
        hello = self._recording.hello
        self._send_answer(request_id, {"result": default_hello()} if hello is None else hello)
        for step in self._recording.before:
            self._peer.send(dict(step.message))

    def _open(self, request_id: object, method: str, params: Json) -> None:
        if self._broken:
            raise RpcError(INVALID_REQUEST, self._broken)
        asked = str(params.get("sessionId"))
        opening = self._opening(method, asked)
        recorded = opening.session if opening else self._recorded_session(method, asked)
        if recorded is None:
            if opening is not None and opening.part.reply is not None:
                self._send_answer(request_id, opening.part.reply.message)
                return
            raise self._no_session(method, asked)
        session_id = recorded.id if method in ("session/new", "session/fork") else asked
        if method in ("session/new", "session/fork") and session_id in self._sessions:
            session_id = f"{session_id}-{len(self._sessions) + 1}"
        session = self._sessions[session_id] = self._live(recorded, session_id, params)
        part = opening.part if opening else recorded.parts[0]
        session.open(_answerable(part, method, session_id), request_id)

    def _opening(self, method: str, session_id: str) -> Opening | None:
        """Return the next recorded opening; a new session restarts the log."""
        openings = self._recording.openings.get(method, [])
        if method in ("session/load", "session/resume"):
            openings = [o for o in openings if o.session and session_id in o.session.ids]
            method = f"{method} {session_id}"
        if not openings:
            return None
        number = self._used[method]
        self._used[method] += 1
        if number < len(openings):
            return openings[number]
        good = [opening for opening in openings if opening.session is not None]
        return good[number % len(good)] if good and method == "session/new" else None

    def _recorded_session(self, method: str, session_id: str) -> RecordedSession | None:
        """Return the session to replay if its opening was not recorded."""
        sessions = self._recording.sessions
        if method == "session/new":
            return sessions[0] if sessions else None
        if method == "session/fork":
            return None
        return next((session for session in sessions if session_id in session.ids), None)

    def _no_session(self, method: str, session_id: str) -> RpcError:
        if method == "session/fork":
            return RpcError(METHOD_NOT_FOUND, "Method not found", {"method": method})
        if method == "session/new":
            words = f"{self._recording.path} holds no session, so nothing can be played."
            return RpcError(INVALID_REQUEST, f"{words} {self._recording.trouble}".strip())
        return RpcError(INVALID_PARAMS, f"The session {session_id[:80]} is not in the recording.")

    def _live(self, recorded: RecordedSession, session_id: str, params: Json) -> LiveSession:
        cwd = params.get("cwd")
        live_cwd = cwd if isinstance(cwd, str) else recorded.cwd
        localiser = Localiser(recorded.cwd, live_cwd, recorded.ids, session_id)
        work = SessionFiles(
            self._peer,
            session_id,
            live_cwd,
            localiser,
            changes=self._options.applies_files,
            reads=self._reads,
        )
        player = Player(self._peer, localiser, self._options.speed, self._commands, work)
        return LiveSession(self._peer, self._recording, recorded, player)

    def _session(self, params: Json) -> LiveSession:
        session = self._sessions.get(str(params.get("sessionId")))
        if session is None:
            raise RpcError(INVALID_PARAMS, self._broken or "There is no such session.")
        return session

    def _other(self, request_id: object, method: str, params: Json) -> None:
        session = self._sessions.get(str(params.get("sessionId")))
        answers = self._recording.answers.get(method, [])
        number = self._used[method]
        self._used[method] += 1
        if session is not None and session.other(request_id, method):
            return
        if number < len(answers):
            self._send_answer(request_id, answers[number])
            return
        setup: Object = session.setup if session is not None else {}
        answer = default_answer(method, params, setup)
        if answer is None:
            raise RpcError(METHOD_NOT_FOUND, "Method not found", {"method": method})
        self._peer.answer(request_id, answer)

    def _send_answer(self, request_id: object, message: Object) -> None:
        body = {key: message[key] for key in ("result", "error") if key in message}
        self._peer.send({"id": request_id, **body})


def _can_read(hello: Object) -> bool:
    """Return whether a client lets agents read files."""
    match hello.get("clientCapabilities"):
        case {"fs": {"readTextFile": True}}:
            return True
        case _:
            return False


def _answerable(part: Part, method: str, session_id: str) -> Part:
    """Return an opening with a response, for a log without one."""
    if part.reply is not None:
        return part
    result: Json = {"sessionId": session_id} if method == "session/new" else {}
    sends = [step for step in part.steps if isinstance(step, Send)]
    return Part(
        "open",
        method,
        part.params,
        part.at,
        "",
        [RecordedReply(part.at, {"result": result}), *sends],
    )


_EMPTY = frozenset(
    {
        "authenticate",
        "logout",
        "session/close",
        "session/delete",
        "session/load",
        "session/resume",
        "session/set_mode",
        "session/set_model",
    }
)


def default_hello() -> Json:
    """Return the response to ``initialize`` for a log without one."""
    return {
        "protocolVersion": 1,
        "agentInfo": {"name": "replay", "title": "Replay", "version": __version__},
        "agentCapabilities": {"loadSession": False},
        "authMethods": [],
    }


def default_answer(method: str, params: Object, setup: Object) -> Json | None:
    """Return a default response, None for a method that has none."""
    if method in _EMPTY:
        return {}
    if method == "session/list":
        return {"sessions": []}
    if method == "session/set_config_option":
        return {"configOptions": _changed(setup.get("configOptions"), params)}
    return None


def _changed(options: Any, params: Object) -> list[object]:
    changed: list[object] = []
    for option in options if isinstance(options, list) else []:
        if isinstance(option, Mapping) and option.get("id") == params.get("configId"):
            option = {**option, "currentValue": params.get("value")}
        changed.append(option)
    return changed
