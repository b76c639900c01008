"""The Claude CLI adapter, by the lines it writes, with a stand-in for the CLI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from acp.schema import InitializeResponse, NewSessionResponse

from acp_jupyter.agents.claude_cli.cli_input import user_message
from acp_jupyter.agents.claude_cli.command import CliMissingError, find_cli
from acp_jupyter.agents.rpc import RpcError
from tests.support.agents.claude_cli import FakeCli
from tests.support.agents.peer import Json, Peer
from tests.support.processes import alive
from tests.support.wait import eventually


@pytest.fixture
def cli(tmp_path: Path) -> FakeCli:
    return FakeCli(tmp_path)


@pytest.fixture
def peer(cli: FakeCli) -> Iterator[Peer]:
    with cli.peer() as peer:
        yield peer


def test_introduces_itself(peer: Peer, tmp_path: Path) -> None:
    hello = peer.call("initialize", {"protocolVersion": 1})["result"]
    InitializeResponse.model_validate(hello)
    assert (hello["agentInfo"]["name"], hello["protocolVersion"]) == ("claude-cli", 1)
    assert hello["agentCapabilities"]["loadSession"] is False
    new = peer.call("session/new", {"cwd": str(tmp_path), "mcpServers": []})["result"]
    NewSessionResponse.model_validate(new)
    modes = [mode["id"] for mode in new["modes"]["availableModes"]]
    assert modes == ["default", "acceptEdits", "plan", "dontAsk"]
    assert new["modes"]["currentModeId"] == "default"


def test_one_process_serves_all_turns_of_a_session(
    peer: Peer, cli: FakeCli, tmp_path: Path
) -> None:
    """The required flags, started once; prompts are user lines of role user."""
    session = peer.open(tmp_path)
    assert cli.notes("argv") == []
    assert peer.prompt(session, "one").text == "You said one."
    turn = peer.prompt(session, "two")
    assert (turn.text, turn.stop_reason) == ("You said two.", "end_turn")
    (argv,) = cli.notes("argv")
    line = " ".join(argv)
    for flags in (
        "-p --verbose --input-format stream-json --output-format stream-json",
        "--include-partial-messages",
        "--permission-prompt-tool stdio",
        f"--session-id {session}",
        "--permission-mode default",
    ):
        assert flags in line
    assert cli.notes("cwd") == [str(tmp_path)]
    assert [line["message"] for line in cli.lines("user")] == [
        {"role": "user", "content": [{"type": "text", "text": words}]} for words in ("one", "two")
    ]
    assert cli.lines("control") == []


def test_model_tools_and_commands_of_the_session(peer: Peer, tmp_path: Path) -> None:
    """The CLI's init reaches the client as session_info_update."""
    turn = peer.prompt(peer.open(tmp_path), "hello")
    (info,) = turn.of("session_info_update")
    assert info["_meta"]["acp-jupyter/session"] == {"model": "fake-model", "tools": ["Bash"]}
    (commands,) = turn.of("available_commands_update")
    assert commands["availableCommands"] == [
        {"name": "review", "description": "Reviews", "input": {"hint": "[path]"}}
    ]
    (options,) = turn.of("config_option_update")
    assert [o["value"] for o in options["configOptions"][0]["options"]] == ["best"]


def test_what_can_be_in_a_prompt(peer: Peer, cli: FakeCli, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    blocks: list[Json] = [
        {"type": "text", "text": "look"},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "resource_link", "uri": "file:///w/a%20b.py", "name": "a b.py"},
        {"type": "resource", "resource": {"uri": "file:///w/c.py", "text": "x = 1"}},
    ]
    peer.call("session/prompt", {"sessionId": session, "prompt": blocks})
    (line,) = cli.lines("user")
    assert line["message"]["content"] == [
        {"type": "text", "text": "look"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
        },
        {"type": "text", "text": "[a b.py](/w/a b.py)"},
        {"type": "text", "text": '<context ref="/w/c.py">\nx = 1\n</context>'},
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        None,
        [],
        "text",
        [1],
        [{"type": "text", "text": " "}],
        [{"type": "audio", "data": "x", "mimeType": "audio/wav"}],
    ],
)
def test_what_can_not(prompt: Any) -> None:
    with pytest.raises(RpcError) as caught:
        user_message(prompt)
    assert caught.value.code == -32602


