"""`ClaudeCliAgent`: ACP's methods, and its sessions, new or resumed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
import uuid
from collections.abc import Coroutine, Mapping
from pathlib import Path

from acp_jupyter._version import __version__
from acp_jupyter.agents.claude_cli.cli_input import user_message
from acp_jupyter.agents.claude_cli.command import (
    MODEL_OPTION,
    CliMissingError,
    find_cli,
    mcp_servers,
    modes,
)
from acp_jupyter.agents.claude_cli.session import CliSession
from acp_jupyter.agents.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Json,
    Peer,
    RpcError,
)

_PROTOCOL_VERSION = 1
_RESOURCE_NOT_FOUND = -32002
_GOODBYE_SECONDS = 4.0
_UUID = re.compile(r"[0-9a-fA-F-]{36}")


class ClaudeCliAgent:
    """An ACP agent on this process's stdin and stdout."""

    def __init__(self) -> None:
        self._ended = asyncio.Event()
        self._peer = Peer(self._on_request, self._on_notification, self._ended.set)
        self._sessions: dict[str, CliSession] = {}
        self._can_ask = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Serve until stdin ends or SIGTERM comes; then end every child."""
        if sys.platform != "win32":  # where a process that is ended is not asked
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._ended.set)
        self._peer.stdio.start()
        await self._ended.wait()
        closing = [session.close() for session in self._sessions.values()]
        with contextlib.suppress(TimeoutError):  # the client reads no more
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await asyncio.gather(*closing, return_exceptions=True)
                await self._peer.stdio.drain(0)

    def _on_notification(self, method: str, params: Json) -> None:
        if method == "session/cancel":
            session = self._sessions.get(str(params.get("sessionId")))
            if session is not None:
                session.cancel()

    def _on_request(self, request_id: object, method: str, params: Json) -> None:
        match method:
            case "initialize":
                self._can_ask = _can_ask(params)
                self._peer.answer(request_id, _initialize())
            case "session/new":
                session = self._open(str(uuid.uuid4()), params, resumes=False)
                self._peer.answer(request_id, {"sessionId": session.id, **_setup(session)})
            case "session/resume":
                self._peer.answer(request_id, _setup(self._resume(params)))
            case "session/prompt":
                message = user_message(params.get("prompt"))
                self._session(params).prompt(request_id, message)
            case "session/set_mode":
                session = self._session(params)
                self._reply(request_id, session, session.set_mode(params.get("modeId")), {})
            case "session/set_config_option":
                self._set_option(request_id, params)
            case "session/close":
                session = self._session(params)
                del self._sessions[session.id]
                self._reply(request_id, session, session.close(), {})
            case _:
                raise RpcError(METHOD_NOT_FOUND, "Method not found", {"method": method})

    def _set_option(self, request_id: object, params: Json) -> None:
        session = self._session(params)
        if params.get("configId") != MODEL_OPTION:
            raise RpcError(INVALID_PARAMS, f"There is no option {params.get('configId')!r}.")
        self._reply(request_id, session, session.set_model(params.get("value")), None)

    def _reply(
        self,
        request_id: object,
        session: CliSession,
        work: Coroutine[object, object, None],
        result: Json | None,
    ) -> None:
        """Answer when the work is done: with ``result``, or with the options after it."""

        async def run() -> None:
            try:
                await work
            except RpcError as error:
                self._peer.fail(request_id, error)
            else:
                options: Json = {"configOptions": session.models.config_options()}
                self._peer.answer(request_id, options if result is None else result)

        task = asyncio.get_running_loop().create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _resume(self, params: Json) -> CliSession:
        session_id = params.get("sessionId")
        if not isinstance(session_id, str) or not _UUID.fullmatch(session_id):
            raise RpcError(INVALID_PARAMS, "This is not a session of the Claude CLI.")
        if session_id in self._sessions:
            return self._sessions[session_id]
        if not is_known(session_id, os.environ):
            raise RpcError(
                _RESOURCE_NOT_FOUND,
                "The Claude CLI has no conversation of this id.",
                {"sessionId": session_id},
            )
        return self._open(session_id, params, resumes=True)

    def _open(self, session_id: str, params: Json, *, resumes: bool) -> CliSession:
        cwd = params.get("cwd")
        if not isinstance(cwd, str) or not Path(cwd).is_absolute() or not Path(cwd).is_dir():
            raise RpcError(
                INVALID_PARAMS, "cwd must be the absolute path of a folder.", {"cwd": cwd}
            )
        try:
            find_cli(os.environ)
        except CliMissingError as error:
            raise RpcError(INTERNAL_ERROR, str(error)) from None
        servers = mcp_servers(params.get("mcpServers"))
        session = CliSession(
            self._peer, session_id, Path(cwd), servers, resumes=resumes, can_ask=self._can_ask
        )
        self._sessions[session_id] = session
        return session

    def _session(self, params: Json) -> CliSession:
        session = self._sessions.get(str(params.get("sessionId")))
        if session is None:
            raise RpcError(
                INVALID_PARAMS, "There is no such session.", {"sessionId": params.get("sessionId")}
            )
        return session


def _can_ask(params: Json) -> bool:
    """Return whether the client can show forms (ACP: elicitation)."""
    match params.get("clientCapabilities"):
        case {"elicitation": {"form": dict()}}:
            return True
        case _:
            return False


def _initialize() -> Json:
    return {
        "protocolVersion": _PROTOCOL_VERSION,
        "agentInfo": {"name": "claude-cli", "title": "Claude CLI", "version": __version__},
        "agentCapabilities": {
            "loadSession": False,
            "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
            "mcpCapabilities": {"http": True, "sse": True},
            "sessionCapabilities": {"resume": {}, "close": {}},
        },
        "authMethods": [],
    }


def _setup(session: CliSession) -> Json:
    return {
        "modes": modes(session.mode),
        "configOptions": session.models.config_options(),
    }


def is_known(session_id: str, environment: Mapping[str, str]) -> bool:
    """Return whether a conversation can be resumed."""
    home = Path(environment.get("HOME") or "~").expanduser()
    folder = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    return any(folder.glob(f"projects/*/{session_id}.jsonl"))
