"""The demo agent, by the lines it writes: no SDK on this side of the pipes."""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Iterator
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

from tests.support.peer import Json, Peer, Turn, select

COMMAND = [sys.executable, "-m", "acp_jupyter.agents.demo"]
FILES = {"fs": {"readTextFile": True, "writeTextFile": True}}
LOOP = """import pandas as pd


def total(df: pd.DataFrame) -> float:
    result = 0.0
    for _, row in df.iterrows():
        result += row["price"] * row["count"]
    return result
"""


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer(COMMAND, env={"ACP_DEMO_RATE": "0"}) as peer:
        yield peer


def client_files(peer: Peer) -> list[Json]:
    """Let the peer serve fs/*; return the list that writes are put on."""
    writes: list[Json] = []

    def read(params: Json) -> Json:
        return {"content": Path(params["path"]).read_text()}

    def write(params: Json) -> Json:
        writes.append(params)
        Path(params["path"]).write_text(params["content"])
        return {}

    peer.handlers |= {"fs/read_text_file": read, "fs/write_text_file": write}
    return writes


def permission(turn: Turn) -> Json:
    (request,) = turn.asked("session/request_permission")
    return request


def test_introduces_itself_and_opens_a_session(peer: Peer, tmp_path: Path) -> None:
    hello = peer.call("initialize", {"protocolVersion": 1})["result"]
    assert hello["protocolVersion"] == 1
    assert (hello["agentInfo"]["name"], hello["agentInfo"]["title"]) == ("demo", "Demo")
    assert hello["agentCapabilities"]["loadSession"] is False
    assert hello["agentCapabilities"]["promptCapabilities"]["embeddedContext"] is True

    new = peer.call("session/new", {"cwd": str(tmp_path), "mcpServers": []})["result"]
    assert new["sessionId"]
    assert new["configOptions"][0]["id"] == "speed"
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
    turn = peer.prompt(session, "Good morning")
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


@pytest.mark.parametrize("through_client", [True, False])
def test_edits_only_after_the_answer(peer: Peer, tmp_path: Path, through_client: bool) -> None:
    """S2.52"""
    file = tmp_path / "clean.py"
    file.write_text(LOOP)
    writes = client_files(peer)
    at_question: list[tuple[str, int]] = []

    def allow(params: Json) -> Json | None:
        at_question.append((file.read_text(), len(writes)))
        return select("allow_once")(params)

    peer.handlers["session/request_permission"] = allow
    session = peer.open(tmp_path, FILES if through_client else {})
    turn = peer.prompt(session, "Make clean.py twice as fast.")

    assert turn.stop_reason == "end_turn"
    assert at_question == [(LOOP, 0)]
    assert len(writes) == (1 if through_client else 0)
    new = file.read_text()
    assert 'for row in df.to_dict("records"):' in new
    ast.parse(new)

    request = permission(turn)
    assert [(option["kind"], option["name"]) for option in request["options"]] == [
        ("allow_once", "Allow once"),
        ("allow_always", "Allow all edits this session"),
        ("reject_once", "Reject"),
    ]
    (diff,) = request["toolCall"]["content"]
    assert diff == {"type": "diff", "path": str(file), "oldText": LOOP, "newText": new}
    edit = turn.tool_calls()[-1]
    assert (edit["kind"], edit["status"], edit["toolCallId"]) == (
        "edit",
        "completed",
        request["toolCall"]["toolCallId"],
    )
    plans = turn.of("plan")
    assert 3 <= len(plans[0]["entries"]) <= 5
    done = [sum(e["status"] == "completed" for e in plan["entries"]) for plan in plans]
    assert done == sorted(done)
    assert done[-1] == len(plans[-1]["entries"])


