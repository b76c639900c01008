"""A person without a mouse, and how much anybody has clicked and pressed."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

__all__ = ["InputCount", "Keyboard"]


class Keyboard:
    """Keys pressed in a page. Wherever they lead, the focus must be somewhere.

    Parameters
    ----------
    page
        Where.
    most
        So many stops may lie between two places.
    """

    def __init__(self, page: Page, most: int = 150) -> None:
        self._page = page
        self._most = most

    def press(self, *keys: str) -> None:
        for key in keys:
            self._page.keyboard.press(key)

    def write(self, words: str) -> None:
        self._page.keyboard.type(words)

    def tab_to(self, place: Locator, *, back: bool = False) -> None:
        """Press Tab, or Shift+Tab, until a place has the focus."""
        expect(place).to_be_visible()
        for _ in range(self._most):
            if place.evaluate("element => element === document.activeElement"):
                return
            self.press("Shift+Tab" if back else "Tab")
        raise AssertionError(f"Tab does not lead to {place} but to {self.focused()}")

    def use(self, place: Locator, *keys: str, back: bool = False) -> None:
        """Go to a place with Tab and press keys there, Enter by default."""
        self.tab_to(place, back=back)
        self.press(*(keys or ("Enter",)))

    def focused(self) -> str:
        """What has the focus, in words."""
        return str(self._page.evaluate("document.activeElement.outerHTML.slice(0, 200)"))

    def expect_inside(self, place: Locator) -> None:
        """Expect the focus to be in a place, or on it."""
        inside = place.and_(self._page.locator(":focus, :has(:focus)"))
        expect(inside, f"the focus is at {self.focused()}").to_have_count(1)


class InputCount:
    """Counts what the browser takes for a person's clicks and keys in a page.

    It is made before the page is opened: its listeners must be the first ones. Keys that are held
    count together with the one that is pressed.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        page.add_init_script(_COUNT)

    def begin(self) -> None:
        """Count from now on."""
        self._page.evaluate("window.acpEffort = { clicks: 0, keys: 0 }")

    @property
    def clicks(self) -> int:
        return int(self._page.evaluate("window.acpEffort.clicks"))

    @property
    def keys(self) -> int:
        return int(self._page.evaluate("window.acpEffort.keys"))


_COUNT = """
  window.acpEffort = { clicks: 0, keys: 0 };
  window.addEventListener('pointerdown', event => {
    window.acpEffort.clicks += event.isTrusted ? 1 : 0;
  }, true);
  window.addEventListener('keydown', event => {
    const isHeld = event.repeat || ['Alt', 'Control', 'Meta', 'Shift'].includes(event.key);
    window.acpEffort.keys += event.isTrusted && !isHeld ? 1 : 0;
  }, true);
"""
