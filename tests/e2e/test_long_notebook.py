"""A notebook of many finished turns, in counts: it costs its page what one of 3 does."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, WebSocket

from tests.support.browser.finished_notebook import write_finished
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.timers import COUNT_TIMERS
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.workspace import Workspace

FEW = 3
_IN_OUTPUTS = "document.querySelectorAll('.jp-Notebook .jp-OutputArea-output *').length"
_ALL_DRAWN = """turns => {
  const drawn = document.querySelectorAll('.jp-Notebook .acp-TurnOutput .acp-turn');
  return drawn.length === turns;
}"""
_POLLS = 2
"""JupyterLab asks for the kernels each ten seconds: that is the clock of a page at rest."""


class Traffic:
    """What the page asks of this extension, and how much it gets."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self.sent: list[str] = []
        page.on("websocket", self._on_socket)
        page.on("request", self._on_request)

    def _on_socket(self, socket: WebSocket) -> None:
        if "/acp-jupyter/api/stream" in socket.url:
            socket.on("framesent", lambda frame: self.sent.append(str(frame)))
            socket.on("framereceived", self._on_received)

    def _on_received(self, frame: str | bytes) -> None:
        self.bytes += len(frame)

    def _on_request(self, request: Request) -> None:
        if "/acp-jupyter/api/" in request.url:
            self.sent.append(request.url)

    def commands(self, name: str) -> int:
        return sum(f'"name":"{name}"' in each for each in self.sent)


def next_prompt(notebook: OpenNotebook, turns: int, traffic: Traffic) -> int:
    """Run the last cell four times; return the bytes that a turn after the first brings at least.

    A busy machine tells the same in more events.
    """
    brought = []
    for _ in range(4):
        before = traffic.bytes
        notebook.run_to_end(turns + 1)
        notebook.final_output(turns + 1)
        notebook.wait_until_clean()
        # What is said aloud, and late text of an agent, are waited for a few seconds.
        notebook.lab.page.wait_for_function("liveTimers.size === 0")
        brought.append(traffic.bytes - before)
    return min(brought[1:])


@pytest.mark.long
@pytest.mark.parametrize("many", [60, 300])
def test_many_finished_turns_cost_their_page_what_3_do(
    server: JupyterServer, lab: LabPage, workspace: Workspace, many: int
) -> None:
    page, traffic = lab.page, Traffic(lab.page)
    page.add_init_script(COUNT_TIMERS)
    attached, brought, elements = {}, {}, {}
    for turns in (FEW, many):
        path = f"{workspace.name}/{turns}.ipynb"
        write_finished(server, path, turns, "hello")
        traffic.sent.clear()
        notebook = lab.open(path)
        page.wait_for_function(_ALL_DRAWN, arg=turns)
        notebook.load_extension()
        brought[turns] = next_prompt(notebook, turns, traffic)
        attached[turns] = traffic.commands("attach_turn") + traffic.commands("get_items")
        elements[turns] = page.evaluate(_IN_OUTPUTS) / (turns + 1)

    assert brought[many] < 1.25 * brought[FEW]
    # Those near the view, whatever there is beside.
    assert FEW < attached[many] < 40
    assert elements[many] < 1.25 * elements[FEW] < 80

    # At rest no timer is alive, and nothing is asked for.
    assert page.evaluate("liveTimers.size") == 0
    traffic.sent.clear()
    for _ in range(_POLLS):
        with page.expect_request("**/api/kernels?*"):
            pass
    assert traffic.sent == []
    assert page.evaluate("liveTimers.size") == 0
