"""The commands of a log are shown by the replay agent, and not run."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.fake_agent import script
from tests.support.agents.peer import Json
from tests.support.agents.replay import playing
from tests.support.agents.replay_log import CWD, Score
from tests.support.agents.terminal_steps import ask, call, create, steps, update
from tests.support.host.driver import Driver
from tests.support.host.trusted_folders import trusting
from tests.support.wait import FOREVER_SECONDS

CAPABILITIES = {"_meta": {"terminal_output": True, "terminal_output_delta": True}}
LIKE_BASE64 = "b25lCnR3bwo="


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    return root


# -- a host plays what a host has recorded ----------------------------------------


NAMED = steps(
    {"update": {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Build"}},
    create("echo run >> outside.txt; echo one; exit 3"),
    call(),
    ask("wait_for_exit"),
    ask("output"),
    ask("release"),
    update(status="failed"),
)
NAMED_LATE = steps(
    create("echo run >> outside.txt; printf b25lCnR3bwo="),
    ask("wait_for_exit"),
    call(),
    update(status="completed"),
    ask("release"),
)
NEVER_NAMED = steps(
    create("echo run >> outside.txt; echo \x1b[32mtwo\x1b[0m"),
    ask("wait_for_exit"),
    ask("release"),
)
TWO = steps(
    create("echo run >> outside.txt; echo one", name="t"),
    call("t"),
    ask("wait_for_exit", "t"),
    update(status="completed"),
    create("echo run >> outside.txt; echo two; exit 1", name="u"),
    ask("wait_for_exit", "u"),
    ask("output", "u"),
    ask("kill", "t"),
)
REFUSED = steps(create("echo run >> outside.txt", cwd="/"), call())


def hold(host: AgentHost, root: Path, agent: str, prompt: str) -> Session:
    driver = Driver(host, root)
    session = driver.open(agent, policy="allow-all")
    turn = driver.done(session, driver.prompt(session, prompt))
    assert turn.stop_reason == "end_turn", turn.failure
    return session


def seen(session: Session) -> list[dict[str, Any]]:
    """Return all items, without when they were and whose a terminal is."""
    state = session.transcript
    found = []
    for item in state.window(0, len(state.items)):
        fields = item.model_dump(
            mode="json",
            exclude={"id", "turn_id", "at", "started_at", "ended_at", "duration_seconds"},
        )
        if isinstance(item, ToolCall) and item.terminal is not None:
            fields["terminal"] = item.terminal.model_dump(exclude={"own", "released"})
        found.append(fields)
    return found


@pytest.mark.parametrize(
    ("prompt", "runs"),
    [(NAMED, 1), (NAMED_LATE, 1), (NEVER_NAMED, 1), (TWO, 2), (REFUSED, 0)],
    ids=["named", "named late", "never named", "two", "refused"],
)
def test_a_log_with_commands_gives_the_same_transcript_and_runs_nothing(
    prompt: str, runs: int, ws: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log.ndjson"
    replay = ["-m", "acp_jupyter.agents.replay", str(log), "--speed", "flat"]
    agents: dict[str, dict[str, Any]] = {
        "terminals": script("terminal_script"),
        "replay": {"command": sys.executable, "args": replay},
    }
    host = AgentHost(
        HostConfig(Registry(agents, []), ws, tmp_path / "data", trust=trusting(tmp_path))
    )
    host.start()
    outside = ws / "outside.txt"
    try:
        recorded = hold(host, ws, "terminals", prompt)
        assert recorded.journal.flush(FOREVER_SECONDS)
        shutil.copy(host.traffic_path(recorded.session_id), log)
        assert (outside.read_text() if runs else "") == "run\n" * runs
        outside.unlink(missing_ok=True)
        replayed = hold(host, ws, "replay", prompt)
        assert seen(replayed) == seen(recorded)
        assert not outside.exists()
        lines = host.traffic_path(replayed.session_id).read_text()
        assert '"terminal/' not in lines.replace(json.dumps(prompt), "")
    finally:
        host.stop()


# -- what goes over the wire -----------------------------------------------------


def noted_score() -> Score:
    """A turn with a command, as our own client writes it down."""
    score = Score()
    score.open()
    prompt = score.prompt("Run")
    score.update("tool_call", toolCallId="c", title="ls", status="in_progress")
    create = score.ask("terminal/create", command="ls")
    score.note(note="terminal_started", terminal_id="t", command="ls", cwd=CWD)
    score.answer(">", create, {"terminalId": "t"})
    score.note(note="terminal_output", terminal_id="t", text="in " + CWD)
    content = [{"type": "terminal", "terminalId": "t"}]
    score.update("tool_call_update", toolCallId="c", content=content)
    wait = score.ask("terminal/wait_for_exit", terminalId="t")
    score.note(note="terminal_output", terminal_id="t", text=LIKE_BASE64, left_out=1200)
    score.note(note="terminal_output", terminal_id="t", text=LIKE_BASE64)
    score.note(note="terminal_output", terminal_id="nobody", text="x")
    score.note(note="terminal_exited", terminal_id="t", signal="SIGTERM", by="user")
    score.answer(">", wait, {"signal": "SIGTERM"})
    score.answer(">", score.ask("terminal/release", terminalId="t"), {})
    score.say("Done")
    score.end(prompt)
    return score


def metas(score: Score, ws: Path, capabilities: Json | None = None) -> list[Json]:
    """Play a score, in which nothing may be asked; return what is told of terminals."""
    with playing(score, ws) as peer:
        session = peer.open(ws, CAPABILITIES if capabilities is None else capabilities)
        turn = peer.prompt(session, "Run")
        assert turn.stop_reason == "end_turn"
        assert not [m for m in turn.messages if "id" in m and "method" in m]
        return [u["_meta"] for u in turn.updates if "_meta" in u]


def test_notes_are_told_by_the_call_that_names_the_terminal(ws: Path) -> None:
    delta = "terminal_output_delta"
    cut = "\n… 1,200 characters are not shown …\n"
    assert metas(noted_score(), ws) == [
        {"terminal_info": {"terminal_id": "t", "command": "ls", "cwd": str(ws)}},
        {delta: {"terminal_id": "t", "data": f"in {ws}"}},
        {delta: {"terminal_id": "t", "data": cut + LIKE_BASE64}},
        {delta: {"terminal_id": "t", "data": LIKE_BASE64[0]}},
        {delta: {"terminal_id": "t", "data": LIKE_BASE64[1:]}},
        {"terminal_exit": {"terminal_id": "t", "exit_code": None, "signal": "SIGTERM"}},
    ]


def test_a_client_that_knows_no_deltas_gets_plain_output(ws: Path) -> None:
    told = metas(noted_score(), ws, {"_meta": {"terminal_output": True}})
    assert told[1] == {"terminal_output": {"terminal_id": "t", "data": f"in {ws}"}}
    assert not [meta for meta in told if "terminal_output_delta" in meta]


def answered_score(*outputs: str) -> Score:
    """The same of a client that notes nothing; the agent asks for the output after the end."""
    score = Score()
    score.open()
    prompt = score.prompt("Run")
    asked = score.ask("terminal/create", command="make", args=["-j2", "all of it"])
    score.answer(">", asked, {"terminalId": "t"})
    content = [{"type": "terminal", "terminalId": "t"}]
    score.update("tool_call", toolCallId="c", title="make", content=content)
    for number, output in enumerate(outputs, 1):
        if number == len(outputs):
            waits = score.ask("terminal/wait_for_exit", terminalId="t")
            score.answer(">", waits, {"exitCode": 2})
        asked = score.ask("terminal/output", terminalId="t")
        score.answer(">", asked, {"output": output, "truncated": False})
    score.end(prompt)
    return score


def test_without_notes_the_answers_tell_it(ws: Path) -> None:
    told = metas(answered_score("one\n", "one\n", "one\ntwo\n", "two\nthree\n"), ws)
    info, *pieces = told
    assert info["terminal_info"]["command"] == "make -j2 'all of it'"
    out = [p["terminal_output_delta"]["data"] for p in pieces if "terminal_output_delta" in p]
    assert out == ["one\n", "two\n", "\n…\ntwo\nthree\n"]
    assert pieces[-1]["terminal_exit"]["exit_code"] == 2


@pytest.mark.parametrize(
    "note",
    [
        {"note": "terminal_started", "terminal_id": 1},
        {"note": "terminal_output", "terminal_id": "t", "text": ["x"]},
        {"note": "terminal_exited", "terminal_id": "t"},
        {"note": "terminal_started", "terminal_id": "t", "command": "\x00" * 10_000},
    ],
)
def test_hostile_notes_do_no_harm(note: dict[str, Any], ws: Path) -> None:
    score = Score()
    score.note(**note)
    score.open()
    score.note(**note)
    prompt = score.prompt("Run")
    score.note(**note)
    score.update("tool_call", toolCallId="c", content=[{"type": "terminal", "terminalId": ["t"]}])
    score.update("tool_call", toolCallId=7, content=[{"type": "terminal", "terminalId": "t"}])
    score.note(**note)
    score.say("Done")
    score.end(prompt)
    with playing(score, ws) as peer:
        assert peer.prompt(peer.open(ws), "Run").text == "Done"


def test_run_commands_asks_and_shows_nothing_itself(ws: Path) -> None:
    with playing(
        noted_score(), ws, "--run-commands", create=lambda _: {"terminalId": "live"}
    ) as peer:
        peer.handlers["terminal/wait_for_exit"] = lambda _: {"exitCode": 0}
        peer.handlers["terminal/release"] = lambda _: {}
        turn = peer.prompt(peer.open(ws), "Run")
        assert [params["command"] for params in turn.asked("terminal/create")] == ["ls"]
        assert turn.asked("terminal/release")[0]["terminalId"] == "live"
        assert not [update for update in turn.updates if "_meta" in update]
