"""One conversation with a published agent, by HTTP as its user."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.support.host.checkpoints import State, held
from tests.support.server.routes import open_session, start_turn
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["Json", "Played", "PublishedSession"]

Json = dict[str, Any]


@dataclass(frozen=True)
class Played:
    """A turn that has ended."""

    turn: Json
    items: list[Json]
    asked: list[Json]
    """Its permission requests as they were shown, each with its tool call's card."""

    @property
    def text(self) -> str:
        return "".join(item["text"] for item in self.items if item["kind"] == "agent_message")

    @property
    def thoughts(self) -> str:
        return "".join(item["text"] for item in self.items if item["kind"] == "thought")

    @property
    def calls(self) -> list[Json]:
        return [item for item in self.items if item["kind"] == "tool_call"]

    @property
    def call(self) -> Json:
        """The only tool call."""
        (call,) = self.calls
        return call

    def of(self, kind: str) -> list[Json]:
        return [item for item in self.items if item["kind"] == kind]


class PublishedSession:
    """A session."""

    def __init__(
        self,
        user: httpx.Client,
        agent: str,
        folder: Path,
        policy: str = "ask",
        *,
        files: Mapping[str, str] = {},
    ) -> None:
        self.user = user
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)
        asked = {"cwd": str(folder), "trust": True, "policy": policy}
        self.session_id = open_session(user, agent, **asked)
        self.works_in = Path(self.state["cwd"])
        """The folder, or the copy of it that the agent works in."""
        self._before: dict[str, State] = {}
        """What the folder held when a prompt was sent, by its turn."""

    @property
    def state(self) -> Json:
        answer = self.user.get(f"sessions/{self.session_id}")
        result: Json = answer.raise_for_status().json()
        return result

    def start(self, scenario: str, text: str = "Do it.", **fields: str) -> str:
        """Send a prompt for a scenario, ``name key=value``; return its turn's id."""
        prompt = f"[[mock scenario={scenario} cwd={self.works_in}]] {text}"
        before = held(self.works_in)
        turn_id = start_turn(self.user, self.session_id, prompt, **fields)
        self._before[turn_id] = before
        return turn_id

    def play(self, scenario: str, answer: str = "allow_once") -> Played:
        """Send a prompt and answer all that is asked with an option of that kind."""
        return self.end(self.start(scenario), answer)

    def end(self, turn_id: str, answer: str = "") -> Played:
        """Wait for a turn's end; what is asked meanwhile is answered, if ``answer`` is given."""
        asked: list[Json] = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (detail := self.look(turn_id, 0.2))["turn"]["status"] != "done":
            # One that was answered is open until the agent has got the answer.
            if answer and (call := self._open_request(detail, asked)):
                asked.append(call)
                self.answer(call, answer)
            assert time.monotonic() < deadline, detail
        self._all_is_told(turn_id)
        return Played(detail["turn"], detail["items"], asked)

    def _all_is_told(self, turn_id: str) -> None:
        """See that what became of the folder is the turn's: nobody else has touched it."""
        before, after = self._before[turn_id], held(self.works_in)
        changed = {path for path in before | after if before.get(path) != after.get(path)}
        changed = {path for path in changed if (after | before)[path][0] != "folder"}
        answer = self.user.get(f"turns/{turn_id}/changes").raise_for_status()
        files = [file for file in answer.json()["files"] if file["author"] != "you"]
        told = {path for file in files for path in (file["path"], file["old_path"])}
        assert changed <= told, answer.text

    def look(self, turn_id: str, wait: float = 0.0) -> Json:
        """Return a turn as it is now, or has become within ``wait`` seconds."""
        answer = self.user.get(f"turns/{turn_id}", params={"wait": wait})
        result: Json = answer.raise_for_status().json()
        return result

    def asked(self, turn_id: str) -> Json:
        """Wait until something is asked; return the tool call's card."""

        def find() -> Json:
            detail = self.look(turn_id)
            assert detail["turn"]["status"] != "done", detail["items"]
            return self._open_request(detail)

        return eventually(find, "a permission request")

    def answer(self, call: Json, kind: str) -> None:
        """Choose the option of a kind."""
        permission = call["permission"]
        (option_id,) = (
            option["option_id"] for option in permission["options"] if option["option_kind"] == kind
        )
        url = f"sessions/{self.session_id}/permissions/{permission['request_id']}"
        self.user.post(url, json={"option_id": option_id}).raise_for_status()

    def question(self, turn_id: str) -> Json:
        """Wait for a form to fill in."""

        def find() -> Json:
            items = self.look(turn_id)["items"]
            asked = (i for i in items if i["kind"] == "elicitation" and i["state"] == "pending")
            return next(asked, {})

        return eventually(find, "a question")

    def reply(self, question: Json, content: Json) -> None:
        """Fill in a form."""
        url = f"sessions/{self.session_id}/elicitations/{question['request_id']}"
        self.user.post(url, json={"action": "accept", "content": content}).raise_for_status()

    def limit(self, words: str) -> None:
        """Limit what all its turns together may use."""
        url = f"sessions/{self.session_id}/config"
        self.user.post(url, json={"limit": words}).raise_for_status()

    def stop(self, turn_id: str) -> None:
        """Press Stop."""
        url = f"sessions/{self.session_id}/cancel"
        self.user.post(url, json={"turn_id": turn_id}).raise_for_status()

    def prompts(self) -> list[str]:
        """Return the user's messages in the whole transcript."""
        answer = self.user.get(f"sessions/{self.session_id}/items", params={"start": 0, "end": 500})
        items: list[Json] = answer.raise_for_status().json()["items"]
        return [item["text"] for item in items if item["kind"] == "user_message"]

    def settle(self) -> None:
        """Stop all that runs or waits, so that what failed does not hold up what follows."""

        def quiet() -> bool:
            state = self.state
            queued = [prompt["turn_id"] for prompt in state["queue"]]
            for turn_id in [*queued, *filter(None, [state["active_turn_id"]])]:
                self.stop(turn_id)
            return state["status"] in {"idle", "stopped"} and not queued

        eventually(quiet, "the session is quiet")

    def until_text(self, turn_id: str, sign: str) -> None:
        """Wait until the agent has said something."""

        def said() -> bool:
            items = self.look(turn_id)["items"]
            return any(sign in i["text"] for i in items if i["kind"] == "agent_message")

        eventually(said, f"{sign!r} in a message")

    @staticmethod
    def _open_request(detail: Json, answered: Sequence[Json] = ()) -> Json:
        done = {call["permission"]["request_id"] for call in answered}
        calls = (item for item in detail["items"] if item.get("permission"))
        asked = (call for call in calls if call["permission"]["request_id"] not in done)
        return next((call for call in asked if call["permission"]["state"] == "pending"), {})
