"""`ClaudeCliAgent`: ACP's methods, and its sessions, new or resumed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import uuid
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import acp
from acp.schema import (
    AgentCapabilities,
    ClientCapabilities,
    CloseSessionResponse,
    Implementation,
    InitializeResponse,
    McpCapabilities,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
)
from pydantic import BaseModel

from acp_jupyter.agents.claude_cli.cli_input import user_message
from acp_jupyter.agents.claude_cli.command import (
    MODEL_OPTION,
    CliMissingError,
    find_cli,
    mcp_servers,
    modes,
)
from acp_jupyter.agents.claude_cli.session import Session
from acp_jupyter.agents.serving import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    BundledAgent,
    Json,
    Out,
    plain,
)

_RESOURCE_NOT_FOUND = -32002
_GOODBYE_SECONDS = 4.0
_UUID = re.compile(r"[0-9a-fA-F-]{36}")


class ClaudeCliAgent(BundledAgent):
    """An ACP agent on this process's stdin and stdout."""

    def __init__(self, out: Out) -> None:
        self._out = out
        self._sessions: dict[str, Session] = {}
        self._can_ask = False

    def on_connect(self, conn: acp.Client) -> None:
        """Keep the client."""
        self._client = conn

    async def end(self) -> None:
        """End every child."""
        closing = [session.close() for session in self._sessions.values()]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await asyncio.gather(*closing, return_exceptions=True)

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_: Any,
    ) -> InitializeResponse:
        """ACP: initialize."""
        can = client_capabilities or ClientCapabilities()
        self._can_ask = can.elicitation is not None and can.elicitation.form is not None
        return InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=Implementation(name="claude-cli", title="Claude CLI", version=_version()),
            agent_capabilities=AgentCapabilities(
                load_session=False,
                prompt_capabilities=PromptCapabilities(
                    image=True, audio=False, embedded_context=True
                ),
                mcp_capabilities=McpCapabilities(http=True, sse=True),
                session_capabilities=SessionCapabilities(
                    resume=SessionResumeCapabilities(), close=SessionCloseCapabilities()
                ),
            ),
            auth_methods=[],
        )

    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: Sequence[BaseModel] | None = None,
        **_: Any,
    ) -> NewSessionResponse:
        """ACP: session/new."""
        session = self._open(str(uuid.uuid4()), cwd, mcp_servers, resumes=False)
        return NewSessionResponse.model_validate({"sessionId": session.id, **_setup(session)})

    async def resume_session(
        self,
        session_id: str,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: Sequence[BaseModel] | None = None,
        **_: Any,
    ) -> ResumeSessionResponse:
        """ACP: session/resume."""
        if not _UUID.fullmatch(session_id):
            raise acp.RequestError(INVALID_PARAMS, "This is not a session of the Claude CLI.")
        session = self._sessions.get(session_id)
        if session is None:
            if not is_known(session_id, os.environ):
                words = "The Claude CLI has no conversation of this id."
                raise acp.RequestError(_RESOURCE_NOT_FOUND, words, {"sessionId": session_id})
            session = self._open(session_id, cwd, mcp_servers, resumes=True)
        return ResumeSessionResponse.model_validate(_setup(session))

    async def prompt(
        self, session_id: str, prompt: Sequence[BaseModel], **_: Any
    ) -> PromptResponse:
        """ACP: session/prompt."""
        message = user_message([plain(block) for block in prompt])
        return await self._session(session_id).prompt(message)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """ACP: session/cancel."""
        if (session := self._sessions.get(session_id)) is not None:
            session.cancel()

    async def set_session_mode(
        self, session_id: str, mode_id: str, **_: Any
    ) -> SetSessionModeResponse:
        """ACP: session/set_mode."""
        await self._session(session_id).set_mode(mode_id)
        return SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> SetSessionConfigOptionResponse:
        """ACP: session/set_config_option."""
        session = self._session(session_id)
        if config_id != MODEL_OPTION:
            raise acp.RequestError(INVALID_PARAMS, f"There is no option {config_id!r}.")
        await session.set_model(value)
        options = {"configOptions": session.models.config_options()}
        return SetSessionConfigOptionResponse.model_validate(options)

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        """ACP: session/close."""
        session = self._session(session_id)
        del self._sessions[session.id]
        await session.close()
        return CloseSessionResponse()

    def _open(
        self,
        session_id: str,
        cwd: str,
        mcp: Sequence[BaseModel] | None,
        *,
        resumes: bool,
    ) -> Session:
        if not Path(cwd).is_absolute() or not Path(cwd).is_dir():
            raise acp.RequestError(
                INVALID_PARAMS, "cwd must be the absolute path of a folder.", {"cwd": cwd}
            )
        try:
            find_cli(os.environ)
        except CliMissingError as error:
            raise acp.RequestError(INTERNAL_ERROR, str(error)) from None
        session = self._sessions[session_id] = Session(
            self._client,
            self._out,
            session_id,
            Path(cwd),
            mcp_servers([plain(server) for server in mcp or ()]),
            resumes=resumes,
            can_ask=self._can_ask,
        )
        return session

    def _session(self, session_id: str) -> Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise acp.RequestError(
                INVALID_PARAMS, "There is no such session.", {"sessionId": session_id}
            )
        return session


def _setup(session: Session) -> Json:
    return {"modes": modes(session.mode), "configOptions": session.models.config_options()}


def _version() -> str:
    try:
        return metadata.version("acp-jupyter")
    except metadata.PackageNotFoundError:
        return "0"


def is_known(session_id: str, environment: Mapping[str, str]) -> bool:
    """Return whether a conversation can be resumed.

    Parameters
    ----------
    session_id
        Letters, digits and dashes.
    """
    home = Path(environment.get("HOME") or "~").expanduser()
    folder = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    return any(folder.glob(f"projects/*/{session_id}.jsonl"))
