#!/usr/bin/env python3
"""An agent that goes for the network by every way it knows; also a program of its own.

``network.py DEEDS``: both take JSON, a list of deeds with their words, and report as JSON what came
of each: what it got, or ``refused: `` and why.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from urllib.parse import urlsplit

SECONDS = 60
FAST_OPEN = 0x20000000
VSOCK, MPTCP = 40, 262


def fetch(url: str) -> str:
    """Ask as most programs do: by the proxy that the environment names."""
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return str(answer.read().decode())


def tunnel(host: str, port: int) -> str:
    """Ask by CONNECT; return the first line of the answer."""
    with socket.create_connection(_proxy(), SECONDS) as connection:
        connection.sendall(f"CONNECT {host}:{port} HTTP/1.0\r\n\r\n".encode())
        return connection.recv(1000).decode().splitlines()[0]


def tcp(host: str, port: int) -> str:
    """Connect past the proxy."""
    with socket.create_connection((host, port), SECONDS):
        return "connected"


def many(host: str, port: int, count: int) -> str:
    """Connect to the proxy again and again, and keep all that."""
    open_at_once = []
    proxy = _proxy()
    with contextlib.suppress(OSError):
        for _ in range(count):
            open_at_once.append(socket.create_connection(proxy, SECONDS))
    for each in open_at_once:
        each.close()
    return fetch(f"http://{host}:{port}/")


def udp(host: str, port: int) -> str:
    """Send without a connection, as a lookup of names does."""
    with socket.socket(_family(host), socket.SOCK_DGRAM) as sent:
        sent.connect((host, port))
        sent.send(b"x")
    return "sent"


def lookup(name: str) -> str:
    """Look a name up."""
    return str(socket.getaddrinfo(name, 443))


def fast_open(host: str, port: int) -> str:
    """Connect by sending."""
    with socket.socket() as sent:
        sent.sendto(b"x", FAST_OPEN, (host, port))
    return "sent"


def multipath(host: str, port: int) -> str:
    """Connect by the protocol that rules for TCP do not mean."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP) as connected:
        connected.connect((host, port))
    return "connected"


def raw() -> str:
    """Make packets itself."""
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP).close()
    return "made"


def packet() -> str:
    """Make frames itself."""
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    return "made"


def vsock() -> str:
    """Talk to the machine that this one runs in."""
    socket.socket(VSOCK, socket.SOCK_STREAM).close()
    return "made"


def local() -> str:
    """Talk to itself, by a socket of files."""
    one, other = socket.socketpair()
    one.send(b"x")
    return other.recv(1).decode()


def later(begin: str, result: str, deed: list[str]) -> str:
    """Do a deed when a file is there, after the turn; write down what came of it."""

    def wait() -> None:
        while not os.path.exists(begin):
            time.sleep(0.02)
        came = report(json.dumps([deed]))
        with open(f"{result}.part", "w") as file:
            file.write(came)
        os.replace(f"{result}.part", result)

    threading.Thread(target=wait, daemon=True).start()
    return "begun"


def _proxy() -> tuple[str, int]:
    url = urlsplit(os.environ["HTTP_PROXY"])
    assert url.hostname is not None
    assert url.port is not None
    return url.hostname, url.port


def _family(host: str) -> int:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


DEEDS: dict[str, Callable[..., str]] = {
    deed.__name__: deed
    for deed in (
        *(
            later,
            fetch,
            tunnel,
            tcp,
            many,
            udp,
            lookup,
            fast_open,
            multipath,
            raw,
            packet,
            vsock,
            local,
        ),
    )
}


def report(deeds: str) -> str:
    """Do it all; return what came of it."""
    came = []
    for name, *words in json.loads(deeds):
        try:
            came.append(DEEDS[name](*words))
        except OSError as error:
            came.append(f"refused: {error}")
    return json.dumps(came)


if __name__ == "__main__":
    sys.stdout.write(report(sys.argv[1]))
else:
    from _wire import Wire, in_turns

    @in_turns
    def goes_out(wire: Wire, session_id: str, text: str) -> str:
        """Do the deeds of a prompt, one after the other, and report."""
        wire.text(session_id, report(text))
        return "end_turn"
