"""MCP's own Inspector, on its command line: a client that knows nothing of us."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.features.outside.support.mcp_client import COMMAND
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["Inspected", "Inspector"]

_CLIENTS = Path(__file__).parents[3] / "published_agents" / "mcp"
_PROGRAM = _CLIENTS / "node_modules" / ".bin" / "mcp-inspector"


@dataclass(frozen=True)
class Inspected:
    """What it said of one request."""

    code: int
    """Exit code: 0 is well, 5 a failed call of a tool, 6 schemas that some clients can't read."""
    result: dict[str, Any]
    told: str
    """What it wrote to stderr."""

    @property
    def text(self) -> str:
        """The text of a tool's answer."""
        return "\n".join(part.get("text", part["type"]) for part in self.result["content"])


class Inspector:
    """Starts it for one request at a time, with the tools in its configuration.

    Parameters
    ----------
    home
        Where it keeps what it keeps.
    url, key
        Of the server, and for its notebook.
    era
        Of MCP's versions: ``legacy`` begins with ``initialize``, ``modern`` does not.
    """

    def __init__(self, home: Path, url: str, key: str, era: str = "legacy") -> None:
        assert _PROGRAM.exists(), "MCP's Inspector is not installed; make test-all does it"
        self._home = home
        self._home.mkdir(parents=True, exist_ok=True)
        program, *arguments = COMMAND
        entry = {
            "type": "stdio",
            "command": program,
            "args": [*arguments, "--url", url],
            "env": {"ACP_JUPYTER_KEY": key},
        }
        config = home / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {"notebook": entry}}))
        self._command = [
            *(str(_PROGRAM), "--cli", "--config", str(config), "--server", "notebook"),
            *("--protocol-era", era, "--format", "json"),
        ]

    def begin(self, method: str, *options: str) -> subprocess.Popen[str]:
        """Send a request; `end` waits for its answer."""
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        return subprocess.Popen(
            [*self._command, "--method", method, *options],
            env={"PATH": path, "HOME": str(self._home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def begin_call(self, tool: str, **arguments: Any) -> subprocess.Popen[str]:
        """Call a tool; `end` waits for its answer."""
        given = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return self.begin("tools/call", *given)

    @staticmethod
    def end(process: subprocess.Popen[str]) -> Inspected:
        """Wait for an answer."""
        said, told = process.communicate(timeout=PATIENCE_SECONDS)
        result = json.loads(said)["result"] if said.strip() else {}
        return Inspected(process.returncode, result, told)

    def ask(self, method: str, *options: str) -> Inspected:
        """Send a request and wait for its answer."""
        return self.end(self.begin(method, *options))

    def call(self, tool: str, **arguments: Any) -> Inspected:
        """Call a tool and wait for its answer."""
        return self.end(self.begin_call(tool, **arguments))
