"""A server with one published agent, and what its tests look at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.support.mockllm import FakeModel
from tests.support.published.programs import PUBLISHED, Published, processes_of
from tests.support.published.session import PublishedSession
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import eventually

__all__ = ["AGENTS", "DONE", "HELLO_PY", "Place", "is_held_by_ours", "names", "place_of"]

HELLO_PY = 'def main():\n    print("hello")\n'
DONE = "All done: **finished** the task."

AGENTS = [
    pytest.param(agent, id=agent.agent_id, marks=[pytest.mark.long] if agent.long else [])
    for agent in PUBLISHED
]


@dataclass(frozen=True)
class Place:
    """A server with one agent, and a session of it."""

    agent: Published
    server: JupyterServer
    home: Path
    talk: PublishedSession

    def another(self, name: str) -> PublishedSession:
        """Open another session."""
        return PublishedSession(self.talk.user, self.agent.agent_id, self.server.root / name)


@contextmanager
def place_of(agent: Published, folder: Path) -> Iterator[Place]:
    home = folder / "agent-home"
    home.mkdir(parents=True)
    with FakeModel() as model:
        agents = {agent.agent_id: agent.entry(home, model)}
        with JupyterServer(folder, agents=agents) as server, server.user() as user:
            talk = PublishedSession(user, agent.agent_id, server.root / "work")
            yield Place(agent, server, home, talk)
        eventually(lambda: not processes_of(home), "processes of the agent are left")


def is_held_by_ours(agent: Published, talk: PublishedSession) -> bool:
    """Return whether an agent's own sandbox fails in ours; check that ours holds and says so."""
    if not agent.commands_fail:
        return False
    assert (
        "choose its mode Full access: this sandbox holds either way" in talk.state["walls"]["why"]
    )
    outside = talk.folder.parents[1] / "outside.txt"
    talk.play("touch file=../../outside.txt")  # it asks, and so runs outside of its own
    assert not outside.exists()
    talk.play("touch file=within.txt")
    assert (talk.folder / "within.txt").exists()
    return True


def names(home: Path) -> set[str]:
    """Return what runs for an agent with that home."""
    found: set[str] = set()
    for process in processes_of(home):
        with suppress(psutil.NoSuchProcess):  # some run for a moment only
            found.add(process.name())
    return found
