"""A disk that takes nothing more, and one that has room again, as the panel tells it."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.wait import eventually


@contextmanager
def no_file_grows(pid: int, beyond: int) -> Iterator[None]:
    """Let no file of a process grow beyond so many bytes, as on a full disk."""
    soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (beyond, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.long
def test_a_full_disk_is_told_and_so_is_its_end(
    visitor: Visitor, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("full")
    agents = fake_agents("hello")
    with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
        (server.root / "here").mkdir()
        lab = LabPage(visitor, server)
        lab.open_empty("here")
        panel = lab.panel
        panel.choose_agent("hello")
        panel.say("one")
        expect(panel.log).to_contain_text("You said: one")
        (log,) = (folder / "data" / "acp-jupyter" / "sessions").glob("*/traffic.ndjson")
        eventually(lambda: '"stopReason"' in log.read_text(), what="it is written")
        full = panel.log.get_by_text("Not kept: nothing can be written to the disk")
        again = panel.log.get_by_text(
            "The disk has free space again, and the whole session was saved."
        )
        with no_file_grows(server.pid, log.stat().st_size + 10):
            panel.say("two")
            expect(full).to_be_visible()
            expect(panel.log).to_contain_text("You said: two")
            assert '"two"' not in log.read_text()
            expect(again).to_have_count(0)
        expect(again).to_be_visible()
        lab.close()
    assert '"two"' in log.read_text()
    assert all(json.loads(line) for line in log.read_text().splitlines())
