"""Pictures of pages for the documentation, kept where ``ACP_SCREENSHOTS`` asks for them."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

__all__ = ["DOCS", "take"]

DOCS = Path(__file__).resolve().parents[2] / "docs"


def take(name: str, of: Page | Locator) -> None:
    """Take a picture; where it is kept it is ``docs/NAME.png``."""
    if isinstance(of, Locator):
        expect(of).to_be_visible()
    # The buttons of a request that has just appeared are still pale.
    expect(of.locator(".acp-request[data-new]")).to_have_count(0)
    picture = of.screenshot(animations="disabled", caret="hide")
    assert picture.startswith(b"\x89PNG")
    if os.environ.get("ACP_SCREENSHOTS") == "1":
        file = DOCS / f"{name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(picture)
