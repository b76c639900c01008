"""A person without a mouse."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

__all__ = ["Hands"]


class Hands:
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
