"""Saved prompts over HTTP: what the agent gets, under which policy, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents.fake_agent import script
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.server.stream import Page
from tests.support.wait import eventually

REVIEW = """---
description: Review a file
arguments:
  file:
    description: Which file
  focus: errors
---
Review {{file}}.
Look for {{ focus }}, and leave {{other}} alone.
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("server")
    trusted = folder / "root" / "trusted"
    trusted.mkdir(parents=True)
    agents = {"hello": script("hello"), "permission": script("permission")}
    with JupyterServer(folder, agents=agents, trusted=[trusted]) as server:
        yield server


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as client:
        yield client


def save(folder: Path, name: str, content: str) -> None:
    file = folder / ".acp" / "prompts" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)


def said(user: httpx.Client, session_id: str, text: Any, **fields: Any) -> tuple[str, str]:
    """Return the prompt of a turn and all that was said in it."""
    items = finished(user, start_turn(user, session_id, text, **fields))["items"]
    prompt = next(item["text"] for item in items if item["kind"] == "user_message")
    return prompt, " ".join(item.get("text", "") for item in items)


def notices(user: httpx.Client, session_id: str) -> list[str]:
    page = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
    return [item["text"] for item in page["items"] if item["kind"] == "notice"]


def test_a_file_is_a_command_as_it_is_now(server: JupyterServer, user: httpx.Client) -> None:
    folder = server.root / "trusted"
    save(folder, "review", REVIEW)
    session_id = open_session(user, "hello", cwd="trusted")
    filled = "Review a.py.\nLook for errors, and leave {{other}} alone."
    for call in ("/review a.py", "/review file=a.py", '  /review file="a.py" focus=errors'):
        assert said(user, session_id, call)[0] == filled
    call = '/review focus="two {{file}} words" my file\nand more'
    prompt, answer = said(user, session_id, call)
    assert prompt.startswith("Review my file\nand more.\nLook for two {{file}} words,")
    assert prompt in answer, "the agent got what is shown"
    missing = user.post(f"sessions/{session_id}/prompt", json={"prompt": "/review"})
    assert (missing.status_code, missing.json()["reason"]) == (400, "bad_request")
    assert "/review file=…" in missing.json()["message"]
    save(folder, "review", "Say hello.")
    assert said(user, session_id, "/review Softly.")[0] == "Say hello.\n\nSoftly."
    blocks = [{"type": "text", "text": "/review"}, {"type": "text", "text": "more"}]
    assert said(user, session_id, blocks)[0].startswith("Say hello.")
    for plain in ("/unknown a", "/", "/../review", "a /review"):
        assert said(user, session_id, plain)[0] == plain


def test_the_policy_is_never_looser_than_the_users(
    server: JupyterServer, user: httpx.Client
) -> None:
    folder = server.root / "trusted"
    save(folder, "loose", "---\npolicy: allow-all\n---\nDo it.")
    save(folder, "strict", "---\npolicy: deny\n---\nDo it.")
    session_id = open_session(user, "permission", cwd="trusted")
    turn_id = start_turn(user, session_id, "/loose")
    pending(user, session_id)
    assert user.get(f"turns/{turn_id}").json()["turn"]["policy"] == "ask"
    (words,) = notices(user, session_id)
    assert "asks for the policy allow-all. Yours is stricter: ask applies." in words
    user.post(f"sessions/{session_id}/cancel", json={"turn_id": turn_id}).raise_for_status()
    finished(user, turn_id)
    for mine, call, applied in (
        ("allow-all", "/strict", "deny"),
        ("deny", "/loose", "deny"),
        ("allow-all", "/loose", "allow-all"),
    ):
        turn = finished(user, start_turn(user, session_id, call, policy=mine))["turn"]
        assert turn["policy"] == applied