def test_an_edit_is_proposed_once_only(peer: Peer, tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text('"""Clean."""\n\nanswer = 42\n')
    turn = peer.prompt(peer.open(tmp_path), "fix clean.py")
    assert "nothing to do" in turn.text
    assert turn.asked("session/request_permission") == []


@pytest.mark.parametrize(
    "answer",
    [
        select("reject_once"),
        lambda params: {"outcome": {"outcome": "selected", "optionId": "allow_once"}},
        lambda params: {"outcome": {"outcome": "selected", "optionId": 1}},
        lambda params: {"outcome": {"outcome": "selected"}},
        lambda params: {"outcome": "selected"},
        lambda params: {},
        lambda params: {"error": {"code": -32603, "message": "no"}},
    ],
    ids=["reject", "unknown option", "number", "no option", "no outcome", "empty", "error"],
)
def test_only_an_allowing_option_allows(peer: Peer, tmp_path: Path, answer: object) -> None:
    """S2.52, C20: ``selected`` with the option that rejects, or with none, allows nothing."""
    file = tmp_path / "clean.py"
    file.write_text(LOOP)
    writes = client_files(peer)
    assert callable(answer)
    peer.handlers["session/request_permission"] = answer
    turn = peer.prompt(peer.open(tmp_path, FILES), "edit clean.py")
    assert turn.stop_reason == "end_turn"
    assert file.read_text() == LOOP
    assert writes == []
    edit = turn.tool_calls()[-1]
    assert edit["status"] == "failed"
    assert edit["content"][-1]["content"]["text"] == "Rejected"
    assert "Nothing was changed" in turn.text


def test_a_cancelled_permission_cancels_the_turn(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = lambda _: {"outcome": {"outcome": "cancelled"}}
    assert peer.prompt(peer.open(tmp_path), "edit").stop_reason == "cancelled"
    assert list(tmp_path.iterdir()) == []


def test_allow_always_holds_for_the_session_only(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = select("allow_always")
    session = peer.open(tmp_path)
    assert len(peer.prompt(session, "create a.txt").asked("session/request_permission")) == 1
    assert peer.prompt(session, "create b.txt").asked("session/request_permission") == []
    assert (tmp_path / "b.txt").exists()
    other = peer.new_session(tmp_path)
    assert len(peer.prompt(other, "create c.txt").asked("session/request_permission")) == 1


def test_creates_a_file_with_the_quoted_text(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = select("allow_once")
    session = peer.open(tmp_path)
    turn = peer.prompt(session, 'Write a file sub/notes.md with "edit me"')
    assert (tmp_path / "sub" / "notes.md").read_text() == "edit me\n"
    assert permission(turn)["toolCall"]["content"][0]["oldText"] is None
    again = peer.prompt(session, "create sub/notes.md")
    assert "Nothing was changed" in again.text


@pytest.mark.parametrize("name", ["../out.txt", "link/out.txt", "{outside}/out.txt"])
def test_never_leaves_the_folder(peer: Peer, tmp_path: Path, name: str) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    peer.handlers["session/request_permission"] = select("allow_once")
    turn = peer.prompt(peer.open(inside), f"create {name.format(outside=outside)}")
    assert "outside this session's folder" in turn.text
    assert turn.asked("session/request_permission") == []
    assert list(outside.iterdir()) == []


def test_a_file_changed_while_the_question_was_open_stays(peer: Peer, tmp_path: Path) -> None:
    file = tmp_path / "clean.py"
    file.write_text(LOOP)

    def allow_late(params: Json) -> Json | None:
        file.write_text("mine = 1\n")
        return select("allow_once")(params)

    peer.handlers["session/request_permission"] = allow_late
    turn = peer.prompt(peer.open(tmp_path), "edit clean.py")
    assert file.read_text() == "mine = 1\n"
    assert turn.tool_calls()[-1]["status"] == "failed"


def test_runs_a_command_by_itself(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = select("allow_once")
    turn = peer.prompt(peer.open(tmp_path), "run something")
    (call,) = turn.tool_calls()
    assert (call["kind"], call["status"], call["rawOutput"]["exitCode"]) == (
        "execute",
        "completed",
        0,
    )
    assert "Python 3" in turn.text
    assert [option["kind"] for option in permission(turn)["options"]] == [
        "allow_once",
        "reject_once",
    ]


def test_runs_a_command_in_the_clients_terminal(peer: Peer, tmp_path: Path) -> None:
    peer.handlers |= {
        "session/request_permission": select("allow_once"),
        "terminal/create": lambda _: {"terminalId": "t1"},
        "terminal/wait_for_exit": lambda _: {"exitCode": 3, "signal": None},
        "terminal/output": lambda _: {"output": "from the terminal", "truncated": False},
        "terminal/release": lambda _: {},
    }
    turn = peer.prompt(peer.open(tmp_path, {"terminal": True}), "run something")
    (call,) = turn.tool_calls()
    assert call["content"] == [{"type": "terminal", "terminalId": "t1"}]
    assert call["status"] == "failed"
    assert "exit code 3" in turn.text
    assert "from the terminal" in turn.text
    assert len(turn.asked("terminal/release")) == 1


def test_a_rejected_command_does_not_run(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = select("reject_once")
    turn = peer.prompt(peer.open(tmp_path, {"terminal": True}), "run something")
    assert turn.asked("terminal/create") == []
    assert turn.tool_calls()[0]["status"] == "failed"


def test_two_questions_are_open_at_once(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = lambda _: None
    prompt = peer.start_prompt(peer.open(tmp_path), "ask twice")
    requests: list[Json] = []
    while len(requests) < 2:
        message = peer.next()
        if message.get("method") == "session/request_permission":
            requests.append(message)
    first, second = requests
    peer.reply(second, select("allow_once")(second["params"]) or {})
    peer.reply(first, select("reject_once")(first["params"]) or {})
    assert peer.finish(prompt).stop_reason == "end_turn"
    assert [path.name for path in tmp_path.iterdir()] == ["second.txt"]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("slow rate=5", "agent_message_chunk"),
        ("bench N=1000000 size=20 rate=100", "agent_message_chunk"),
        ("edit", "session/request_permission"),
        ("ask twice", "session/request_permission"),
    ],
)
def test_cancel_ends_the_turn_at_once(peer: Peer, tmp_path: Path, text: str, sign: str) -> None:
    peer.handlers["session/request_permission"] = lambda _: None
    session = peer.open(tmp_path)
    prompt = peer.start_prompt(session, text)
    peer.until(lambda message: sign in str(message))
    start = time.monotonic()
    peer.cancel(session)
    assert peer.finish(prompt).stop_reason == "cancelled"
    assert time.monotonic() - start < 1
    assert list(tmp_path.iterdir()) == []
    assert peer.prompt(session, "hello").stop_reason == "end_turn"


def test_cancel_right_behind_the_prompt(peer: Peer, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    prompt = peer.start_prompt(session, "slow rate=5")
    peer.cancel(session)
    assert peer.finish(prompt).stop_reason == "cancelled"


def test_cancel_stops_a_running_terminal(peer: Peer, tmp_path: Path) -> None:
    peer.handlers |= {
        "session/request_permission": select("allow_once"),
        "terminal/create": lambda _: {"terminalId": "t1"},
        "terminal/wait_for_exit": lambda _: None,
    }
    session = peer.open(tmp_path, {"terminal": True})
    prompt = peer.start_prompt(session, "run something")
    peer.until(lambda message: message.get("method") == "terminal/wait_for_exit")
    peer.cancel(session)
    turn = peer.finish(prompt)
    assert turn.stop_reason == "cancelled"
    assert turn.asked("terminal/kill") == turn.asked("terminal/release")
    assert len(turn.asked("terminal/kill")) == 1


def test_two_sessions_work_at_once(peer: Peer, tmp_path: Path) -> None:
    one = peer.open(tmp_path)
    two = peer.new_session(tmp_path)
    waiting = peer.start_prompt(one, "slow rate=1")
    peer.until(lambda message: "agent_thought_chunk" in str(message))
    other = peer.prompt(two, "hello")
    assert {
        message["params"]["sessionId"]
        for message in other.messages
        if "agent_message_chunk" in str(message)
    } == {two}
    peer.cancel(one)
    assert peer.finish(waiting).stop_reason == "cancelled"


def test_a_second_prompt_in_the_same_session_is_refused(peer: Peer, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    running = peer.start_prompt(session, "slow rate=1")
    second = peer.finish(peer.start_prompt(session, "hello"))
    assert second.answer["error"]["code"] == -32600
    peer.cancel(session)
    assert peer.finish(running).stop_reason == "cancelled"


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
    start = time.monotonic()
    assert peer.end() == 0
    assert time.monotonic() - start < 2
    assert peer.process.stderr is not None
    assert peer.process.stderr.read() == b""


MODELS: dict[str, type[BaseModel]] = {
    "session/update": SessionNotification,
    "session/request_permission": RequestPermissionRequest,
    "fs/read_text_file": ReadTextFileRequest,
    "fs/write_text_file": WriteTextFileRequest,
}


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
