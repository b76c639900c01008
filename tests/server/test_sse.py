"""The packets of a session as an event stream: live, resumed, and for whom."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from acp_jupyter.api.packet_stream import DIALECTS
from acp_jupyter.dialects.onyx.build_packets import format_packet_event, read_build_packet
from acp_jupyter.packets import parse_packet
from tests.support.server.all_routes import PATHS
from tests.support.server.follower import ENDS, Follower, first_packets, following
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.routes import finished, open_session, pending, start_turn

PAGE = Path(__file__).parents[2] / "docs/how-to/follow-over-http.md"


@pytest.fixture(scope="module")
def pinging(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A server whose silent streams give a sign of life at once."""
    agents = fake_agents("hello", "slow_stream", "dies_mid_turn")
    folder = tmp_path_factory.mktemp("pinging")
    with JupyterServer(folder, agents=agents, args=["--AcpJupyter.ping_seconds=0.05"]) as server:
        yield server


@pytest.fixture
def client(pinging: JupyterServer) -> Iterator[httpx.Client]:
    with pinging.user() as client:
        yield client


def is_end(packet: dict[str, Any]) -> bool:
    return packet["type"] in ENDS


def types(follower: Follower) -> list[str]:
    return [packet["type"] for packet in follower.packets]


def closed(client: httpx.Client, session_id: str) -> None:
    client.delete(f"sessions/{session_id}").raise_for_status()


def test_the_route_is_one_of_the_table() -> None:
    assert "sessions/some-session_id/packets" in PATHS


def test_a_turn_is_followed_in_both_dialects(client: httpx.Client) -> None:
    """A live turn, from the prompt to its end."""
    session_id = open_session(client, "demo")
    with (
        following(client, session_id) as packets,
        following(client, session_id, dialect="build-mode") as build,
    ):
        turn_id = start_turn(client, session_id, "run the tests")
        asked = packets.until(lambda packet: packet["type"] == "permission_request")
        option = next(o for o in asked["options"] if o["kind"] == "allow_once")
        answer = {"option_id": option["optionId"]}
        path = f"sessions/{session_id}/permissions/{asked['request_id']}"
        client.post(path, json=answer).raise_for_status()
        assert packets.until(is_end)["stopReason"] == "end_turn"
        build.until(is_end)
        closed(client, session_id)
        packets.wait()
        build.wait()
        assert packets.ended
        assert build.ended
    detail = finished_text(packets)
    assert detail
    in_turn = [p for p in packets.packets if p["turn_id"] == turn_id]
    assert (in_turn[0]["type"], in_turn[-1]["type"]) == ("user_message_chunk", "prompt_response")
    assert [is_end(packet) for packet in in_turn].count(True) == 1
    assert {"tool_call_start", "tool_call_progress", "permission_response"} <= set(types(packets))
    assert types(build)[-1] == "done"
    assert without_comments(build.raw) == b"retry: 1000\n\n" + b"".join(
        b"id: %d\n" % packet.pop("seq") + format_packet_event(read_build_packet(packet)).encode()
        for packet in map(dict, build.packets)
    )
    assert {"tool_start", "tool_end", "permission_request", "permission_response"} <= set(
        types(build)
    )
    assert types(build).count("output_start") == types(build).count("output_end") > 0
    said = "".join(p["content"] for p in build.packets if p["type"] == "output_delta")
    assert said == detail
    assert not {"unknown"} & {parse_packet(p).type for p in packets.packets + build.packets}


def without_comments(stream: bytes | bytearray) -> bytes:
    return re.sub(rb"^:[^\n]*\n\n", b"", stream, flags=re.MULTILINE)


def finished_text(follower: Follower) -> str:
    chunks = (p for p in follower.packets if p["type"] == "agent_message_chunk")
    return "".join(chunk["content"]["text"] for chunk in chunks)


def test_the_headers_are_those_of_a_stream(client: httpx.Client) -> None:
    session_id = open_session(client, "hello")
    with following(client, session_id) as follower:
        closed(client, session_id)
        follower.wait()
    assert follower.headers["content-type"] == "text/event-stream"
    assert follower.headers["cache-control"] == "no-store"
    assert follower.headers["x-accel-buffering"] == "no"
    assert b"retry: 1000" in follower.raw


def test_a_silent_stream_pings(client: httpx.Client) -> None:
    session_id = open_session(client, "hello")
    path = f"sessions/{session_id}/packets"
    with client.stream("GET", path) as answer:
        text = ""
        for chunk in answer.iter_text():
            text += chunk
            if text.count(": ping\n\n") >= 3:
                break
    assert "data:" not in text.rpartition(": ping")[2]
    closed(client, session_id)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_that_is_cut_anywhere_goes_on_where_it_was(
    client: httpx.Client, dialect: str
) -> None:
    session_id = open_session(client, "demo")
    finished(client, start_turn(client, session_id, "list what is here"))
    with following(client, session_id, dialect=dialect) as follower:
        follower.until(is_end)
    whole = follower.packets
    assert [packet["seq"] for packet in whole] == list(range(1, len(whole) + 1))
    for cut in range(1, len(whole)):
        before = first_packets(client, session_id, cut, dialect=dialect)
        left = len(whole) - cut
        header = {"Last-Event-ID": str(cut)}
        # EventSource connects again with the URL that it had: the header counts.
        after = first_packets(client, session_id, left, headers=header, dialect=dialect, after=0)
        assert before + after == whole
        assert first_packets(client, session_id, left, dialect=dialect, after=cut) == after
    closed(client, session_id)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_live_stream_may_be_cut_again_and_again(client: httpx.Client, dialect: str) -> None:
    """Nothing is lost or doubled while an agent writes as fast as it can."""
    session_id = open_session(client, "demo")
    turn_id = start_turn(client, session_id, "bench N=3000 size=10 rate=3000")
    joined: list[dict[str, Any]] = []
    while not joined or not is_end(joined[-1]):
        after = joined[-1]["seq"] if joined else 0
        joined += first_packets(client, session_id, 173, dialect=dialect, after=after)
    finished(client, turn_id)
    with following(client, session_id, dialect=dialect) as follower:
        follower.until(is_end)
    assert joined == follower.packets
    closed(client, session_id)


