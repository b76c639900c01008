"""Carries connections from a port in a sandbox's own network to a socket that leads out of it.

``forward.py LISTENER PATH``

LISTENER is the number of a descriptor that listens already, PATH a Unix socket. It knows nothing of
what it carries; who may go where is decided outside. It ends with the sandbox.

Standard library only, and one thread: it runs beside every agent whose network is limited.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import sys
from collections.abc import Sequence

assert sys.platform == "linux", "it is for networks of Linux"

_MAX_CONNECTIONS = 256
_MAX_HELD = 64 * 1024
"""Bytes of one direction that are on their way."""


class _Direction:
    """What goes from one socket to another."""

    def __init__(self, source: socket.socket, target: socket.socket) -> None:
        self.source = source
        self.target = target
        self._held = bytearray()
        self._ended = False
        self.done = False

    @property
    def reads(self) -> bool:
        return not self._ended and len(self._held) < _MAX_HELD

    @property
    def writes(self) -> bool:
        return bool(self._held)

    def read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data = self.source.recv(_MAX_HELD)
            self._held += data
            self._ended = not data
        self.write()

    def write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            if self._held:
                del self._held[: self.target.send(self._held)]
        if self._ended and not self._held and not self.done:
            self.done = True
            self.target.shutdown(socket.SHUT_WR)


class _Connection:
    """A connection of a program and the one that leads out."""

    def __init__(self, inner: socket.socket, outer: socket.socket) -> None:
        self._sockets = (inner, outer)
        self._ways = (_Direction(inner, outer), _Direction(outer, inner))

    def go_on(self, at: socket.socket, events: int) -> None:
        """Move what can be moved."""
        for way in self._ways:
            if way.source is at and events & selectors.EVENT_READ and way.reads:
                way.read()
            if way.target is at and events & selectors.EVENT_WRITE:
                way.write()

    def watch(self, selector: selectors.BaseSelector) -> bool:
        """Wait for what is next; return whether there is anything."""
        if all(way.done for way in self._ways):
            return False
        for each in self._sockets:
            events = 0
            for way in self._ways:
                events |= selectors.EVENT_READ * (way.source is each and way.reads)
                events |= selectors.EVENT_WRITE * (way.target is each and way.writes)
            known = selector.get_map().get(each.fileno())
            if known is None:
                if events:
                    selector.register(each, events, self)
            elif not events:
                selector.unregister(each)
            elif known.events != events:
                selector.modify(each, events, self)
        return True

    def end(self, selector: selectors.BaseSelector) -> None:
        """Close both."""
        for each in self._sockets:
            with contextlib.suppress(KeyError, ValueError):
                selector.unregister(each)
            each.close()


def serve(listener: socket.socket, path: str) -> None:
    """Carry connections until the process is ended."""
    selector = selectors.DefaultSelector()
    listener.setblocking(False)
    selector.register(listener, selectors.EVENT_READ)
    connections: set[_Connection] = set()
    while True:
        for key, events in selector.select():
            connection = key.data
            if connection is None:
                connection = _accepted(listener, path, len(connections))
                if connection is None:
                    continue
                connections.add(connection)
            elif connection not in connections:
                continue  # its other socket has just ended it
            try:
                if isinstance(key.fileobj, socket.socket) and key.data is not None:
                    connection.go_on(key.fileobj, events)
                goes_on = connection.watch(selector)
            except OSError:
                goes_on = False
            if not goes_on:
                connections.discard(connection)
                connection.end(selector)


def _accepted(listener: socket.socket, path: str, count: int) -> _Connection | None:
    try:
        inner, _ = listener.accept()
    except OSError:
        return None
    outer = socket.socket(socket.AF_UNIX)
    inner.setblocking(False)
    outer.setblocking(False)
    try:
        if count >= _MAX_CONNECTIONS:
            raise ConnectionRefusedError
        outer.connect(path)
    except OSError:
        inner.close()
        outer.close()
        return None
    return _Connection(inner, outer)


def main(words: Sequence[str]) -> None:
    """Run the command line; see the module's docstring."""
    serve(socket.socket(fileno=int(words[0])), words[1])


if __name__ == "__main__":
    main(sys.argv[1:])
