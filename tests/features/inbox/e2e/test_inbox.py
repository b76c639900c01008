"""The inbox on a phone, and the same list in JupyterLab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser import pictures
from tests.support.browser.accessibility import (
    expect_accessible,
    expect_all_inside,
    is_dark,
    picture,
)
from tests.support.browser.chromium import PageLog, Visitor
from tests.support.browser.lab import LabPage
from tests.support.scenes.steps import NO, ONCE, Step, ask, diff, go_on, hold, put_scene, say
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import stop_kernels
from tests.support.server.user import AsUser
from tests.support.wait import eventually

LINES = 120
ASKS, RUNS, ENDED = "Clean the rows", "Count the rows", "Say hello"


@pytest.fixture
def user(server: JupyterServer) -> Iterator[AsUser]:
    with AsUser(server) as client:
        yield client
    stop_kernels(server)


def start(user: AsUser, server: JupyterServer, name: str, prompt: str, *steps: Step) -> str:
    """Send a prompt in a folder of its own; its turn plays these steps."""
    folder = server.root / name
    folder.mkdir(exist_ok=True)
    put_scene(folder, list(steps))
    session_id = user.new_session("plays", name)
    user.prompt(session_id, prompt)
    return session_id


def edit() -> Step:
    """A request for an edit that is too long to be shown at once."""
    new = "".join(f"value_{line} = {line}\n" for line in range(LINES))
    details = {"rawInput": {"file_path": "clean.py"}}
    called = {"toolCallId": "e1", "kind": "edit", "title": "Edit clean.py"}
    return ask(({**called, **details, "content": [diff("clean.py", "old = 1\n", new)]}, [ONCE, NO]))


def open_inbox(visitor: Visitor, server: JupyterServer) -> tuple[Page, PageLog]:
    page, log = visitor.page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}acp-jupyter/inbox?token={server.token}")
    expect(page.get_by_role("heading", name="Waiting for your answer")).to_be_visible()
    return page, log


def session(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def look(page: Page, name: str) -> None:
    """Look at it in both themes; nothing sticks out, and axe finds nothing."""
    schemes: tuple[Literal["dark", "light"], ...] = ("dark", "light")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(f'main[style*="{scheme}"]')).to_have_count(1)
        assert is_dark(page.locator(".acp").first) is (scheme == "dark")
        expect_accessible(page, "main")
        expect_all_inside(page)
        picture(page, f"inbox-{name}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_phone_answers_stops_and_replies(
    server: JupyterServer, visitor: Visitor, user: AsUser
) -> None:
    asks = start(user, server, "inbox-asks", ASKS, edit(), hold("later"), say("Clean."))
    runs = start(user, server, "inbox-runs", RUNS, hold("counted"), say("Many."))
    ended = start(user, server, "inbox-ended", ENDED, say("Hello there."))
    _wait(user, asks, "requires_action")
    _wait(user, runs, "running")
    _wait(user, ended, "idle")
    other, _ = open_inbox(visitor, server)
    page, log = open_inbox(visitor, server)
    assert page.title() == "(1) Inbox"
    headings = page.get_by_role("heading", level=2).all_inner_texts()
    assert headings == ["Waiting for your answer", "Running", "Ended"]

    _allow(page, other)
    _stop(page, user, runs)
    assert _status(user, asks) == "running", "only one was stopped"
    go_on(server.root / "inbox-asks", "later")
    expect(session(page, ASKS).get_by_role("button", name=f"Stop {ASKS}")).to_have_count(0)
    put_scene(server.root / "inbox-ended", [say("Hello again.")])
    _reply(page)
    _lose_the_connection(page)
    assert log.errors == []
    assert [line for line in log.console if "Security Policy" in line] == []


def _allow(page: Page, other: Page) -> None:
    """What is folded is shown first; another page shows how it was answered."""
    request = session(page, ASKS).get_by_role("group", name="Permission request")
    allow, reject = (request.get_by_role("button", name=name) for name in ("Allow once", "Reject"))
    reject.scroll_into_view_if_needed()
    expect(reject).to_be_enabled()
    expect(allow).to_be_disabled()
    look(page, "folded")
    pictures.take("how-to/inbox", page)
    page.emulate_media(color_scheme="dark")
    pictures.take("how-to/inbox-dark", page)
    request.get_by_role("button", name="Show all of it").click()
    assert request.locator("ins").count() == LINES
    allow.scroll_into_view_if_needed()
    expect(allow).to_be_enabled()
    expect(session(other, ASKS).get_by_text("Allow once")).to_be_visible()
    allow.click()
    for each in (page, other):
        line = session(each, ASKS)
        expect(line.get_by_role("group", name="Permission request")).to_have_count(0)
        expect(line).to_contain_text("Allowed once")
        expect(each.get_by_text("Nothing waits for your answer.")).to_be_visible()
    assert page.title() == "Inbox"
    look(page, "running")


def _stop(page: Page, user: AsUser, session_id: str) -> None:
    stop = page.get_by_role("button", name=f"Stop {RUNS}")
    stop.click()
    _wait(user, session_id, "idle")
    expect(stop).to_have_count(0)


def _reply(page: Page) -> None:
    """Below the whole conversation; the browser's own Back leads to the list."""
    session(page, ENDED).get_by_role("button").first.click()
    expect(page.get_by_text("Hello there.")).to_be_visible()
    page.get_by_role("textbox", name="Message").fill("And again")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Hello again.")).to_be_visible()
    look(page, "session")
    page.go_back()
    expect(session(page, ENDED).get_by_role("button").first).to_be_focused()


def _lose_the_connection(page: Page) -> None:
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_text("Connection lost")).to_be_visible()
    look(page, "offline")
    page.context.set_offline(False)
    expect(page.get_by_text("Connection lost")).to_have_count(0)


def _wait(user: AsUser, session_id: str, status: str) -> None:
    eventually(lambda: _status(user, session_id) == status, f"{session_id} is {status}")


def _status(user: AsUser, session_id: str) -> str:
    (found,) = [s for s in user.get("sessions") if s["session_id"] == session_id]
    return str(found["status"])


def test_jupyterlab_shows_the_same_list(lab: LabPage, server: JupyterServer, user: AsUser) -> None:
    start(user, server, "inbox-lab", ASKS, edit(), say("Clean."))
    lab.open_empty("inbox-lab")
    lab.command("acp-jupyter:inbox")
    inbox = lab.page.locator("#acp-inbox")
    line = inbox.get_by_role("region", name=ASKS)
    request = line.get_by_role("group", name="Permission request")
    expect(request).to_be_visible()
    expect(inbox.get_by_role("link")).to_have_attribute("href", f"{server.url}acp-jupyter/inbox")
    expect_accessible(lab.page, "#acp-inbox")
    pictures.take_both("how-to/inbox-lab", inbox, lab)
    line.get_by_role("button").first.click()
    expect(lab.panel.permission).to_be_visible()
    request.get_by_role("button", name="Reject").click()
    expect(request).to_have_count(0)
    expect(lab.panel.permission).to_have_count(0)
