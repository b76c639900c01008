"""The views by their roles in the page, as a screen reader finds them."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

__all__ = ["PanelView", "TurnView"]


class TurnView:
    """A turn, wherever it is drawn: a cell output, a widget, the panel."""

    def __init__(self, root: Locator) -> None:
        self.root = root

    @property
    def log(self) -> Locator:
        return self.root.get_by_role("log")

    @property
    def plan(self) -> Locator:
        return self.root.get_by_role("list", name="Plan", exact=True)

    @property
    def permission(self) -> Locator:
        return self.root.get_by_role("group", name="Permission request", exact=True)

    @property
    def status(self) -> Locator:
        return self.root.get_by_role("status")

    @property
    def alert(self) -> Locator:
        return self.root.get_by_role("alert")

    @property
    def stop(self) -> Locator:
        return self.button("Stop")

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def option(self, name: str) -> Locator:
        """An answer of the pending permission request."""
        return self.permission.get_by_role("button", name=name)

    def diff(self, path: str) -> Locator:
        return self.root.get_by_role("region", name=f"Diff of {path}", exact=True)

    def tool(self, name: str | re.Pattern[str]) -> Locator:
        return self.root.get_by_role("group", name=name)

    def text(self, words: str | re.Pattern[str]) -> Locator:
        return self.root.get_by_text(words)

    def choose(self, name: str) -> None:
        """Bring the request into view and click an option, as a reader does."""
        self.permission.first.scroll_into_view_if_needed()
        # In a small window the card is higher than what shows it.
        self.option(name).first.scroll_into_view_if_needed()
        self.option(name).first.click()

    def answer(self, name: str) -> None:
        """Choose an option; the request then must be gone."""
        self.choose(name)
        expect(self.permission).to_have_count(0)


class PanelView(TurnView):
    """The side panel: the transcript of a session, and its composer."""

    @property
    def message(self) -> Locator:
        return self.root.get_by_role("textbox", name="Message", exact=True)

    @property
    def send(self) -> Locator:
        return self.button("Send")

    @property
    def agent(self) -> Locator:
        return self.root.get_by_role("combobox", name="Agent", exact=True)

    def listed(self, words: str) -> Locator:
        """A line of the session list."""
        return self.root.get_by_role("list").get_by_role("button", name=re.compile(words))

    def show_list(self) -> None:
        self.button("Sessions").click()

    def choose_agent(self, name: str, *, exact: bool = False) -> None:
        self.agent.click()
        self.root.get_by_role("option", name=name, exact=exact).click()

    def say(self, text: str) -> None:
        """Send a prompt as a person does."""
        self.message.fill(text)
        self.send.click()
