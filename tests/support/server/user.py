"""The user's side of the HTTP routes: what is true at the server, and answers from elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import httpx

from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import eventually

__all__ = ["AsUser"]


class AsUser:
    """A client with the user's token; close it, or use it with ``with``."""

    def __init__(self, server: JupyterServer) -> None:
        self._client = server.user()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def get(self, path: str, **params: Any) -> Any:
        return self._client.get(path, params=params).raise_for_status().json()

    def text(self, path: str) -> str:
        return self._client.get(path).raise_for_status().text

    def post(self, path: str, body: object) -> httpx.Response:
        return self._client.post(path, json=body)

    def delete(self, path: str) -> None:
        self._client.delete(path).raise_for_status()

    def new_session(self, agent: str, folder: str, **more: Any) -> str:
        """Open a session; the agent starts with its first prompt."""
        body = {"agent": agent, "cwd": folder, "start": "lazy", **more}
        answer = self.post("sessions", body).raise_for_status()
        return str(answer.json()["session_id"])

    def prompt(self, session_id: str, text: str) -> str:
        """Send a prompt; return the turn's id."""
        answer = self.post(f"sessions/{session_id}/prompt", {"prompt": text}).raise_for_status()
        return str(answer.json()["turn_id"])

    def session_of(self, notebook_path: str, agent: str = "") -> str:
        """Wait for the newest session of a notebook, of that agent if one is named."""

        def newest() -> str:
            ids = [
                state["session_id"]
                for state in self.get("sessions")
                if state["notebook_path"] == notebook_path and agent in {"", state["agent"]}
            ]
            return str(ids[-1]) if ids else ""

        return eventually(newest, what=f"a session of {notebook_path}")

    def newest_turn(self, session_id: str, number: int = 1) -> str:
        """Wait until a session has so many turns; return the newest's id."""

        def newest() -> str:
            turn_ids = self._turn_ids(session_id)
            return turn_ids[-1] if len(turn_ids) >= number else ""

        return eventually(newest, what=f"a turn of {session_id}")

    def turn(self, turn_id: str, wait: float = 0) -> Any:
        """Return turn, items and session; waits for the end at most ``wait`` seconds."""
        return self.get(f"turns/{turn_id}", wait=wait)

    def ended(self, turn_id: str) -> Any:
        """Wait for a turn's end."""

        def done() -> Any:
            detail = self.turn(turn_id, wait=20)
            return detail if detail["turn"]["status"] == "done" else None

        return eventually(done, f"the end of turn {turn_id}")

    def permission(self, turn_id: str) -> Any:
        """Wait until a turn asks; return the request."""

        def pending() -> Any:
            found = self.permissions(self.turn(turn_id))
            return next((p for p in found if p["state"] == "pending"), None)

        return eventually(pending, what=f"turn {turn_id} asks")

    @staticmethod
    def permissions(detail: Any) -> list[Any]:
        """Return all permission requests of a turn."""
        return [item["permission"] for item in detail["items"] if item.get("permission")]

    def answer(self, session_id: str, request_id: str, option: str) -> httpx.Response:
        path = f"sessions/{session_id}/permissions/{request_id}"
        return self.post(path, {"option_id": option})

    def _turn_ids(self, session_id: str) -> list[str]:
        page = self.get(f"sessions/{session_id}/items", start=0, end=100_000)
        ids = [item["turn_id"] for item in page["items"] if item["turn_id"]]
        return list(dict.fromkeys(ids))
