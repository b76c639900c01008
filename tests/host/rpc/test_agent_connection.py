from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.errors import AgentDied, AgentRequestError, AgentStartError
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc import handshake
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.system.processes.child_process import ExitReason
from tests.support.agents.connection import FAST, talk_to
from tests.support.agents.fake_agent import AGENTS, fake_agent
from tests.support.processes import alive
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS, eventually_async

pytestmark = pytest.mark.asyncio


async def test_a_turn(tmp_path: Path) -> None:
    async with talk_to(fake_agent("hello"), tmp_path) as talk:
        assert talk.connection.agent_name == "hello"
        assert talk.connection.agent_version == "1.0"
        assert talk.connection.capabilities == {"loadSession": False}
        assert (await talk.say("good morning"))["stopReason"] == "end_turn"
        assert talk.text() == "Hello from the **fake** agent. You said: good morning"
        again = await talk.connection.new_session({"cwd": str(tmp_path), "mcpServers": []}, talk)
        assert again["sessionId"] != talk.session_id


async def test_half_an_emoji_can_be_sent(tmp_path: Path) -> None:
    async with talk_to(fake_agent("hello"), tmp_path) as talk:
        await talk.say("half \ud83d")
        assert talk.text().endswith("half \ufffd")


async def test_an_answer_that_is_held_back_comes_before_a_second_one(tmp_path: Path) -> None:
    async with talk_to(fake_agent("answered_twice"), tmp_path) as talk:
        may_go, begun = asyncio.Event(), asyncio.Event()

        async def before() -> None:
            begun.set()
            await may_go.wait()

        prompt = [{"type": "text", "text": "go"}]
        turn = asyncio.ensure_future(talk.session.prompt(prompt, before))
        await begun.wait()
        assert talk.text() == "Hello."
        may_go.set()
        assert (await turn)["stopReason"] == "end_turn"

        def answers() -> list[str]:
            results = [e.message["result"] for e in talk.entries if "result" in e.message]
            return [each["stopReason"] for each in results if "stopReason" in each]

        await eventually_async(lambda: answers() == ["end_turn", "refusal"])


async def test_every_line_is_numbered_in_wire_order(tmp_path: Path) -> None:
    async with talk_to(fake_agent("flood", "3000"), tmp_path) as talk:
        await talk.say("go")
        assert [entry.seq for entry in talk.entries] == list(range(1, len(talk.entries) + 1))
        assert talk.text() == "".join(f"{number} " for number in range(3000))
        prompt, answer = talk.entries[4], talk.entries[-1]
        assert prompt.message["method"] == "session/prompt"
        assert answer.message["result"] == {"stopReason": "end_turn"}
        assert answer.re == prompt.seq


async def test_the_agent_is_told_what_this_client_can(tmp_path: Path) -> None:
    """`protocolVersion`, `clientCapabilities` and `clientInfo`."""
    async with talk_to(fake_agent("hello"), tmp_path) as talk:
        params = talk.entries[0].message["params"]
        assert params["protocolVersion"] == 1
        assert params["clientCapabilities"]["fs"] == {"readTextFile": True, "writeTextFile": True}
        assert params["clientCapabilities"]["terminal"] is True
        session = params["clientCapabilities"]["session"]
        assert session == {"configOptions": {"boolean": {}}, "compaction": {}, "notices": {}}
        assert params["clientCapabilities"]["subagents"] == {}
        meta = params["clientCapabilities"]["_meta"]
        assert meta["terminal_output"] is meta["terminal_output_delta"] is True
        assert params["clientInfo"]["name"] == "acp-jupyter"


@pytest.mark.parametrize(("choice", "written"), [("yes", 1), ("no", 0), (None, 0)])
async def test_a_permission_is_asked_and_its_answer_reaches_the_agent(
    tmp_path: Path, choice: str | None, written: int
) -> None:
    async with talk_to(fake_agent("permission"), tmp_path, choice=choice) as talk:
        await talk.say("new text")
        (asked,) = talk.client.asked
        by_seq = {entry.seq: entry for entry in talk.entries}
        request = by_seq[asked["request_seq"]]
        assert request.message["method"] == "session/request_permission"
        (reply,) = (e for e in talk.entries if e.direction == ">" and e.re == request.seq)
        outcome = reply.message["result"]["outcome"]
        assert outcome.get("optionId") == choice
        assert len(talk.client.written) == written


