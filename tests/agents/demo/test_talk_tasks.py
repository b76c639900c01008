"""The demo agent's talk, by the lines it writes: no SDK on this side of the pipes."""

from __future__ import annotations

from pathlib import Path

import pytest
from acp.schema import (
    CreateFormSessionElicitationRequest,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    ReadTextFileRequest,
    RequestPermissionRequest,
    SessionNotification,
    WriteTextFileRequest,
)
from acp.schema import Error as AcpError
from pydantic import BaseModel

from acp_jupyter.agents.demo.talk_tasks import exactly
from tests.support.agents.demo_agent import COMMAND, FILES, LOOP, client_files, said_all
from tests.support.agents.peer import Json, Peer, select

MODELS: dict[str, type[BaseModel]] = {
    "session/update": SessionNotification,
    "session/request_permission": RequestPermissionRequest,
    "fs/read_text_file": ReadTextFileRequest,
    "fs/write_text_file": WriteTextFileRequest,
}


def test_introduces_itself_and_opens_a_session(peer: Peer, tmp_path: Path) -> None:
    hello = peer.call("initialize", {"protocolVersion": 1})["result"]
    assert hello["protocolVersion"] == 1
    assert (hello["agentInfo"]["name"], hello["agentInfo"]["title"]) == ("demo", "Demo")
    assert hello["agentCapabilities"]["loadSession"] is False
    assert hello["agentCapabilities"]["promptCapabilities"]["embeddedContext"] is True

    new = peer.call("session/new", {"cwd": str(tmp_path), "mcpServers": []})["result"]
    assert new["sessionId"]
    (speed,) = new["configOptions"]
    assert speed["id"] == "speed"
    described = {each["value"]: each["description"] for each in speed["options"]}
    assert described.pop("environment") == "As fast as possible, by ACP_DEMO_RATE"
    assert all(each.endswith(("chunks per second", "possible")) for each in described.values())
    commands = peer.next()["params"]
    assert commands["sessionId"] == new["sessionId"]
    assert {command["name"] for command in commands["update"]["availableCommands"]} >= {
        "plan",
        "edit",
        "bench",
    }


@pytest.mark.parametrize("cwd", ["relative", "", "/no/such/folder", None, 7])
def test_a_session_needs_an_absolute_folder(peer: Peer, cwd: object) -> None:
    answer = peer.call("session/new", {"cwd": cwd, "mcpServers": []})
    assert answer["error"]["code"] == -32602


def test_helps_and_quotes_the_prompt_harmlessly(peer: Peer, tmp_path: Path) -> None:
    turn = peer.prompt(peer.open(tmp_path), 'Hello <script>"x"</script> `a`\u202e\n# b \ud83d')
    assert turn.stop_reason == "end_turn"
    first = turn.text.splitlines()[0]
    assert first == '> Hello &lt;script&gt;"x"&lt;/script&gt; \\`a\\` \\# b'
    assert "`edit`" in turn.text


