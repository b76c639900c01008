"""Who goes on the tour of the view, over which ground, and the pictures they bring home."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.pictures import take
from tests.support.browser.roles import PanelView
from tests.support.mockllm import FakeModel
from tests.support.published.programs import PUBLISHED, Entry
from tests.support.server.workspace import Workspace

__all__ = ["EDIT", "FORMULA", "PROMPTS", "REPORT_PY", "TRAVELLERS", "Album", "Tour", "Traveller"]

REPORT_PY = '''"""Numbers of a survey, as people type them."""


def clean(rows):
    """Return the rows without blanks around them."""
    kept = []
    for row in rows:
        kept.append(row.strip())
    return kept


def mean(values):
    """Return the mean, zero of nothing."""
    if not values:
        return 0.0
    return sum(values) / len(values)


def squares(values):
    """Return the square of each value."""
    found = []
    for value in values:
        found.append(value**2)
    return found
'''

PROMPTS = {
    "Make report.py faster": "tour_edit",
    "Write the mean as a formula": "tour_text",
    "once more": "tour_command",
    "Thank you": "tour_short",
    "Write a long report": "tour_long rate=20",
}
"""What is typed, to what the scripted model then says; the demo agent understands it by itself."""

EDIT, FORMULA, *_ = PROMPTS


@dataclass(frozen=True)
class Traveller:
    """An agent, and what it offers."""

    agent_id: str
    name: str
    questions: int
    """How often it asks before both loops are replaced."""
    plan: str
    """How its plan is called in the view."""
    pickers: tuple[str, ...]
    choose: tuple[str, str]
    """A picker, and what is chosen there."""
    menu: tuple[str, ...]
    """What can be done with its sessions, while they are open."""
    printed: str
    """By the command."""
    thanked: str
    """Its answer to the message that has waited."""
    published: bool = True
    driven: str = ""
    """Which of the published agents goes, where its id is another."""

    def entry(self, home: Path, model: FakeModel) -> dict[str, Entry]:
        """Return its part of ``c.AcpJupyter.agents``; the demo agent is there without."""
        if not self.published:
            return {}
        agent = next(
            agent for agent in PUBLISHED if agent.agent_id == (self.driven or self.agent_id)
        )
        return {self.agent_id: agent.entry(home, model)}


_EXPORTS = ("Share", "Export as Markdown", "Export as HTML", "Export the traffic")

TRAVELLERS = (
    Traveller(
        "demo",
        "Demo",
        questions=1,
        plan="Plan",
        pickers=("Stream speed",),
        choose=("Stream speed", "Fast"),
        menu=("Rename", *_EXPORTS, "Close", "Archive", "Delete"),
        printed="Python 3",
        thanked="This is the demo agent.",
        published=False,
    ),
    Traveller(
        "opencode",
        "OpenCode",
        questions=2,
        plan="Todos",
        pickers=("Mode", "Model"),
        choose=("Mode", "plan"),
        menu=("Rename", "Fork", *_EXPORTS, "Close", "Archive", "Delete"),
        printed="[1, 4, 9]",
        thanked="Nothing is left to do.",
    ),
    Traveller(
        "claude",
        "Claude Agent",
        questions=2,
        plan="Plan",
        pickers=("Mode", "Model", "Effort"),
        choose=("Effort", "High"),
        menu=("Rename", "Fork", *_EXPORTS, "Close", "Archive", "Delete"),
        printed="[1, 4, 9]",
        thanked="Nothing is left to do.",
        driven="old-claude",  # the pictures are of it; the newest opens in a mode that asks less
    ),
)


@dataclass
class Album:
    """The pictures of one agent."""

    agent_id: str
    taken: list[str] = field(default_factory=list)

    def take(self, part: str, of: Locator) -> None:
        """Take a picture of a part of the page, by the name of the part."""
        take(f"tour/{self.agent_id}-{part}", of)
        self.taken.append(part)


@dataclass(frozen=True)
class Tour:
    """What a journey carries along."""

    agent: Traveller
    lab: LabPage
    notebook: OpenNotebook
    ground: Workspace
    album: Album

    @property
    def panel(self) -> PanelView:
        return self.lab.panel

    @property
    def report(self) -> str:
        return (self.ground.folder / "report.py").read_text()
