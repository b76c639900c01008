"""Sessions found by what was said in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from threading import Thread
from typing import Any

import httpx
import pytest

from tests.support.server.jupyter_server import KernelSide
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import eventually


@pytest.fixture
def said(user: httpx.Client) -> Iterator[tuple[str, str]]:
    """A session and its turn; the agent says its answer in four chunks."""
    session_id = open_session(user, "hello", new=True)
    turn_id = start_turn(user, session_id, "zebra\n  crossing <b>")
    finished(user, turn_id)
    yield session_id, turn_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def search(user: httpx.Client, text: str) -> dict[str, Any]:
    answer = user.get("search", params={"text": text})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def hits(user: httpx.Client, session_id: str, text: str) -> list[dict[str, Any]]:
    return [hit for hit in search(user, text)["hits"] if hit["session_id"] == session_id]


def test_prompts_and_answers_are_found_over_chunks(
    user: httpx.Client, said: tuple[str, str]
) -> None:
    session_id, turn_id = said
    eventually(lambda: len(hits(user, session_id, "ZEBRA crossing")) == 2)
    prompt, answer = hits(user, session_id, "ZEBRA crossing")
    assert prompt == {
        "session_id": session_id,
        "turn_id": turn_id,
        "where": "prompt",
        "before": "",
        "match": "zebra crossing",
        "after": " <b>",
    }
    assert (answer["where"], answer["turn_id"]) == ("answer", turn_id)
    assert answer["before"].endswith("agent. You said: ")
    # One chunk ends within the words; thoughts and what only the protocol says are not said.
    assert len(hits(user, session_id, "**fake** agent. you said")) == 1
    assert hits(user, session_id, "Somebody said") == []
    assert hits(user, session_id, "agent_message_chunk") == []


def test_a_closed_session_is_found_without_being_opened(
    user: httpx.Client, said: tuple[str, str]
) -> None:
    session_id, _ = said
    user.post(f"sessions/{session_id}/close").raise_for_status()
    assert len(hits(user, session_id, "zebra")) == 2
    listed = {each["session_id"]: each for each in user.get("sessions").json()}
    assert listed[session_id]["stored"]


def test_a_search_goes_on_from_its_cursor(user: httpx.Client, said: tuple[str, str]) -> None:
    whole = search(user, "zebra")
    assert (whole["next_cursor"], whole["searched"]) == ("", whole["total"])
    newest = f"1 1e12 {said[0]}"
    assert user.get("search", params={"text": "zebra", "cursor": newest}).json()["searched"] == (
        whole["searched"] + 1
    )
    oldest = user.get("search", params={"text": "zebra", "cursor": "7 -1.0 x"}).json()
    assert (oldest["hits"], oldest["searched"], oldest["total"]) == ([], 7, 7)


@pytest.mark.parametrize("query", ["", "text=", "text=%20", "text=a&cursor=b", f"text={'x' * 201}"])
def test_what_makes_no_sense_is_refused(user: httpx.Client, query: str) -> None:
    answer = user.get(f"search?{query}")
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")


def test_a_kernel_may_not_search(kernel: KernelSide, said: tuple[str, str]) -> None:
    assert kernel.request("GET", "search?text=zebra").status_code == 403


def test_new_lines_of_the_traffic_are_waited_for(user: httpx.Client, said: tuple[str, str]) -> None:
    path = f"sessions/{said[0]}/traffic-lines"
    seen = user.get(path, params={"limit": 1}).json()["end"]
    nothing = user.get(path, params={"after": seen, "wait": "0.1"}).json()
    assert (nothing["lines"], nothing["end"]) == ([], seen)
    pages: list[dict[str, Any]] = []

    def wait() -> None:
        query = {"after": seen, "wait": "20", "gather": "true"}
        while not pages or not pages[-1]["lines"]:
            pages.append(user.get(path, params=query).json())

    waiting = Thread(target=wait)
    waiting.start()
    finished(user, start_turn(user, said[0], "again"))
    waiting.join()
    page = pages[-1]
    assert page["end"] > seen
    lines = partial(user.get, path, params={"after": seen, "gather": "true"})
    eventually(lambda: "agent_message_chunk" in lines().text)
    (text,) = [each for each in lines().json()["lines"] if each["update"] == "agent_message_chunk"]
    assert (text["count"], text["preview"]) == (4, "Hello from the **fake** agent. You said: again")
    detail = user.get(f"{path}/{text['place']}", params={"end": text["place"] + text["size"]})
    assert detail.json() == {"place": text["place"], "text": text["preview"], "cut": False}
