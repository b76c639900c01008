"""One session: its CLI, the running turn, and edits with the old contents of files."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from pydantic import JsonValue

from acp_jupyter.agents.claude_cli.cli_input import (
    QUESTION_TOOL,
    answer_questions,
    control_response,
    decision,
    deny,
    question_form,
)
from acp_jupyter.agents.claude_cli.cli_process import LiveCli
from acp_jupyter.agents.claude_cli.command import (
    DEFAULT_MODE,
    CliLaunch,
    CliMissingError,
    CliModels,
    commands_update,
    known_mode,
)
from acp_jupyter.agents.rpc import INTERNAL_ERROR, INVALID_REQUEST, Json, Peer, RpcError
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
    is_logged_out,
    login_error,
)
from acp_jupyter.protocol.objects import Obj, items, number, obj, text

_INTERRUPT_SECONDS = 2.0
_NO_START = "The Claude CLI can't be started"


class CliSession:
    """A conversation with the CLI, which may end and be resumed in between."""

    def __init__(
        self, peer: Peer, session_id: str, cwd: Path, servers: Json, *, resumes: bool, can_ask: bool
    ) -> None:
        self.id = session_id
        self.mode = DEFAULT_MODE
        self.models = CliModels()
        self._peer = peer
        self._cwd = cwd
        self._servers = servers
        self._cli_session_id = session_id
        self._resumes = resumes
        self._can_ask = can_ask
        self._cli: LiveCli | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._turn: CliTurn | None = None
        self._questions: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def prompt(self, request_id: object, message: Json) -> None:
        """ACP: session/prompt; answered when the turn ends."""
        if self._turn is not None:
            raise RpcError(
                INVALID_REQUEST, "A turn is running in this session.", {"sessionId": self.id}
            )
        self._turn = CliTurn(request_id)
        self._spawn(self._begin(self._turn, message))

    def cancel(self) -> None:
        """ACP: session/cancel."""
        turn = self._turn
        if turn is None or turn.is_cancelled:
            return
        turn.is_cancelled = True
        if turn.is_sent and self._cli is not None:
            self._spawn(self._interrupt(turn, self._cli))

    async def set_mode(self, mode: object) -> None:
        """ACP: session/set_mode. A CLI that is not running yet is started with it."""
        name = known_mode(mode)
        if self._cli is not None:
            await self._cli.control({"subtype": "set_permission_mode", "mode": name})
        self.mode = name

    async def set_model(self, model: object) -> None:
        """ACP: session/set_config_option, for the only option."""
        name = self.models.check(model)
        if self._cli is not None:
            await self._cli.control({"subtype": "set_model", "model": name})
        self.models.current = name

    async def close(self) -> None:
        """End the CLI, and everything that waits for it."""
        self.cancel()
        if self._cli is not None:
            await self._cli.stop()
        for task in self._tasks:
            task.cancel()

    def _spawn(self, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # -- turns -----------------------------------------------------------

    async def _begin(self, turn: CliTurn, message: Json) -> None:
        try:
            cli = await self._running()
        except (CliMissingError, OSError) as error:
            why = f"{_NO_START}: {error.strerror}." if isinstance(error, OSError) else str(error)
            turn.outcome = CliTurnError({"code": INTERNAL_ERROR, "message": why})
        else:
            if not turn.is_cancelled:
                turn.is_sent = True
                cli.send(message)
                return
        self._finish(turn)

    async def _running(self) -> LiveCli:
        if self._stopping is not None:
            await self._stopping
        if self._cli is None:
            launch = CliLaunch(
                self._cli_session_id,
                self._resumes,
                self.mode,
                self.models.argument(),
                self._servers,
                self._can_ask,
            )
            self._cli = await LiveCli.start(
                launch,
                self._cwd,
                on_result=self._take,
                on_end=self._ended,
                on_hello=self._learn,
            )
        return self._cli

    def _ended(self) -> None:
        cli, self._cli = self._cli, None
        assert cli is not None
        # It resumes what it began. What it can't resume, or never began, begins again.
        self._cli_session_id = cli.session_id or str(uuid.uuid4())
        self._resumes = bool(cli.session_id)
        for question in self._questions.values():
            question.cancel()
        turn = self._turn
        if turn is not None and turn.is_sent:
            turn.outcome = turn.outcome or exit_error(cli.end_reason, cli.last_words)
            self._finish(turn)

    async def _interrupt(self, turn: CliTurn, cli: LiveCli) -> None:
        """Ask the CLI to stop; end it if it does not."""
        cli.interrupt()
        try:
            async with asyncio.timeout(_INTERRUPT_SECONDS):
                await turn.ended.wait()
        except TimeoutError:
            await cli.stop()

    def _turn_over(self, result: CliTurnEnd | CliTurnError) -> None:
        turn, cli = self._turn, self._cli
        if turn is None or cli is None or not turn.is_sent or not result.of_prompt:
            return
        turn.outcome = result
        login = isinstance(result, CliTurnError) and result.needs_login
        if login:
            # It would go on with the login that was missing.
            self._stopping = self._spawn(cli.stop())
        if login or not cli.is_busy:
            self._finish(turn)

    def _finish(self, turn: CliTurn) -> None:
        if turn.is_cancelled and self._cli is not None:
            self._cli.close_open_calls()
        self._turn = None
        turn.answer(self._peer)

    # -- what the CLI says -----------------------------------------------

    def _take(self, result: CliResult) -> None:
        match result:
            case Update(update):
                self._show(update)
            case CliTurnEnd() | CliTurnError():
                self._turn_over(result)
            case StateChanged(state):
                # Only now is it done: subagents may continue after the first result.
                if state == "idle" and self._turn is not None and self._turn.outcome is not None:
                    self._finish(self._turn)
            case PermissionRequested(request_id):
                task = self._questions[request_id] = self._spawn(self._ask(result))
                task.add_done_callback(lambda _: self._questions.pop(request_id, None))
            case CliPermissionWithdrawn(request_id):
                if (question := self._questions.get(request_id)) is not None:
                    question.cancel()
            case ControlRequested() | ControlAnswered():
                pass  # between the CLI and `LiveCli`
            case _:
                assert_never(result)

    def _show(self, update: Obj) -> None:
        match update.get("sessionUpdate"):
            case "user_message_chunk":
                return  # the client knows what it sent
            case "current_mode_update":
                self.mode = text(update.get("currentModeId"))
            case "tool_call" | "tool_call_update":
                update = with_old_text(update, self._cwd)
            case _:
                pass
        self._notify({**update})

    def _learn(self, answer: Obj) -> None:
        if (update := commands_update(answer)) is not None:
            self._notify(update)
        if self.models.learn(answer):
            options = self.models.config_options()
            self._notify({"sessionUpdate": "config_option_update", "configOptions": options})

    async def _ask(self, question: PermissionRequested) -> None:
        """ACP: session/request_permission, elicitation/create. Only "allow" allows."""
        is_form = self._can_ask and question.tool_name == QUESTION_TOOL
        method = "elicitation/create" if is_form else "session/request_permission"
        call = with_old_text(obj(question.params.get("toolCall")), self._cwd)
        params = question_form(question) if is_form else {**question.params, "toolCall": call}
        try:
            result = await self._peer.request(method, {"sessionId": self.id, **params})
            response = answer_questions if is_form else decision
            answer = response(question, result)
        except RpcError:
            answer = deny()
        if self._cli is not None:
            self._cli.send(control_response(question.request_id, answer))

    def _notify(self, update: Json) -> None:
        self._peer.notify("session/update", {"sessionId": self.id, "update": update})


@dataclass(slots=True)
class CliTurn:
    """The state of a turn; it is answered once."""

    request_id: object
    is_sent: bool = False
    is_cancelled: bool = False
    outcome: CliTurnEnd | CliTurnError | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, peer: Peer) -> None:
        """Answer the prompt. A stopped turn is cancelled, whatever the CLI calls it."""
        self.ended.set()
        if self.is_cancelled:
            earlier = self.outcome.response if isinstance(self.outcome, CliTurnEnd) else {}
            peer.answer(self.request_id, {**earlier, "stopReason": "cancelled"})
            return
        match self.outcome:
            case CliTurnEnd(response):
                peer.answer(self.request_id, {**response})
            case CliTurnError(error):
                peer.fail(self.request_id, _rpc_error(error))
            case None:
                words = "The Claude CLI gave no answer."
                peer.fail(self.request_id, RpcError(INTERNAL_ERROR, words))
            case _:
                assert_never(self.outcome)


def _rpc_error(error: Obj) -> RpcError:
    code = number(error.get("code"))
    message = text(error.get("message"))
    return RpcError(INTERNAL_ERROR if code is None else code, message, error.get("data"))


def exit_error(end_reason: str, last_words: str) -> CliTurnError:
    """Return how a turn ends when its process has ended."""
    if is_logged_out(last_words):
        return CliTurnError(login_error(last_words), needs_login=True)
    message = f"The Claude CLI {end_reason} during the turn. Your next message starts it again."
    error: Obj = {"code": INTERNAL_ERROR, "message": message}
    return CliTurnError({**error, "data": {"details": last_words}} if last_words else error)


_MAX_BYTES = 1024 * 1024


def with_old_text(call: Obj, cwd: Path) -> Obj:
    """Return a tool call whose diffs distinguish a replaced file from a new one."""
    if call.get("status") in ("completed", "failed") or "content" not in call:
        return call
    content: list[JsonValue] = [_with_old(obj(item), cwd) for item in items(call["content"])]
    return {**call, "content": content}


def _with_old(item: Obj, cwd: Path) -> Obj:
    if item.get("type") != "diff" or item.get("oldText") is not None:
        return item
    old = _read(cwd / text(item.get("path")))
    # The same text: it is written already, and the result will say what was there.
    return item if old is None or old == item.get("newText") else {**item, "oldText": old}


def _read(path: Path) -> str | None:
    try:
        if not path.is_file():  # a pipe would block
            return None
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        return None if len(data) > _MAX_BYTES else data.decode()
    except (OSError, ValueError):
        return None
