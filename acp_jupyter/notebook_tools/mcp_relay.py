"""The relay that an agent starts as an MCP server: it passes bytes to the host's real server.

It runs by its path with ``python -I -S`` and imports only the standard library, to start fast.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading

_PIECE_BYTES = 65536


def _connected() -> socket.socket:
    kind, _, where = os.environ["ACP_NOTEBOOK_TOOLS"].partition(":")
    if sys.platform != "win32" and kind == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(where)
    else:
        host, _, port = where.rpartition(":")
        connection = socket.create_connection((host, int(port)))
    connection.sendall(os.environ.pop("ACP_NOTEBOOK_TOOLS_KEY").encode() + b"\n")
    return connection


def _send(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := os.read(0, _PIECE_BYTES):
            connection.sendall(piece)
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


def _main() -> int:
    try:
        connection = _connected()
    except (KeyError, ValueError):
        sys.stderr.write("The notebook tools can't be reached: their address was not passed on.\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"The notebook tools can't be reached: {error.strerror or error}\n")
        return 1
    threading.Thread(target=_send, args=(connection,), daemon=True).start()
    with contextlib.suppress(OSError):
        while piece := connection.recv(_PIECE_BYTES):
            left = memoryview(piece)
            while left:
                left = left[os.write(1, left) :]
    return 0


if __name__ == "__main__":
    # Don't wait for the reading thread: it may block forever.
    os._exit(_main())
