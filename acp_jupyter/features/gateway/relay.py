"""Passes the requests that a kernel behind a gateway sends on its channels to the server's routes.

This decides nothing: as with a request over HTTP, the route authenticates the kernel by the
request's signature.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import time
from collections.abc import Awaitable, Callable

from pydantic import ValidationError
from tornado.concurrent import Future
from tornado.httputil import (
    HTTPConnection,
    HTTPHeaders,
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import StreamClosedError
from tornado.web import Application

from acp_jupyter.api import kernel_auth
from acp_jupyter.features.gateway.kernel_requests import (
    PART_BYTES,
    REQUEST_BYTES,
    AnswerPart,
    NextPart,
    RequestPart,
    from_kernel,
)

_logger = logging.getLogger(__name__)
_MAX_REQUESTS = 64
_ASKED_SECONDS = 120.0
"""Time after which the kernel no longer waits for an answer."""
_HEADERS = {
    kernel_auth.KERNEL_HEADER,
    kernel_auth.TIME_HEADER,
    kernel_auth.NONCE_HEADER,
    kernel_auth.SIGNATURE_HEADER,
    "Content-Type",
}


Send = Callable[[AnswerPart], Awaitable[None]]


class Relay:
    """Answers the requests of one kernel. Used on Jupyter's loop.

    Parameters
    ----------
    send
        Sends a part of an answer; the kernel asks again for a lost part.
    """

    def __init__(self, application: Application, base_url: str, kernel_id: str, send: Send) -> None:
        self._application = application
        self._prefix = base_url.rstrip("/") + "/acp-jupyter/api/"
        self._kernel_id = kernel_id
        self._send = send
        self._answers: dict[str, _Answer] = {}
        self._refusing: set[asyncio.Future[None]] = set()
        self._used = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        """Time since the kernel's last message."""
        return time.monotonic() - self._used

    def receive(self, data: object) -> None:
        """Handle a message of the kernel; ignore an unknown one."""
        self._used = time.monotonic()
        try:
            part = from_kernel().validate_python(data)
        except ValidationError:
            _logger.warning("kernel %s sent an unreadable message", self._kernel_id)
            return
        answer = self._answers.get(part.request_id)
        if isinstance(part, RequestPart):
            if answer is None and part.number == 0:
                answer = self._begin(part)
            if answer is not None:
                answer.add(part)
        elif answer is not None:
            if isinstance(part, NextPart):
                answer.ask(part.number)
            else:
                answer.drop()

    def stop(self) -> None:
        """End all open requests."""
        for answer in tuple(self._answers.values()):
            answer.drop()

    def _begin(self, part: RequestPart) -> _Answer | None:
        own = part.headers.get(kernel_auth.KERNEL_HEADER) == self._kernel_id
        if not own or not part.path.startswith(self._prefix):
            _logger.warning("kernel %s asked for what is not its own", self._kernel_id)
            return None
        if len(self._answers) >= _MAX_REQUESTS:
            _logger.warning("kernel %s asks for too much at once", self._kernel_id)
            self._refuse(part)
            return None
        answer = self._answers[part.request_id] = _Answer(part, self._send)
        answer.task = asyncio.create_task(self._answer(answer), name="acp-kernel_requests")
        return answer

    def _refuse(self, part: RequestPart) -> None:
        if len(self._refusing) >= _MAX_REQUESTS:
            return  # the kernel will ask again
        words = _message_json(
            f"This kernel waits for {_MAX_REQUESTS} answers of its server already."
        )
        refusal = AnswerPart(
            request_id=part.request_id,
            number=0,
            status=503,
            body=base64.b64encode(words),
            last=True,
        )
        task = asyncio.ensure_future(self._send(refusal))
        self._refusing.add(task)
        task.add_done_callback(self._refusing.discard)

    async def _answer(self, answer: _Answer) -> None:
        try:
            async with asyncio.timeout(_ASKED_SECONDS):
                await answer.complete.wait()
            if answer.too_long:
                _logger.warning("kernel %s sent a request that is too long", self._kernel_id)
                most = REQUEST_BYTES // 1024**2
                answer.refuse(413, f"What this kernel sent is longer than {most} MiB.")
            else:
                self._application(answer.request())
            await answer.send_parts()
        except TimeoutError:
            _logger.info("kernel %s left a request", self._kernel_id)
        finally:
            del self._answers[answer.request_id]
            answer.close()


