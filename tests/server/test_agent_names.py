"""Agents are called as their users call them: by id, by the name in the configuration, by title."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.support.server.jupyter_server import JupyterServer, fake_agents


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    (entry,) = fake_agents("asks").values()
    agents = {"Claude Code": entry, "日本語": {**entry, "name": "Japanese"}}
    with JupyterServer(tmp_path_factory.mktemp("names"), agents=agents) as server:
        yield server


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("Claude Code", "claude-code"),
        ("claude-code", "claude-code"),
        ("CLAUDE CODE", "claude-code"),
        ("日本語", "agent"),
        ("japanese", "agent"),
        ("Demo", "demo"),
    ],
)
def test_a_session_is_opened_by_any_of_its_agents_names(
    user: httpx.Client, name: str, agent: str
) -> None:
    wanted = {"agent": name, "start": "lazy", "notebook_path": f"{agent}.ipynb"}
    made = user.post("sessions", json=wanted).raise_for_status().json()
    assert made["agent"] == agent
    # The notebook has one session with an agent, whatever it is called.
    again = user.post("sessions", json={**wanted, "agent": agent}).raise_for_status().json()
    assert again["session_id"] == made["session_id"]


def test_a_wrong_name_is_answered_with_the_one_that_was_meant(user: httpx.Client) -> None:
    refused = user.post("sessions", json={"agent": "claud-code", "start": "lazy"})
    assert (refused.status_code, refused.json()["reason"]) == (404, "unknown_agent")
    assert "Did you mean claude-code?" in refused.json()["message"]


def test_cells_and_use_take_them_too(server: JupyterServer, user: httpx.Client) -> None:
    kernel = server.start_kernel("cells.ipynb")
    kernel.run('%load_ext acp_jupyter\n%acp use "claude code"')
    assert "claude-code" in kernel.run("%acp use 'Claude Code'")
    kernel.run('%%acp "Claude Code"\nlater')
    opened = user.get("sessions").raise_for_status().json()
    assert [s["agent"] for s in opened if s["notebook_path"] == "cells.ipynb"] == ["claude-code"]
