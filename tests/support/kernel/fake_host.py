"""A fake of the host that code in a kernel talks to."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.transcript.model.events import Event


class HostWithoutEvents(HostClient):
    """Has no events and no traffic; subclasses answer the commands."""

    def events(self, session_id: str) -> Generator[tuple[Event, ...]]:
        raise NotImplementedError

    def traffic(self, session_id: str) -> Iterator[bytes]:
        yield b""

    def close(self) -> None:
        pass

    @property
    def notebook_path(self) -> str:
        return ""