def test_title_comes_first_and_usage_last(peer: Peer, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    turn = peer.prompt(session, "Good morning\njupyter:a.ipynb/cell-1")
    kinds = [update["sessionUpdate"] for update in turn.updates]
    assert kinds[-1] == "usage_update"
    assert kinds.index("session_info_update") < kinds.index("agent_message_chunk")
    assert turn.of("session_info_update")[0]["title"] == "Good morning"
    assert 0 < turn.updates[-1]["used"] < turn.updates[-1]["size"]
    assert peer.prompt(session, "And again").of("session_info_update") == []


def test_explores_the_folder_in_order(peer: Peer, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "notes.md").write_text("# Notes\n```\ncode\n```\n")
    (tmp_path / ".secret.md").write_text("hidden")
    client_files(peer)
    turn = peer.prompt(peer.open(tmp_path, FILES), "What is in this folder?")

    listing, reading = turn.tool_calls()
    assert (listing["kind"], listing["status"]) == ("search", "completed")
    assert (reading["kind"], reading["status"]) == ("read", "completed")
    assert reading["locations"] == [{"path": str(tmp_path / "notes.md"), "line": 1}]
    assert [request["path"] for request in turn.asked("fs/read_text_file")] == [
        str(tmp_path / "notes.md")
    ]
    assert "| `notes.md` | file |" in turn.text
    assert "| `data` | folder |" in turn.text
    assert "````markdown\n# Notes\n" in turn.text  # a longer fence than the one inside
    assert "secret" not in str(turn.messages)

    kinds = [update["sessionUpdate"] for update in turn.updates]
    order = ["agent_thought_chunk", "tool_call", "tool_call_update", "agent_message_chunk"]
    assert [kinds.index(kind) for kind in order] == sorted(kinds.index(kind) for kind in order)


@pytest.mark.parametrize(
    "prompt", [[], "text", None, [{"type": "text", "text": " \n"}], [3], [{"type": "video"}]]
)
def test_a_bad_prompt_is_an_error_and_no_more(peer: Peer, tmp_path: Path, prompt: object) -> None:
    session = peer.open(tmp_path)
    answer = peer.call("session/prompt", {"sessionId": session, "prompt": prompt})
    assert answer["error"]["code"] == -32602
    assert peer.prompt(session, "hello").stop_reason == "end_turn"


def test_garbage_is_answered_and_survived(peer: Peer, tmp_path: Path) -> None:
    peer.send_raw(b'not json\n\n[1]\nnull\n\xff\xfe\n{"id":9,"result":3}\n{"method":4,"id":"a"}\n')
    peer.send_raw(b'{"method":"no/such","id":"b"}\n{"method":"no/such"}\n')
    answers = peer.until(lambda message: message.get("id") == "b")
    codes = [answer["error"]["code"] for answer in answers]
    assert codes == [-32700, -32600, -32600, -32700, -32600, -32601]
    unknown = peer.call("session/prompt", {"sessionId": "no", "prompt": []})
    assert unknown["error"]["code"] == -32602
    assert peer.prompt(peer.open(tmp_path), "hello").stop_reason == "end_turn"


@pytest.mark.parametrize(("count", "size"), [(1, 1), (3, 1), (7, 33), (5000, 20)])
def test_bench_streams_exactly(peer: Peer, tmp_path: Path, count: int, size: int) -> None:
    turn = peer.prompt(peer.open(tmp_path), f"bench N={count} size={size} rate=0")
    chunks = turn.chunks()
    assert len(chunks) == count
    assert {len(chunk) for chunk in chunks} == {size}
    assert "END".endswith(turn.text.splitlines()[-1][-3:])
    assert turn.text.count("```") % 2 == 0
    if count * size > 10:
        assert turn.text.endswith("\n\nEND")
    kinds = {update["sessionUpdate"] for update in turn.updates}
    assert kinds <= {"agent_message_chunk", "session_info_update", "available_commands_update"}
    assert turn.answer["result"]["_meta"]["acp_jupyter.demo"]["chunks"] == count


def test_the_pace_is_kept(peer: Peer, tmp_path: Path) -> None:
    turn = peer.prompt(peer.open(tmp_path), "bench N=40 size=20 rate=100")
    seconds = turn.answer["result"]["_meta"]["acp_jupyter.demo"]["seconds"]
    assert seconds >= 0.4


def test_speed_is_a_config_option(peer: Peer, tmp_path: Path) -> None:
    session = peer.open(tmp_path)

    def choose(value: str) -> Json:
        params = {"sessionId": session, "configId": "speed", "value": value}
        return peer.call("session/set_config_option", params)

    (option,) = choose("slow")["result"]["configOptions"]
    assert (option["type"], option["currentValue"]) == ("select", "slow")
    assert {o["value"] for o in option["options"]} >= {"slow", "normal", "fast", "flat"}
    assert choose("warp")["error"]["code"] == -32602


def test_a_plan_is_ticked_off(peer: Peer, tmp_path: Path) -> None:
    turn = peer.prompt(peer.open(tmp_path), "/plan")
    assert {entry["status"] for entry in turn.of("plan")[-1]["entries"]} == {"completed"}
    assert turn.tool_calls() == []


def test_a_long_answer_has_thoughts_and_markdown(peer: Peer, tmp_path: Path) -> None:
    turn = peer.prompt(peer.open(tmp_path), "Write something long")
    assert len(turn.text) > 3_000
    assert turn.chunks("agent_thought_chunk")
    assert "## Part 1\n" in turn.text
    assert turn.text.count("```") % 2 == 0


def test_crashes_on_request(peer: Peer, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    peer.start_prompt(session, "crash")
    assert peer.wait() == 3
    assert "agent_message_chunk" in str(peer.log[-1])
    assert peer.process.stderr is not None
    assert b"crashed" in peer.process.stderr.read()


def test_fails_in_the_other_ways_on_request(peer: Peer, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    assert peer.prompt(session, "refuse").stop_reason == "refusal"
    assert peer.prompt(session, "max tokens").stop_reason == "max_tokens"
    error = peer.prompt(session, "error").answer["error"]
    assert error["code"] == -32603
    assert error["data"]


@pytest.mark.parametrize("text", [None, "hello", "slow rate=1", "edit", "bench N=900000 rate=0"])
def test_ends_with_its_stdin(peer: Peer, tmp_path: Path, text: str | None) -> None:
    peer.handlers["session/request_permission"] = lambda _: None
    session = peer.open(tmp_path)
    if text:
        peer.start_prompt(session, text)
    assert peer.end() == 0
    assert not said_all(peer.log)
    assert peer.process.stderr is not None
    assert peer.process.stderr.read() == b""


def test_everything_it_sends_is_acp(peer: Peer, tmp_path: Path) -> None:
    """The SDK's models take each message and give it back with nothing lost."""
    (tmp_path / "clean.py").write_text(LOOP)
    client_files(peer)
    peer.handlers["session/request_permission"] = select("allow_once")
    session = peer.open(tmp_path, FILES)
    for text in ("list", "edit clean.py", "create a.md", "run", "plan", "hello", "error"):
        peer.prompt(session, text)
    results: list[type[BaseModel]] = [InitializeResponse, NewSessionResponse]
    for message in peer.log:
        if "method" in message:
            model, body = MODELS[message["method"]], message["params"]
        elif "result" in message:
            model, body = results.pop(0) if results else PromptResponse, message["result"]
        else:
            model, body = AcpError, message["error"]
        parsed = model.model_validate(body)
        dumped = parsed.model_dump(by_alias=True, exclude_unset=True, mode="json")
        assert dumped == body


@pytest.mark.parametrize(
    ("answer", "words", "reason"),
    [
        ({"action": "accept", "content": {"colour": "red"}}, "You answered colour: ", "end_turn"),
        ({"action": "decline"}, "You did not want to answer", "end_turn"),
        ({"action": "cancel"}, "", "cancelled"),
        ({"error": {"code": -32601, "message": "No such method"}}, "does not show", "end_turn"),
    ],
)
def test_a_question_is_asked_as_a_form(
    peer: Peer, tmp_path: Path, answer: Json, words: str, reason: str
) -> None:
    peer.handlers["elicitation/create"] = lambda _: answer
    turn = peer.prompt(peer.open(tmp_path), "ask me something")
    (asked,) = turn.asked("elicitation/create")
    CreateFormSessionElicitationRequest.model_validate(asked)
    assert words in turn.text
    assert turn.stop_reason == reason


@pytest.mark.parametrize("length", [0, 3, 5, 6, 40, 1000, 5000])
def test_an_answer_of_a_given_length(length: int) -> None:
    text = exactly(length)
    assert len(text) == length
    assert text.endswith("\n\nEND"[-length:] if length else "")
    assert ("## Part 1\n" in text) is (length >= 40)


def test_a_cancel_that_comes_too_late_is_nothing(tmp_path: Path) -> None:
    with Peer(COMMAND) as peer:
        for session_id in (peer.open(tmp_path), "no such session"):
            params = {"sessionId": session_id}
            peer.send({"jsonrpc": "2.0", "method": "session/cancel", "params": params})
        assert peer.call("no/such", {})["error"]["code"] == -32601
        peer.process.kill()
        assert peer.process.stderr is not None
        assert peer.process.stderr.read() == b""
