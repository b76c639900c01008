"""The list entry of a session, ``meta.json``: when it is written."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.host.store.metadata import META_FILE, TRAFFIC_FILE, read_meta
from tests.support.driver import driving
from tests.support.fake_agents import AGENTS
from tests.support.wait import eventually


def test_it_is_left_alone_while_a_turn_streams_and_written_at_its_end(tmp_path: Path) -> None:
    """Else each prompt of a session would write the entries of a hundred that stream."""
    slow = {"command": str(AGENTS / "slow_stream.py"), "args": ["300", "0.02"]}
    hello = {"command": str(AGENTS / "hello.py")}
    with driving(tmp_path, {"slow": slow, "hello": hello}) as driver:
        session, other = driver.open("slow"), driver.open("hello")
        folder = tmp_path / "data/sessions" / session.session_id
        turn_id = driver.prompt(session)
        eventually(lambda: "word90 " in driver.text(session))
        meta = read_meta(folder)
        assert meta is not None
        assert meta.turn_ids == (turn_id,)
        written = (folder / META_FILE).stat().st_mtime_ns
        driver.done(other, driver.prompt(other))
        # All that is due is written in one go, in the order in which the sessions were opened.
        eventually(lambda: _is_up_to_date(folder.parent / other.session_id))
        assert session.state.active_turn_id == turn_id
        assert (folder / META_FILE).stat().st_mtime_ns == written

        turn = driver.done(session, turn_id)
        eventually(lambda: _is_up_to_date(folder))
        ended = read_meta(folder)
        assert ended is not None
        assert (ended.facts.updated_at or 0) >= (turn.ended_at or 0)


def _is_up_to_date(folder: Path) -> bool:
    meta = read_meta(folder)
    return meta is not None and meta.log_bytes == (folder / TRAFFIC_FILE).stat().st_size > 0
