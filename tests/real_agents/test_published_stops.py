"""Published agents that are stopped, whose models fail, and that die: the next prompt works."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.processes import any_alive
from tests.support.published.on_a_server import (
    AGENTS,
    HELLO_PY,
    Place,
    is_held_by_ours,
    names,
    place_of,
)
from tests.support.published.programs import Published, processes_of
from tests.support.published.session import Played, PublishedSession
from tests.support.wait import eventually

pytestmark = pytest.mark.agents


def test_stop_while_it_writes(agent: Published, talk: PublishedSession) -> None:
    turn_id = talk.start("count chunks=2000 rate=20")
    talk.until_text(turn_id, "w5 ")
    ended_by_stop(talk, turn_id)
    assert "Some **Markdown**" in talk.play("hello").text


@pytest.mark.long
def test_a_limit_of_tool_calls_stops_it(agent: Published, talk: PublishedSession) -> None:
    if is_held_by_ours(agent, talk):
        return
    (talk.folder / "hello.py").write_text(HELLO_PY)
    played = talk.end(talk.start("many_tools", limit="2 calls"), "allow_once")
    assert stopped_words(played) == "Stopped at its limit of 2 tool calls."
    # What was done is kept. One call more may have begun, or several that it makes at once.
    assert len(played.calls) >= 2
    assert {call["status"] for call in played.calls} <= {"completed", "failed", "cancelled"}
    assert len(played.calls) < 8
    assert after_the_notice(played) <= {"turn_end", "tool_call", "agent_message", "thought"}
    assert "Some **Markdown**" in talk.play("hello").text


@pytest.mark.long
def test_a_limit_of_time_stops_it_and_that_of_its_session_refuses_more(
    agent: Published, talk: PublishedSession
) -> None:
    talk.play("hello")
    used = talk.state["use"]["seconds"]
    talk.limit(f"{used + 4:.1f} s")
    played = talk.end(talk.start("count chunks=2000 rate=20"))
    assert stopped_words(played).endswith(" for this session.")
    assert "w1999 " not in played.text
    # Words that were under way may still come.
    assert after_the_notice(played) <= {"turn_end", "agent_message"}
    refused = talk.user.post(f"sessions/{talk.session_id}/prompt", json={"prompt": "More"})
    assert "This session has reached its limit of" in refused.json()["message"]
    talk.limit("")
    assert "Some **Markdown**" in talk.play("hello").text


@pytest.mark.long
def test_stop_while_a_command_runs(agent: Published, place: Place, talk: PublishedSession) -> None:
    if is_held_by_ours(agent, talk):
        return
    turn_id = talk.start("sleep_command")
    if "sleep_command" in agent.asks:
        talk.answer(talk.asked(turn_id), "allow_once")
    eventually(lambda: "sleep" in names(place.home), "the command runs")
    # Some tell of a command only once it runs.
    eventually(lambda: calls(talk, turn_id), "the call is told")
    # As it ended: some tell afterwards that the command was completed.
    call = ended_by_stop(talk, turn_id).call
    assert call["status"] in {"cancelled", "failed"}
    if not agent.keeps_commands:
        eventually(lambda: "sleep" not in names(place.home), "the command has ended")
    assert "Some **Markdown**" in talk.play("hello").text


@pytest.mark.long
def test_stop_while_it_asks(agent: Published, talk: PublishedSession) -> None:
    turn_id = talk.start("touch file=touched.txt")
    talk.asked(turn_id)
    ended_by_stop(talk, turn_id)
    assert talk.state["waiting"] == 0
    assert not (talk.folder / "touched.txt").exists()
    assert "Some **Markdown**" in talk.play("hello").text


@pytest.mark.long
def test_an_error_of_the_model_ends_the_turn_in_words(
    agent: Published, talk: PublishedSession
) -> None:
    played = talk.play("error")
    if agent.errors_as_text:
        assert "mock error" in played.text
    else:
        assert "mock error" in played.turn["failure"]["message"]
        assert played.turn["stop_reason"] == "error"
    assert "Some **Markdown**" in talk.play("hello").text


@pytest.mark.long
def test_a_stream_that_is_cut(agent: Published, talk: PublishedSession) -> None:
    # An agent that reads words and cut at once may show neither: on a busy machine some did.
    turn_id = talk.start("drop rate=2")
    talk.until_text(turn_id, "This stream")
    if agent.retries_cut_streams:
        ended_by_stop(talk, turn_id)
    else:
        played = talk.end(turn_id)
        assert played.turn["failure"]["message"]
    assert "Some **Markdown**" in talk.play("hello").text


@pytest.mark.long
@pytest.mark.parametrize("published", AGENTS)
def test_a_killed_agent_goes_on_where_it_was_and_nothing_outlives_a_killed_server(
    published: Published, tmp_path: Path
) -> None:
    with place_of(published, tmp_path) as place:
        talk = place.talk
        began = time.time() // 60
        talk.play("hello")
        if published.files_by_the_minute:
            eventually(lambda: time.time() // 60 > began, "the next minute")
        turn_id = talk.start("count chunks=2000 rate=20")
        talk.until_text(turn_id, "w5 ")
        running = processes_of(place.home)
        launched(running).kill()
        played = talk.end(turn_id)
        if played.turn["stop_reason"] == "cancelled":
            # Only its launcher was killed; the agent, told to end with it, had a last word.
            eventually(lambda: talk.state["status"] == "stopped", "the end is told")
        else:
            assert "killed by signal 9" in played.turn["failure"]["message"]
        pids = {process.pid for process in running}
        eventually(lambda: not any_alive(pids), "processes of the agent are left")
        assert "Some **Markdown**" in talk.play("hello").text
        # All of them can load or resume; what one then tells again is not shown again.
        assert talk.state["history"] == "whole"
        assert [prompt.split()[1] for prompt in talk.prompts()] == [
            "scenario=hello",
            "scenario=count",
            "scenario=hello",
        ]
        if is_held_by_ours(published, talk):
            talk.until_text(talk.start("count chunks=2000 rate=20"), "w5 ")
        else:
            turn_id = talk.start("sleep_command")
            if "sleep_command" in published.asks:
                talk.answer(talk.asked(turn_id), "allow_once")
            eventually(lambda: "sleep" in names(place.home), "the command runs")
        place.server.kill()
        eventually(lambda: not processes_of(place.home), "the agent outlives its server")


def launched(running: Sequence[psutil.Process]) -> psutil.Process:
    """Return the process that the host's supervisor has started, which may be a mere launcher."""
    parents: dict[psutil.Process, int] = {}
    watchers: set[int] = set()
    for process in running:
        with suppress(psutil.NoSuchProcess):  # some run for a moment only
            parents[process] = process.ppid()
            if any("supervise" in word for word in process.cmdline()):
                watchers.add(process.pid)
    (watcher,) = watchers
    (first,) = (process for process, parent in parents.items() if parent == watcher)
    return first


def calls(talk: PublishedSession, turn_id: str) -> list[dict[str, Any]]:
    return [item for item in talk.look(turn_id)["items"] if item["kind"] == "tool_call"]


def stopped_words(played: Played) -> str:
    """Return how a turn ended that a limit has stopped."""
    assert played.turn["stop_reason"] == "cancelled"
    words: str = played.turn["words"]
    return words


def after_the_notice(played: Played) -> set[str]:
    """Return what was added to a turn after it was stopped."""
    kinds = [item["kind"] for item in played.items]
    stopped = next(
        index
        for index, item in enumerate(played.items)
        if item["kind"] == "notice" and item["text"].startswith("Stopped at the limit of")
    )
    return set(kinds[stopped + 1 :])


def ended_by_stop(talk: PublishedSession, turn_id: str) -> Played:
    talk.stop(turn_id)
    played = talk.end(turn_id)
    assert played.turn["stop_reason"] == "cancelled"
    return played