def test_modes_and_models(peer: Peer, cli: FakeCli, tmp_path: Path) -> None:
    session = peer.open(tmp_path)

    def mode(name: str) -> Json:
        return peer.call("session/set_mode", {"sessionId": session, "modeId": name})

    def model(name: str) -> Json:
        params = {"sessionId": session, "configId": "model", "value": name}
        return peer.call("session/set_config_option", params)

    assert mode("plan")["result"] == {}
    assert model("opus")["result"]["configOptions"][0]["currentValue"] == "opus"
    assert "bypassPermissions" in mode("bypassPermissions")["error"]["message"]
    peer.prompt(session, "hello")
    assert "--permission-mode plan --model opus" in " ".join(cli.notes("argv")[0])
    assert mode("acceptEdits")["result"] == {}
    assert "Not today." in mode("dontAsk")["error"]["message"]
    assert model("best")["result"]["configOptions"][0]["currentValue"] == "best"
    assert "There is no model" in model("opus")["error"]["message"]
    requests = [line["request"] for line in cli.lines("control_request")]
    assert {"subtype": "set_permission_mode", "mode": "acceptEdits"} in requests
    assert {"subtype": "set_model", "model": "best"} in requests


def test_mcp_servers_are_handed_on_in_a_file_that_goes_away(
    peer: Peer, cli: FakeCli, tmp_path: Path
) -> None:
    env = [{"name": "KEY", "value": "secret"}]
    server = {"name": "notebook", "command": "/bin/relay", "args": ["x"], "env": env}
    peer.call("initialize", {"protocolVersion": 1})
    params = {"cwd": str(tmp_path), "mcpServers": [server]}
    session = peer.call("session/new", params)["result"]["sessionId"]
    peer.prompt(session, "hello")
    (config,) = cli.notes("mcp")
    assert config["mcpServers"]["notebook"] == {
        "type": "stdio",
        "command": "/bin/relay",
        "args": ["x"],
        "env": {"KEY": "secret"},
    }
    (argv,) = cli.notes("argv")
    file = Path(argv[argv.index("--mcp-config") + 1])
    assert file.stat().st_mode & 0o777 == 0o600
    assert "secret" not in " ".join(argv)
    peer.end()
    assert not file.exists()


def test_a_conversation_that_the_cli_keeps_is_resumed(
    peer: Peer, cli: FakeCli, tmp_path: Path
) -> None:
    kept = "0d8b0eaf-2f1f-4a5e-9d57-6f3f0a8f4c11"
    folder = tmp_path / ".claude" / "projects" / "some-folder"
    folder.mkdir(parents=True)
    (folder / f"{kept}.jsonl").touch()
    params = {"cwd": str(tmp_path), "mcpServers": []}
    peer.call("initialize", {"protocolVersion": 1})
    assert "modes" in peer.call("session/resume", {"sessionId": kept, **params})["result"]
    assert peer.prompt(kept, "hello").text == "You said hello."
    assert f"--resume {kept}" in " ".join(cli.notes("argv")[0])
    other = kept.replace("0", "1")
    assert peer.call("session/resume", {"sessionId": other, **params})["error"]["code"] == -32002
    assert peer.call("session/resume", {"sessionId": "*", **params})["error"]["code"] == -32602


def test_a_closed_session_ends_its_process(peer: Peer, cli: FakeCli, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    peer.prompt(session, "hello")
    assert peer.call("session/close", {"sessionId": session})["result"] == {}
    eventually(lambda: not alive(cli.notes("pid")[0]), what="the CLI is gone")
    assert "error" in peer.call("session/prompt", {"sessionId": session, "prompt": []})


def test_a_missing_cli_is_told(cli: FakeCli, tmp_path: Path) -> None:
    with cli.peer(env={"CLAUDE_CLI_PATH": "", "PATH": ""}) as peer:
        peer.call("initialize", {"protocolVersion": 1})
        answer = peer.call("session/new", {"cwd": str(tmp_path), "mcpServers": []})
        assert "npm install -g @anthropic-ai/claude-code" in answer["error"]["message"]
    with pytest.raises(CliMissingError, match="/nowhere/claude, but there is no such program"):
        find_cli({"CLAUDE_CLI_PATH": "/nowhere/claude"})


def test_a_cli_in_the_workspace_is_not_taken_for_one_on_the_path(
    cli: FakeCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CliMissingError):
        find_cli({"PATH": ".:"})
    assert find_cli({"PATH": str(tmp_path)}) == str(cli.program)


def test_bad_requests_are_errors(peer: Peer) -> None:
    requests: list[tuple[str, Json]] = [
        ("session/prompt", {"sessionId": "x", "prompt": [{"type": "text", "text": "x"}]}),
        ("session/new", {"cwd": "relative"}),
        ("session/new", {"cwd": "/", "mcpServers": [1]}),
        ("session/set_config_option", {"sessionId": "x"}),
        ("session/fork", {}),
    ]
    for method, params in requests:
        assert peer.call(method, params)["error"]["code"] in (-32601, -32602)
    peer.send_raw(b"garbage\n[]\n")
    assert [peer.next()["error"]["code"] for _ in range(2)] == [-32700, -32600]
