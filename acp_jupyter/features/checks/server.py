"""Checks a notebook for its page, in a process that ends with the request.

The process starts the second kernel, and its standard input ends with this server. So process and
kernel end when the page goes away, the check is cancelled, or the server stops or dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from pathlib import Path

from jupyter_client.kernelspec import NoSuchKernel
from jupyter_core.utils import ensure_async
from pydantic import Field, JsonValue, ValidationError
from tornado.web import HTTPError, authenticated

from acp_jupyter.api.access import KernelCaller
from acp_jupyter.api.models.frames import validation_message
from acp_jupyter.errors import BadRequest, NotAllowed, NotSupported
from acp_jupyter.features.checks.__main__ import CheckRequest
from acp_jupyter.features.checks.report import CheckEnded
from acp_jupyter.own_programs import module_command
from acp_jupyter.protocol.objects import Model
from acp_jupyter.server.following import FollowingHandler

_MAX_CHECKS = 4
_LINE_BYTES = 256 * 1024 * 1024
_END_SECONDS = 10.0


class CheckNotebook(Model):
    """What a page sends: the notebook as it has it open."""

    path: str
    notebook: dict[str, JsonValue]
    kernel_name: str = Field(min_length=1)


class CheckHandler(FollowingHandler):
    """Runs a copy of a notebook, and responds with a line for each event."""

    content_type = "application/x-ndjson"
    ping = b"\n"
    readers = "pages"
    body_bytes = 256 * 1024 * 1024

    @authenticated
    async def post(self) -> None:
        """Check a notebook; the check ends with the connection."""
        if isinstance(self.caller, KernelCaller):
            raise NotAllowed("Only a user can have a notebook checked.")
        serverapp = self.serverapp
        if serverapp is not None and serverapp.gateway_config.gateway_enabled:
            raise NotSupported("A notebook whose kernel runs behind a gateway can't be checked.")
        try:
            given = await asyncio.to_thread(CheckNotebook.model_validate_json, self.request.body)
        except ValidationError as error:
            raise BadRequest(validation_message(error)) from None
        request = await self._order(given)
        if sum(isinstance(each, CheckHandler) for each in self.backend.streams) >= _MAX_CHECKS:
            raise HTTPError(503, f"{_MAX_CHECKS} notebooks are checked already. Wait for one.")
        await self.follow(self._check(request))

    async def _order(self, given: CheckNotebook) -> CheckRequest:
        try:
            spec = await ensure_async(self.kernel_spec_manager.get_kernel_spec(given.kernel_name))
        except NoSuchKernel:
            raise BadRequest(f"There is no kernel {given.kernel_name!r} here.") from None
        folder = str(self.kernel_manager.cwd_for_path(given.path))  # type: ignore[no-untyped-call]
        return CheckRequest(
            notebook=given.notebook,
            folder=folder,
            kernel_name=given.kernel_name,
            spec={**spec.to_dict(), "resource_dir": spec.resource_dir},
            environment={"JPY_SESSION_NAME": str(Path(folder) / Path(given.path).name)},
        )

    async def _check(self, request: CheckRequest) -> None:
        line = await asyncio.to_thread(request.model_dump_json)
        # With threads: the server's event loop can start no process on Windows.
        process = await asyncio.to_thread(
            subprocess.Popen,
            module_command("acp_jupyter.features.checks"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            await asyncio.to_thread(_write, process, line.encode() + b"\n")
            await self._pass_on(process)
        finally:
            await asyncio.shield(asyncio.ensure_future(_end(process)))

    async def _pass_on(self, process: subprocess.Popen[bytes]) -> None:
        seconds = self.backend.host.config.limits.ping_seconds
        ended = False
        reading = asyncio.ensure_future(asyncio.to_thread(_read_line, process))
        try:
            while True:
                done, _ = await asyncio.wait([reading], timeout=seconds)
                if not done:
                    await self.send(self.ping)
                    continue
                line = reading.result()
                if not line:
                    break
                ended = line.startswith(b'{"type":"ended"')
                await self.send(line)
                reading = asyncio.ensure_future(asyncio.to_thread(_read_line, process))
        finally:
            reading.cancel()
        if not ended:
            words = CheckEnded(words="The check's process ended. The server's log says why.")
            await self.send(words.model_dump_json().encode() + b"\n")


def _write(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # it has ended; its output says so
        process.stdin.write(line)
        process.stdin.flush()


def _read_line(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return process.stdout.readline(_LINE_BYTES)


async def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the process end its kernel; kill the process if it doesn't end."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        await asyncio.to_thread(process.wait, _END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        await asyncio.to_thread(process.wait)


ROUTES = {"check": CheckHandler}
