"""The pictures of the documentation are there, few, and of the agents that the tests drive."""

from __future__ import annotations

import json
import re
from pathlib import Path

from acp_jupyter._version import __version__
from tests.support.browser.pictures import scenes_of
from tests.support.browser.tour import TRAVELLERS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
TOUR = DOCS / "tour.md"
MAX_BYTES = 2_200_000
MAX_BYTES_EACH = 200_000
MAX_BYTES_MOVING = 600_000

_LINKED = re.compile(
    r"!\[[^\]]+\]\(([^)]+\.(?:png|gif))\)|(?:src|srcset)=\"([^\"]+\.(?:png|gif))\""
    r"|\{image\} (\S+\.(?:png|gif))"
)


def linked(page: Path) -> set[Path]:
    found = _LINKED.findall(page.read_text())
    return {page.parent / next(filter(None, names)) for names in found}


def test_what_is_linked_is_there_and_nothing_else() -> None:
    still, moving = (
        {each for each in DOCS.rglob(kind) if DOCS / "_build" not in each.parents}
        for kind in ("*.png", "*.gif")
    )
    pages = [ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("*/*.md")]
    assert {each.resolve() for page in pages for each in linked(page)} == still | moving
    sizes = [picture.stat().st_size for picture in still]
    assert sum(sizes) < MAX_BYTES
    assert max(sizes) < MAX_BYTES_EACH
    assert max(picture.stat().st_size for picture in moving) < MAX_BYTES_MOVING


def test_the_moving_pictures_show_a_turn_from_its_prompt_to_its_changes() -> None:
    light, dark = (scenes_of(DOCS / f"{name}.gif") for name in ("turn", "turn-dark"))
    assert light == dark
    assert light[0] == "the prompt is typed"
    assert "it asks, with a diff" in light
    assert light[-1] == "what has changed"


def test_the_tour_shows_every_agent_at_every_part() -> None:
    shown = {tuple(path.stem.split("-", 1)) for path in linked(TOUR)}
    parts = {part for _, part in shown}
    assert shown == {(each.agent_id, part) for each in TRAVELLERS for part in parts}


def test_the_tour_names_the_versions_that_the_tests_drive() -> None:
    text = TOUR.read_text()
    folder = ROOT / "tests/published_agents"
    pinned, more = (
        json.loads((folder / name / "package.json").read_text())["dependencies"]
        for name in (".", "more")
    )
    assert f"opencode-ai {pinned['opencode-ai']}" in text
    claude, _, version = more["old-claude-agent-acp"].removeprefix("npm:").rpartition("@")
    assert f"{claude} {version}" in text
    assert f"acp-jupyter {__version__}" in text
