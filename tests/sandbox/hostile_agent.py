"""What a hostile agent runs: each deed in a process of its own, and what came of it.

It gets the deeds and the names that they use as JSON on stdin, and prints a JSON object: for each
deed ``null`` where it succeeded, else why not. Standard library only: it runs within the walls.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

_SECONDS = 15
_WORDS = 300


def _tried(code: str, names: dict[str, Any]) -> str | None:
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(_SECONDS)  # one that hangs is held
        os.close(readable)
        try:
            exec(code, {**names, "__name__": "deed"})
            words = b""
        except BaseException as error:  # noqa: BLE001 - whatever held it
            words = f"{type(error).__name__}: {error}".encode(errors="replace")
        os.write(writable, b"." + words[:_WORDS])
        os._exit(0)
    os.close(writable)
    said = b""
    while chunk := os.read(readable, 1024):
        said += chunk
    os.close(readable)
    os.waitpid(child, 0)
    if not said:
        return "it ended"
    return said[1:].decode(errors="replace") or None


def main() -> None:
    """Try all deeds of stdin."""
    given = json.load(sys.stdin)
    results = {name: _tried(code, given["names"]) for name, code in given["deeds"]}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
