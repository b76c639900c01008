"""Panels of this extension and of others: how to open one and say something in it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import Browser, expect

from tests.bench.measure import PROBE, Load, Meter, Run
from tests.bench.peers.environment import PEERS, peer_environment
from tests.support.agents.fake_agent import command_line, script
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.wait import eventually

__all__ = ["OPENERS", "Panel", "our_panel"]

_START_MS = 60_000
_NBI_ANSWER = ".chat-message:not(:has(~ .chat-message)) .chat-message-content"


@dataclass(frozen=True)
class Panel:
    """A page with a panel in which the measured agent answers."""

    name: str
    meter: Meter
    say: Callable[[str], None]
    writes: Path
    """Where the agent notes when it wrote."""

    def run(self, load: Load) -> Run:
        """Have the load streamed once."""
        self.writes.unlink(missing_ok=True)
        self.meter.arm(load)
        if load.whole:
            text = self.writes.with_name("text")
            text.write_text(load.whole)
            self.say(f"bench file={text} size={load.size}")
        else:
            self.say(f"bench N={load.count} size={load.size} rate={load.rate:g}")
        return self.meter.finish(load, self._written)

    def _written(self) -> tuple[float, float]:
        text = eventually(lambda: self.writes.exists() and self.writes.read_text(), "writes")
        first, last = json.loads(str(text))
        return first, last


@contextmanager
def our_panel(browser: Browser, folder: Path, *, new_sessions: bool = False) -> Iterator[Panel]:
    """The side panel of this extension; each prompt may have a session of its own."""
    writes = folder / "writes"
    agents = {"measured": script("measured", str(writes))}
    with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
        lab, meter = _page(
            browser,
            folder,
            server,
            "#acp-jupyter-panel .acp-turn:last-of-type .acp-prose",
            "/extensions/acp-jupyter/",
        )
        panel = lab.panel
        panel.choose_agent("measured")

        def say(words: str) -> None:
            if new_sessions:
                lab.command("acp-jupyter:new-session")
                panel.choose_agent("measured")
            panel.say(words)

        yield Panel("this extension", meter, say, writes)
        lab.close()


@contextmanager
def _jupyter_ai(browser: Browser, folder: Path) -> Iterator[Panel]:
    """A chat of jupyter-ai, whose Claude is the measured agent."""
    writes = folder / "writes"
    python = peer_environment("jupyter-ai")
    tools = _program(folder / "bin", "claude-agent-acp", writes)
    path = f"{tools}:{python.parent}:/usr/local/bin:/usr/bin:/bin"
    with JupyterServer(
        folder, app="jupyterlab", args=LAB_ARGS, python=str(python), env={"PATH": path}
    ) as server:
        (server.root / "here" / "talk.chat").parent.mkdir()
        (server.root / "here" / "talk.chat").write_text("{}")
        lab, meter = _page(
            browser, folder, server, ".jp-chat-message:last-of-type .jp-chat-rendered-message"
        )
        lab.command("docmanager:open", {"path": "here/talk.chat"})
        box = lab.page.locator(".jp-chat-input-container textarea").first

        def say(words: str) -> None:
            # Claude is chosen already: nobody else is there.
            box.fill(words)
            lab.page.locator(".jp-chat-send-button").first.click()

        yield Panel(PEERS["jupyter-ai"], meter, say, writes)
        lab.close()


@contextmanager
def _notebook_intelligence(browser: Browser, folder: Path) -> Iterator[Panel]:
    """The sidebar of notebook-intelligence in its ACP mode."""
    writes = folder / "writes"
    python = peer_environment("notebook-intelligence")
    command = shlex.join(command_line("measured", str(writes)))
    settings = folder / "home" / ".jupyter" / "nbi" / "config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"acp_settings": {"enabled": True}}))
    env = {"NBI_ACP_AGENT_COMMAND": command, "NBI_ACP_MODE_POLICY": "force-on"}
    with JupyterServer(
        folder, app="jupyterlab", args=LAB_ARGS, python=str(python), env=env
    ) as server:
        lab, meter = _page(browser, folder, server, _NBI_ANSWER)
        lab.page.evaluate("jupyterapp.shell.activateById('notebook-intelligence-tab')")
        box = lab.page.locator(".sidebar-user-input textarea").first
        expect(box).to_be_visible(timeout=_START_MS)
        lab.page.get_by_text("Skip tour").click()

        def say(words: str) -> None:
            box.fill(words)
            box.press("Enter")

        yield Panel(PEERS["notebook-intelligence"], meter, say, writes)
        lab.close()


OPENERS: Mapping[str, Callable[[Browser, Path], AbstractContextManager[Panel]]] = {
    "jupyter-ai": _jupyter_ai,
    "notebook-intelligence": _notebook_intelligence,
}


def _page(
    browser: Browser, folder: Path, server: JupyterServer, drawn: str, scripts: str = ""
) -> tuple[LabPage, Meter]:
    visitor = Visitor(browser, folder, traced=False)
    visitor.context.add_init_script(PROBE)
    lab = LabPage(visitor, server)
    # Before the page connects: the handshake is looked at too.
    meter = Meter(lab.page, psutil.Process(server.pid), _whole, drawn, scripts)
    (server.root / "here").mkdir(exist_ok=True)
    lab.open_empty("here")
    return lab, meter


def _whole(payload: str) -> str:
    """Every message counts: the others send whole texts again and again."""
    return payload


def _program(folder: Path, name: str, writes: Path) -> Path:
    """Write the measured agent as a program of that name."""
    folder.mkdir(parents=True)
    script = folder / name
    command = shlex.join(command_line("measured", str(writes)))
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    script.chmod(0o755)
    return folder
