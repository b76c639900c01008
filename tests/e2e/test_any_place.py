"""A session of 2,100 items in the side panel: any place of it is there at once."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.test_long_notebook import Traffic
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.log.long_log import long_log
from tests.support.scenes.steps import call, put_scene, say
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.server.workspace import Workspace
from tests.support.wait import PATIENCE_SECONDS

TURNS = 100
_FIRST_SEEN = """log => {
  const {top} = log.getBoundingClientRect();
  const prompts = [...log.querySelectorAll('.acp-user')];
  const seen = prompts.find(each => each.getBoundingClientRect().bottom > top);
  return Number(/Prompt (\\d+):/.exec(seen?.textContent ?? '')?.[1] ?? -1);
}"""
_AT_END = "log => log.scrollHeight - log.scrollTop - log.clientHeight < 24"


def imported(server: JupyterServer) -> str:
    """Import a session; return its id."""
    with server.user() as client:
        query = {"name": "any_place.jsonl"}
        answer = client.post(
            "import", content=long_log(TURNS), params=query, timeout=PATIENCE_SECONDS
        )
        return str(answer.raise_for_status().json()["session_id"])


def opened(lab: LabPage, workspace: Workspace, session: str, last: str) -> PanelView:
    """Show a session at its end."""
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.show_list()
    panel.root.locator(f"[data-session='{session}'] button.s").click()
    expect(panel.log).to_contain_text(last)
    return panel


def elements(page: Page) -> int:
    return int(page.evaluate("document.querySelectorAll('#acp-jupyter-panel *').length"))


@pytest.mark.long
def test_any_place_of_a_long_session_is_there_at_once(
    lab: LabPage, server: JupyterServer, workspace: Workspace
) -> None:
    traffic = Traffic(lab.page)
    panel = opened(lab, workspace, imported(server), f"Answer {TURNS - 1}.7")
    assert traffic.commands("get_items") == 0

    panel.log.press("Home")
    first = panel.root.locator(".acp-user", has_text="Prompt 0:")
    expect(first).to_be_in_viewport()
    expect(first).to_be_focused()
    assert traffic.commands("get_items") <= 3
    assert elements(lab.page) <= 3_000

    traffic.sent.clear()
    panel.log.evaluate("log => { log.scrollTop = log.scrollHeight / 2; }")
    middle = panel.root.locator(".acp-user", has_text=re.compile(r"Prompt [3-6]\d:"))
    expect(middle.first).to_be_visible()
    seen = int(panel.log.evaluate(_FIRST_SEEN))
    assert TURNS / 4 < seen < 3 * TURNS / 4
    assert traffic.commands("get_items") <= 3
    assert elements(lab.page) <= 3_000

    # What is above comes in, and what is read stays in place: no turn is jumped over.
    panel.log.hover()
    passed = [seen]
    for _ in range(60):
        lab.page.mouse.wheel(0, -150)
        lab.page.evaluate("() => new Promise(requestAnimationFrame)")
        passed.append(int(panel.log.evaluate(_FIRST_SEEN)))
    assert passed[-1] < seen
    assert all(0 <= was - now <= 2 for was, now in pairwise(passed)), passed


@pytest.mark.long
def test_what_the_search_finds_in_a_long_session_is_gone_to_directly(
    lab: LabPage, server: JupyterServer, workspace: Workspace
) -> None:
    session = imported(server)
    traffic = Traffic(lab.page)
    panel = opened(lab, workspace, session, f"Answer {TURNS - 1}.7")
    panel.show_list()
    panel.root.get_by_role("searchbox").fill("Prompt 37: make")
    found = panel.root.get_by_role("region", name="In messages")
    found.get_by_role("button", name="Prompt").first.click()
    turn = panel.root.locator("[data-turn]", has_text="Prompt 37:")
    expect(turn).to_be_focused()
    expect(turn).to_be_in_viewport()
    expect(panel.root.locator(f"[data-session='{session}']")).to_be_visible()
    assert int(panel.log.evaluate(_FIRST_SEEN)) == 37
    assert traffic.commands("get_items") <= 3
    assert elements(lab.page) <= 3_000


@pytest.mark.long
def test_the_beginning_of_a_session_and_what_is_new_at_its_end(
    lab: LabPage, server: JupyterServer, workspace: Workspace
) -> None:
    with server.user() as user:
        session = open_session(user, "plays", cwd=str(workspace.folder), new=True)
        for turn in range(12):
            steps = [
                step
                for number in range(12)
                for step in (
                    call(f"c{turn}-{number}", "Read", "read", {}, title=f"Step {number}"),
                    say(f"Answer {turn}.{number}. " * 20),
                )
            ]
            put_scene(workspace.folder, steps)
            finished(user, start_turn(user, session, f"Prompt {turn}: {workspace.name}"))
    put_scene(workspace.folder, [say("This is new.\n\n" * 40), say("Its last words.")])
    panel = opened(lab, workspace, session, "Answer 11.11")
    panel.log.press("Home")
    expect(panel.root.locator(".acp-user", has_text="Prompt 0:")).to_be_in_viewport()
    panel.log.press("End")
    lab.page.wait_for_function(_AT_END, arg=panel.log.element_handle())
    expect(panel.root.locator(".acp-user", has_text="Prompt 11:")).to_have_count(1)
    panel.say("And now?")
    expect(panel.root.get_by_text("Its last words.")).to_be_in_viewport()
    lab.page.wait_for_function(_AT_END, arg=panel.log.element_handle())