async def test_two_permissions_are_open_at_once(tmp_path: Path) -> None:
    async with talk_to(fake_agent("two_permissions"), tmp_path, choice="yes") as talk:
        both = asyncio.Event()

        async def wait_for_both() -> None:
            if len(talk.client.asked) == 2:
                both.set()
            await both.wait()

        talk.client.before_answer = wait_for_both
        await talk.say("go")
        assert talk.text() == "call-1 yes, call-2 yes"


async def test_ids_of_any_type_find_their_way(tmp_path: Path) -> None:
    async with talk_to(fake_agent("weird_ids"), tmp_path, choice="yes") as talk:
        assert talk.session_id == "weird-1"
        assert (await talk.say("go"))["stopReason"] == "because"
        assert talk.text() == "all ids came back"
    async with talk_to(fake_agent("error_as_text"), tmp_path) as talk:
        with pytest.raises(AgentRequestError, match="oops"):
            await talk.say("go")


async def test_dialects_get_through_and_nothing_is_lost(tmp_path: Path) -> None:
    async with talk_to(fake_agent("dialects"), tmp_path, choice="maybe") as talk:
        assert (await talk.say("go"))["stopReason"] == "stop_sequence"
        assert talk.text() == (
            "snake a plain stringone twowith extrashello from before the protocol"
            "half \ufffd an emojibytes \ufffd\ufffd here"
            "session/notification, acp/notification/session_update, session_update, "
            "message params updateasked ['result']Answers: error -32601, error -32601."
            f"{'Answer: maybe.' * 4}terminal -32601 batched batched "
        )
        asked = [[option.kind for option in each["options"]] for each in talk.client.asked]
        unknown, plain = ["reject_once", "reject_once"], ["allow_once", "reject_once"]
        assert asked == [unknown, plain, unknown, plain]
        json.dumps([dict(entry.message) for entry in talk.entries], ensure_ascii=False).encode()


async def test_garbage_is_noted_and_the_turn_goes_on(tmp_path: Path) -> None:
    async with talk_to(fake_agent("garbage"), tmp_path) as talk:
        assert (await talk.say("go"))["stopReason"] == "end_turn"
        assert talk.text() == "still " * 13 + "here"
        noise = [str(note["text"]) for note in talk.notes("noise")]
        assert "Loading plugins..." in noise
        assert "{not json}" in noise
        assert max(map(len, noise)) <= 500


async def test_noise_is_noted_a_bounded_number_of_times(tmp_path: Path) -> None:
    limits = replace(FAST, noise_notes=5)
    async with talk_to(fake_agent("garbage"), tmp_path, limits=limits) as talk:
        await talk.say("go")
        assert len(talk.notes("noise")) == 5


async def test_a_line_that_is_too_long_is_dropped_and_the_next_one_read(tmp_path: Path) -> None:
    limits = replace(FAST, line_bytes=1024 * 1024)
    async with talk_to(fake_agent("long_line"), tmp_path, limits=limits) as talk:
        await talk.say("3")
        assert talk.text() == "After the long line."
        (note,) = talk.notes("noise")
        assert "bytes was dropped" in str(note["text"])
        await talk.say("0.9")
        assert len(talk.text()) > 900_000


async def test_stderr_does_not_block_an_agent(tmp_path: Path) -> None:
    async with talk_to(fake_agent("chatty_stderr"), tmp_path) as talk:
        await talk.say("go")
        assert talk.connection.stderr_tail()[-1] == "the last words"


async def test_an_agent_that_ends_before_it_answers_says_why(tmp_path: Path) -> None:
    words = "exits_at_once exited with code 3 before it answered initialize"
    with pytest.raises(AgentStartError, match=words) as caught:
        async with talk_to(fake_agent("exits_at_once"), tmp_path):
            pass
    assert "cannot find the configuration in red" in caught.value.detail


@pytest.mark.parametrize(
    ("agent", "method", "said"),
    [
        ("never_initialize", "initialize", "waiting for a login"),
        ("never_new_session", "session/new", ""),
        ("only_garbage", "initialize", ""),
    ],
)
async def test_an_agent_that_does_not_answer_says_why(
    tmp_path: Path, agent: str, method: str, said: str
) -> None:
    """It is given longer and longer, until it has said so in time."""
    detail, seconds = "", 0.25
    while seconds == 0.25 or said not in detail:
        seconds *= 2
        limits = (
            replace(FAST, initialize_seconds=seconds)
            if method == "initialize"
            else replace(FAST, session_new_seconds=seconds)
        )
        words = rf"did not answer {method} within {seconds:g} s"
        with pytest.raises(AgentStartError, match=words) as caught:
            async with talk_to(fake_agent(agent), tmp_path, limits=limits):
                pass
        detail = caught.value.detail


