"""``python -m tests.support.kernel.told_program`` does turns as its standard input tells it.

Each line is an order as JSON, and is answered by a line of JSON, all in ASCII.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Self

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.connect import connect

__all__ = ["ToldProgram", "read_and_write"]


def read_and_write(path: str, text: str) -> str:
    """Return a prompt for the agent ``terminal_script``: it reads a file, and then writes it."""
    steps: list[dict[str, Any]] = [
        {"ask": "fs/read_text_file", "params": {"path": path}},
        {"ask": "fs/write_text_file", "params": {"path": path, "content": text}},
    ]
    return json.dumps(steps)


class ToldProgram(AbstractContextManager["ToldProgram"]):
    """The program, in a process of its own.

    Parameters
    ----------
    inside
        A command that runs it.
    """

    def __init__(
        self, environment: Mapping[str, str], cwd: Path, inside: Sequence[str] = ()
    ) -> None:
        self._process = subprocess.Popen(
            [*inside, sys.executable, "-m", "tests.support.kernel.told_program"],
            env=environment,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.communicate()

    def does(self, folder: bytes, path: str, text: str) -> dict[str, Any]:
        """Let an agent that works in a folder read and write a file; return what came of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"folder": folder.hex(), "path": path, "text": text}
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))


def _done(order: Mapping[str, str]) -> dict[str, Any]:
    folder = os.fsdecode(bytes.fromhex(order["folder"]))
    with connect("terminal_script", cwd=folder, new=True, trust=True) as session:
        prompt = read_and_write(order["path"], order["text"])
        turn = session.prompt(prompt, policy="accept-edits", allow=["edit"]).wait()
        page = Path(folder, "shared.html")
        session.share(page, force=True)
        return {
            "said": turn.text,
            "paths": [diff.path for diff in turn.diffs],
            "markdown": session.to_markdown(),
            "page": page.read_bytes().decode(),
        }


def main() -> None:
    """Run until standard input ends."""
    with os.fdopen(os.dup(1), "wb", buffering=0) as out:
        for line in sys.stdin.buffer:
            try:
                answer = _done(json.loads(line))
            except AcpError as error:
                answer = {"refused": str(error)}
            out.write(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
