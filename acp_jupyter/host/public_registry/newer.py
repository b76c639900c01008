"""Downloads a newer registry, if the user allows that, and keeps it beside the bundled one."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import os
import tempfile
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from acp_jupyter.errors import plain_reason
from acp_jupyter.host.public_registry.published import newer_than_bundled, read_agents
from acp_jupyter.host.public_registry.snapshot import Snapshot
from acp_jupyter.protocol.objects import misfits

REGISTRY_URL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
_SECONDS = 20.0
_MAX_BYTES = 4 * 1024 * 1024
_MAX_AGENTS = 1000
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}


class UpdateFailed(Exception):
    """No newer registry is in use; the message says why."""


class DownloadedRegistry:
    """The registry as it was last downloaded, in a file that only its user may read.

    Parameters
    ----------
    file
        Where it is kept; it need not exist.
    """

    def __init__(self, file: Path, url: str = REGISTRY_URL, seconds: float = _SECONDS) -> None:
        self._file = file
        self._url = url
        self._seconds = seconds

    def kept(self, bundled: Snapshot) -> Snapshot | None:
        """Return what was downloaded before, if it is newer than the bundled one."""
        try:
            with self._file.open("rb") as file:
                kept = Snapshot.model_validate_json(file.read(_MAX_BYTES))
        except (OSError, ValidationError):
            return None
        return newer_than_bundled(kept, bundled) if kept.date > bundled.date else None

    async def download(self, current: Snapshot, bundled: Snapshot) -> Snapshot | None:
        """Return the published registry, which is kept from now on; None if it is unchanged."""
        url = _checked(self._url)
        try:
            async with asyncio.timeout(self._seconds):
                date, content = await _fetched(url)
        except TimeoutError:
            raise UpdateFailed(f"{_host(url)} timed out after {self._seconds:g} s.") from None
        if date < current.date:
            raise UpdateFailed(
                f"The list from {_host(url)} is dated {date}, older than the one in use."
            )
        if date > (datetime.now(UTC) + timedelta(days=1)).date().isoformat():
            raise UpdateFailed(f"The list from {_host(url)} is dated {date}, in the future.")
        published = await asyncio.to_thread(_read, content, date, _host(url))
        if date == current.date:
            return None
        await asyncio.to_thread(self._keep, published)
        return newer_than_bundled(published, bundled)

    def _keep(self, published: Snapshot) -> None:
        temporary = ""
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._file.parent)  # with mode 0600
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(published.model_dump_json(exclude_defaults=True))
            Path(temporary).replace(self._file)
        except (OSError, ValueError) as error:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
            raise UpdateFailed(f"It could not be saved: {plain_reason(error)}.") from None


def _checked(url: str) -> str:
    """Return the URL, which must be encrypted unless it is on this machine."""
    try:
        parts = urlsplit(url)
        here = parts.hostname == "localhost" or _is_loopback(parts.hostname or "")
    except ValueError:
        raise UpdateFailed("c.AcpJupyter.registry_url is not a URL.") from None
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and here)):
        raise UpdateFailed("c.AcpJupyter.registry_url must begin with https://.")
    return url


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host(url: str) -> str:
    """Return the host of a URL; empty if it has none or is malformed."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


async def _fetched(url: str) -> tuple[str, bytes]:
    """Return the day on which the file last changed, and its content."""
    # It imports click and rich: a tenth of what this package adds to the server's start.
    httpx = await asyncio.to_thread(import_module, "httpx")
    try:
        return await _streamed(url, httpx)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        why = str(error) or type(error).__name__
        raise UpdateFailed(f"{_host(url)} could not be reached: {why}") from None


async def _streamed(url: str, httpx: ModuleType) -> tuple[str, bytes]:
    async with (
        httpx.AsyncClient(follow_redirects=False, headers=_HEADERS) as client,
        client.stream("GET", url) as answer,
    ):
        if answer.is_redirect:
            to = _host(answer.headers.get("location", "")) or "another page"
            raise UpdateFailed(f"{_host(url)} redirects to {to}, which is not followed.")
        if answer.status_code != httpx.codes.OK:
            raise UpdateFailed(f"{_host(url)} answered with status {answer.status_code}.")
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise UpdateFailed(f"{_host(url)} sent compressed data, which is not supported.")
        content = b""
        async for piece in answer.aiter_raw():
            content += piece
            if len(content) > _MAX_BYTES:
                raise UpdateFailed(f"{_host(url)} sent more than {_MAX_BYTES // 1024**2} MiB.")
        return _date(answer.headers.get("last-modified", ""), _host(url)), content


def _date(last_modified: str, host: str) -> str:
    try:
        return parsedate_to_datetime(last_modified).astimezone(UTC).date().isoformat()
    except (ValueError, OverflowError):
        raise UpdateFailed(f"{host} sent no valid Last-Modified header.") from None


def _read(content: bytes, date: str, host: str) -> Snapshot:
    """Return the registry; agents that do not match the schema are left out."""
    try:
        raw: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise UpdateFailed(f"{host} did not send valid JSON.") from None
    agents = raw.get("agents") if isinstance(raw, dict) else None
    if not isinstance(agents, list) or len(agents) > _MAX_AGENTS:
        raise UpdateFailed(f"{host} did not send a list of agents.")
    taken, wrong = [], "it is empty"
    for each in agents:
        try:
            read_agents([each], date)
        except ValidationError as error:
            wrong = misfits(error)[0]
        else:
            taken.append(each)
    if not taken:
        raise UpdateFailed(f"{host} sent a list without a valid agent: {wrong}.")
    return read_agents(taken, date)