@pytest.mark.posix("closed stdin")
@pytest.mark.parametrize(
    ("then", "seconds", "words"),
    [
        ("sleep 0.1; exit 3", FOREVER_SECONDS, "exited with code 3"),
        ("sleep 600", 0.1, "has closed its stdin"),
    ],
)
async def test_an_agent_that_does_not_hear_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str, seconds: float, words: str
) -> None:
    monkeypatch.setattr(handshake, "_EXIT_SECONDS", seconds)
    spec = AgentSpec("unheard", "Unheard", "sh", ("-c", f"exec 0<&-; {then}"))
    with pytest.raises(AgentStartError) as caught:
        async with talk_to(spec, tmp_path):
            pass
    assert str(caught.value) == f"Unheard {words} before it answered initialize."


@pytest.mark.parametrize("version", [3, 0, -1, "0", "2024-11-05", None, True])
async def test_another_protocol_version_is_said_in_words(tmp_path: Path, version: object) -> None:
    """A lower version, too; 1 is the first that exists."""
    script = tmp_path / "agent.py"
    script.write_text(
        "import json, sys\n"
        "request = json.loads(sys.stdin.readline())\n"
        f"result = {{'protocolVersion': {version!r}}}\n"
        "print(json.dumps({'id': request['id'], 'result': result}), flush=True)\n"
        "sys.stdin.read()\n"
    )
    spec = replace(fake_agent("hello"), args=(str(script),))
    with pytest.raises(AgentStartError, match="of the Agent Client Protocol"):
        async with talk_to(spec, tmp_path):
            pass


async def test_death_in_a_turn_fails_it_at_once_with_the_reason(tmp_path: Path) -> None:
    async with talk_to(fake_agent("dies_mid_turn"), tmp_path) as talk:
        with pytest.raises(AgentDied, match="was killed by signal 9") as caught:
            await talk.say("go")
        assert caught.value.detail.endswith("out of memory, maybe")
        assert talk.text() == "I was about to "
        assert await talk.connection.wait_closed() == ExitReason(None, 9)
        assert talk.entries[-1].message["note"] == "exit"
        with pytest.raises(AgentDied):
            await talk.say("again")


async def test_death_fails_a_turn_while_a_child_holds_its_pipes(tmp_path: Path) -> None:
    async with talk_to(fake_agent("child_holds_pipes"), tmp_path) as talk:
        with pytest.raises(AgentDied, match="exited with code 7"):
            await talk.say("go")
        child = int(talk.text().split()[1])
        await talk.connection.wait_closed()
        await eventually_async(lambda: not alive(child))


async def test_death_is_told_before_what_is_left_has_been_cleared_up(tmp_path: Path) -> None:
    limits = replace(FAST, term_seconds=FOREVER_SECONDS)
    async with talk_to(fake_agent("orphan_grandchild"), tmp_path, limits=limits) as talk:
        await talk.say("go")
        orphan = int(talk.text().split()[1])
        os.kill(talk.connection.pid, 9)
        reason = await asyncio.wait_for(talk.connection.wait_closed(), PATIENCE_SECONDS)
        assert reason == ExitReason(None, 9)
        assert alive(orphan)
        os.kill(orphan, 9)


async def test_an_open_permission_ends_with_its_agent(tmp_path: Path) -> None:
    async with talk_to(fake_agent("permission"), tmp_path) as talk:
        ended = asyncio.Event()

        async def wait_for_ever() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        talk.client.before_answer = wait_for_ever
        turn = asyncio.create_task(talk.say("go"))
        await eventually_async(lambda: talk.client.asked)
        os.kill(talk.connection.pid, 9)
        with pytest.raises(AgentDied):
            await turn
        await asyncio.wait_for(ended.wait(), PATIENCE_SECONDS)


async def test_closing_leaves_no_process(tmp_path: Path) -> None:
    async with talk_to(fake_agent("orphan_grandchild"), tmp_path) as talk:
        await talk.say("go")
        orphan = int(talk.text().split()[1])
        assert alive(orphan)
    assert not alive(orphan)
    assert not alive(talk.connection.pid)


