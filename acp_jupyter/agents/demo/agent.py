"""`DemoAgent`: ACP's methods, its sessions, and one task for each running turn."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import acp
from acp.schema import (
    AgentCapabilities,
    ClientCapabilities,
    FileSystemCapabilities,
    Implementation,
    InitializeResponse,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    SetSessionConfigOptionResponse,
)

from acp_jupyter.agents.demo.command_tasks import delegate, run
from acp_jupyter.agents.demo.file_tasks import ask_twice, create, edit, explore
from acp_jupyter.agents.demo.mcp_client import StdioServer, Toolbox
from acp_jupyter.agents.demo.notebook_tasks import edit_notebook, fix_cell, look_at, plot
from acp_jupyter.agents.demo.prompt import Request, Task, prompt_text, understand
from acp_jupyter.agents.demo.session import (
    COMMANDS,
    Session,
    Turn,
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
from acp_jupyter.agents.serving import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    Background,
    BundledAgent,
    Json,
    Out,
)

_CONTEXT_TOKENS = 32_000
_CHARACTERS_PER_TOKEN = 4
_MAX_TITLE = 60

_TASKS: Mapping[Task, Callable[[Turn, Request], Coroutine[object, object, str]]] = {
    Task.LOOK_AT: look_at,
    Task.PLOT: plot,
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


class DemoAgent(BundledAgent):
    """An ACP agent on this process's stdin and stdout."""

    def __init__(self, out: Out) -> None:
        self._out = out
        self._sessions: dict[str, Session] = {}
        self._capabilities = ClientCapabilities()
        self._background = Background()

    def on_connect(self, conn: acp.Client) -> None:
        """Keep the client."""
        self._client = conn

    async def end(self) -> None:
        """End the turns and the servers of tools."""
        for session in self._sessions.values():
            if session.turn is not None:
                session.turn.cancel()
            session.tools.end()

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_: Any,
    ) -> InitializeResponse:
        """ACP: initialize."""
        self._capabilities = client_capabilities or self._capabilities
        return InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=Implementation(name="demo", title="Demo", version=_version()),
            agent_capabilities=AgentCapabilities(
                load_session=False,
                prompt_capabilities=PromptCapabilities(
                    image=True, audio=False, embedded_context=True
                ),
            ),
            auth_methods=[],
        )

    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: Sequence[object] | None = None,
        **_: Any,
    ) -> NewSessionResponse:
        """ACP: session/new."""
        if not _is_folder(cwd):
            raise acp.RequestError(
                INVALID_PARAMS, "cwd must be the absolute path of a folder.", {"cwd": cwd}
            )
        session_id = f"demo-{uuid.uuid4().hex}"
        fs = self._capabilities.fs or FileSystemCapabilities()
        session = self._sessions[session_id] = Session(
            id=session_id,
            workspace=Workspace(Path(cwd)),
            files=Files(
                self._client,
                session_id,
                client_reads=fs.read_text_file is True,
                client_writes=fs.write_text_file is True,
            ),
            client_has_terminal=self._capabilities.terminal is True,
            tools=Toolbox(StdioServer.read(mcp_servers or ())),
            start_rate=environment_rate(),
        )
        return NewSessionResponse.model_validate(
            {"sessionId": session_id, "configOptions": session.config_options()}
        )

    def answered(self, result: Json) -> None:
        """Tell a session's commands once it is known to the client."""
        session = self._sessions.get(str(result.get("sessionId")))
        if session is not None:
            turn = Turn(self._client, self._out, session, 0)
            told = turn.update("available_commands_update", availableCommands=COMMANDS)
            self._background.run(told)

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> SetSessionConfigOptionResponse:
        """ACP: session/set_config_option."""
        session = self._session(session_id)
        session.set_option(config_id, value)
        return SetSessionConfigOptionResponse.model_validate(
            {"configOptions": session.config_options()}
        )

    async def cancel(self, session_id: str, **_: Any) -> None:
        """ACP: session/cancel."""
        session = self._sessions.get(session_id)
        if session is not None and session.turn is not None:
            session.turn.cancel()

    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> PromptResponse:
        """ACP: session/prompt."""
        session = self._session(session_id)
        text = prompt_text(prompt)
        if session.turn is not None:
            raise acp.RequestError(
                INVALID_REQUEST, "A turn is running in this session.", {"sessionId": session.id}
            )
        request = understand(text)
        turn = Turn(self._client, self._out, session, request.numbers.get("rate", session.rate))
        session.turn = asyncio.get_running_loop().create_task(_perform(turn, request))
        try:
            await asyncio.wait({session.turn})
            return _response(turn, session.turn)
        finally:
            session.turn.cancel()
            session.turn = None

    def _session(self, session_id: str) -> Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise acp.RequestError(
                INVALID_PARAMS, "There is no such session.", {"sessionId": session_id}
            )
        return session


def _is_folder(cwd: str) -> bool:
    return Path(cwd).is_absolute() and Path(cwd).is_dir()


def _response(turn: Turn, task: asyncio.Task[str]) -> PromptResponse:
    error = None if task.cancelled() else task.exception()
    if task.cancelled() or isinstance(error, TurnCancelledError):
        return PromptResponse(stop_reason="cancelled")
    if isinstance(error, acp.RequestError):
        raise error
    if error is not None:
        raise acp.RequestError(INTERNAL_ERROR, "Internal error", {"details": repr(error)})
    told: Json = {"_meta": turn.meta} if turn.meta else {}
    return PromptResponse.model_validate({"stopReason": task.result(), **told})


async def _perform(turn: Turn, request: Request) -> str:
    session = turn.session
    if session.title is None:
        session.title = one_line(request.text, _MAX_TITLE) or "Attachment"
        await turn.update("session_info_update", title=session.title)
    session.characters += len(request.text)
    stop_reason = await _TASKS[request.task](turn, request)
    if request.task is not Task.BENCH:  # which measures its chunks and nothing else
        used = min(session.characters // _CHARACTERS_PER_TOKEN, _CONTEXT_TOKENS)
        await turn.update("usage_update", used=used, size=_CONTEXT_TOKENS)
    return stop_reason


def _version() -> str:
    try:
        return metadata.version("acp-jupyter")
    except metadata.PackageNotFoundError:
        return "0"
