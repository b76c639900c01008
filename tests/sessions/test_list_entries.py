"""The list entry of a session, ``meta.json``: when it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_jupyter.host.store.metadata import META_FILE, TRAFFIC_FILE, read_meta
from tests.support.agents.fake_agent import script
from tests.support.host.driver import driving
from tests.support.transcript.traffic import Script
from tests.support.wait import eventually


def test_it_is_left_alone_while_a_turn_streams_and_written_at_its_end(tmp_path: Path) -> None:
    """Else each prompt of a session would write the entries of a hundred that stream."""
    agents = {"slow": script("slow_stream", "300", "0.02"), "hello": script("hello")}
    with driving(tmp_path, agents) as driver:
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


@pytest.mark.parametrize(("at", "created"), [(5.0, 5.0), (5, 5), ("now", None), (None, None)])
def test_folders_of_earlier_versions_are_listed_and_others_passed_over(
    tmp_path: Path, at: object, created: float | None
) -> None:
    folders = tmp_path / "data/sessions"
    opening = Script().opening.model_dump(mode="json")
    for name, first in (
        ("s1", json.dumps({"seq": 1, "t": at, "d": "!", "m": opening})),
        ("torn", '{"seq": 1, "t"'),
        ("s2", json.dumps({"seq": 1, "t": 1.0, "d": "!", "m": opening})),  # another's
        ("empty", None),
    ):
        (folders / name).mkdir(parents=True)
        if first is not None:
            (folders / name / TRAFFIC_FILE).write_text(f"{first}\n")
    with driving(tmp_path, {}) as driver:
        (meta,) = driver.result(driver.host.sessions.stored())
    assert (meta.session_id, meta.facts.created_at) == ("s1", created)
