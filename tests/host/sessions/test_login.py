"""Logging in to agents, as their users meet it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.api.access import KernelCaller, UserCaller
from acp_jupyter.api.models.sessions import (
    AgentEntry,
    CancelLogin,
    ListAgents,
    Login,
    Logout,
    RestartAgent,
)
from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.system.portable import PORTABLE_VARIABLE
from tests.support.agents.fake_agent import command_line
from tests.support.agents.login import FakeTerminals, LoginDriver, login_driver
from tests.support.host.limits import PATIENT
from tests.support.wait import PATIENCE_SECONDS, eventually


def refused(driver: LoginDriver) -> Session:
    """Send a prompt to an agent that is not logged in."""
    session = driver.open("wants_login")
    turn = driver.done(session, driver.prompt(session))
    assert turn.failure is not None
    assert turn.failure.reason == "login_needed"
    assert session.state.needs_login == turn.failure.message
    assert session.state.status == "stopped"
    return session


def login(driver: LoginDriver, session: Session, method_id: str = "") -> Session:
    driver.ask(Login(session_id=session.session_id, method_id=method_id))
    return driver.settled(session)


def welcomed(driver: LoginDriver, session: Session) -> bool:
    driver.done(session, driver.prompt(session, "again"))
    return "Welcome. You said: again" in driver.text(session)


def shown(driver: LoginDriver) -> AgentEntry:
    handled = driver.host.submit(driver.dispatcher.handle(ListAgents(), UserCaller("tester")))
    entries = handled.result(PATIENCE_SECONDS)
    assert isinstance(entries, list)
    return next(e for e in entries if isinstance(e, AgentEntry) and e.id == "wants_login")


def test_an_agent_logs_in_by_itself_and_the_session_goes_on(tmp_path: Path) -> None:
    """Authenticate with the method's id; its answer is null."""
    with login_driver(tmp_path, "plain") as driver:
        assert shown(driver).status == "ready"
        session = refused(driver)
        assert [(m.id, m.kind) for m in session.state.auth_methods] == [("browser", "agent")]
        assert "Wants Login needs a login: Authentication required. Log in to it" in (
            session.state.needs_login
        )
        entry = shown(driver)
        assert (entry.status, [m.name for m in entry.methods]) == ("needs_login", ["Browser"])
        login(driver, session, "browser")
        assert (session.state.needs_login, session.state.login) == ("", None)
        traffic = driver.host.traffic_path(session.session_id)
        assert welcomed(driver, session)
        assert shown(driver).status == "ready"
        driver.result(driver.host.sessions.close(session.session_id))
        assert '"authenticate","params":{"methodId":"browser"}' in traffic.read_text()


def test_an_agent_that_knows_its_login_only_when_restarted_is_restarted(tmp_path: Path) -> None:
    with login_driver(tmp_path, "only_restarted") as driver:
        session = refused(driver)
        login(driver, session)
        assert session.state.needs_login == ""
        assert welcomed(driver, session)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("never_enough", "still says that it needs one"),
        ("never_answers", "did not answer authenticate within 0.5 s"),
        ("refuses", "The browser said no"),
    ],
)
def test_a_login_that_fails_says_why_and_may_be_tried_again(
    tmp_path: Path, how: str, words: str
) -> None:
    limits = replace(PATIENT, authenticate_seconds=0.5) if how == "never_answers" else PATIENT
    with login_driver(tmp_path, how, limits=limits) as driver:
        session = refused(driver)
        for _ in range(2):
            login(driver, session, "browser")
            state = session.state.login
            assert state is not None
            assert (state.state, words in state.message) == ("failed", True)
            assert session.state.needs_login