def test_a_turn_whose_agent_dies_ends_in_an_error(client: httpx.Client) -> None:
    """The error is readable and comes once."""
    session_id = open_session(client, "dies_mid_turn")
    with (
        following(client, session_id) as packets,
        following(client, session_id, dialect="build-mode") as build,
    ):
        start_turn(client, session_id, "go")
        error = packets.until(is_end)
        assert (error["type"], error["code"]) == ("error", "agent_died")
        assert build.until(is_end)["message"] == error["message"]
        assert build.until(is_end)["code"] == -1
    closed(client, session_id)


def test_closing_the_session_ends_the_stream_after_its_last_packet(client: httpx.Client) -> None:
    session_id = open_session(client, "slow_stream")
    with following(client, session_id) as follower:
        start_turn(client, session_id, "go")
        follower.until(lambda packet: packet["type"] == "agent_message_chunk")
        closed(client, session_id)
        follower.wait()
        assert follower.ended
    # The agent may still speak until it is ended, which is after its turn.
    ends = [packet["stopReason"] for packet in follower.packets if is_end(packet)]
    assert ends == ["cancelled"]
    answer = client.get(f"sessions/{session_id}/packets")
    assert (answer.status_code, answer.json()["reason"]) == (404, "unknown_session")


@pytest.mark.parametrize(
    ("query", "header"),
    [
        ({"after": "-1"}, None),
        ({"after": "x"}, None),
        ({"after": "²"}, None),
        ({"after": "9" * 16}, None),
        ({"after": "1"}, "one"),
        ({"dialect": "klingon"}, None),
        ({"dialect": ""}, None),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(
    user: httpx.Client, query: dict[str, str], header: str | None
) -> None:
    headers = {} if header is None else {"Last-Event-ID": header}
    answer = user.get("sessions/none/packets", params=query, headers=headers)
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")
    assert answer.headers["content-type"].startswith("application/json")


def test_a_session_that_is_not_there_is_named(user: httpx.Client) -> None:
    for path in ("sessions/none/packets", "sessions/..%2F..%2Fetc/packets"):
        answer = user.get(path)
        assert (answer.status_code, answer.json()["reason"]) == (404, "unknown_session")


def test_a_kernel_follows_its_own_sessions_only(
    kernel: KernelSide, other_kernel: KernelSide, user: httpx.Client
) -> None:
    mine = kernel.request("POST", "sessions", {"agent": "hello"}).json()["session_id"]
    path = f"sessions/{mine}/packets"
    with user.stream("GET", path) as answer:
        assert answer.status_code == 200
    refused = other_kernel.request("GET", path)
    assert (refused.status_code, refused.json()["reason"]) == (404, "unknown_session")
    request = kernel.signed("GET", f"{path}?dialect=build-mode")
    with kernel.server.client() as client:
        answer = client.send(request, stream=True)
        assert answer.status_code == 200
        closed(user, mine)
        assert b"retry" in answer.read()
        answer.close()


def test_the_documentation_says_how_to_follow_a_session(
    pinging: JupyterServer, client: httpx.Client
) -> None:
    code = PAGE.read_text().partition("```python\n")[2].partition("```")[0]
    session_id = open_session(client, "hello")
    finished(client, start_turn(client, session_id, "a word"))
    printed: list[str] = []

    def see(kind: str) -> None:
        printed.append(kind)
        if kind == "prompt_response":
            closed(client, session_id)

    url = pinging.url.rstrip("/")
    exec(code, {"url": url, "session": session_id, "token": pinging.token, "print": see})
    assert "agent_message_chunk" in printed
    assert printed[-1] == "prompt_response"


def test_a_page_passes_its_xsrf_token_in_the_query(
    browser: httpx.Client, user: httpx.Client
) -> None:
    """An EventSource can set no header."""
    session_id = open_session(user, "hello")
    params = {"_xsrf": browser.cookies["_xsrf"], "after": "0"}
    with browser.stream("GET", f"sessions/{session_id}/packets", params=params) as answer:
        assert answer.status_code == 200
    foreign = {"Origin": "https://evil.example"}
    assert browser.get(f"sessions/{session_id}/packets", headers=foreign).status_code == 403
    closed(user, session_id)


def test_permissions_are_asked_in_the_stream(user: httpx.Client) -> None:
    """An answer by anybody is sent to every reader."""
    session_id = open_session(user, "permission")
    start_turn(user, session_id, "words")
    request = pending(user, session_id)
    packets = first_packets(user, session_id, 2, dialect="build-mode")
    assert request["request_id"] in json.dumps(packets)
    closed(user, session_id)
