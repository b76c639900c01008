"""Dashboards that are used badly, in JupyterLab."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.agents.fake_agent import script
from tests.support.browser.accessibility import picture
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.workspace import Workspace

pytestmark = pytest.mark.long

LOAD = "%load_ext acp_jupyter"
THRICE = """import ipywidgets
from acp_jupyter import connect
from acp_jupyter.widgets import *
session = connect("hello")
texts, button = [], ipywidgets.Button(description="Go")
text, whole = TextWidget(session), SessionWidget(session)
text.observe(lambda change: texts.append(change.new), "text")
def go(_):
    for word in ("one", "two", "three"):
        session.prompt(word)
button.on_click(go)
ipywidgets.VBox([button, ipywidgets.HBox([text, whole])])"""
PARTS = """import ipywidgets
from acp_jupyter import connect
from acp_jupyter.widgets import *
session = connect("{agent}")
parts = [kind(session) for kind in (TurnWidget, ToolCallsWidget, TextWidget, ComposerWidget)]
box = ipywidgets.VBox(parts)
turn = session.prompt("go")
box"""


def test_three_prompts_at_once(lab: LabPage, workspace: Workspace) -> None:
    """They run one after the other; each is shown, and its text is told, whole and in order."""
    nb = lab.open(workspace.notebook(LOAD, THRICE, "session.turns[-1].wait(); texts"))
    nb.load_extension()
    nb.run_to_end(1)
    nb.output(1).get_by_role("button", name="Go").click()
    log = nb.output(1).locator("[data-part=session]").get_by_role("log")
    for word in ("one", "two", "three"):
        expect(log).to_contain_text(f"You said: {word}")
    expect(nb.output(1).locator("[data-part=text]")).to_contain_text("You said: three")
    expect(nb.output(1).locator(".live, .spin")).to_have_count(0)
    nb.run_to_end(2)
    told = nb.output(2).inner_text()
    assert [word for word in re.findall(r"You said: (\w+)", told) if word != "three"] == [
        *("one", "two"),
    ]
    expect(lab.notices.filter(has_text="deleted")).to_have_count(0)


def test_a_turn_of_a_hundred_thousand_calls(visitor: Visitor, tmp_path: Path) -> None:
    """The page takes clicks while it comes and afterwards, and draws a part of it."""
    many = {"many": script("flood", "100000", "calls")}
    with JupyterServer(tmp_path, app="jupyterlab", agents=many, args=LAB_ARGS) as server:
        lab = LabPage(visitor, server)
        place = Workspace(server.root, "many")
        nb = lab.open(place.notebook(LOAD, PARTS.format(agent="many")))
        nb.load_extension()
        nb.run(1)
        box = nb.output(1).locator("[data-part=composer]").get_by_role("textbox", name="Message")
        box.fill("typed meanwhile")
        expect(box).to_have_value("typed meanwhile")
        stop = nb.output(1).locator("[data-part=composer]").get_by_role("button", name="Stop")
        expect(stop).to_have_count(0)
        expect(nb.output(1).locator(".live, .spin")).to_have_count(0)
        calls = nb.output(1).locator("[data-part=tool_calls]")
        expect(calls).to_contain_text("Read")
        assert lab.page.locator(".acp *").count() < 20_000
        box.fill("typed afterwards")
        expect(box).to_have_value("typed afterwards")


def test_a_page_that_blocks_websockets(lab: LabPage, workspace: Workspace) -> None:
    """Each part says why it shows nothing; the kernel is told all the same."""
    lab.page.route_web_socket(
        re.compile("/acp-jupyter/api/stream"), lambda socket: socket.close(code=1006)
    )
    nb = lab.open(
        workspace.notebook(LOAD, PARTS.format(agent="hello"), "turn.wait()\nprint(parts[0].text)")
    )
    nb.load_extension()
    nb.run_to_end(1)
    expect(nb.output(1).get_by_text("its WebSocket does not open")).to_have_count(4)
    picture(nb.cell(1), "parts without a connection")
    nb.run_to_end(2)
    expect(nb.output(2)).to_contain_text("You said: go")
