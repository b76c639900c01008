"""One page's connection to the host, over a WebSocket or another transport of text."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Protocol, assert_never

from pydantic import JsonValue, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from acp_jupyter._version import __version__
from acp_jupyter.api.access import Caller, sender
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.models.command_row import Result
from acp_jupyter.api.models.command_table import Command, needs_proof
from acp_jupyter.api.models.documents import AnswerFrame, DocumentsFrame
from acp_jupyter.api.models.frames import (
    API_VERSION,
    AckFrame,
    ClientFrame,
    CommandFrame,
    ErrorBody,
    ErrorFrame,
    HelloFrame,
    ImportsFrame,
    ProofFrame,
    ReplyFrame,
    SessionsFrame,
    SubscribeFrame,
    UnsubscribeFrame,
    validation_message,
)
from acp_jupyter.api.models.traffic import ImportProgress
from acp_jupyter.api.pages import Pages
from acp_jupyter.api.subscription import Outbox, Subscription
from acp_jupyter.errors import AcpError, BadRequest, InvalidAnswers, NotAllowed
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.store.journal import EPOCH

_logger = logging.getLogger(__name__)


@cache
def _frame() -> TypeAdapter[ClientFrame]:
    return TypeAdapter(ClientFrame)


_SUBSCRIPTIONS = 64
_COMMANDS = 64
_DOCUMENTS = 1000
_LIST_SECONDS = 0.25
_UNPROVEN = (
    "JupyterLab can't prove that this request comes from its own page, so it can't allow anything. "
    "Open JupyterLab in its own browser tab and reload it."
)


class Around(Protocol):
    """What a server does on its own loop before and after each command."""

    async def before(self, command: Command, caller: Caller) -> None:
        """Prepare a command, or refuse it."""

    def after(self, command: Command, caller: Caller, result: Result) -> None:
        """Take note of a command's result."""