def test_a_login_that_goes_on_can_be_cancelled_and_is_alone(tmp_path: Path) -> None:
    with login_driver(tmp_path, "never_answers") as driver:
        session = refused(driver)
        driver.ask(Login(session_id=session.session_id))
        with pytest.raises(BadRequest, match="already in progress"):
            driver.ask(Login(session_id=session.session_id))
        driver.ask(CancelLogin(session_id=session.session_id))
        state = session.state.login
        assert state is not None
        assert state.message == "The login was cancelled."


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("nothing", "offers no way to log in from here"),
        ("unknown_kind", "does not know how to log in by Something new"),
        ("foreign_terminal", "asks to run a program other than its own"),
    ],
)
def test_what_cannot_be_done_from_here_is_said(tmp_path: Path, how: str, words: str) -> None:
    terminals = FakeTerminals()
    with login_driver(tmp_path, how, terminals) as driver:
        session = refused(driver)
        method = session.state.auth_methods[0].id if session.state.auth_methods else ""
        with pytest.raises(BadRequest, match=words):
            driver.ask(Login(session_id=session.session_id, method_id=method))
        assert terminals.launches == []
        assert session.state.login is None


def test_a_terminal_runs_the_agents_own_program_and_the_agent_starts_anew(tmp_path: Path) -> None:
    terminals = FakeTerminals()
    with login_driver(tmp_path, "terminal", terminals) as driver:
        session = refused(driver)
        reply = driver.ask(Login(session_id=session.session_id, method_id="tty"))
        launch = terminals.launches[0]
        assert launch.argv == command_line("wants_login", "terminal", "--login")
        assert launch.env["WANTS_LOGIN_HOW"] == "terminal"
        assert launch.env["WANTS_LOGIN_STATE"] == str(driver.state)
        own = [name for name in launch.env if name.startswith("ACP_JUPYTER_")]
        assert set(own) <= {PORTABLE_VARIABLE}
        assert reply.terminal == "1"
        assert session.state.login is not None
        assert session.state.login.terminal == "1"
        driver.state.write_text("by terminal")
        driver.run(lambda: terminals.opened[0].code.set_result(0))
        driver.settled(session)
        assert session.state.needs_login == ""
        assert welcomed(driver, session)


@pytest.mark.parametrize(("code", "words"), [(3, "exit code 3"), (None, "was closed")])
def test_a_terminal_that_ends_badly_is_no_login(
    tmp_path: Path, code: int | None, words: str
) -> None:
    terminals = FakeTerminals()
    with login_driver(tmp_path, "terminal", terminals) as driver:
        session = refused(driver)
        driver.ask(Login(session_id=session.session_id))
        driver.run(lambda: terminals.opened[0].code.set_result(code))
        driver.settled(session)
        assert session.state.login is not None
        assert words in session.state.login.message
        assert session.state.needs_login


def test_a_cancelled_terminal_is_closed(tmp_path: Path) -> None:
    terminals = FakeTerminals()
    with login_driver(tmp_path, "terminal", terminals) as driver:
        session = refused(driver)
        driver.ask(Login(session_id=session.session_id))
        driver.ask(CancelLogin(session_id=session.session_id))
        assert terminals.opened[0].closed


def test_an_older_agent_may_name_its_own_program(tmp_path: Path) -> None:
    terminals = FakeTerminals()
    with login_driver(tmp_path, "older_terminal", terminals) as driver:
        session = refused(driver)
        assert session.state.auth_methods[0].kind == "terminal"
        driver.ask(Login(session_id=session.session_id))
        command = command_line("wants_login", "older_terminal", "--login")
        assert terminals.launches[0].argv == command


def test_without_terminals_the_command_is_told_without_what_is_configured(tmp_path: Path) -> None:
    with login_driver(tmp_path, "terminal") as driver:
        session = refused(driver)
        reply = driver.ask(Login(session_id=session.session_id))
        assert reply.command.startswith(f"WANTS_LOGIN_HOW=terminal {sys.executable}")
        assert reply.command.endswith(" terminal --login")
        assert "with WANTS_LOGIN_STATE as configured" in reply.message
        assert str(driver.state) not in reply.message + reply.command


def test_variables_are_named_and_their_values_never_asked_for(tmp_path: Path) -> None:
    with login_driver(tmp_path, "variables") as driver:
        session = refused(driver)
        reply = driver.ask(Login(session_id=session.session_id))
        assert "Wants Login reads WANTS_LOGIN_KEY" in reply.message
        assert "c.AcpJupyter.agents['wants_login']" in reply.message
        assert session.state.login is None


