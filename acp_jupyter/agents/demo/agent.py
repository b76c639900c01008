"""`DemoAgent`: ACP's methods, its sessions, and a task for each running turn."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path

from acp_jupyter._version import __version__
from acp_jupyter.agents.demo.command_tasks import delegate, run
from acp_jupyter.agents.demo.file_tasks import ask_twice, create, edit, explore
from acp_jupyter.agents.demo.mcp_client import StdioServer, Toolbox
from acp_jupyter.agents.demo.notebook_tasks import edit_notebook, fix_cell, look_at, plot, query
from acp_jupyter.agents.demo.prompt import Request, Task, prompt_text, understand
from acp_jupyter.agents.demo.session import (
    COMMANDS,
    DemoSession,
    DemoTurn,
    TurnCancelledError,
    environment_rate,
)
from acp_jupyter.agents.demo.talk_tasks import (
    ask_form,
    bench,
    crash,
    fail,
    help_,
    long_answer,
    markdown,
    max_tokens,
    next_cell,
    one_line,
    plan,
    refuse,
)
from acp_jupyter.agents.demo.workspace import Files, Workspace
from acp_jupyter.agents.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Json,
    Peer,
    RpcError,
)

_PROTOCOL_VERSION = 1
_CONTEXT_TOKENS = 32_000
_CHARACTERS_PER_TOKEN = 4
_MAX_TITLE = 60
_GOODBYE_SECONDS = 1.0

_TASKS: Mapping[Task, Callable[[DemoTurn, Request], Coroutine[object, object, str]]] = {
    Task.LOOK_AT: look_at,
    Task.PLOT: plot,
    Task.QUERY: query,
    Task.FIX_CELL: fix_cell,
    Task.EDIT_NOTEBOOK: edit_notebook,
    Task.DELEGATE: delegate,
    Task.EXPLORE: explore,
    Task.EDIT: edit,
    Task.CREATE: create,
    Task.RUN: run,
    Task.MARKDOWN: markdown,
    Task.NEXT_CELL: next_cell,
    Task.SLOW: long_answer,
    Task.BENCH: bench,
    Task.PLAN: plan,
    Task.TWICE: ask_twice,
    Task.QUESTION: ask_form,
    Task.CRASH: crash,
    Task.REFUSE: refuse,
    Task.MAX_TOKENS: max_tokens,
    Task.ERROR: fail,
    Task.HELP: help_,
}


class DemoAgent:
    """An ACP agent on this process's stdin and stdout."""

    def __init__(self) -> None:
        self._ended = asyncio.Event()
        self._peer = Peer(self._on_request, self._on_notification, self._ended.set)
        self._sessions: dict[str, DemoSession] = {}
        self._capabilities: Json = {}

    async def serve(self) -> None:
        """Serve until stdin ends; then end every turn and flush the output."""
        self._peer.stdio.start()
        await self._ended.wait()
        turns = [session.turn for session in self._sessions.values() if session.turn is not None]
        for turn in turns:
            turn.cancel()
        for session in self._sessions.values():
            session.tools.end()
        try:
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await asyncio.gather(*turns, return_exceptions=True)
                await asyncio.sleep(0)  # the callbacks that answer the prompts
                await self._peer.stdio.drain(0)
        except TimeoutError:
            pass  # the client reads no more

    def _on_request(self, request_id: object, method: str, params: Json) -> None:
        match method:
            case "initialize":
                self._peer.answer(request_id, self._initialize(params))
            case "session/new":
                session = self._new_session(params)
                self._peer.answer(
                    request_id, {"sessionId": session.id, "configOptions": session.config_options()}
                )
                update: Json = {
                    "sessionUpdate": "available_commands_update",
                    "availableCommands": COMMANDS,
                }
                self._peer.notify("session/update", {"sessionId": session.id, "update": update})
            case "session/set_config_option":
                session = self._session(params)
                session.set_option(params.get("configId"), params.get("value"))
                self._peer.answer(request_id, {"configOptions": session.config_options()})
            case "session/prompt":
                self._start_turn(request_id, self._session(params), params.get("prompt"))
            case _:
                raise RpcError(METHOD_NOT_FOUND, "Method not found", {"method": method})

    def _on_notification(self, method: str, params: Json) -> None:
        if method == "session/cancel":
            session = self._sessions.get(str(params.get("sessionId")))
            if session is not None and session.turn is not None:
                session.turn.cancel()

    def _initialize(self, params: Json) -> Json:
        capabilities = params.get("clientCapabilities")
        self._capabilities = capabilities if isinstance(capabilities, dict) else {}
        return {
            "protocolVersion": _PROTOCOL_VERSION,
            "agentInfo": {"name": "demo", "title": "Demo", "version": __version__},
            "agentCapabilities": {
                "loadSession": False,
                "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
            },
            "authMethods": [],
        }

    def _new_session(self, params: Json) -> DemoSession:
        cwd = params.get("cwd")
        if not isinstance(cwd, str) or not Path(cwd).is_absolute() or not Path(cwd).is_dir():
            raise RpcError(
                INVALID_PARAMS, "cwd must be the absolute path of a folder.", {"cwd": cwd}
            )
        session_id = f"demo-{uuid.uuid4().hex}"
        fs = self._capabilities.get("fs")
        offers = fs if isinstance(fs, dict) else {}
        session = self._sessions[session_id] = DemoSession(
            id=session_id,
            workspace=Workspace(Path(cwd)),
            files=Files(
                self._peer,
                session_id,
                client_reads=offers.get("readTextFile") is True,
                client_writes=offers.get("writeTextFile") is True,
            ),
            client_has_terminal=self._capabilities.get("terminal") is True,
            tools=Toolbox(StdioServer.read(params.get("mcpServers"))),
            start_rate=environment_rate(),
        )
        return session

    def _session(self, params: Json) -> DemoSession:
        session = self._sessions.get(str(params.get("sessionId")))
        if session is None:
            raise RpcError(
                INVALID_PARAMS, "There is no such session.", {"sessionId": params.get("sessionId")}
            )
        return session

    def _start_turn(self, request_id: object, session: DemoSession, prompt: object) -> None:
        text = prompt_text(prompt)
        if session.turn is not None:
            raise RpcError(
                INVALID_REQUEST, "A turn is running in this session.", {"sessionId": session.id}
            )
        request = understand(text)
        turn = DemoTurn(self._peer, session, request.numbers.get("rate", session.rate))
        session.turn = asyncio.get_running_loop().create_task(_perform(turn, request))

        def finish(task: asyncio.Task[str]) -> None:
            # A callback, since a turn cancelled before its first step runs no code of its own.
            session.turn = None
            self._answer_prompt(request_id, turn, task)

        session.turn.add_done_callback(finish)

    def _answer_prompt(self, request_id: object, turn: DemoTurn, task: asyncio.Task[str]) -> None:
        error = None if task.cancelled() else task.exception()
        match error:
            case None:
                answer: Json = {"stopReason": "cancelled" if task.cancelled() else task.result()}
                self._peer.answer(request_id, answer | ({"_meta": turn.meta} if turn.meta else {}))
            case TurnCancelledError():
                self._peer.answer(request_id, {"stopReason": "cancelled"})
            case RpcError():
                self._peer.fail(request_id, error)
            case _:
                self._peer.fail(
                    request_id, RpcError(INTERNAL_ERROR, "Internal error", {"details": repr(error)})
                )


async def _perform(turn: DemoTurn, request: Request) -> str:
    session = turn.session
    if session.title is None:
        # Below the first line are the names of what is attached, such as pinned cells.
        first, _, _ = request.text.strip().partition("\n")
        session.title = one_line(first, _MAX_TITLE) or "Attachment"
        turn.update("session_info_update", title=session.title)
    session.characters += len(request.text)
    stop_reason = await _TASKS[request.task](turn, request)
    if request.task is not Task.BENCH:  # which only measures its chunks
        used = min(session.characters // _CHARACTERS_PER_TOKEN, _CONTEXT_TOKENS)
        turn.update("usage_update", used=used, size=_CONTEXT_TOKENS)
    return stop_reason
