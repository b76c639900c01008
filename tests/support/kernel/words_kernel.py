"""A kernel that is not Python: its code is words. Run as a program, it is the kernel itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, ClassVar

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

from tests.support.wait import FOREVER_SECONDS, eventually

__all__ = ["NAME", "install"]

NAME = "words"


def install(data_dir: Path) -> None:
    """Let a server or a program with this data folder find the kernel."""
    folder = data_dir / "kernels" / NAME
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).resolve().parents[3]
    spec = {
        "argv": [sys.executable, "-m", __name__, "-f", "{connection_file}"],
        "display_name": "Words",
        "language": NAME,
        "env": {"PYTHONPATH": str(root)},
    }
    (folder / "kernel.json").write_text(json.dumps(spec))


class WordsKernel(Kernel):
    """Knows ``set NAME VALUE``, ``seen``, ``wait FILE``, ``fail`` and ``magic``."""

    implementation = NAME
    implementation_version = "1"
    banner = "Words"
    language_info: ClassVar[dict[str, object]] = {  # type: ignore[misc]
        "name": NAME,
        "mimetype": "text/plain",
        "file_extension": ".txt",
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        self._seen: list[str] = []
        self._variables: dict[str, str] = {}
        self._magics: list[str] = []

    def do_execute(  # type: ignore[override]
        self, code: str, silent: bool, *_: Any, **__: Any
    ) -> dict[str, Any]:
        """Run one line."""
        self._seen.append(code)
        match code.split():
            case ["set", name, value]:
                self._variables[name] = value
            case ["seen"]:
                self._print(repr(self._seen))
            case ["wait", file]:
                eventually(Path(file).exists, f"{file} is there", seconds=FOREVER_SECONDS)
            case ["magic"]:
                self._magics.append("%%acp")
            case ["fail"]:
                error = {"ename": "Failed", "evalue": "as asked", "traceback": ["Failed: as asked"]}
                self._send("error", error)
                return {"status": "error", "execution_count": self.execution_count, **error}
            case _:
                self._print(f"ran {code}")
        count = self.execution_count
        return {"status": "ok", "execution_count": count, "payload": [], "user_expressions": {}}

    def do_complete(  # type: ignore[override]
        self, code: str, cursor_pos: int | None
    ) -> dict[str, Any]:
        """Complete the magics."""
        found = [each for each in self._magics if each.startswith(code)]
        place: dict[str, Any] = {"cursor_start": 0, "cursor_end": cursor_pos, "metadata": {}}
        return {"status": "ok", "matches": found, **place}

    def do_inspect(  # type: ignore[override]
        self, code: str, cursor_pos: int | None, *_: Any, **__: Any
    ) -> dict[str, Any]:
        """Say what a variable is."""
        value = self._variables.get(code)
        data = {} if value is None else {"text/plain": f"\x1b[1m{code}\x1b[0m is {value}"}
        return {"status": "ok", "found": value is not None, "data": data, "metadata": {}}

    def _print(self, text: str) -> None:
        self._send("stream", {"name": "stdout", "text": f"{text}\n"})

    def _send(self, kind: str, content: dict[str, Any]) -> None:
        self.send_response(self.iopub_socket, kind, content)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=WordsKernel)
