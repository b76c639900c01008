"""%acp agents, login, logout and restart, in the server's kernels and in a host of their own."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import pytest
from IPython.core.error import UsageError

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.sessions import (
    AgentEntry,
    GetRegistry,
    GetSandboxes,
    ListAgents,
    ListSessions,
    Login,
    LoginReply,
    Logout,
    RegistryReply,
    RestartAgent,
    ResumeSession,
    SandboxesReply,
    SetConfig,
)
from acp_jupyter.errors import AgentRequestError, BadLine, BadRequest, NotAllowed
from acp_jupyter.kernel.magics import agent_commands, setting_commands
from acp_jupyter.kernel.session import defaults
from acp_jupyter.protocol.host_events.session import WallsInForce
from acp_jupyter.protocol.parse.login import AuthMethod
from acp_jupyter.transcript.model.session_state import (
    AgentInfo,
    ConfigOption,
    LoginState,
    Mode,
    SessionState,
)
from tests.support.kernel.fake_host import HostWithoutEvents

METHOD = AuthMethod(id="tty", name="Terminal", kind="terminal")


class FakeHost(HostWithoutEvents):
    """Answers as it was told to, and remembers what was asked."""

    place: ClassVar[Literal["server", "kernel"]] = "server"
    may_answer: ClassVar[bool] = False

    def __init__(self) -> None:
        self.agents_there: list[AgentEntry] = []
        self.public = RegistryReply(date="2026-02-07")
        self.sandboxes = SandboxesReply(
            level="partial", kept_by="Landlock 4", why_not_more="Install bubblewrap."
        )
        self.states: list[list[SessionState]] = [[]]
        self.reply = LoginReply(message="Look there.")
        self.resumed = state()
        self.asked: list[Command] = []

    def call(self, command: Command, seconds: float) -> Any:
        match command:
            case ListAgents():
                return self.agents_there
            case GetRegistry():
                return self.public
            case GetSandboxes():
                return self.sandboxes
            case ListSessions():
                return self.states.pop(0) if len(self.states) > 1 else self.states[0]
            case _:
                self.asked.append(command)
                return (
                    self.resumed if isinstance(command, ResumeSession | SetConfig) else self.reply
                )


class FakeKernelHost(FakeHost):
    place: ClassVar[Literal["server", "kernel"]] = "kernel"
    may_answer: ClassVar[bool] = True


def use(host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    for commands in (agent_commands, setting_commands):
        monkeypatch.setattr(commands, "host_client", lambda: host)


def state(session_id: str = "s", **more: Any) -> SessionState:
    info = AgentInfo(id="x", name="Some Agent")
    return SessionState(
        session_id=session_id, agent="x", agent_info=info, cwd="/", folder="/", **more
    )


def needing(session_id: str = "s", **more: Any) -> SessionState:
    return state(
        session_id, needs_login="Some Agent needs a login.", auth_methods=(METHOD,), **more
    )


def test_agents_say_what_they_need(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = FakeHost()
    host.agents_there = [
        AgentEntry(id="a", name="A", status="needs_login", detail="Log in.", methods=(METHOD,)),
        AgentEntry(id="b", name="B", status="broken", detail="The entry is not valid."),
        AgentEntry(id="c", name="C", status="not_installed", detail="npm i c", listed=True),
    ]
    use(host, monkeypatch)
    agent_commands.list_agents([])
    shown = capsys.readouterr().out
    assert "needs login" in shown
    assert "Log in. Ways: Terminal (tty)." in shown
    assert "broken" in shown
    assert "npm i c" not in shown
    assert "Sandboxes where agents run: partial, kept by Landlock 4. Install bubblewrap." in shown
    assert "1 more can be installed: c. See %acp agents --all, or Add an agent…" in shown
    agent_commands.list_agents(["--all"])
    shown = capsys.readouterr().out
    assert "npm i c" in shown
    assert "The list of agents came with this version and dates from 2026-02-07." in shown
    host.public = RegistryReply(date="2026-11-21", downloaded=True, failure="No route.")
    agent_commands.list_agents(["--all"])
    shown = capsys.readouterr().out
    assert "The list of agents is the public registry's of 2026-11-21." in shown
    assert "The list was not updated: No route." in shown
    with pytest.raises(UsageError):
        agent_commands.list_agents(["--more"])


def test_through_the_server_only_the_page_logs_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = FakeHost()
    use(host, monkeypatch)
    with pytest.raises(BadRequest, match="no session yet"):
        agent_commands.login([])
    host.states = [[needing("old", updated_at=1.0), state("new", updated_at=2.0)]]
    agent_commands.login([])
    assert capsys.readouterr().out == (
        "Some Agent needs a login.\nOpen the session in the panel and press Log in: Terminal.\n"
    )
    host.states = [[state()]]
    agent_commands.login([])
    assert capsys.readouterr().out == "Some Agent needs no login now.\n"
    for deed in (agent_commands.logout, agent_commands.restart):
        with pytest.raises(NotAllowed, match="in the command palette"):
            deed([])
    assert host.asked == []


def logging_in(monkeypatch: pytest.MonkeyPatch, after: SessionState) -> FakeKernelHost:
    """Use a host whose agent needs a login, then is at it, and then is as given."""
    host = FakeKernelHost()
    use(host, monkeypatch)
    running = needing(login=LoginState(method_id="tty", name="Terminal"))
    host.states = [[needing()], [running], [after]]
    return host


def test_without_a_server_the_kernel_logs_in_and_waits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = logging_in(monkeypatch, state())
    host.reply = LoginReply(message="Run this.", command="agent --login")
    agent_commands.login(["tty"])
    assert host.asked == [Login(session_id="s", method_id="tty")]
    assert capsys.readouterr().out == "Run this.\nagent --login\nSome Agent is logged in.\n"
    agent_commands.logout([])
    agent_commands.restart(["x"])
    assert host.asked[1:] == [Logout(session_id="s"), RestartAgent(agent="x")]


def test_a_login_that_ends_without_one_says_nothing_of_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logging_in(monkeypatch, needing())
    agent_commands.login(["tty"])
    assert capsys.readouterr().out == "Look there.\n"


def test_a_login_that_fails_fails_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    host = FakeKernelHost()
    use(host, monkeypatch)
    failed = LoginState(method_id="tty", name="Terminal", state="failed", message="It said no.")
    host.states = [[needing()], [needing(login=failed)]]
    with pytest.raises(AgentRequestError, match="It said no"):
        agent_commands.login([])


def test_the_policy_of_cells_that_name_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(defaults, "policy", None)
    for rest, words in (
        ([], "Cells that name no policy use that of their session"),
        (["read-only"], "Cells of this notebook that name no policy now use read-only."),
        ([], "Cells that name no policy use read-only."),
        (["default"], "Cells that name no policy now use that of their session."),
        ([], "Cells that name no policy use that of their session"),
    ):
        setting_commands.policy(rest)
        assert words in capsys.readouterr().out
    for wrong in (["ask", "deny"], ["anything"]):
        with pytest.raises(UsageError):
            setting_commands.policy(wrong)
    assert defaults.policy is None


def test_the_sandbox_of_cells_that_name_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(FakeHost(), monkeypatch)
    monkeypatch.setattr(defaults, "sandbox", None)
    for rest, words in (
        ([], "Cells that name no sandbox use that of their session"),
        (["folder"], "Cells of this notebook that name no sandbox now use folder."),
        ([], "Cells that name no sandbox use folder."),
        (["default"], "Cells that name no sandbox now use that of their session."),
        ([], "Sandboxes where agents run: partial, kept by Landlock 4. Install bubblewrap."),
    ):
        setting_commands.sandbox(rest)
        assert words in capsys.readouterr().out
    with pytest.raises(UsageError, match="Type: %acp sandbox SANDBOX"):
        setting_commands.sandbox(["off", "folder"])
    offered = "There is no sandbox 'ask'. Type one of: off, folder, copy, read-only, default."
    with pytest.raises(BadLine, match=offered):
        setting_commands.sandbox(["ask"])
    assert defaults.sandbox is None


@pytest.mark.parametrize(
    ("walls", "words"),
    [
        (None, "Some Agent has no sandbox now."),
        (
            WallsInForce(sandbox="folder", level="full"),
            "Some Agent is in the sandbox folder, level: full.",
        ),
        (
            WallsInForce(sandbox="folder", level="none", why="It runs elsewhere."),
            "Some Agent has no sandbox: folder is not kept. It runs elsewhere.",
        ),
    ],
)
def test_what_holds_the_agent_is_said(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    walls: WallsInForce | None,
    words: str,
) -> None:
    host = FakeHost()
    host.states = [[state(walls=walls)]]
    use(host, monkeypatch)
    monkeypatch.setattr(defaults, "session_id", "s")
    setting_commands.sandbox([])
    assert words in capsys.readouterr().out


def test_the_options_of_a_session_are_known_once_its_agent_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = FakeHost()
    use(host, monkeypatch)
    monkeypatch.setattr(defaults, "session_id", "s")
    host.states = [[state()]]
    setting_commands.config([])
    assert capsys.readouterr().out == "Some Agent has no options.\n"
    assert host.asked == [ResumeSession(session_id="s")]
    fast = ConfigOption(id="fast", name="Fast", type="boolean", current_value=False)
    host.resumed = state(config_options=(fast,))
    setting_commands.config([])
    assert "fast" in capsys.readouterr().out
    host.states = [[host.resumed]]
    host.asked.clear()
    setting_commands.config([])
    assert "fast" in capsys.readouterr().out
    assert host.asked == []


@pytest.mark.parametrize(
    ("unasked", "words"),
    [
        ("edits", "edits files without asking"),
        ("judged", "decides itself what to ask"),
        ("all", "asks about nothing"),
    ],
)
def test_a_mode_that_does_things_unasked_says_so(
    unasked: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = FakeHost()
    use(host, monkeypatch)
    monkeypatch.setattr(defaults, "session_id", "s")
    host.states = [[state(unasked=unasked, modes=(Mode(id="m", name="M"),), policy="ask")]]
    setting_commands.mode([])
    assert f"In this mode it {words}. The policy (ask) decides only" in capsys.readouterr().out


def test_the_limits_of_a_session(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = FakeHost()
    use(host, monkeypatch)
    monkeypatch.setattr(defaults, "session_id", "s")
    host.states = [[state(turn_limit="30 calls")]]
    setting_commands.limit([])
    assert capsys.readouterr().out == "This session: no limit. Each turn: 30 calls.\n"
    assert host.asked == []
    host.resumed = state(limit="1 h, 5 USD")
    setting_commands.limit(["1", "h,", "5", "USD"])
    assert capsys.readouterr().out == "This session: 1 h, 5 USD. Each turn: no limit.\n"
    setting_commands.limit(["off"])
    setting_commands.limit(["--turn", "9 calls"])
    assert host.asked == [
        SetConfig(session_id="s", limit="1 h, 5 USD"),
        SetConfig(session_id="s", limit=""),
        SetConfig(session_id="s", turn_limit="9 calls"),
    ]
    with pytest.raises(UsageError, match="%acp limit --turn LIMIT"):
        setting_commands.limit(["--turn"])
