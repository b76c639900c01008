"""The published Claude CLI, end to end but for its model: its adapter, then a notebook cell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.agents.claude_cli import ADAPTER, claude_environment
from tests.support.agents.claude_model import FakeClaudeModel
from tests.support.agents.peer import Json, Peer, Turn, select
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.published.programs import processes_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

pytestmark = pytest.mark.agents


@pytest.fixture(scope="module")
def model() -> Iterator[FakeClaudeModel]:
    with FakeClaudeModel() as running:
        yield running


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory, model: FakeClaudeModel) -> Iterator[Peer]:
    """One adapter for all tests; what it asks is allowed, unless a test says otherwise."""
    home = tmp_path_factory.mktemp("claude") / "home"
    with Peer(ADAPTER, env=claude_environment(home, model.url)) as peer:
        peer.call("initialize", {"protocolVersion": 1})
        yield peer
        assert peer.end() == 0
    eventually(lambda: not processes_of(home), "processes of the CLI are left")


@pytest.fixture(autouse=True)
def _allows(request: pytest.FixtureRequest) -> None:
    if "peer" in request.fixturenames:
        answers(request.getfixturevalue("peer"), "allow_once")


@pytest.fixture(scope="module")
def cwd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def session(peer: Peer, cwd: Path) -> str:
    """One process of the CLI for most tests: it takes a second to start."""
    return peer.new_session(cwd)


def answers(peer: Peer, kind: str) -> None:
    peer.handlers["session/request_permission"] = select(kind)


def scenario(name: str, cwd: Path) -> str:
    return f"[[mock scenario={name} cwd={cwd}]] Do it."


def ask(peer: Peer, session: str, name: str, cwd: Path) -> Turn:
    return peer.prompt(session, scenario(name, cwd))


def test_text_and_thoughts_stream_and_are_shown_once(peer: Peer, tmp_path: Path) -> None:
    """Deltas at once, nothing doubled; end, model, duration."""
    turn = ask(peer, peer.new_session(tmp_path), "hello", tmp_path)
    assert turn.text == "# Hello\n\nSome **Markdown**.\n"
    assert len(turn.chunks()) > 1
    assert "".join(turn.chunks("agent_thought_chunk")) == "First the request, then a tool. "
    result = turn.answer["result"]
    assert result["stopReason"] == "end_turn"
    assert result["_meta"]["claudeCode"]["durationMs"] > 0
    assert result["usage"]["totalTokens"] == 110
    (usage,) = turn.of("usage_update")
    assert usage["used"] == 110 < usage["size"]
    (info,) = turn.of("session_info_update")
    session = info["_meta"]["acp-jupyter/session"]
    assert session["model"].startswith("claude-")
    assert {"Read", "Edit", "Bash"} <= set(session["tools"])
    assert turn.of("unknown") == []
    assert turn.of("available_commands_update")
    assert len(turn.of("config_option_update")[0]["configOptions"][0]["options"]) > 1


def test_a_file_is_written_after_it_was_allowed(peer: Peer, session: str, cwd: Path) -> None:
    """The CLI asks on stdout and does what was allowed."""
    turn = ask(peer, session, "write_file", cwd)
    (request,) = turn.asked("session/request_permission")
    call = request["toolCall"]
    (diff,) = call["content"]
    assert (diff.get("oldText"), diff["path"]) == (None, str(cwd / "hello.py"))
    assert [option["kind"] for option in request["options"]] == [
        "allow_once",
        "allow_always",
        "reject_once",
    ]
    assert request["options"][1]["name"] == "Allow for this session: all edits of files"
    (shown,) = turn.tool_calls()
    assert (shown["toolCallId"], shown["status"]) == (call["toolCallId"], "completed")
    assert "hello" in (cwd / "hello.py").read_text()
    assert turn.text.endswith("All done: **finished** the task.")


@pytest.mark.long
def test_an_edit_and_a_file_that_is_replaced(peer: Peer, session: str, cwd: Path) -> None:
    file = cwd / "hello.py"
    file.write_text("print('hello')\n")
    _, edit = ask(peer, session, "edit_file", cwd).tool_calls()
    assert file.read_text() == "print('goodbye')\n"
    assert (edit["content"][0]["oldText"], edit["content"][0]["newText"]) == (
        "print('hello')",
        "print('goodbye')",
    )
    turn = ask(peer, session, "write_file", cwd)
    (request,) = turn.asked("session/request_permission")
    assert request["toolCall"]["content"][0]["oldText"] == "print('goodbye')\n"
    (write,) = turn.tool_calls()
    assert write["content"][0]["oldText"] == "print('goodbye')\n"


def test_what_was_rejected_is_not_done(peer: Peer, session: str, cwd: Path) -> None:
    """A rejected tool call fails, and the turn goes on to its end."""
    answers(peer, "reject_once")
    turn = ask(peer, session, "write_file file=rejected.py", cwd)
    assert turn.stop_reason == "end_turn"
    (call,) = turn.tool_calls()
    assert call["status"] == "failed"
    assert call["content"][-1]["content"]["text"] == "The user rejected this tool call."
    assert not (cwd / "rejected.py").exists()


def test_what_is_allowed_for_the_session_is_asked_once_and_kept_nowhere(
    peer: Peer, tmp_path: Path
) -> None:
    answers(peer, "allow_always")
    session = peer.new_session(tmp_path)
    first = ask(peer, session, "python", tmp_path)
    assert len(first.asked("session/request_permission")) == 1
    assert ask(peer, session, "python", tmp_path).asked("session/request_permission") == []
    assert [path.name for path in tmp_path.iterdir()] == ["hello.py"]


def cancel_when(peer: Peer, session: str, cwd: Path, name: str, sign: str) -> Turn:
    prompt = peer.start_prompt(session, scenario(name, cwd))
    peer.until(lambda message: sign in json.dumps(message))
    peer.cancel(session)
    return peer.finish(prompt)


@pytest.mark.long
def test_cancel_and_the_next_prompt(peer: Peer, session: str, cwd: Path) -> None:
    """Text and a command are stopped; the same conversation goes on."""
    turn = cancel_when(peer, session, cwd, "sleep", '"in_progress"')
    assert turn.stop_reason == "cancelled"
    assert [call["status"] for call in turn.tool_calls()] == ["failed"]
    turn = cancel_when(peer, session, cwd, "count rate=50", "w1 ")
    assert turn.stop_reason == "cancelled"
    assert "w199" not in turn.text
    assert ask(peer, session, "hello", cwd).stop_reason == "end_turn"


@pytest.mark.long
def test_an_error_of_the_model(peer: Peer, session: str, cwd: Path) -> None:
    """The prompt is answered with the CLI's error; the next one works."""
    turn = ask(peer, session, "error", cwd)
    assert "The model is out of order." in turn.answer["error"]["message"]
    assert turn.text == ""
    assert ask(peer, session, "hello", cwd).stop_reason == "end_turn"


