"""Prompts of all block types, each only where the agent can take it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.sessions.prompts import Prompt
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
TEXT = {"type": "text", "text": "Look"}
IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": PIXEL, "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "file:///data.csv", "name": "data.csv"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///notes.md", "text": "# Notes"}}
BLOB = {"type": "resource", "resource": {"uri": "file:///a.bin", "blob": PIXEL}}
NEEDS = {"image": "image", "audio": "audio", "resource": "embeddedContext"}


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    agents = {
        "all": script("takes", "image", "audio", "embeddedContext"),
        "none": script("takes"),
        "image": script("takes", "image"),
        "audio": script("takes", "audio"),
    }
    with driving(tmp_path, agents) as driver:
        yield driver


def sent(driver: Driver, agent: str, *blocks: Any) -> list[dict[str, Any]]:
    session = driver.open(agent)
    turn = driver.done(session, driver.run(lambda: session.prompt(Prompt(blocks))))
    assert turn.stop_reason == "end_turn", turn.failure
    return list(json.loads(driver.text(session)))


def refused(driver: Driver, agent: str, *blocks: Any) -> str:
    session = driver.open(agent)
    turn = driver.done(session, driver.run(lambda: session.prompt(Prompt(blocks))))
    assert turn.failure is not None
    assert turn.failure.reason == "not_supported"
    assert driver.text(session) == ""
    return turn.failure.message


def test_every_block_goes_to_an_agent_that_takes_it(driver: Driver) -> None:
    """S2.8: text, image, audio, resource link and embedded resource."""
    blocks = (TEXT, IMAGE, AUDIO, LINK, RESOURCE, BLOB)
    assert sent(driver, "all", *blocks) == list(blocks)


def test_text_and_links_go_to_every_agent(driver: Driver) -> None:
    """S2.8: text and resource links need no capability."""
    assert sent(driver, "none", TEXT, LINK) == [TEXT, LINK]


@pytest.mark.parametrize(
    ("agent", "block", "words"),
    [
        ("none", IMAGE, "can't take an image (image/png)"),
        ("audio", IMAGE, "can't take an image (image/png)"),
        ("image", AUDIO, "can't take sound (audio/wav)"),
        ("image", BLOB, "can't take a file in a message (a.bin)"),
    ],
)
def test_what_an_agent_cannot_take_is_not_sent(
    driver: Driver, agent: str, block: dict[str, Any], words: str
) -> None:
    """S2.8: each only if the agent's promptCapabilities allow; else words name the block."""
    assert words in refused(driver, agent, TEXT, block)


def test_an_embedded_text_has_other_ways(driver: Driver) -> None:
    """S2.8: without embeddedContext a file of the folder is linked, any other text is quoted."""
    file = driver.root / "notes.md"
    file.write_text("# Notes")
    inside = {"uri": file.as_uri(), "text": "# Notes", "mimeType": "text/markdown"}
    outside = {"uri": "file:///elsewhere/x.md", "text": "a\n````\nb"}
    linked, quoted = sent(
        driver,
        "none",
        {"type": "resource", "resource": inside},
        {"type": "resource", "resource": outside},
    )
    assert linked == {
        "type": "resource_link",
        "uri": file.as_uri(),
        "name": "notes.md",
        "mimeType": "text/markdown",
    }
    assert quoted["text"] == "\nfile:///elsewhere/x.md\n`````\na\n````\nb\n`````\n"
