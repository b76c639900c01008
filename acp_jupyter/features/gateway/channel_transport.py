"""Sends requests through the kernel's own channels, for a kernel behind a gateway."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import os
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from pydantic import BaseModel, ValidationError

from acp_jupyter.features.gateway.kernel_requests import (
    ANSWER_TYPE,
    BASE_VARIABLE,
    COMM_ID,
    KEY_VARIABLE,
    PART_BYTES,
    AnswerPart,
    NextPart,
    RequestPart,
    StopAnswer,
)
from acp_jupyter.kernel.execution_context import current_shell, kernel_of

_AGAIN_SECONDS = 5.0
"""Time after which a message counts as lost and is sent again."""
_launch: list[tuple[bytes, str]] = []


def launch_key() -> tuple[bytes, str]:
    """Return the key that the server made for this kernel, and its base URL; else empty ones.

    Removes them from the environment, which other programs inherit.
    """
    key = os.environ.pop(KEY_VARIABLE, "")
    base = os.environ.pop(BASE_VARIABLE, "/")
    if key:
        _launch[:] = [(key.encode(), base)]
    return _launch[0] if _launch else (b"", "")


class ChannelTransport:
    """Sends requests as messages on the kernel's channels, where the server listens."""

    silence = (
        "The Jupyter server did not answer through its gateway. If it was restarted, restart the "
        "kernel too."
    )
    behind_gateway = True

    def __init__(self, base_path: str) -> None:
        self.base_path = base_path.rstrip("/")
        shell: Any = current_shell()
        self._kernel: Any = kernel_of(shell)
        self._waiting: dict[str, SimpleQueue[AnswerPart]] = {}
        self._executes = threading.current_thread() is threading.main_thread()
        shell.events.register("pre_execute", self._begin)
        shell.events.register("post_execute", self._end)
        self._kernel.control_handlers[ANSWER_TYPE] = self._take

    @contextlib.contextmanager
    def answer(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str], seconds: float
    ) -> Iterator[_Answer]:
        """Send a request and return its answer."""
        request_id = uuid.uuid4().hex
        parts = self._waiting[request_id] = SimpleQueue()
        answer = _Answer(self, request_id, parts, seconds)
        try:
            pieces = [body[at : at + PART_BYTES] for at in range(0, len(body), PART_BYTES)] or [b""]
            head: dict[str, Any] = {"method": method, "path": target, "headers": dict(headers)}
            request = [
                RequestPart(
                    request_id=request_id,
                    number=number,
                    body=base64.b64encode(piece),
                    last=number == len(pieces) - 1,
                    **({} if number else head),
                )
                for number, piece in enumerate(pieces)
            ]
            for part in request:
                self.send(part)
            answer.begin(request)
            yield answer
        finally:
            del self._waiting[request_id]
            self.send(StopAnswer(request_id=request_id))

    def send(self, part: BaseModel) -> None:
        """Send a message to the server."""
        self._kernel.session.send(
            self._kernel.iopub_socket,
            "comm_msg",
            {"comm_id": COMM_ID, "data": part.model_dump(mode="json")},
        )

    def _take(self, _stream: object, _ident: object, message: Mapping[str, Any]) -> None:
        """Pass a part of an answer to the waiting request. In the control thread."""
        # ipykernel calls this kernel idle after each control message, also while a cell runs.
        asyncio.get_running_loop().call_soon(self._report_busy)
        with contextlib.suppress(ValidationError):
            part = AnswerPart.model_validate(message["content"])
            waiting = self._waiting.get(part.request_id)
            if waiting is not None:
                waiting.put(part)

    def _report_busy(self) -> None:
        if self._executes:
            self._kernel.session.send(
                self._kernel.iopub_socket,
                "status",
                {"execution_state": "busy"},
                parent=self._kernel.get_parent("shell"),
                ident=b"kernel.status",
            )

    def _begin(self) -> None:
        self._executes = True

    def _end(self) -> None:
        self._executes = False


class _Answer:
    """An answer, part by part."""

    def __init__(
        self,
        transport: ChannelTransport,
        request_id: str,
        parts: SimpleQueue[AnswerPart],
        seconds: float,
    ) -> None:
        self._transport = transport
        self._request_id = request_id
        self._parts = parts
        self._seconds = seconds
        self._number = 0
        self._first: AnswerPart | None = None
        self.status = 0
        self.whole = False
        self._text = io.BufferedReader(_Body(self), PART_BYTES)

    def begin(self, request: Sequence[RequestPart]) -> None:
        """Wait for the first part; ``request`` is sent again until it has come."""
        first = self._first = self._wait(request)
        self.status = first.status

    def read(self, amount: int | None = None, /) -> bytes:
        """Read a part of the body, or all of it."""
        return self._text.read(-1 if amount is None else amount)

    def readline(self, limit: int = -1, /) -> bytes:
        """Read a line of the body."""
        return self._text.readline(limit)

    def more(self) -> bytes:
        """Return more of the body; nothing at its end."""
        while not self.whole or self._first is not None:
            part, self._first = self._first, None
            if part is None:
                asked = NextPart(request_id=self._request_id, number=self._number)
                self._transport.send(asked)
                part = self._wait([asked])
            if part.body:
                return part.body
        return b""

    def _wait(self, asked: Sequence[BaseModel]) -> AnswerPart:
        """Wait for the next part; repeat the request for it, a long one at growing intervals."""
        end = time.monotonic() + self._seconds
        again = _AGAIN_SECONDS
        while (left := end - time.monotonic()) > 0:
            try:
                part = self._parts.get(timeout=min(left, again))
            except Empty:
                for each in asked:
                    self._transport.send(each)
                if len(asked) > 1:
                    again *= 2
                continue
            if part.number == self._number:  # otherwise a duplicate
                self._number += 1
                self.whole = part.last
                return part
        raise TimeoutError("nothing came by the kernel's channels")


class _Body(io.RawIOBase):
    """The body of an answer as a file that is read once."""

    def __init__(self, answer: _Answer) -> None:
        self._answer = answer
        self._left = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read what there is, at least one byte; zero at the end."""
        piece = self._left or self._answer.more()
        count = min(len(piece), len(buffer))
        buffer[:count] = piece[:count]
        self._left = piece[count:]
        return count
