"""The list entry of a session, ``meta.json``: when it is written."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.host.store.metadata import META_FILE, TRAFFIC_FILE, read_meta
from tests.support.driver import driving
from tests.support.fake_agents import AGENTS
from tests.support.wait import eventually


def test_it_is_left_alone_while_a_turn_streams_and_written_at_its_end(tmp_path: Path) -> None:
    """A hundred sessions that stream would write theirs twice a second each."""
    agents = {"slow": {"command": str(AGENTS / "slow_stream.py"), "args": ["200", "0.02"]}}
    with driving(tmp_path, agents) as driver:
        session = driver.open("slow")
        folder = tmp_path / "data/sessions" / session.session_id
        turn_id = driver.prompt(session)
        eventually(lambda: "word90 " in driver.text(session))
        meta = read_meta(folder)
        assert meta is not None
        assert meta.turn_ids == (turn_id,)
        written = (folder / META_FILE).stat().st_mtime_ns
        eventually(lambda: "word190 " in driver.text(session))
        assert (folder / META_FILE).stat().st_mtime_ns == written

        turn = driver.done(session, turn_id)
        eventually(lambda: (folder / META_FILE).stat().st_mtime_ns > written)
        eventually(lambda: _log_bytes(folder) == (folder / TRAFFIC_FILE).stat().st_size)
        ended = read_meta(folder)
        assert ended is not None
        assert (ended.facts.updated_at or 0) >= (turn.ended_at or 0)


def _log_bytes(folder: Path) -> int:
    meta = read_meta(folder)
    return -1 if meta is None else meta.log_bytes
