"""A prompt cell that a page runs, as its server takes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.kernel.notebook_file import new_notebook, write_notebook
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = fake_agents("hello", "own_tools")
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=agents) as server:
        (server.root / "work").mkdir()
        (server.root / "work" / "a.csv").write_text("n\n1\n")
        write_notebook(server.root / "work" / "nb.ipynb", new_notebook("1"))
        yield server


def run(user: httpx.Client, source: str, **more: Any) -> httpx.Response:
    body = {"notebook_path": "work/nb.ipynb", "cell_id": "c1", "source": source, **more}
    return user.post("prompt-cells", json=body)


def sent(user: httpx.Client, session_id: str) -> list[Any]:
    """Return the content of the last prompt that the agent was sent."""
    lines = user.get(f"sessions/{session_id}/traffic").text.splitlines()
    out = [line["m"] for line in map(json.loads, lines) if line["d"] == ">"]
    prompts = [each for each in out if each.get("method") == "session/prompt"]
    found: list[Any] = prompts[-1]["params"]["prompt"]
    return found


def test_it_is_sent_with_what_it_names(user: httpx.Client) -> None:
    line = "%%acp hello --attach *.csv --var df --policy deny --timeout 9 --allow read"
    answer = run(user, f"{line}\nLook at @a.csv", variables={"df": "\x1b[1mdf\x1b[0m: data.frame"})
    assert answer.status_code == 202
    reply = answer.json()
    assert reply["timeout"] == 9
    turn = finished(user, reply["turn_id"])
    assert turn["turn"]["policy"] == "deny"
    assert turn["turn"]["origin"]["cell_id"] == "c1"
    text, file, variable, mention = sent(user, reply["session_id"])
    assert text["text"] == "Look at @a.csv"
    assert (file["name"], mention["name"]) == ("a.csv", "a.csv")
    assert variable["text"] == "Variables of the notebook's kernel:\n\ndf: data.frame"


def test_a_cell_that_names_no_agent_goes_on_with_the_notebooks(user: httpx.Client) -> None:
    first = run(user, "%%acp own_tools --new\nsay Hello").json()
    finished(user, first["turn_id"])
    second = run(user, "%%acp\nsay More").json()
    assert second["session_id"] == first["session_id"]
    finished(user, second["turn_id"])
    named = run(user, "%%acp own_tools --session other --background\nsay Hello").json()
    assert named["session_id"] != first["session_id"]
    assert named["background"]
    finished(user, named["turn_id"])


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("%%acp hello --polcy ask\nHello", "Type --policy."),
        ("%%acp hello --out turn\nHello", "--out needs a Python kernel"),
        ("%%acp hello --format\nHello", "--format needs a Python kernel"),
        ("%%acp hello, hello --try\nHello", "--try needs a Python kernel"),
        ("%%acp hello --var df\nHello", "The kernel knows no variable 'df'"),
        ("%%acp hello --attach gone.csv\nHello", "gone.csv does not exist"),
        ("%%acp hello --attach /etc/passwd\nHello", "lies outside"),
        ("%%acp hello --mode fast\nHello", "mode"),
        ("%%acp hello\n \n", "The prompt is empty."),
        ("%%acp nobody\nHello", "nobody"),
        ("print(1)", "begins with %%acp"),
        ("%%acp 'hello\nHello", "quotation mark"),
    ],
)
def test_what_can_not_be_run_is_said_in_words(user: httpx.Client, source: str, words: str) -> None:
    answer = run(user, source)
    assert 400 <= answer.status_code < 500
    assert words in answer.json()["message"]


def test_a_kernel_that_can_not_be_asked_is_named(user: httpx.Client) -> None:
    answer = run(user, "%%acp hello --var df\nHello", unknown="The kernel is busy.")
    assert answer.json()["message"].startswith("The kernel is busy. Leave out --var df.")


def test_what_is_read_before_it_runs(user: httpx.Client) -> None:
    def read(source: str) -> Any:
        return user.post("prompt-cells/read", json={"source": source}).json()

    asked = read("%%acp hello --var df\nIs @my.frame$x in @data/a.csv or @.hidden? ```\n@b")
    assert asked["names"][:2] == ["df", "my.frame"]
    assert "--policy" in read("%%acp --help")["help"]
    assert read("%%acp\n" + "@a " * 5000)["names"] == ["a"]
    many = read("%%acp\n" + " ".join(f"@v{number}" for number in range(500)))
    assert len(many["names"]) == 20
