"""The folders of sessions: who owns them, and what becomes of them while sessions are open."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.host.store.ownership import ELSEWHERE, OWNER_FILE, Ownership
from tests.support.agents.fake_agent import script
from tests.support.host.driver import driving
from tests.support.host.limits import PATIENT
from tests.support.wait import eventually

AGENTS = {"permission": script("permission")}


def test_a_new_session_belongs_to_the_server_that_made_it(tmp_path: Path) -> None:
    with driving(tmp_path, AGENTS) as driver:
        folder = tmp_path / "data" / "sessions" / driver.open("permission").session_id
        eventually((folder / OWNER_FILE).exists)
        other = Ownership(tmp_path / "data", PATIENT)
        eventually(lambda: other.why_not_delete(folder) == ELSEWHERE)


def test_what_goes_wrong_with_one_session_hinders_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def rest() -> None:
        raise ZeroDivisionError

    with driving(tmp_path, AGENTS, replace(PATIENT, heartbeat_seconds=0.05)) as driver:
        first, second = driver.open("permission"), driver.open("permission")
        folder = tmp_path / "data" / "sessions" / second.session_id
        eventually((folder / OWNER_FILE).exists)
        monkeypatch.setattr(first.journal, "rest", rest)
        eventually(lambda: f"The folder of session {first.session_id}" in caplog.text)
        shutil.rmtree(folder)
        eventually((folder / OWNER_FILE).exists)