@pytest.mark.long
def test_a_subagent_is_waited_for(peer: Peer, session: str, cwd: Path) -> None:
    (cwd / "hello.py").write_text("x = 1\n")
    turn = ask(peer, session, "subagent", cwd)
    assert turn.text == "Delegating.\nIt will tell.\nAll done: **finished** the task."
    assert turn.chunks("agent_thought_chunk") == ["What the subagent found."]
    agent, read = turn.tool_calls()
    assert read["_meta"]["claudeCode"]["parentToolUseId"] == agent["toolCallId"]


@pytest.mark.long
def test_an_image_reaches_the_model(
    peer: Peer, model: FakeClaudeModel, session: str, cwd: Path
) -> None:
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # noqa: E501
    blocks: list[Json] = [
        {"type": "text", "text": scenario("hello", cwd)},
        {"type": "image", "data": pixel, "mimeType": "image/png"},
    ]
    answer = peer.call("session/prompt", {"sessionId": session, "prompt": blocks})
    assert answer["result"]["stopReason"] == "end_turn"
    assert model.images == 1


@pytest.mark.long
def test_mode_and_model_of_a_running_session(peer: Peer, tmp_path: Path) -> None:
    session = peer.new_session(tmp_path)
    peer.prompt(session, scenario("hello", tmp_path))
    mode = {"sessionId": session, "modeId": "acceptEdits"}
    assert peer.call("session/set_mode", mode)["result"] == {}
    option = {"sessionId": session, "configId": "model", "value": "sonnet"}
    options = peer.call("session/set_config_option", option)["result"]["configOptions"]
    assert options[0]["currentValue"] == "sonnet"
    turn = ask(peer, session, "write_file", tmp_path)
    assert turn.asked("session/request_permission") == []
    (info,) = turn.of("session_info_update")
    assert "sonnet" in info["_meta"]["acp-jupyter/session"]["model"]


@pytest.mark.long
def test_a_conversation_is_resumed(peer: Peer, tmp_path: Path) -> None:
    session = peer.new_session(tmp_path)
    ask(peer, session, "hello", tmp_path)
    assert peer.call("session/close", {"sessionId": session})["result"] == {}
    params = {"sessionId": session, "cwd": str(tmp_path), "mcpServers": []}
    assert "modes" in peer.call("session/resume", params)["result"]
    # The model knows by the earlier message that there is nothing left to do.
    assert peer.prompt(session, "Go on.").text == "All done: **finished** the task."


def test_it_writes_a_file_from_a_cell_and_the_notebook_keeps_the_turn(
    tmp_path: Path, browser: Browser
) -> None:
    """The bundled agent needs no configuration but a CLI that is found."""
    home = tmp_path / "home"
    with FakeClaudeModel() as model:
        entry = {"command": ADAPTER[0], "args": ADAPTER[1:], "env": {}}
        entry["env"] = claude_environment(home, model.url)
        agents = {"claude-cli": entry}
        with JupyterServer(tmp_path, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
            visitor = Visitor(browser, tmp_path / "traces")
            workspace = Workspace(server.root, "cell")
            file = workspace.folder / "hello.py"
            prompt = scenario("write_file", workspace.folder)
            lab = LabPage(visitor, server)
            path = workspace.notebook("%load_ext acp_jupyter", f"%%acp claude-cli\n{prompt}")
            notebook = lab.open(path)
            notebook.load_extension()
            turn = notebook.run(1)
            turn.permission.wait_for()
            expect(turn.diff("hello.py").locator("ins").first).to_be_visible()
            assert not file.exists()
            turn.permission.get_by_role("button", name="Allow", exact=True).click()
            eventually(file.exists, what="the file is on disk")
            notebook.wait_for_end(1)
            expect(turn.root).to_contain_text("All done: finished the task.")
            text = notebook.saved_output(1)["data"]["text/markdown"]
            assert "All done: **finished** the task." in text
            assert str(workspace.folder) not in text.replace(prompt, "")
            visitor.close()
        eventually(lambda: not processes_of(home), "processes of the CLI are left")