async def test_a_deaf_agent_counts_as_dead_after_a_time(tmp_path: Path) -> None:
    limits = replace(FAST, send_seconds=0.5)
    async with talk_to(fake_agent("deaf"), tmp_path, limits=limits) as talk:
        prompt = asyncio.create_task(talk.say("x" * 5_000_000))
        cancel = asyncio.create_task(talk.session.cancel())
        with pytest.raises(AgentDied, match="has read nothing for"):
            await prompt
        with pytest.raises(AgentDied):
            await cancel
        assert await talk.connection.wait_closed() == ExitReason(None, 9)


@pytest.mark.posix("closed stdin")
async def test_an_agent_that_closed_its_stdin_counts_as_dead(tmp_path: Path) -> None:
    async with talk_to(fake_agent("stdin_closed"), tmp_path) as talk:
        with pytest.raises(AgentDied, match="closed its stdin"):
            await asyncio.wait_for(talk.say("hello"), PATIENCE_SECONDS)
        await talk.connection.wait_closed()


async def test_cancel_ends_a_turn(tmp_path: Path) -> None:
    async with talk_to(fake_agent("slow_stream"), tmp_path) as talk:
        turn = asyncio.create_task(talk.say("go"))
        await eventually_async(lambda: "word3" in talk.text())
        await talk.session.cancel()
        assert (await turn)["stopReason"] == "cancelled"


async def test_a_handler_that_hangs_does_not_hold_up_the_turn(tmp_path: Path) -> None:
    async with talk_to(fake_agent("hello"), tmp_path) as talk:
        turns = [talk.say(str(number)) for number in range(3)]
        results = await asyncio.wait_for(asyncio.gather(*turns), PATIENCE_SECONDS)
        assert [result["stopReason"] for result in results] == ["end_turn"] * 3


async def test_unknown_methods_get_an_error_and_unknown_answers_are_raw(tmp_path: Path) -> None:
    async with talk_to(fake_agent("hello"), tmp_path) as talk:
        with pytest.raises(AgentRequestError, match="Method not found") as caught:
            await talk.connection.request(
                "session/set_mode", {"sessionId": talk.session_id, "modeId": "plan"}, talk
            )
        assert caught.value.code == -32601


async def test_a_flood_of_requests_is_answered_and_bounded(tmp_path: Path) -> None:
    script = tmp_path / "agent.py"
    script.write_text(
        "from _wire import *\n"
        "def prompt(wire, session_id, text):\n"
        "    for n in range(50):\n"
        "        call = {'toolCallId': 'x'}\n"
        "        params = {'sessionId': session_id, 'toolCall': call, 'options': []}\n"
        "        wire.send({'id': n, 'method': 'session/request_permission', 'params': params})\n"
        "    refused = sum('error' in wire.response(n) for n in range(10, 50))\n"
        "    wire.text(session_id, str(refused))\n"
        "    return 'end_turn'\n"
        "serve(prompt)\n"
    )
    spec = replace(fake_agent("hello"), args=(str(script),), env={"PYTHONPATH": str(AGENTS)})
    limits = replace(FAST, open_requests=10)
    async with talk_to(spec, tmp_path, limits=limits) as talk:
        talk.client.before_answer = asyncio.Event().wait  # type: ignore[assignment]
        await talk.say("go")
        assert talk.text() == "40"
        assert len(talk.client.asked) == 10


async def test_jupyters_secrets_do_not_reach_the_agent(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "JUPYTER_TOKEN": "planted",
        "JPY_API_TOKEN": "planted",
        "JUPYTERHUB_API_TOKEN": "planted",
        "ACP_JUPYTER_URL": "planted",
        "JUPYTER_GATEWAY_AUTH_TOKEN": "planted",
        "KERNEL_AUTH": "planted",
        "ANTHROPIC_API_KEY": "passed on",
    }
    spec = replace(fake_agent("env_dump"), env={"CONFIGURED": "yes"})
    async with talk_to(spec, tmp_path, environment=environment) as talk:
        await talk.say("go")
        seen = json.loads(talk.text())
        assert "planted" not in seen.values()
        assert seen["ANTHROPIC_API_KEY"] == "passed on"
        assert seen["CONFIGURED"] == "yes"


async def test_a_failing_listener_does_not_end_the_conversation(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(entry: TrafficEntry) -> None:
        raise ValueError(entry)

    async with talk_to(fake_agent("hello"), tmp_path) as talk:
        talk.on_entry = fail
        assert (await talk.say("hi"))["stopReason"] == "end_turn"
    assert "could not be taken in" in caplog.text
