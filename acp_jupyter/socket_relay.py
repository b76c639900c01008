"""A relay: it passes bytes between its standard input and output and a private socket.

It stands in for a program that runs elsewhere: an agent starts it as the MCP server of the notebook
tools, the host starts it as an agent that runs in a kernel. It is run by its path with ``python -I
-S``, and uses only the standard library, to start fast.

Its argument names an environment variable with the socket's address; that name with ``_KEY`` is the
variable with the first line to send.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading

_PIECE_BYTES = 65536
_REACHED = {
    "ACP_NOTEBOOK_TOOLS": ("The notebook tools", ""),
    "ACP_KERNEL_AGENT": (
        "The kernel that this agent runs in",
        "The kernel that this agent runs in has ended or was restarted.",
    ),
}
"""Names of the other sides, by variable, with a likely reason if they end first."""
OTHER_SIDE_ENDED = 3
"""Exit code if the other side has ended unexpectedly."""


def _connected(variable: str) -> socket.socket:
    kind, _, where = os.environ[variable].partition(":")
    if sys.platform != "win32" and kind == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(where)
    else:
        host, _, port = where.rpartition(":")
        connection = socket.create_connection((host, int(port)))
    connection.sendall(os.environ.pop(f"{variable}_KEY").encode() + b"\n")
    return connection


def _send(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := os.read(0, _PIECE_BYTES):
            connection.sendall(piece)
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


def _main(variable: str) -> int:
    who, why_ended = _REACHED[variable]
    try:
        connection = _connected(variable)
    except (KeyError, ValueError):
        sys.stderr.write(f"{who} can't be reached: the address was not passed on.\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"{who} can't be reached: {error.strerror or error}\n")
        return OTHER_SIDE_ENDED if why_ended else 1
    sending = threading.Thread(target=_send, args=(connection,), daemon=True)
    sending.start()
    with contextlib.suppress(OSError):
        while piece := connection.recv(_PIECE_BYTES):
            left = memoryview(piece)
            while left:
                left = left[os.write(1, left) :]
    if not why_ended or not sending.is_alive():
        return 0
    sys.stderr.write(f"{why_ended}\n")
    sys.stderr.flush()
    return OTHER_SIDE_ENDED


if __name__ == "__main__":
    # Do not wait for the reading thread: it may block forever.
    os._exit(_main(sys.argv[1]))