class Channel:
    """Receives a page's frames, and sends it the host's.

    Belongs to the loop in which it was created; the host runs in another.

    Parameters
    ----------
    write
        Sends one frame as JSON; raising ends the channel.
    is_own_key
        Returns whether a key is one of the page's own. Before the page has sent such a key, it
        can't answer or allow anything. Without this, no proof is needed.
    """

    def __init__(
        self,
        host: AgentHost,
        dispatcher: Dispatcher,
        pages: Pages,
        caller: Caller,
        write: Callable[[bytes], Awaitable[None]],
        is_own_key: Callable[[str], Awaitable[bool]] | None = None,
        around: Around | None = None,
    ) -> None:
        self._host = host
        self._dispatcher = dispatcher
        self._pages = pages
        self._around = around
        self._caller = caller
        self._is_own_key = is_own_key
        self._loop = asyncio.get_running_loop()
        self._outbox = Outbox(write)
        self._page = pages.join(self._outbox.put_from_any_thread)
        self._subscriptions: dict[str, Subscription] = {}
        self._commands: set[asyncio.Task[None]] = set()
        self._list_changed = asyncio.Event()
        self._greeted = asyncio.Event()
        self._stop_listening = host.sessions.on_change(self._sessions_changed)

    async def run(self) -> None:
        """Send until cancelled, until `finish`, or until the page stops reading."""
        tasks = [
            asyncio.create_task(self._outbox.run(), name="acp-channel-outbox"),
            asyncio.create_task(self._send_lists(), name="acp-channel-sessions"),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.close()
            tasks += self._commands
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()

    def finish(self) -> None:
        """Send the waiting frames; then `run` ends."""
        self._outbox.finish()

    def close(self) -> None:
        """Remove the page and its subscriptions from the host. May be called again."""
        self._stop_listening()
        self._pages.leave(self._page)
        for session_id in tuple(self._subscriptions):
            self._detach(session_id)
        self._greeted.set()

    async def receive(self, text: str | bytes) -> None:
        """Process one frame; an invalid one is answered with an error frame."""
        await self._greeted.wait()
        try:
            frame = _frame().validate_json(text)
        except ValidationError as error:
            self._error("", BadRequest(validation_message(error)))
            return
        match frame:
            case SubscribeFrame():
                await self._subscribe(frame)
            case UnsubscribeFrame():
                self._detach(frame.session_id)
            case AckFrame():
                subscription = self._subscriptions.get(frame.session_id)
                if subscription is not None:
                    self._outbox.acknowledged(subscription, frame.seq)
            case ProofFrame():
                await self._prove(frame)
            case CommandFrame():
                self._start_command(frame)
            case DocumentsFrame():
                self._page.announce(frame.documents[:_DOCUMENTS])
            case AnswerFrame():
                self._page.answer(frame)
            case _:
                assert_never(frame)

    # -- subscriptions ---------------------------------------------------------

    async def follow(self, session_id: str, *, answers: bool) -> None:
        """Subscribe to a session; ``answers`` is whether the reader can answer requests."""
        await self._greeted.wait()
        await self._subscribe(SubscribeFrame(session_id=session_id), answers=answers)

    async def _subscribe(self, frame: SubscribeFrame, *, answers: bool = True) -> None:
        self._detach(frame.session_id)
        if len(self._subscriptions) >= _SUBSCRIPTIONS:
            self._error(
                frame.session_id,
                BadRequest(
                    f"A page can follow {_SUBSCRIPTIONS} sessions at once. Close one of them."
                ),
            )
            return
        subscription = self._outbox.add(frame.session_id)
        self._subscriptions[frame.session_id] = subscription
        try:
            await self._host.run(
                self._host.sessions.subscribe(
                    frame.session_id, subscription, frame.after, frame.epoch, answers=answers
                )
            )
        except AcpError as error:
            self._detach(frame.session_id)
            self._error(frame.session_id, error)

    def _detach(self, session_id: str) -> None:
        subscription = self._subscriptions.pop(session_id, None)
        if subscription is not None:
            self._outbox.remove(subscription)
            self._host.unsubscribe(subscription)

    # -- commands --------------------------------------------------------------

    async def _prove(self, frame: ProofFrame) -> None:
        if self._is_own_key is None or await self._is_own_key(frame.key):
            self._is_own_key = None
        else:
            self._error("", NotAllowed(_UNPROVEN))

    def _start_command(self, frame: CommandFrame) -> None:
        if self._is_own_key is not None and needs_proof(frame.command):
            self._reply(frame.id, error=NotAllowed(_UNPROVEN))
            return
        if len(self._commands) >= _COMMANDS:
            self._reply(frame.id, error=BadRequest("Too many commands at once. Try again."))
            return
        task = asyncio.create_task(self._run_command(frame), name="acp-channel-command")
        self._commands.add(task)
        task.add_done_callback(self._commands.discard)

    async def _run_command(self, frame: CommandFrame) -> None:
        try:
            if self._around is not None:
                await self._around.before(frame.command, self._caller)
            result = await self._host.run(self._dispatcher.handle(frame.command, self._caller))
            if self._around is not None:
                self._around.after(frame.command, self._caller, result)
        except AcpError as error:
            self._reply(frame.id, error=error)
        except Exception:
            _logger.exception("command %s", frame.command.name)
            self._reply(
                frame.id, error=AcpError("Something went wrong in the server; see its log.")
            )
        else:
            self._reply(frame.id, result=to_jsonable_python(result))

    def _reply(
        self, frame_id: int, *, result: JsonValue = None, error: AcpError | None = None
    ) -> None:
        body = None if error is None else _error_body(error)
        self._outbox.put(ReplyFrame(id=frame_id, result=result, error=body))

    def _error(self, session_id: str, error: AcpError) -> None:
        self._outbox.put(ErrorFrame(session_id=session_id, error=_error_body(error)))

    # -- the session list ------------------------------------------------------

    def _sessions_changed(self) -> None:
        """Called in the host's thread."""
        try:
            self._loop.call_soon_threadsafe(self._list_changed.set)
        except RuntimeError:
            return

    async def _send_lists(self) -> None:
        sent = await self._host.run(self._dispatcher.summaries(self._caller))
        self._outbox.put(
            HelloFrame(
                api_version=API_VERSION,
                version=__version__,
                epoch=EPOCH,
                user=sender(self._caller),
                sessions=sent,
            )
        )
        self._greeted.set()
        imports: tuple[ImportProgress, ...] = ()
        while True:
            running = await self._host.run(self._dispatcher.imports(self._caller))
            if imports != (imports := running):
                self._outbox.put(ImportsFrame(imports=imports))
            await self._list_changed.wait()
            self._list_changed.clear()
            sessions = await self._host.run(self._dispatcher.summaries(self._caller))
            if sessions != sent:
                sent = sessions
                self._outbox.put(SessionsFrame(sessions=sessions))
            await asyncio.sleep(_LIST_SECONDS)  # a turn changes its session often


def _error_body(error: AcpError) -> ErrorBody:
    return ErrorBody(
        message=error.message,
        reason=error.reason,
        detail=error.detail,
        status=error.status,
        fields=error.fields if isinstance(error, InvalidAnswers) else {},
    )
