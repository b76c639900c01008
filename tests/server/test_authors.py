"""docs/explanation/whose-change.md says whose a change is: a case for each row of its table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents.fake_agent import script
from tests.support.published.authors_told import ToldAuthors
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.server.small_disk import SmallDisk
from tests.support.wait import eventually

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "whose-change.md"
OLD = "".join(f"line {number}\n" for number in range(20))
AGENTS_LINE, YOUR_LINE = "line 2\n", "line 17\n"
BY_AGENT = OLD.replace(AGENTS_LINE, "of the agent\n").replace("\n", "\\n")
WHOSE = {
    "agent": "the agent's",
    "you": "yours",
    "unknown": "unknown",
    "another": "another turn's",
}


class Person:
    """Works in the folder while a turn runs, by the contents API and by a program."""

    def __init__(self, server: JupyterServer, user: httpx.Client, folder: Path) -> None:
        self._user = user
        self._url = f"{server.url}api/contents/{folder.name}"
        self.folder = folder

    def save(self, path: str, text: str) -> None:
        model = {"type": "file", "format": "text", "content": text}
        self._user.put(f"{self._url}/{path}", json=model).raise_for_status()

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.folder / path).read_text()
        assert old in text
        self.save(path, text.replace(old, new))

    def make_notebook(self) -> None:
        self._user.post(self._url, json={"type": "notebook"}).raise_for_status()

    def rename(self, path: str, to: str) -> None:
        body = {"path": f"{self.folder.name}/{to}"}
        self._user.patch(f"{self._url}/{path}", json=body).raise_for_status()

    def delete(self, path: str) -> None:
        self._user.delete(f"{self._url}/{path}").raise_for_status()

    def by_a_program(self, path: str) -> None:
        (self.folder / path).write_text("of a program\n")


def _nothing(person: Person) -> None:
    pass


@dataclass(frozen=True)
class Case:
    """What happens in one turn, and what becomes of the file that a row is about."""

    first: str = ""
    """What the agent does before the person."""
    meanwhile: Callable[[Person], Any] = _nothing
    """What the person does while the agent does ``during``."""
    during: str = "hold {go}"
    then: str = ""
    """What the agent does afterwards."""
    path: str = "a.py"
    left: str | None = OLD
    """What the file holds when all of the turn is reverted."""
    agent: str = "own_tools"
    beside: str = ""
    """What another turn in the folder does meanwhile."""


CASES = {
    "the agent wrote the file through Jupyter": Case(first=f"put a.py {BY_AGENT}"),
    "a call that may write names the file": Case(first=f"show a.py {BY_AGENT}"),
    "it changed while a call or a command ran that may write": Case(
        during="work {go}", meanwhile=lambda it: it.by_a_program("a.py")
    ),
    "the agent announced no call, and its process wrote to the disk just then": Case(
        first=f"write a.py {BY_AGENT}", agent="says_nothing"
    ),
    "you saved the file here, in an editor or through the contents API": Case(
        meanwhile=lambda it: it.save("a.py", "mine\n"), left="mine\n"
    ),
    "you made a notebook or file here": Case(
        meanwhile=lambda it: it.save("mine.py", "mine\n"), path="mine.py", left="mine\n"
    ),
    "you renamed it here": Case(
        meanwhile=lambda it: it.rename("a.py", "mine.py"), path="mine.py", left=OLD
    ),
    "you deleted it here": Case(meanwhile=lambda it: it.delete("a.py"), left=None),
    "both of you changed it": Case(
        first=f"write a.py {BY_AGENT}",
        meanwhile=lambda it: it.edit("a.py", YOUR_LINE, "of mine\n"),
        left=OLD.replace(YOUR_LINE, "of mine\n"),
    ),
    "you changed what the agent had just made": Case(
        first="show new.py of the agent\\n",
        meanwhile=lambda it: it.save("new.py", "of the agent\nof mine\n"),
        path="new.py",
        left="of mine\n",
    ),
    "it changed while the agent waited for your answer": Case(
        during="ask", meanwhile=lambda it: it.by_a_program("a.py"), left="of a program\n"
    ),
    "it changed while the agent only read, or thought": Case(
        during="read {go}", meanwhile=lambda it: it.by_a_program("a.py"), left="of a program\n"
    ),
    "another turn named it or wrote it": Case(beside="show a.py other", left="other"),
    "commands of two turns ran, and none names it": Case(
        during="work {go}", beside="write a.py other", left="other"
    ),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = {**fake_agents("own_tools", "says_nothing"), "other": script("own_tools")}
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=agents) as server:
        yield server


def rows() -> dict[str, str]:
    """Return the table: what was seen, and whose change it is."""
    page = PAGE.read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line[:2] == "| "]
    cells = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]
    return {row[0]: row[1] for row in cells[2:]}


ROWS = rows()


def works(user: httpx.Client, turn_id: str) -> list[str]:
    """Return how far the calls are that name no file."""
    items = user.get(f"turns/{turn_id}").json()["items"]
    return [item["status"] for item in items if item.get("title") == "Work"]


def test_each_row_has_a_case() -> None:
    assert ROWS.keys() == CASES.keys()


@pytest.mark.parametrize("row", CASES)
def test_the_author_is_who_the_page_says(
    server: JupyterServer, user: httpx.Client, row: str
) -> None:
    case = CASES[row]
    folder = server.root / f"work-{list(CASES).index(row)}"
    folder.mkdir()
    (folder / "a.py").write_text(OLD)
    (folder / "plain.py").write_text("before\n")
    turn_id = run(server, user, folder, case, ROWS[row])
    told = user.get(f"turns/{turn_id}/changes").json()
    files = {file["path"]: file for file in told["files"]}
    whose = WHOSE[files[case.path]["author"]]
    if files[case.path]["yours_too"]:
        whose += ", without what you saved"
    assert whose == ROWS[row]
    reverted = user.post(f"turns/{turn_id}/revert").json()
    own = {file["path"] for file in told["files"] if file["author"] == "agent"}
    assert set(reverted["paths"]) == own
    found = folder / case.path
    assert (found.read_text() if found.exists() else None) == case.left
    assert (folder / "plain.py").read_text() == "before\n"


def run(server: JupyterServer, user: httpx.Client, folder: Path, case: Case, whose: str) -> str:
    """Run the turn, and do what is done meanwhile; return its id."""
    go, begun = server.root / f"go-{folder.name}", server.root / f"begun-{folder.name}"
    person, during = Person(server, user, folder), case.during.replace("{go}", str(go))
    says_nothing = case.agent == "says_nothing"
    first = "" if says_nothing else "show plain.py after"
    deeds = [first, case.first, f"write {begun} 1", during, case.then]
    session_id = open_session(user, case.agent, cwd=str(folder))
    turn_id = start_turn(user, session_id, "\n".join(filter(None, deeds)))
    eventually(begun.exists)
    eventually(lambda: says_nothing or "completed" in works(user, turn_id))
    asked = pending(user, session_id) if during == "ask" else None
    case.meanwhile(person)
    if "you" in whose:
        log = f"sessions/{session_id}/traffic"
        eventually(lambda: "file_saved" in user.get(log).text)
    if case.beside:
        other = open_session(user, "other", cwd=str(folder))
        finished(user, start_turn(user, other, case.beside))
    if asked is not None:
        changed = (folder / case.path).stat().st_ctime
        eventually(lambda: time.time() > changed + 0.1)  # files have coarser times than calls
        place = f"sessions/{session_id}/permissions/{asked['request_id']}"
        user.post(place, json={"option_id": "yes"}).raise_for_status()
    go.touch()
    finished(user, turn_id)
    return turn_id


SILENT = {
    "by itself": (
        "write a.py x",
        "write new/b.py y",
        "delete gone",
        "rename old other",
        "link c a.py",
        "folder empty",
    ),
    "by a child": (
        "run echo x > a.py",
        "run mkdir new && echo y > new/b.py",
        "run rm gone",
        "run mv old other",
        "run ln -s a.py c",
        "run mkdir empty",
    ),
    "by one that it left behind": (
        "leave mkdir new empty && rm gone && mv old other && ln -s a.py c"
        " && echo x > a.py && echo y > new/b.py && touch {done}",
        "hold {done}",
    ),
    "by a child that waits for the disk": (
        "run mkdir new empty && mv old other && ln -s a.py c",
        "run dd if=/dev/zero of=a.py bs=4k count=200 oflag=dsync",
        "run dd if=/dev/zero of=new/b.py bs=4k count=200 oflag=dsync && rm gone",
    ),
}
"""What an agent does without a word, and who does it."""


@pytest.mark.parametrize("who", SILENT)
def test_nothing_that_a_silent_agent_did_is_called_its_users(
    server: JupyterServer, user: httpx.Client, who: str
) -> None:
    folder = server.root / f"silent-{list(SILENT).index(who)}"
    folder.mkdir()
    deeds = "\n".join(SILENT[who]).replace("{done}", str(server.root / f"{folder.name}-done"))
    authors = silently_done(user, folder, deeds)
    if "waits" not in who:  # there the system may count a piece long after the file's time
        assert authors["a.py"] == authors["new/b.py"] == "agent"


def test_what_it_did_on_a_disk_on_which_nothing_is_counted_is_nobodys(
    server: JupyterServer, user: httpx.Client
) -> None:
    """As in memory; where a test may mount none, this is any disk."""
    folder = server.root / "in-memory"
    with SmallDisk(folder):
        silently_done(user, folder, "\n".join(SILENT["by itself"]))


def silently_done(user: httpx.Client, folder: Path, deeds: str) -> dict[str, str]:
    """Return whose each change is: the agent's, or nobody's that was seen."""
    for name in ("gone", "old", "a.py"):
        (folder / name).write_text(name * 100)
    session_id = open_session(user, "says_nothing", cwd=str(folder))
    turn_id = start_turn(user, session_id, deeds)
    finished(user, turn_id)
    files = user.get(f"turns/{turn_id}/changes").json()["files"]
    authors = {file["path"]: file["author"] for file in files}
    assert authors.keys() == {"a.py", "new/b.py", "gone", "other", "c"}
    assert set(authors.values()) <= {"agent", "unknown"}
    return authors


def test_the_check_of_published_agents_sees_what_a_person_saved(
    server: JupyterServer, user: httpx.Client, tmp_path: Path
) -> None:
    told = ToldAuthors(tmp_path)
    assert told.check() == []
    (tmp_path / "server").symlink_to(server.root.parent)
    for number, row in enumerate(("both of you changed it", "you made a notebook or file here")):
        folder = server.root / f"seen-{number}"
        folder.mkdir()
        (folder / "a.py").write_text(OLD)
        (folder / "plain.py").write_text("before\n")
        run(server, user, folder, CASES[row], WHOSE["you"])
        with pytest.raises(AssertionError, match=CASES[row].path):
            told.check()
    assert told.check() == []
