"""A command that fails at a wall of the sandbox: what is said, and what the user has run once."""

from __future__ import annotations

import http.server
import json
import shlex
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.requests.rules import turn_rules
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Network, Wall
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.wait import eventually

pytestmark = pytest.mark.skipif(find_level().level != "full", reason="bubblewrap is needed")

AGENTS = {"own": script("runs_commands"), "terminals": script("terminal_script")}
SECRET = "correct-horse-battery-staple-42"
COMMIT = "git -c user.name=A -c user.email=a@b.c commit -q --allow-empty -m first"


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, AGENTS) as driver:
        prepare(driver)
        yield driver


def prepare(driver: Driver) -> None:
    subprocess.run(["git", "init", "-q", str(driver.root)], check=True)
    (driver.root / ".env").write_text(f"TOKEN={SECRET}\n")
    (driver.root / "src").mkdir()


def in_terminal(command: str, cwd: str | None = None) -> str:
    """Return what `terminal_script` does to run a command as well-behaved agents do."""
    call = {"toolCallId": "c1", "title": "Run", "kind": "execute", "status": "in_progress"}
    about = {**call, "rawInput": {"command": command}}
    shows = [{"type": "terminal", "terminalId": "$t"}]
    params: dict[str, Any] = {"command": command, **({"cwd": cwd} if cwd else {})}
    steps = [
        {"update": {"sessionUpdate": "tool_call", **about}},
        {"ask": "terminal/create", "params": params, "as": "t"},
        {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": shows}},
        {"ask": "terminal/wait_for_exit", "params": {"terminalId": "$t"}},
        {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed"}},
    ]
    return json.dumps(steps)


def ran(driver: Driver, agent: str, text: str, **more: Any) -> tuple[Session, ToolCall]:
    """Have an agent in a sandbox run something; return its last command's card."""
    session = driver.open(agent)
    asked = {"policy": "allow-all", "sandbox": "folder", "can_ask": True, **more}
    turn = driver.done(session, driver.prompt(session, text, **asked))
    assert turn.stop_reason == "end_turn", turn
    return session, calls(session)[-1]


def calls(session: Session) -> list[ToolCall]:
    state = session.transcript
    return [item for item in state.window(0, len(state.items)) if isinstance(item, ToolCall)]


def met(call: ToolCall) -> Wall:
    assert call.wall is not None, call
    return call.wall


def ended(session: Session, place: int) -> ToolCall:
    """Wait for the end of the session's call at a place."""

    def look() -> list[ToolCall]:
        return [call for call in calls(session)[place:] if not call.is_open]

    return eventually(look)[0]


def begin(driver: Driver, session: Session, call: ToolCall) -> ToolCall:
    """Have the command of a card run outside; return the card that asks."""
    driver.run(lambda: session.attach())
    driver.run(lambda: session.turns.outside_runs.start(call.tool_call_id))
    driver.asked(session)
    eventually(lambda: calls(session)[-1].awaits_permission)
    return calls(session)[-1]


def answered(driver: Driver, session: Session, option: str = "allow") -> ToolCall:
    driver.answer(session, driver.asked(session), option)
    eventually(lambda: not calls(session)[-1].is_open)
    return calls(session)[-1]


@pytest.mark.parametrize("agent", ["own", "terminals"])
def test_a_commit_says_its_wall_and_runs_outside_after_a_yes(driver: Driver, agent: str) -> None:
    text = COMMIT if agent == "own" else in_terminal(COMMIT)
    session, call = ran(driver, agent, text)
    assert call.status == "failed"
    wall = met(call)
    assert wall.words == "The sandbox “folder” keeps .git from changes."
    assert wall.offers == "outside"
    asks = begin(driver, session, call)
    assert asks.permission is not None
    assert asks.permission.title == "Run this outside the sandbox, once?"
    assert "with all your rights" in asks.permission.reason
    assert asks.command == COMMIT
    # No policy has answered, and no answer can be remembered.
    assert [option.option_id for option in asks.permission.options] == ["allow", "reject"]
    assert asks.permission.rule == ""
    with pytest.raises(BadRequest, match="being asked already"):
        driver.run(lambda: session.turns.outside_runs.start(call.tool_call_id))
    card = answered(driver, session)
    assert (card.status, card.exit_code) == ("completed", 0), card
    assert card.terminal is not None
    assert card.terminal.by_user
    log = subprocess.check_output(["git", "-C", str(driver.root), "log", "--format=%s"], text=True)
    assert log == "first\n"
    original = next(each for each in calls(session) if each.id == call.id)
    assert (met(original).offers, met(original).run_id) == ("", card.tool_call_id)

    def refusal() -> str:
        with pytest.raises(BadRequest) as refused:
            driver.run(lambda: session.turns.outside_runs.start(call.tool_call_id))
        return refused.value.message

    # The run ends a moment after its card, when the agent is to be told.
    eventually(lambda: "ran once already" in refusal())


def test_a_yes_is_for_one_run_alone(driver: Driver) -> None:
    deed = "echo x > .git/description"
    session, call = ran(driver, "own", deed)
    begin(driver, session, call)
    answered(driver, session)
    driver.done(session, driver.prompt(session, deed, policy="allow-all", sandbox="folder"))
    assert met(calls(session)[-1]).offers == "outside"
    assert session.turns.permissions.known_allowed() == {}


def test_a_no_runs_nothing_and_leaves_the_offer(driver: Driver) -> None:
    session, call = ran(driver, "own", "echo x > .git/description")
    before = (driver.root / ".git" / "description").read_text()
    begin(driver, session, call)
    card = answered(driver, session, "reject")
    assert card.permission is not None
    assert (card.status, card.permission.state) == ("failed", "rejected")
    assert (driver.root / ".git" / "description").read_text() == before
    assert met(next(c for c in calls(session) if c.id == call.id)).offers == "outside"
    begin(driver, session, call)
    answered(driver, session)
    assert (driver.root / ".git" / "description").read_text() == "x\n"


def test_a_test_that_reads_env_is_run_and_told_without_the_secret(driver: Driver) -> None:
    session, call = ran(driver, "own", "cat .env && echo passed")
    assert met(call).words == "The sandbox “folder” hides .env from the agent."
    begin(driver, session, call)
    card = answered(driver, session)
    assert "passed" in card.output
    driver.done(session, driver.prompt(session, "# prompt", sandbox="folder"))
    told = driver.text(session)
    assert "The user has run this command for you once, in the folder ." in told
    assert "Command: cat .env && echo passed" in told
    assert "ended with exit code 0" in told
    assert "passed\n" in told
    assert SECRET not in told
    # Once.
    driver.done(session, driver.prompt(session, "# prompt", sandbox="folder"))
    assert driver.text(session).count("The user has run this") == 1


def test_an_install_asks_about_its_environment_and_stays_in_the_walls(
    driver: Driver,
) -> None:
    venv, other = driver.root / ".venv", driver.root / ".git" / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    packages = next(venv.glob("lib/python*/site-packages"))
    target = packages / "added.py"
    code = (
        f"import pathlib; pathlib.Path({str(target)!r}).write_text('x')\n"
        f"pathlib.Path({str(other)!r}).write_text('x')"
    )
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    session, call = ran(driver, "terminals", in_terminal(command))
    wall = met(call)
    assert wall.words == "The sandbox “folder” keeps .venv from changes."
    assert (wall.offers, wall.environment) == ("environment", str(venv))
    asks = begin(driver, session, call)
    assert asks.permission is not None
    assert asks.permission.title == "Let this change the environment .venv, once?"
    card = answered(driver, session)
    assert card.status == "failed"
    assert target.read_text() == "x"
    # What else it would write is held all the same.
    assert not other.exists()
    assert "Read-only file system" in card.output


def test_an_install_reaches_the_hosts_that_its_sandbox_does(tmp_path: Path) -> None:
    """And package indexes; the question names them."""
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "package").write_text("from the index")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "index"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as index:
        threading.Thread(target=index.serve_forever, daemon=True).start()
        place = f"localhost:{index.server_port}"
        agent = script("terminal_script")
        agent["sandbox"] = {**agent["sandbox"], "network": "hosts", "hosts": [place]}
        with driving(tmp_path, {"terminals": agent}) as driver:
            prepare(driver)
            venv = driver.root / ".venv"
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
            packages = next(venv.glob("lib/python*/site-packages"))
            code = (  # a host of this machine is reached without a proxy else
                "import os; os.environ.pop('NO_PROXY'); os.environ.pop('no_proxy')\n"
                f"import urllib.request as u; text = u.urlopen('http://{place}/package').read()\n"
                f"open({str(packages / 'added.py')!r}, 'wb').write(text)"
            )
            command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
            session, call = ran(driver, "terminals", in_terminal(command))
            assert met(call).offers == "environment"
            asks = begin(driver, session, call)
            assert asks.permission is not None
            assert "It reaches pypi.org, files.pythonhosted.org" in asks.permission.reason
            card = answered(driver, session)
            assert card.exit_code == 0, card.output
            assert (packages / "added.py").read_text() == "from the index"
        index.shutdown()


@pytest.mark.long
def test_pip_installs_into_the_environment_that_was_named(driver: Driver) -> None:
    venv = driver.root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    with zipfile.ZipFile(driver.root / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "")
        about = "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"
        wheel.writestr("tiny-1.0.dist-info/METADATA", about)
        made = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr("tiny-1.0.dist-info/WHEEL", made)
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    pip = ".venv/bin/pip install --no-index --disable-pip-version-check ./tiny-1.0-py3-none-any.whl"
    session, call = ran(driver, "own", pip)
    assert "[Errno 30] Read-only file system" in call.output
    assert (met(call).offers, met(call).environment) == ("environment", str(venv))
    begin(driver, session, call)
    card = answered(driver, session)
    assert (card.status, card.exit_code) == ("completed", 0), card.output
    subprocess.run([str(venv / "bin" / "python"), "-c", "import tiny"], check=True)


def test_the_folder_of_the_command_counts(driver: Driver) -> None:
    session, call = ran(
        driver, "terminals", in_terminal("pwd; echo x > ../.git/description", "src")
    )
    assert met(call).offers == "outside"
    asks = begin(driver, session, call)
    assert asks.permission is not None
    assert asks.permission.folder
    card = answered(driver, session)
    assert card.output.strip() == str(driver.root / "src")


def test_a_rule_that_denies_counts_here_too(driver: Driver) -> None:
    session, call = ran(driver, "own", "touch .git/made")
    driver.run(lambda: session.attach())
    rules = turn_rules((), ("execute:touch *",))
    asked: dict[str, Any] = {"policy": "allow-all", "sandbox": "folder", "rules": rules}
    waits = driver.prompt(session, "sleep 600", **asked)
    eventually(lambda: len(calls(session)) == 2)
    driver.run(lambda: session.turns.outside_runs.start(call.tool_call_id))
    card = ended(session, 2)
    assert card.permission is not None
    assert (card.permission.state, card.permission.without_user) == ("rejected", True)
    assert not (driver.root / ".git" / "made").exists()
    driver.run(lambda: session.cancel(waits))


@pytest.mark.parametrize("policy", ["read-only", "deny"])
def test_under_a_policy_that_changes_nothing_nothing_is_offered(
    driver: Driver, policy: Any
) -> None:
    session, call = ran(driver, "own", "echo x > a.txt", policy=policy)
    assert met(call).words == "The sandbox “read-only” keeps all files from changes, and so a.txt."
    assert met(call).offers == ""
    with pytest.raises(NotAllowed, match=policy):
        driver.run(lambda: session.turns.outside_runs.start(call.tool_call_id))


def test_where_a_sandbox_is_required_nothing_runs_outside(tmp_path: Path) -> None:
    bounds = Bounds(sandboxes=("folder", "read-only"))
    with driving(tmp_path, AGENTS, bounds=bounds) as driver:
        prepare(driver)
        session, call = ran(driver, "own", COMMIT)
        assert met(call).offers == ""
        with pytest.raises(NotAllowed, match="administrator"):
            driver.run(lambda: session.turns.outside_runs.start(call.tool_call_id))


FETCHES = (
    f"{shlex.quote(sys.executable)} -c "
    "\"import urllib.request; urllib.request.urlopen('https://other.example/')\""
)


async def _nowhere(host: str, port: int) -> Sequence[str]:
    raise OSError(f"no such host: {host}:{port}")


@pytest.mark.parametrize("agent", ["own", "terminals"])
@pytest.mark.parametrize(
    ("network", "words"),
    [
        ("none", "The sandbox “folder” has no network: none was chosen for it."),
        ("hosts", "The sandbox “folder” does not let the agent reach other.example."),
    ],
)
def test_a_host_that_is_refused_is_a_wall(
    tmp_path: Path, agent: str, network: Network, words: str
) -> None:
    with driving(tmp_path, AGENTS, network=network, resolve=_nowhere) as driver:
        text = FETCHES if agent == "own" else in_terminal(FETCHES)
        no = turn_rules((), ("fetch:https://other.example/",))
        session, call = ran(driver, agent, text, rules=no)
        assert [met(each).words for each in calls(session) if each.command == FETCHES] == [words]
        call = next(each for each in calls(session) if each.command == FETCHES)
        assert met(call).offers == "outside"
        assert begin(driver, session, call).command == FETCHES
        answered(driver, session, "reject")


def test_a_host_that_was_allowed_and_is_not_there_is_no_wall(tmp_path: Path) -> None:
    with driving(tmp_path, AGENTS, network="hosts", resolve=_nowhere) as driver:
        rules = turn_rules(("fetch:https://other.example/",), ())
        session, _ = ran(driver, "own", FETCHES, rules=rules)
        (call,) = (each for each in calls(session) if each.command == FETCHES)
        assert "other.example was not found" in call.output
        assert call.wall is None


def test_what_no_wall_explains_is_not_said(driver: Driver) -> None:
    _, call = ran(driver, "own", "cat nothing; exit 3")
    assert (call.status, call.wall) == ("failed", None)
    _, call = ran(driver, "own", COMMIT, sandbox="off")
    assert (call.status, call.wall) == ("completed", None)


def test_a_command_of_which_a_part_is_hidden_is_not_run(driver: Driver) -> None:
    session, call = ran(driver, "own", f"echo {SECRET} > .git/description")
    assert met(call).words == "The sandbox “folder” keeps .git from changes."
    assert met(call).offers == ""
    with pytest.raises(BadRequest, match="whole of this command is not known"):
        driver.run(lambda: session.turns.outside_runs.start(call.tool_call_id))


def test_a_command_of_the_user_outlives_the_turn_and_the_agent(driver: Driver) -> None:
    go = driver.root / "go"
    command = f"echo begun > .git/description && until [ -e {go} ]; do sleep 0.05; done; echo over"
    session, call = ran(driver, "own", command)
    begin(driver, session, call)
    driver.answer(session, driver.asked(session), "allow")
    described = driver.root / ".git" / "description"
    eventually(lambda: described.read_text() == "begun\n")
    driver.done(session, driver.prompt(session, "true", sandbox="folder", policy="allow-all"))
    driver.result(session.agent.drop())
    assert calls(session)[1].status == "in_progress"
    go.touch()
    eventually(lambda: not calls(session)[1].is_open)
    card = calls(session)[1]
    assert (card.status, card.output.strip()) == ("completed", "over")


def test_what_it_changes_while_a_turn_runs_is_the_users(driver: Driver) -> None:
    """And not the agent's, whose turn only waits for an answer meanwhile."""
    session, call = ran(driver, "terminals", in_terminal("echo x > .git/description && touch made"))
    asks = {"toolCallId": "c2", "title": "Read", "kind": "read", "rawInput": {"path": "a"}}
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    params = {"toolCall": asks, "options": options}
    steps = json.dumps(
        [
            {"ask": "session/request_permission", "params": params},
            {
                "ask": "fs/write_text_file",
                "params": {"path": str(driver.root / "b"), "content": "b"},
            },
        ]
    )
    turn_id = driver.prompt(session, steps, policy="ask", sandbox="folder")
    waits = driver.asked(session)
    driver.run(lambda: session.attach())
    driver.run(lambda: session.turns.outside_runs.start(call.tool_call_id))
    mine = eventually(lambda: next((r for r in session.transcript.request_items if r != waits), ""))
    driver.answer(session, mine, "allow")
    eventually(lambda: (driver.root / "made").exists() and not session.turns.outside_runs.busy)
    driver.answer(session, waits, "yes")
    driver.done(session, turn_id)
    driver.result(session.turn_files.settled(turn_id))
    changes = session.transcript.turns[turn_id].changes
    assert changes is not None
    assert {file.path: file.author for file in changes.files} == {"b": "agent", "made": "you"}
