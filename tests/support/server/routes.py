"""The HTTP routes in the words of a test."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.wait import eventually

__all__ = ["finished", "open_session", "pending", "start_turn"]


def open_session(client: httpx.Client, agent: str, **fields: Any) -> str:
    """Start a session and return its id."""
    answer = client.post("sessions", json={"agent": agent, **fields})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["session_id"])


def start_turn(client: httpx.Client, session_id: str, text: str, **fields: Any) -> str:
    """Send a prompt and return the turn's id."""
    answer = client.post(f"sessions/{session_id}/prompt", json={"prompt": text, **fields})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["turn_id"])


def finished(client: httpx.Client, turn_id: str) -> dict[str, Any]:
    """Wait for a turn's end and return it with its items."""

    def ended() -> dict[str, Any]:
        answer = client.get(f"turns/{turn_id}", params={"wait": 20})
        assert answer.status_code == 200, answer.text
        detail: dict[str, Any] = answer.json()
        return detail if detail["turn"]["status"] == "done" else {}

    return eventually(ended, f"the end of turn {turn_id}")


def pending(client: httpx.Client, session_id: str) -> dict[str, Any]:
    """Wait for a permission request and return it."""

    def find() -> dict[str, Any]:
        page = client.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
        permissions = (item.get("permission") or {} for item in page["items"])
        return next((p for p in permissions if p.get("state") == "pending"), {})

    return eventually(find, what="a permission request")
