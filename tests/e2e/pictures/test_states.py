"""Pictures of what is seldom seen: a page without its server, a form of an agent.

They are written to ``test-results/pictures``; nothing sticks out of its view in any of them.
"""

from __future__ import annotations

import os
import re
import signal
import socket
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.scenes import cleaning
from tests.support.scenes.camera import Camera
from tests.support.scenes.steps import player
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.jupyterlab_server import LAB_ARGS

pytestmark = pytest.mark.long

TOKEN = "the-same-after-a-restart"


def test_a_page_whose_server_goes_and_comes(
    visitor: Visitor, tmp_path_factory: pytest.TempPathFactory, theme: str
) -> None:
    """It says so at once, tries again, and says what became of the question."""
    folder, port = tmp_path_factory.mktemp("restarted"), free_port()
    with served(folder, port) as server:
        camera = Camera(LabPage(visitor, server), theme)
        camera.open()
        panel, root = camera.lab.panel, camera.lab.panel.root
        panel.choose_agent("Claude", exact=True)
        camera.stage.say(panel, cleaning.PROMPT, cleaning.PERMISSIONS)
        expect(panel.permission).to_have_count(2)
        os.kill(server.pid, signal.SIGKILL)
        expect(root).to_contain_text("Connection lost.")
        expect(root).to_contain_text(re.compile(r"Trying again in \d+ s\."))
        camera.take("f-lost", root)
    with served(folder, port):
        expect(root).not_to_contain_text("Connection lost.")
        expect(panel.permission).to_have_count(0)
        expect(panel.log).to_contain_text("stopped during this turn")
        panel.log.evaluate("log => log.scrollTo(0, log.scrollHeight)")
        camera.take("f-restarted", root)
        assert panel.button("Start again").count() == 1
        expect(panel.log).not_to_contain_text("is not running")
        camera.lab.close()


def test_the_form_of_an_agent(
    visitor: Visitor, tmp_path_factory: pytest.TempPathFactory, theme: str
) -> None:
    """Every kind of field, empty, refused, and as it was answered."""
    with served(tmp_path_factory.mktemp("form"), free_port()) as server:
        camera = Camera(LabPage(visitor, server), theme)
        nb = camera.open("%%acp elicit\nform")
        camera.lab.page.set_viewport_size({"width": 1280, "height": 1100})
        turn = nb.run(1)
        form = turn.root.get_by_role("group", name=re.compile("^Question from"))
        expect(form).to_be_visible()
        expect(
            camera.lab.panel.root.get_by_role("group", name=re.compile("^Question"))
        ).to_have_count(1)
        camera.take("f-form")
        form.get_by_role("button", name="Submit").click()
        expect(form).to_contain_text("Needs an answer.")
        camera.take("f-form-refused")
        form.get_by_role("textbox", name="Points").fill("12")
        form.get_by_role("checkbox", name="b", exact=True).check()
        form.get_by_role("button", name="Submit").click()
        nb.wait_for_end(1)
        camera.take("f-form-answered")


def served(folder: Path, port: int) -> JupyterServer:
    """A server that another one at the same place can follow."""
    return JupyterServer(
        folder,
        app="jupyterlab",
        agents={"claude": player("Claude"), **fake_agents("elicit")},
        args=LAB_ARGS,
        port=port,
        env={"HOME": str(folder / "root"), "JUPYTER_TOKEN": TOKEN},
    )


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
