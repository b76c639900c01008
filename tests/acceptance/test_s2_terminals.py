"""Terminals: the host runs commands for an agent, and shows them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.tool_items import TerminalView, ToolCall
from tests.support.agents.fake_agent import script
from tests.support.agents.terminal_steps import ask, call, create, steps, update
from tests.support.host.driver import Driver, driving
from tests.support.wait import eventually


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        (driver.root / "sub").mkdir()
        yield driver


@pytest.fixture
def session(driver: Driver) -> Session:
    return driver.open("scripted", policy="allow-all")


def answers(
    driver: Driver, session: Session, *asked: dict[str, Any], choose: str = ""
) -> list[dict[str, Any]]:
    turn_id = driver.prompt(session, steps(*asked))
    if choose:
        driver.answer(session, driver.asked(session), choose)
    turn = driver.done(session, turn_id)
    assert turn.stop_reason == "end_turn", turn.failure
    return list(json.loads(driver.text(session)))


def card(session: Session) -> tuple[ToolCall, TerminalView]:
    state = session.transcript
    calls = (i for i in state.window(0, len(state.items)) if isinstance(i, ToolCall))
    (item,) = (call for call in calls if call.terminal is not None)
    assert item.terminal is not None
    return item, item.terminal


def test_a_command_with_arguments_folder_variables_and_limit(
    driver: Driver, session: Session
) -> None:
    """S2.16: command, args, cwd, env and outputByteLimit count."""
    code = 'import os; print(os.path.basename(os.getcwd()), os.environ["MINE"], "ä" * 10, end="")'
    made, ended, shown = answers(
        driver,
        session,
        create(
            sys.executable,
            args=["-c", code],
            cwd=str(driver.root / "sub"),
            env=[{"name": "MINE", "value": "of mine"}],
            outputByteLimit=13,
        ),
        ask("wait_for_exit"),
        ask("output"),
        choose="allow",  # what the variables change is for the user to judge
    )
    assert made["terminalId"]
    assert ended == {"exitCode": 0}
    assert shown == {"output": "ä" * 6, "truncated": True, "exitStatus": {"exitCode": 0}}
    item, terminal = card(session)
    assert item.output == "sub of mine " + "ä" * 10
    assert (terminal.cwd, terminal.own) == ("sub", True)


def test_a_command_line_alone(driver: Driver, session: Session) -> None:
    """S2.16: a command without arguments may be a whole line; output is that of both streams."""
    _, ended, shown = answers(
        driver,
        session,
        create("echo out; echo err >&2; exit 3"),
        ask("wait_for_exit"),
        ask("output"),
    )
    assert ended == {"exitCode": 3}
    assert (shown["output"], shown["truncated"]) == ("out\nerr\n", False)


@pytest.mark.parametrize("cwd", ["/", "..", "/nowhere", "../ws-evil", "ROOT-evil"])
def test_a_folder_outside_is_refused(driver: Driver, session: Session, cwd: str) -> None:
    """S2.16: the folder is one of the session's; one whose name begins like its is none."""
    driver.root.with_name("ws-evil").mkdir()
    cwd = cwd.replace("ROOT", str(driver.root))
    (refused,) = answers(driver, session, create("pwd", cwd=cwd))
    assert refused["code"] == -32602
    assert "outside the working directory" in refused["message"]


def test_kill_keeps_the_output_and_release_frees_the_id(driver: Driver, session: Session) -> None:
    """S2.17: output, wait_for_exit, kill and release."""
    found = answers(
        driver,
        session,
        create("echo ready; sleep 600"),
        create("echo done", "other"),
        ask("wait_for_exit", "other"),
        ask("output"),
        ask("kill"),
        ask("wait_for_exit"),
        ask("output"),
        ask("release"),
        ask("output"),
        ask("wait_for_exit"),
        ask("kill"),
        ask("release"),
        ask("output", "other"),
    )
    _, _, _, running, killed, ended, shown, released, *gone, other = found
    assert "exitStatus" not in running
    assert killed == released == {}
    assert ended == {"signal": "SIGTERM"}
    assert shown["exitStatus"] == {"signal": "SIGTERM"}
    assert shown["output"] in {"ready\n", ""}  # it may have been killed before it said so
    assert [error["code"] for error in gone] == [-32002] * 4
    assert "may have been released" in gone[0]["message"]
    assert other["output"] == "done\n"


def test_a_call_shows_its_terminal_live_and_after_the_release(
    driver: Driver, session: Session
) -> None:
    """S2.27: a tool call's content of type terminal shows it live, and after its release."""
    os.mkfifo(driver.root / "go")
    turn_id = driver.prompt(
        session,
        steps(
            create("echo one; cat go"),
            call(),
            ask("wait_for_exit"),
            ask("release"),
            update(status="completed"),
        ),
    )
    eventually(lambda: shown(session) == ("one\n", True, False))
    (driver.root / "go").write_text("two\n")
    assert driver.done(session, turn_id).stop_reason == "end_turn"
    assert shown(session) == ("one\ntwo\n", False, True)
    item, terminal = card(session)
    assert item.title == "Build"
    assert (item.status, item.exit_code, terminal.exit_code) == ("completed", 0, 0)


def shown(session: Session) -> tuple[str, bool, bool]:
    """What a card tells: output, whether it runs, whether it was released."""
    state = session.transcript
    calls = [i for i in state.window(0, len(state.items)) if isinstance(i, ToolCall)]
    if not calls or calls[0].terminal is None:
        return "", False, False
    return calls[0].output, calls[0].terminal.running, calls[0].terminal.released
