"""Published agents as people start them in a terminal, with the notebook tools in their settings.

They are set up word for word as the page for users says, so that it is tried too.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Step, Use
from tests.support.published.programs import PROGRAMS
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["OUTSIDE_CLIS", "OutsideCli", "Said"]

_PAGE = Path(__file__).parents[4] / "docs/how-to/outside-agents.md"
_MORE = PROGRAMS.parents[1] / "more" / "node_modules" / ".bin"


@dataclass(frozen=True)
class Said:
    """What a program left in the terminal."""

    code: int
    text: str


@dataclass
class OutsideCli:
    """One agent in a terminal.

    Parameters
    ----------
    name
        As it calls itself to the notebook tools.
    make
        Sets it up in a home, for a model and the address of a server; returns its command without
        the prompt, and its environment.
    """

    name: str
    make: Callable[[Path, FakeModel, str], tuple[Sequence[str], Mapping[str, str]]]
    finds_tools: Sequence[list[Step]] = ()
    """What its model does first, in turns of its own."""
    command: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()

    def set_up(self, home: Path, model: FakeModel, url: str) -> None:
        """Do what the page for users says."""
        self.folder = home / "project"
        self.folder.mkdir(parents=True)
        self.command, self.env = self.make(home, model, url)

    def start(self, prompt: str, key: str) -> subprocess.Popen[str]:
        """Start it with a prompt; `end` waits until it has done what it says."""
        return subprocess.Popen(
            [*self.command, prompt],
            env={**self.env, "ACP_JUPYTER_KEY": key},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @staticmethod
    def end(process: subprocess.Popen[str]) -> Said:
        """Wait for its end."""
        text, _ = process.communicate(timeout=PATIENCE_SECONDS)
        return Said(process.returncode, text)


def _on_the_page(kind: str, url: str) -> str:
    """Return the first block of a kind, for that server."""
    block = re.search(rf"^```{kind}\n(.*?)^```", _PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert block is not None
    text = block[1]
    assert "http://localhost:8888/" in text
    return text.replace("http://localhost:8888/", url)


def _environment(home: Path, programs: Path, **more: str) -> dict[str, str]:
    # Where `jupyter` is, which people have on their PATH too.
    folders = (str(programs), str(Path(sys.executable).parent), os.environ["PATH"])
    return {"PATH": os.pathsep.join(folders), "HOME": str(home), **more}


def _claude(home: Path, model: FakeModel, url: str) -> tuple[Sequence[str], Mapping[str, str]]:
    env = _environment(
        home,
        PROGRAMS,
        ANTHROPIC_BASE_URL=model.root,
        ANTHROPIC_API_KEY="mock",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
    )
    _, add, start = _on_the_page("sh", url).splitlines()
    subprocess.run(
        add, shell=True, env=env, cwd=home / "project", check=True, timeout=PATIENCE_SECONDS
    )
    program, *options = shlex.split(start, comments=True)
    printed = ("-p", "--verbose", "--output-format", "stream-json")
    return (str(PROGRAMS / program), *options, *printed, "--"), env


_CODEX = """\
model = "mock"
model_provider = "mock"

[model_providers.mock]
name = "mock"
base_url = "{url}"
wire_api = "responses"
env_key = "OPENAI_API_KEY"

"""


def _codex(home: Path, model: FakeModel, url: str) -> tuple[Sequence[str], Mapping[str, str]]:
    program = _MORE / "codex"
    assert program.exists(), f"{program} is not installed; make test-all does it"
    # It refuses helpers whose home lies below the folder for temporary files.
    temporary = home.with_name(f"{home.name}-tmp")
    temporary.mkdir()
    settings = home / ".codex" / "config.toml"
    settings.parent.mkdir()
    settings.write_text(_CODEX.format(url=model.url) + _on_the_page("toml", url))
    env = _environment(home, _MORE, OPENAI_API_KEY="mock", TMPDIR=str(temporary))
    return (str(program), "exec", "--strict-config", "--skip-git-repo-check"), env


_TOOLS = ("list_cells", "edit_cell")
_SEARCH = {"query": "select:" + ",".join(f"mcp__notebook__{tool}" for tool in _TOOLS)}

OUTSIDE_CLIS = {
    # It shows its model the tools of MCP servers once the model has searched for them.
    "claude": OutsideCli(
        "Claude Code", _claude, finds_tools=([Use([r"^ToolSearch$"], _SEARCH, exact=True)],)
    ),
    "codex": OutsideCli("Codex", _codex),
}
