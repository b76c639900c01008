"""Connects pages to the host in this kernel, through a widget's comm."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Protocol

from acp_jupyter.api.channel import Channel
from acp_jupyter.api.pages import Pages
from acp_jupyter.errors import AcpError, HostClosed
from acp_jupyter.kernel.client.embedded_host import EmbeddedHost
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.execution_context import (
    current_shell,
    execution_context,
    kernel_of,
)

_LAST_SECONDS = 2.0


class Served(Protocol):
    """The part of a widget that its channel uses."""

    turn_id: str
    session_id: str
    comm: Any
    _heard: threading.Event
    _on_open: Callable[[], None] | None
    _on_frame: Callable[[dict[str, Any]], None] | None
    _on_end: Callable[[], None] | None

    def _send_frame(self, frame: Mapping[str, Any]) -> None: ...

    def _call_pages(self) -> None: ...

    def set_trait(self, name: str, value: Any) -> None:
        """Set a trait that is read-only."""

    def observe(self, handler: Callable[[Mapping[str, object]], None], names: str) -> None:
        """Call back when a trait has changed."""


def serve(client: HostClient, widget: Served) -> None:
    """Serve a widget from this kernel until it is closed.

    Parameters
    ----------
    widget
        The widget; its pages follow the session of its ``session_id``.
    """
    if not isinstance(client, EmbeddedHost):
        raise TypeError(client.location)
    _ServedWidget(client, widget)
    _served.add(widget)


_served: weakref.WeakSet[Served] = weakref.WeakSet()


def widgets_of(turn_id: str) -> list[Served]:
    """Return the open widgets of a turn that are served from this kernel."""
    return [each for each in _served if each.turn_id == turn_id and each.comm is not None]


class _ServedWidget:
    """A widget and its channel, which merges and paces events as for a page's socket.

    Sending starts with the widget, and not with the page's first message, which may wait for the
    end of the cell. In a notebook that runs without a user, that message is the first sign of one.
    """

    def __init__(self, client: EmbeddedHost, widget: Served) -> None:
        self._client = client
        self._asks = execution_context().frontend != "batch"
        self._pages = Pages(_no_document)
        self._channel: Channel | None = None
        self._running: asyncio.Task[None] | None = None
        self._serving: Future[None] | None = None
        self._subscribed = asyncio.Event()
        self.widget = widget
        widget._on_open = self._page_opens
        widget._on_frame = self._receive
        widget._on_end = self._finish
        widget.observe(self._closed, "comm")
        self._open()

    def _page_opens(self) -> None:
        self._asks = True
        self._open()

    def _open(self) -> None:
        """Send the hello frame to a page that has started to listen, maybe after a reload."""
        if self._serving is not None:
            self._serving.cancel()
        try:
            self._serving = self._client.host.submit(self._serve())
        except HostClosed:
            return

    def _closed(self, change: Mapping[str, object]) -> None:
        if change["new"] is None and self._serving is not None:
            self._serving.cancel()

    def _finish(self) -> None:
        """Send the waiting frames, above all the turn's end."""
        with contextlib.suppress(AcpError):
            self._client.host.call(self._flush(), _LAST_SECONDS)

    async def _flush(self) -> None:
        await self._subscribed.wait()
        if self._channel is not None and self._running is not None:
            self._channel.finish()
            await asyncio.wait([self._running])

    async def _serve(self) -> None:
        self._subscribed.clear()
        client = self._client
        channel = Channel(client.host, client.dispatcher, self._pages, client.caller, self._write)
        self._channel = channel
        running = self._running = asyncio.create_task(channel.run(), name="acp-comm-channel")
        try:
            await channel.follow(self.widget.session_id, answers=self._asks)
            self._subscribed.set()
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _write(self, frame: bytes) -> None:
        if self.widget.comm is None:
            raise ConnectionError("the widget is closed")
        self.widget._send_frame(json.loads(frame))

    def _receive(self, frame: dict[str, Any]) -> None:
        channel = self._channel
        if channel is not None and self._comes_from_page():
            try:
                self._client.host.submit(channel.receive(json.dumps(frame)))
            except HostClosed:
                return

    def _comes_from_page(self) -> bool:
        """Return whether the kernel is handling a page's message to this widget.

        Such a message comes from a button that a user pressed. Python code must use
        `HostClient.call`, which distinguishes an agent's code from the user's. Without a Jupyter
        kernel, as in marimo, Panel and Shiny, agents have no tool to run code in this process.
        """
        kernel, comm = kernel_of(current_shell()), self.widget.comm
        if kernel is None:
            return True
        parent = kernel.get_parent("shell")
        match parent:
            case {"header": {"msg_type": "comm_msg"}, "content": {"comm_id": str(comm_id)}}:
                return comm is not None and comm_id == comm.comm_id
            case _:
                return False


def _no_document(path: Path) -> None:
    """Return None: pages do not report open documents to a kernel."""