def test_odd_methods_do_no_harm(tmp_path: Path) -> None:
    with login_driver(tmp_path, "odd") as driver:
        session = refused(driver)
        assert [(m.id, m.name) for m in session.state.auth_methods] == [
            ("browser", "Browser"),
            ("tty", "tty"),
        ]
        with pytest.raises(BadRequest, match="what to run is not valid"):
            driver.ask(Login(session_id=session.session_id, method_id="tty"))


def test_logout_and_what_follows(tmp_path: Path) -> None:
    with login_driver(tmp_path, "plain") as driver:
        driver.state.write_text("in")
        session = driver.open("wants_login")
        assert welcomed(driver, session)
        reply = driver.ask(Logout(session_id=session.session_id))
        assert reply.message == session.state.needs_login
        assert "You are logged out of Wants Login" in reply.message
        assert not driver.state.exists()
        turn = driver.done(session, driver.prompt(session))
        assert turn.failure is not None
        assert turn.failure.reason == "login_needed"
        login(driver, session)
        assert welcomed(driver, session)


def test_a_login_that_runs_out_in_a_turn_can_be_renewed(tmp_path: Path) -> None:
    with login_driver(tmp_path, "expires") as driver:
        driver.state.write_text("in")
        session = driver.open("wants_login")
        turn = driver.done(session, driver.prompt(session))
        assert turn.stop_reason == "error"
        assert session.state.needs_login == "Wants Login needs a login: The token has expired."
        driver.state.write_text("renewed")
        login(driver, session)
        assert session.state.needs_login == ""


def test_a_kernel_logs_nobody_in_and_restarts_nothing(tmp_path: Path) -> None:
    with login_driver(tmp_path, "plain") as driver:
        session = refused(driver)
        kernel = KernelCaller("kernel", "")
        for command in (
            Login(session_id=session.session_id),
            CancelLogin(session_id=session.session_id),
            Logout(session_id=session.session_id),
            RestartAgent(agent="wants_login"),
        ):
            with pytest.raises(NotAllowed):
                driver.result(driver.dispatcher.handle(command, kernel))
        assert not driver.state.exists()


def test_a_restarted_agent_is_another_process(tmp_path: Path) -> None:
    with login_driver(tmp_path, "plain") as driver:
        driver.state.write_text("in")
        session = driver.open("wants_login")
        assert welcomed(driver, session)
        first = session.state.agent_session_id
        assert str(os.getpid()) not in first
        driver.ask(RestartAgent(agent="wants_login"))
        eventually(lambda: session.state.status == "stopped")
        driver.done(session, driver.prompt(session))
        assert session.state.agent_session_id != first


def test_which_login_is_in_use_is_asked_where_the_agent_tells(tmp_path: Path) -> None:
    """Once the session is open, after each login, and not before the next one."""
    with login_driver(tmp_path, "tells") as driver:
        session = refused(driver)
        assert session.state.logged_in == ""
        login(driver, session)
        eventually(lambda: session.state.logged_in == "Pro")
        assert welcomed(driver, session)
        driver.ask(Logout(session_id=session.session_id))
        assert session.state.logged_in == ""
        login(driver, session)
        eventually(lambda: session.state.logged_in == "Pro")


def test_a_login_is_offered_before_the_first_prompt_needs_it(tmp_path: Path) -> None:
    with login_driver(tmp_path, "lets_in") as driver:
        session = driver.open("wants_login")
        driver.result(session.start())
        eventually(lambda: session.state.needs_login == "Wants Login needs a login.")
        login(driver, session)
        eventually(lambda: session.state.logged_in == "Pro")
        assert session.state.needs_login == ""


@pytest.mark.parametrize("how", ["tells_nothing", "tells_never"])
def test_an_agent_that_does_not_tell_its_login_although_it_says_so(
    tmp_path: Path, how: str
) -> None:
    with login_driver(tmp_path, how) as driver:
        driver.state.write_text("in")
        session = driver.open("wants_login")
        assert welcomed(driver, session)
        assert (session.state.logged_in, session.state.needs_login) == ("", "")
        traffic = driver.host.traffic_path(session.session_id)
        driver.result(driver.host.sessions.close(session.session_id))
        assert '"auth/status"' in traffic.read_text()
