"""The message box: what is taken from its list, given to it, and sent."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.support.browser.roles import PanelView
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser

__all__ = ["PNG", "attachments", "blocks_of", "blocks_told", "give", "take"]

# One pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


def take(panel: PanelView, typed: str, group: str, name: str | re.Pattern[str]) -> None:
    """Type, and take what the list offers by that name."""
    panel.message.press("End")
    panel.message.press_sequentially(typed)
    option = (
        panel.root.get_by_role("listbox", name="Context")
        .get_by_role("group", name=group)
        .get_by_role("option", name=name)
    )
    expect(option).to_be_visible()
    for _ in range(8):
        if option.get_attribute("aria-selected") == "true":
            break
        active = panel.message.get_attribute("aria-activedescendant") or ""
        panel.message.press("ArrowDown")
        # Else the next key goes out before this one is drawn, and one too many.
        expect(panel.message).not_to_have_attribute("aria-activedescendant", active)
    expect(option).to_have_attribute("aria-selected", "true")
    panel.message.press("Tab")
    expect(panel.root.get_by_role("listbox", name="Context")).to_have_count(0)


def give(box: Locator, event: str, name: str, mime: str, content: bytes) -> None:
    """Drop or paste a file."""
    box.evaluate(
        """(box, [event, name, type, data]) => {
          const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
          const given = new DataTransfer();
          given.items.add(new File([bytes], name, {type}));
          const options = {bubbles: true, cancelable: true};
          box.dispatchEvent(
            event === 'paste'
              ? new ClipboardEvent('paste', {...options, clipboardData: given})
              : new DragEvent('drop', {...options, dataTransfer: given}));
        }""",
        [event, name, mime, base64.b64encode(content).decode()],
    )


def attachments(panel: PanelView) -> Locator:
    """The chips above the text."""
    return panel.root.get_by_role("list", name="Attachments").get_by_role("listitem")


def blocks_told(server: JupyterServer, panel: PanelView, number: int = 1) -> list[dict[str, Any]]:
    """Return the blocks of a session's prompt, which the agent writes as its answer."""
    expect(panel.message).to_have_value("")
    session_id = panel.root.locator("[data-session]").get_attribute("data-session")
    assert session_id is not None
    with AsUser(server) as user:
        return blocks_of(user, session_id, number)


def blocks_of(user: AsUser, session_id: str, number: int = 1) -> list[dict[str, Any]]:
    """Do the same for the newest turn of a session."""
    detail = user.ended(user.newest_turn(session_id, number))
    (answer,) = [item["text"] for item in detail["items"] if item["kind"] == "agent_message"]
    blocks: list[dict[str, Any]] = json.loads(answer)
    return blocks
