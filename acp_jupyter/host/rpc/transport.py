"""The transport: JSON-RPC messages in wire order, to and from an agent's pipes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from acp_jupyter.errors import AgentDied
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import AgentProcess
from acp_jupyter.host.process.lines import LineSplitter
from acp_jupyter.host.rpc.inbound import Inbound, OnWithdrawn
from acp_jupyter.host.rpc.log_router import LogRouter, Mark, SessionLog
from acp_jupyter.host.rpc.open_requests import ReceivedRequests, Sent, SentRequest, SentRequests
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.protocol.version_2 import Version2

BeforeAnswer = Callable[[], Awaitable[None]]

_YIELD_EVERY = 50
_YIELD_SECONDS = 0.005
"""After so many lines of one agent, or so long, it is the others' turn."""
_EXIT_AFTER_EOF_SECONDS = 1.0
_NEXT = "The next prompt starts it again."
_HANDSHAKE = "initialize"


class LineTransport:
    """The transport of the SDK's connection: JSON-RPC over an agent process.

    Each line of either direction is first written into its logs. ``session/update`` goes to the
    logs only; all else that is well-formed is returned by `receive`.

    Parameters
    ----------
    process
        The agent's process; owned by the caller.
    """

    def __init__(
        self,
        process: AgentProcess,
        log_router: LogRouter,
        limits: Limits,
        *,
        name: str = "The agent",
    ) -> None:
        self.ended = asyncio.Event()
        self.died: AgentDied | None = None
        """Why nothing can be sent any more."""
        self.fault = ""
        """Why the connection to a running agent was closed, e.g. ``has closed its stdin``."""
        self._process = process
        self._log_router = log_router
        self._limits = limits
        self._name = name
        self._splitter = LineSplitter(limits.line_bytes)
        self._ready: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._count = 0
        self._ours = SentRequests(self._ready.put_nowait)
        self._theirs = ReceivedRequests(limits.open_requests)
        self._version_2 = Version2()
        self._inbound = Inbound(
            log_router,
            self._ours,
            self._theirs,
            limits,
            self._ready.put_nowait,
            self._answer_now,
            self._version_2,
        )
        self._pumping = asyncio.create_task(self._pump(), name="acp-agent-lines")

    def on_withdrawn(self, call: OnWithdrawn) -> None:
        """Call ``call`` when the agent withdraws a request. ACP: $/cancel_request."""
        self._inbound.on_withdrawn = call

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message of the SDK's connection; a dead agent gets no answers.

        The ``params`` of requests and notifications are `Sent`. What the connection sends without
        is that a request was cancelled: `forget` has said so already.
        """
        sent = message.get("params")
        if isinstance(sent, Sent):
            if self.died is not None:
                raise self.died
            method, params = self._version_2.written(message["method"], sent.params)
            line: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
            if isinstance(sent, SentRequest):
                self._ours.open(sent, message["id"])
                line = {"jsonrpc": "2.0", "id": sent.id, "method": method, "params": params}
            line = clean_json(line)
            self._version_2.sent(line)
            logs = self._log_router.joined if sent.log is None else (sent.log,)
            sent.marks = self._write(line, logs)
            if method == _HANDSHAKE:
                self._log_router.remember_handshake(">", line)
            await self._flush()
        elif "method" not in message and self.died is None:
            with contextlib.suppress(AgentDied):
                self._answer(_without_null(message))
                await self._flush()

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message for the SDK's connection, or None when the agent has ended.

        Of the agent's messages these are the answers to our requests, and the requests and
        notifications that may have a handler; their ``params`` are `Received`.
        """
        if self.died is not None and self._ready.empty():
            return None
        return await self._ready.get()

    def forget(self, request: SentRequest, *, tells: bool) -> None:
        """Wait for no answer any more.

        Parameters
        ----------
        tells
            Whether the agent is told, if it has not answered. ACP: $/cancel_request; agents that
            do not know it ignore it.
        """
        if not self._ours.forget(request) or not tells or self.died is not None:
            return
        message = {
            "jsonrpc": "2.0",
            "method": "$/cancel_request",
            "params": {"requestId": request.id},
        }
        with contextlib.suppress(AgentDied):
            self._write(message, [mark.log for mark in request.marks])

    async def _pump(self) -> None:
        """Read lines to end of file; no line waits for a handler."""
        while not self.ended.is_set():
            chunk = await self._process.stdout.read()
            since = time.monotonic()
            for line in self._splitter.feed(chunk) if chunk else self._splitter.finish():
                await self._inbound.receive(line)
                self._count += 1
                # Not more often: with many sessions at work, each time costs much.
                if self._count % _YIELD_EVERY == 0 or time.monotonic() - since > _YIELD_SECONDS:
                    await asyncio.sleep(0)
                    since = time.monotonic()
            if not chunk:
                await self._inbound.settled()
                await self._on_end()

    async def close(self) -> None:
        """Fail open requests. The caller ends the process."""
        self._fail(f"The connection to {self._name} was closed.")
        self._pumping.cancel()
        await asyncio.gather(self._pumping, return_exceptions=True)

    def fail_deaf(self, why: str) -> AgentDied:
        """Close the connection to a running agent that does not read."""
        if not self.ended.is_set():
            self.fault = why
            self._inbound.note({"note": "deaf", "text": why})
        return self._fail(f"{self._name} {why}. {_NEXT}")

    def _answer_now(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(AgentDied):
            self._answer(message)

    def _answer(self, message: dict[str, Any]) -> None:
        """Queue an answer with the agent's own id."""
        request = self._theirs.pop(message["id"])
        if request is None:
            return
        message = clean_json({**message, "id": request.id})
        self._write(message, [mark.log for mark in request.marks], request.marks)

    def _write(
        self, message: dict[str, Any], logs: Sequence[SessionLog], answers: Sequence[Mark] = ()
    ) -> tuple[Mark, ...]:
        """Log one line, then queue it for the agent's stdin; see `LogRouter.write`."""
        marks = self._log_router.write(">", message, logs, answers)
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            self._process.stdin.write(data)
        except ConnectionError as error:
            raise self.fail_deaf(str(error)) from None
        return marks

    async def _flush(self) -> None:
        try:
            await self._process.stdin.flush(self._limits.send_seconds)
        except ConnectionError as error:
            # An exiting agent closes its pipes first; its exit gives the better error.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.ended.wait(), _EXIT_AFTER_EOF_SECONDS)
            raise self.fail_deaf(str(error)) from None
        except TimeoutError:
            seconds = f"{self._limits.send_seconds:g} s"
            raise self.fail_deaf(f"has read nothing for {seconds} and is considered dead") from None

    async def _on_end(self) -> None:
        """Note how the agent ended, then fail open requests."""
        reason = await self._process.exit_within(_EXIT_AFTER_EOF_SECONDS)
        tail = self._process.stderr_tail()
        if reason is None:
            self.fault = "has closed its output"
            self._inbound.note({"note": "output_closed", "stderr": tail})
            self._fail(f"{self._name} {self.fault}. {_NEXT}", tail)
            return
        exited = {"exit_code": reason.exit_code, "signal": reason.signal, "text": reason.words()}
        self._inbound.note({"note": "exit", **exited, "stderr": tail})
        self._fail(f"{self._name} {reason.words()}. {_NEXT}", tail)

    def _fail(self, text: str, stderr: Sequence[str] = ()) -> AgentDied:
        if self.died is None:
            self.died = AgentDied(text, "\n".join(stderr))
            self.ended.set()
            self._ready.put_nowait(None)
        return self.died


def _without_null(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without the ``data`` that its error does not have."""
    match answer:
        case {"error": {"code": code, "message": text, "data": None}}:
            return {**answer, "error": {"code": code, "message": text}}
        case _:
            return answer
