"""What a page must look like whatever is in it: no finding of axe, nothing out of its view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

__all__ = ["expect_accessible", "expect_all_inside", "expect_legible", "is_dark", "picture"]

FOLDER = Path(__file__).resolve().parents[3] / "test-results" / "pictures"

_STICKS_OUT = """() => [...function* views(root) {
  for (const each of root.querySelectorAll('*')) {
    if (each.matches('.acp')) yield each;
    if (each.shadowRoot) yield* views(each.shadowRoot);
  }
}(document)].flatMap(view => {
  const { left, right, width } = view.getBoundingClientRect();
  return width === 0 ? [] : [...view.querySelectorAll('*')].filter(each => {
    const box = each.getBoundingClientRect();
    const clipped = node => node !== view && node !== null &&
      (getComputedStyle(node).overflowX !== 'visible' || clipped(node.parentElement));
    return box.width > 1 && (box.right > right + 1 || box.left < left - 1) &&
      !each.closest('svg, mjx-container') && !clipped(each.parentElement);
  }).map(each => each.outerHTML.slice(0, 120));
})"""


def expect_accessible(page: Page, within: str = ".acp") -> None:
    """Expect no finding of axe in what is ours."""
    # The cell and the panel show the same turn: its landmarks come twice, by intent.
    options = {"rules": {"landmark-unique": {"enabled": False}}}
    results = Axe().run(page, context={"include": [[within]]}, options=options)
    findings: list[dict[str, Any]] = results.response["violations"]
    assert findings == [], results.generate_report()


def expect_legible(page: Page) -> None:
    """Expect that axe finds contrast enough in a page of others, but in its editor."""
    options = {"runOnly": ["color-contrast"]}
    results = Axe().run(page, context={"exclude": [[".cm-editor"]]}, options=options)
    assert results.response["violations"] == [], results.generate_report()


def is_dark(view: Locator) -> bool:
    """Return whether a view is drawn light on dark, wherever it is."""
    shade = view.evaluate("each => Number(getComputedStyle(each).backgroundColor.match(/\\d+/)[0])")
    return bool(shade < 128)


def expect_all_inside(page: Page) -> None:
    """Expect that nothing sticks out of its view, but in boxes that scroll."""
    found = page.evaluate(_STICKS_OUT)
    assert found == [], found


def picture(shown: Page | Locator, name: str) -> None:
    """Keep what is shown, for the eye."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    taken = shown.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
    assert taken.startswith(b"\x89PNG")
