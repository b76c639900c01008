"""A newer list of the public registry, where the server's user allows its download."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acp_jupyter.host.public_registry.agents import RegistryState
from acp_jupyter.server import registry_updates
from tests.support.agents.registry import Publisher, listed, published
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import PATIENCE_SECONDS, eventually


def test_a_server_takes_a_newer_list_when_it_starts_and_when_it_is_asked(tmp_path: Path) -> None:
    with Publisher() as publisher:
        config = "c.AcpJupyter.newer_registry = True"
        args = [f"--AcpJupyter.registry_url={publisher.url}"]
        with JupyterServer(tmp_path, args=args, config=config) as server, server.user() as user:
            eventually(lambda: user.get("registry").json()["downloaded"], "the newer list")
            assert "new-one" in {agent["id"] for agent in user.get("agents").json()}
            publisher.pieces = (published(listed("newest")),)
            publisher.headers = {"Last-Modified": "Sun, 22 Nov 2026 10:00:00 GMT"}
            updated = user.post("registry/update").raise_for_status().json()
            assert (updated["date"], updated["failure"]) == ("2026-11-22", "")
            publisher.status = 503
            failed = user.post("registry/update").raise_for_status().json()
            assert failed["date"] == "2026-11-22"
            assert failed["failure"] == "127.0.0.1 answered with status 503."
            agents = {agent["id"] for agent in user.get("agents").json()}
            assert "newest" in agents
            assert "new-one" not in agents
            assert publisher.asked == ["/registry.json"] * 3


def test_by_default_nothing_is_asked_for(tmp_path: Path) -> None:
    with Publisher() as publisher:
        args = [f"--AcpJupyter.registry_url={publisher.url}"]
        with JupyterServer(tmp_path, args=args) as server, server.user() as user:
            state = user.get("registry").json()
            assert (state["downloaded"], state["may_update"], state["failure"]) == (
                False,
                False,
                "",
            )
            answer = user.post("registry/update")
            assert answer.status_code == 403
            assert "Set c.AcpJupyter.newer_registry = True" in answer.json()["message"]
        assert publisher.asked == []


@pytest.mark.asyncio
async def test_an_update_that_fails_is_logged_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(registry_updates, "_SECONDS", 0)
    state = SimpleNamespace(may_update=True)
    tries: list[int] = []

    async def update() -> RegistryState:
        tries.append(0)
        if len(tries) == 1:
            raise RuntimeError("the first")
        state.may_update = False
        return RegistryState("2026-11-20")

    async def run(work: Coroutine[Any, Any, RegistryState]) -> RegistryState:
        return await work

    host: Any = SimpleNamespace(
        config=SimpleNamespace(registry=SimpleNamespace(public_state=state, update_public=update)),
        run=run,
    )
    await asyncio.wait_for(
        registry_updates.keep_current(host, logging.getLogger("test")), PATIENCE_SECONDS
    )
    assert len(tries) == 2
    assert "the list of agents could not be updated" in caplog.text
