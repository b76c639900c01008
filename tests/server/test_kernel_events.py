"""The stream that a kernel's widgets follow: it shows, and lets nobody answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from tests.support.server.jupyter_server import KernelSide
from tests.support.server.routes import finished, open_session


@contextmanager
def following(kernel: KernelSide, session_id: str) -> Iterator[Iterator[dict[str, Any]]]:
    """Yield the events of a session, one by one, as they come."""
    request = kernel.signed("GET", f"kernel/sessions/{session_id}/events")
    with kernel.server.client() as client:
        response = client.send(request, stream=True)
        assert response.status_code == 200, response.read()
        try:
            yield (
                event
                for line in response.iter_lines()
                if line.strip()
                for event in json.loads(line)["events"]
            )
        finally:
            response.close()


def path(session_id: str) -> str:
    return f"kernel/sessions/{session_id}/events"


def test_only_the_kernel_of_a_session_follows_it(
    kernel: KernelSide, other_kernel: KernelSide, user: httpx.Client
) -> None:
    session_id = open_session(user, "hello", notebook_path=kernel.notebook_path, new=True)
    try:
        assert other_kernel.request("GET", path(session_id)).status_code == 404
        assert kernel.request("GET", path("none")).status_code == 404
        refused = user.get(path(session_id))
        assert (refused.status_code, refused.json()["reason"]) == (403, "not_allowed")
        with following(kernel, session_id) as events:
            assert next(events)["kind"] == "snapshot"
    finally:
        user.delete(f"sessions/{session_id}").raise_for_status()


def test_it_ends_with_the_session(kernel: KernelSide, user: httpx.Client) -> None:
    session_id = open_session(user, "hello", notebook_path=kernel.notebook_path, new=True)
    with following(kernel, session_id) as events:
        assert next(events)["kind"] == "snapshot"
        user.delete(f"sessions/{session_id}").raise_for_status()
        assert [event for event in events if event["kind"] == "snapshot"] == []


def test_a_session_that_only_a_kernel_follows_asks_nobody(
    kernel: KernelSide, user: httpx.Client
) -> None:
    """No silence, and no wait for somebody who is not there."""
    made = kernel.request("POST", "sessions", {"agent": "permission", "new": True}).json()
    session_id = made["session_id"]
    try:
        with following(kernel, session_id) as events:
            assert next(events)["kind"] == "snapshot"
            prompt = {"prompt": "words", "can_ask": False}
            sent = kernel.request("POST", f"sessions/{session_id}/prompt", prompt).json()
            kinds = [next(events)["kind"]]
            while kinds[-1] != "turn_ended":
                kinds.append(next(events)["kind"])
        detail = finished(user, sent["turn_id"])
        assert detail["turn"]["failure"]["reason"] == "nobody_to_ask"
    finally:
        user.delete(f"sessions/{session_id}").raise_for_status()
