"""What the server needs of kernels that another program starts for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Channels(Protocol):
    """A kernel's shell, control and IOPub channels."""

    async def open(self) -> None:
        """Connect."""

    def close(self) -> None:
        """Disconnect."""

    async def send(self, channel: str, kind: str, content: Mapping[str, Any], mark: str) -> str:
        """Send a message, marked in its metadata; return its id."""

    async def receive(self, channel: str, seconds: float) -> dict[str, Any]:
        """Return the next message of a channel; raise `Empty` if none comes in time."""


class RemoteKernels(Protocol):
    """All kernels of a server whose kernels another program starts. Used on Jupyter's loop."""

    def begin(self) -> None:
        """Give a key to each kernel that is started from now on, and receive its requests."""

    async def stop(self) -> None:
        """End all connections."""

    def key(self, kernel_id: str) -> bytes:
        """Return the key of a kernel's launch; empty if this server did not start it."""

    def is_stopping(self, kernel_id: str) -> bool:
        """Return whether a kernel is being shut down or restarted."""

    def process(self, kernel_id: str) -> object:
        """Return a value that changes with each restart."""

    async def is_alive(self, kernel_id: str) -> bool:
        """Return whether a kernel runs; raise `KernelError` if that can't be known."""

    async def others(self, kernel_id: str) -> int:
        """Return how many clients other than this server are connected to a kernel."""

    def channels(self, kernel_id: str) -> Channels:
        """Return a kernel's channels, not connected yet."""
