"""The JupyterLab server of the browser tests, with agents of every sort."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.agents.fake_agent import script
from tests.support.planted_secret import SECRET
from tests.support.scenes.steps import player
from tests.support.server.jupyter_server import JupyterServer, fake_agents

__all__ = [
    "LAB_ARGS",
    "agents",
    "disable_labextensions",
    "stop_kernels",
    "switch_saving_off",
    "write_settings",
]

LAB_ARGS = (
    "--LabApp.expose_app_in_browser=True",
    "--JupyterNotebookApp.expose_app_in_browser=True",
    "--LabApp.news_url=",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)


def agents() -> dict[str, dict[str, Any]]:
    """Return ``c.AcpJupyter.agents`` of every server here."""
    return {
        **fake_agents(
            "acts_late",
            "dies_mid_turn",
            "edits_files",
            "exits_at_once",
            "hello",
            "never_initialize",
            "never_new_session",
            "notebook_user",
            "orphan_grandchild",
            "own_tools",
            "permission",
            "runs_commands",
            "says",
            "slow_stream",
            "steers",
            "suggests",
            "terminal_script",
            "two_permissions",
        ),
        "another_user": script("notebook_user"),
        "careful": script("own_tools", "careful"),
        "quick": script("own_tools", "quick"),
        "flood": script("flood", "20000"),
        "garbage": script("only_garbage"),
        "keeps_sessions": script("keeps_sessions", ".talks.json"),
        "leaky": {**script("leaky"), "env": {"LEAKY_API_KEY": SECRET}},
        "wants_login": script("wants_login", "terminal"),
        "takes": script("takes", "image", "embeddedContext"),
        "plays": player("Player"),
        "version_2": {**script("version_2"), "protocol_version": 2},
        "missing": {"command": "no-such-agent-command"},
    }


def disable_labextensions(folder: Path, *names: str) -> None:
    """Have a server's pages without these extensions; ``folder`` is the server's."""
    page_config = folder / "config" / "labconfig" / "page_config.json"
    page_config.parent.mkdir(parents=True)
    page_config.write_text(json.dumps({"disabledExtensions": dict.fromkeys(names, True)}))


def write_settings(folder: Path, plugin: str, settings: Mapping[str, Any]) -> None:
    """Write what a user has set for a plugin; before the page is loaded."""
    package, _, name = plugin.partition(":")
    place = folder / "config" / "lab" / "user-settings" / package
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}.jupyterlab-settings").write_text(json.dumps(settings))


def stop_kernels(server: JupyterServer) -> None:
    """End every notebook's kernel and every session of ours."""
    with server.user() as client:
        for kernel in client.get(f"{server.url}api/kernels").json():
            client.delete(f"{server.url}api/kernels/{kernel['id']}")
        for session in client.get("sessions").json():
            client.delete(f"sessions/{session['session_id']}")


def switch_saving_off(server: JupyterServer) -> None:
    """Have nothing saved before a prompt, as in the settings; before the page is loaded."""
    write_settings(server.root.parent, "acp-jupyter:plugin", {"saveBeforePrompt": False})