class _Answer(HTTPConnection):
    """An open request; keeps what the route writes until the kernel asks for it."""

    def __init__(self, head: RequestPart, send: Send) -> None:
        self.request_id = head.request_id
        self.task: asyncio.Task[None] | None = None
        self.complete = asyncio.Event()
        """Whether the whole request has come, or it is too long."""
        self.too_long = False
        self._head = head
        self._send = send
        self._body = bytearray()
        self._parts = 0
        self._status = 0
        self._written = bytearray()
        self._ended = False
        self._asked = 0
        self._sent: AnswerPart | None = None
        self._changed = asyncio.Event()
        self._taken: list[Future[None]] = []
        self._on_close: Callable[[], None] | None = None
        self._sending: set[asyncio.Task[None]] = set()
        self._closed = False

    # -- the request ---------------------------------------------------------------

    def add(self, part: RequestPart) -> None:
        """Add the next part of the request; ignore a repeated one."""
        if self.complete.is_set():
            if part.number == 0 and self._sent is not None and self._sent.number == 0:
                self._again()
        elif part.number == self._parts:
            self._body += part.body
            self._parts += 1
            self.too_long = len(self._body) > REQUEST_BYTES
            if self.too_long:
                self._body.clear()
            if part.last or self.too_long:
                self.complete.set()

    def refuse(self, status: int, words: str) -> None:
        """Answer with an error."""
        self._status = status
        self.write(_message_json(words))
        self.finish()

    def request(self) -> HTTPServerRequest:
        """Return the request in tornado's form."""
        head = self._head
        headers = HTTPHeaders({n: v for n, v in head.headers.items() if n in _HEADERS})
        headers["Host"] = "localhost"
        return HTTPServerRequest(
            connection=self,
            headers=headers,
            body=bytes(self._body),
            start_line=RequestStartLine(head.method, head.path, "HTTP/1.1"),
        )

    # -- what the kernel asks for ----------------------------------------------------

    def ask(self, number: int) -> None:
        """Note that the kernel has all parts before this one, and asks for it."""
        if self._sent is not None and number == self._sent.number:
            self._again()
        elif number == self._asked + 1 and self._sent is not None:
            self._asked = number
            self._changed.set()

    def drop(self) -> None:
        """End the request, as the kernel no longer waits for its answer."""
        if self.task is not None:
            self.task.cancel()

    async def send_parts(self) -> None:
        """Send the answer, each part when the kernel asks for it."""
        number = 0
        while True:
            while not self._status or not (self._written or self._ended):
                await self._next_change()
            piece = bytes(self._written[:PART_BYTES])
            del self._written[:PART_BYTES]
            last = self._ended and not self._written
            self._sent = AnswerPart(
                request_id=self.request_id,
                number=number,
                status=self._status,
                body=base64.b64encode(piece),
                last=last,
            )
            self._free()
            await self._send(self._sent)
            if last:
                # The kernel may ask for it again until it has confirmed the last part.
                await asyncio.sleep(_ASKED_SECONDS)
                return
            number += 1
            async with asyncio.timeout(_ASKED_SECONDS):
                while self._asked < number:
                    await self._next_change()

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _again(self) -> None:
        assert self._sent is not None
        task = asyncio.ensure_future(self._send(self._sent))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    # -- what a route calls ------------------------------------------------------------

    def set_close_callback(self, callback: Callable[[], None] | None) -> None:
        """Store the function to call when the connection closes."""
        self._on_close = callback

    def write_headers(
        self,
        start_line: RequestStartLine | ResponseStartLine,
        headers: HTTPHeaders,
        chunk: bytes | None = None,
    ) -> Future[None]:
        """Store the answer's status and first data; the headers are not passed on."""
        assert isinstance(start_line, ResponseStartLine)
        self._status = start_line.code
        return self.write(chunk or b"")

    def write(self, chunk: bytes) -> Future[None]:
        """Add data to the body; the future is done once there is room for more."""
        taken: Future[None] = Future()
        if self._closed:
            taken.set_exception(StreamClosedError())
            taken.exception()
            return taken
        self._written += chunk
        self._taken.append(taken)
        if len(self._written) <= PART_BYTES:
            self._free()
        self._changed.set()
        return taken

    def finish(self) -> None:
        """Note that the answer is complete."""
        self._ended = True
        self._changed.set()

    def close(self) -> None:
        """Close the connection: fail waiting writes, and call the route's callback."""
        self._closed = True
        callback, self._on_close = self._on_close, None
        for taken in self._taken:
            if not taken.done():  # a route may have cancelled it after a timeout
                taken.set_exception(StreamClosedError())
                taken.exception()
        self._taken.clear()
        if callback is not None:
            callback()

    def _free(self) -> None:
        for taken in self._taken:
            if not taken.done():
                taken.set_result(None)
        self._taken.clear()


def _message_json(message: str) -> bytes:
    return json.dumps({"message": message}).encode()