def test_nothing_of_it_reaches_an_agent_before_the_folder_is_trusted(
    server: JupyterServer, user: httpx.Client
) -> None:
    folder = server.root / "cloned"
    save(folder, "review", "Read the keys.")
    with Page(server.stream()) as page:
        created = page.command("create_session", agent="hello", cwd="cloned", ask_trust=True)
        session_id = created["result"]["session_id"]
        page.follow(session_id)
        turn_id = start_turn(user, session_id, "/review")

        def question() -> str:
            answer = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 99})
            items = [each for each in answer.json()["items"] if each["kind"] == "trust_request"]
            return str(items[0]["request_id"]) if items else ""

        body = {"session_id": session_id, "request_id": eventually(question, "the question")}
        page.command("trust_folder", **body, trust=False)
        assert finished(user, turn_id)["turn"]["failure"]["reason"] == "folder_not_trusted"
    assert '"session/prompt"' not in user.get(f"sessions/{session_id}/traffic").text


def test_the_agents_own_command_comes_first_and_it_is_said(
    server: JupyterServer, user: httpx.Client
) -> None:
    folder = server.root / "clash"
    save(folder, "help", "Not this.")
    save(folder, "claude", "---\nagent: claude\n---\nFor another.")
    session_id = open_session(user, "demo", cwd="clash")
    eventually(lambda: user.get(f"sessions/{session_id}").json()["commands"], "its commands")
    assert said(user, session_id, "/help")[0] == "/help"
    (words,) = notices(user, session_id)
    assert "/help is a command of" in words
    listed = user.get("prompts", params={"session_id": session_id}).json()["prompts"]
    assert {each["name"]: each["hidden"] for each in listed} == {"claude": False, "help": True}
    refused = user.post(f"sessions/{session_id}/prompt", json={"prompt": "/claude"})
    assert "is for claude, and this session is of demo" in refused.json()["message"]


def test_they_are_listed_for_a_session_and_for_a_new_one(
    server: JupyterServer, user: httpx.Client
) -> None:
    folder = server.root / "listed"
    assert user.get("prompts", params={"notebook_path": "listed/nb.ipynb"}).json()["prompts"] == []
    save(folder, "review", REVIEW)
    save(folder, "broken", "---\ndescription: [\n---\nText")
    save(folder, "two words", "Text")
    (folder / ".acp" / "prompts" / "link.md").symlink_to("/etc/passwd")
    found = user.get("prompts", params={"notebook_path": "listed/nb.ipynb"}).json()
    assert found["folder"] == str(folder)
    by_name = {each["name"]: each for each in found["prompts"]}
    assert by_name["review"]["arguments"] == [
        {"name": "file", "description": "Which file", "default": None},
        {"name": "focus", "description": "", "default": "errors"},
    ]
    problems = {name: each["problem"] for name, each in by_name.items() if each["problem"]}
    assert sorted(problems) == ["broken", "link", "two words"]
    assert "in line 3" in problems["broken"]
    (folder / "nb.ipynb").touch()
    session_id = open_session(user, "demo", cwd="listed")
    again = user.get("prompts", params={"session_id": session_id}).json()
    assert [each["name"] for each in again["prompts"]] == list(by_name)
    broken = user.post(f"sessions/{session_id}/prompt", json={"prompt": "/broken"})
    assert broken.status_code == 400
    assert "front matter of .acp/prompts/broken.md can't be used" in broken.json()["message"]


def test_a_prompt_outside_the_folder_is_not_read(server: JupyterServer, user: httpx.Client) -> None:
    outside = server.root.parent / "outside"
    save(outside, "secret", "A secret.")
    folder = server.root / "linked"
    folder.mkdir()
    (folder / ".acp").symlink_to(outside / ".acp")
    session_id = open_session(user, "demo", cwd="linked")
    assert user.get("prompts", params={"session_id": session_id}).json()["prompts"] == []
    refused = user.post(f"sessions/{session_id}/prompt", json={"prompt": "/secret"})
    assert refused.status_code == 403, refused.text
