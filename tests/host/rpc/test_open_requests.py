"""Requests that wait for an answer, of either side."""

from __future__ import annotations

from acp_jupyter.host.rpc.open_requests import ReceivedRequests


def test_a_request_of_the_agent_is_found_by_the_agents_id() -> None:
    requests = ReceivedRequests(2)
    for request_id in ("a", 7):
        requests.open({"id": request_id, "method": "x"}, ())
    found = [requests.of_id(request_id) for request_id in ("a", 7, "7")]
    assert [each and each.id for each in found] == ["a", 7, None]
    assert requests.full()


def test_a_request_is_taken_once() -> None:
    requests = ReceivedRequests(2)
    ours = requests.open({"id": "a", "method": "x"}, ())["id"]
    taken = requests.pop(ours)
    assert taken is not None
    assert taken.id == "a"
    assert requests.pop(ours) is None
    assert not requests.full()
