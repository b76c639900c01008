"""Any sequence of turns, operations and edits on two servers, which are stopped and killed.

Both have one root and one data folder. What is right is known from pictures of the folder, as in
`tests/sessions/test_any_operations.py`; here processes end, also with a request under way.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import httpx
import psutil
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from acp_jupyter.features import NAMES as FEATURES
from acp_jupyter.host.store.ownership import ELSEWHERE
from tests.support.generated import TIMES, examples
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import PATIENCE_SECONDS, eventually

Files = dict[str, str]
"""What each file of the folder holds; the notebook is not among them."""
Told = dict[str, list[str]]
"""Which files are reverted, or not kept, by turn."""
Ending = Literal["stop", "kill"]

AGENT = "own_tools"
NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
NAMES = st.sampled_from(["a.py", "b.py", "new/c.py"])
TEXTS = st.sampled_from(["1", "2", "3"])
DEED = st.one_of(
    st.builds("write {} {}".format, NAMES, TEXTS),
    st.builds("append {} {}".format, st.just("a.py"), TEXTS),
    st.just("delete b.py\nwrite b.py 9"),
    st.builds("write a.py {0}\nwrite b.py {0}\nwrite new/c.py {0}\nwrite new/d.py x".format, TEXTS),
)
PLACE = st.integers(0, 30)
ENDING = st.sampled_from(["stop", "kill"])
MOMENT = st.tuples(
    st.sampled_from(["at once", "record", "folder", "log", "answer"]), st.integers(1, 4)
)
"""When a server ends: the so-and-so-many-th change there, if the answer does not come before."""
_MAX_ENDS = 2
"""Of servers in the midst of operations, in a sequence: each start takes seconds."""
_TRIED = 3
"""Turns, until one can be reverted."""
SOON = """
from functools import partial
from acp_jupyter.host.limits import Limits
from acp_jupyter.server import extension
extension.Limits = partial(Limits, heartbeat_seconds=0.5)
"""
"""Configuration of a server that sees soon that another one has ended."""


class Operation(NamedTuple):
    """A request that changes the folder."""

    session_id: str
    """Of the server that has this one it is asked."""
    path: str
    body: dict[str, Any]

    def undo(self, reply: Any) -> Operation:
        """Return what undoes it."""
        if self.path.endswith("/rewind"):
            session_id = reply["session"]["session_id"]
            return Operation(session_id, f"sessions/{session_id}/undo-rewind", {})
        return self._replace(body={"undo": not self.body["undo"]})


class Picture(NamedTuple):
    """What is there at a moment."""

    files: Files
    told: Told


class Request(threading.Thread):
    """A request that is under way."""

    def __init__(self, client: httpx.Client, operation: Operation) -> None:
        super().__init__()
        self._client = client
        self._operation = operation
        self.answer: httpx.Response | None = None

    def run(self) -> None:
        with contextlib.suppress(httpx.HTTPError):  # its server was killed
            self.answer = self._client.post(self._operation.path, json=self._operation.body)

    def answered(self) -> httpx.Response | None:
        """Wait for its end; return the answer, if there was one."""
        self.join(PATIENCE_SECONDS)
        assert not self.is_alive()
        return self.answer


class Servers:
    """Two servers on the same folders; each goes on from sequence to sequence until it is ended."""

    def __init__(self, folder: Path) -> None:
        agents = fake_agents(AGENT)
        self._servers = [JupyterServer(folder, agents=agents, config=SOON) for _ in range(2)]
        self._users: dict[int, httpx.Client] = {}
        self.root = self._servers[0].root
        self.data = folder / "data" / "acp-jupyter"
        self.sequences = itertools.count()

    def running(self) -> list[int]:
        return list(self._users)

    def user(self, number: int) -> httpx.Client:
        """Return a client of a server, which is started if it does not run."""
        if number not in self._users:
            server = self._servers[number].__enter__()
            self._users[number] = server.user()
        return self._users[number]

    def contents(self, number: int, path: str) -> str:
        """Return the URL of a file of the contents API."""
        return f"{self._servers[number].url}api/contents/{path}"

    def end(self, number: int, ending: Ending, gate: Path | None = None) -> None:
        """End a server with all its agents; what one of them waits for comes then."""
        server = self._servers[number]
        agents = psutil.Process(server.pid).children(recursive=True)
        if ending == "kill":
            server.kill()
        if gate is not None:
            gate.touch()
        server.__exit__()
        assert not psutil.wait_procs(agents, PATIENCE_SECONDS)[1]
        self._users.pop(number).close()

    def close(self) -> None:
        for number in self.running():
            self._users.pop(number).close()
            self._servers[number].__exit__()


class Operations(RuleBasedStateMachine):
    """A new folder with a notebook.

    No rule has a precondition: what an end leaves is not always the same; what is drawn must be.
    """

    def __init__(self, servers: Servers) -> None:
        super().__init__()
        self.servers = servers
        self.name = f"work-{next(servers.sequences)}"
        self.root = servers.root / self.name
        self.root.mkdir()
        for name in ("a.py", "b.py"):
            (self.root / name).write_text("0")
        self.notebook = f"{self.name}/book.ipynb"
        (servers.root / self.notebook).write_text(NOTEBOOK)
        self.owners: dict[str, int] = {}
        """Which server had a session last."""
        self.of_turns: dict[str, str] = {}
        """The sessions of turns and variants."""
        self.turns: list[str] = []
        self.variants: list[str] = []
        self.undo: tuple[Operation, Picture] | None = None
        """What undoes the last operation, and what was there before that."""
        self.mine: Files = {}
        """What a person wrote into files that no agent has changed since."""
        self.deeds = ""
        self.written = 0
        self.ends = 0
        self.has_ended = False
        """Whether a server has ended otherwise."""
        self.beside_id = ""
        """A session of the other server in the same folder."""
        self.session_id = self.open(0, notebook_path=self.notebook)

    def teardown(self) -> None:
        for session_id, number in self.owners.items():
            if number in self.servers.running():
                self.servers.user(number).delete(f"sessions/{session_id}")
        shutil.rmtree(self.root, ignore_errors=True)

    # -- what is there ---------------------------------------------------------

    def open(self, number: int, **fields: Any) -> str:
        user = self.servers.user(number)
        session_id = open_session(user, AGENT, cwd=str(self.root), start="lazy", **fields)
        self.owners[session_id] = number
        return session_id

    def files(self) -> Files:
        """Return what is in the folder; nothing of an operation is left there."""
        found = {
            path.relative_to(self.root).as_posix(): path.read_text()
            for path in self.root.rglob("*")
            if path.is_file()
        }
        assert not [path for path in found if path.endswith(".tmp")]
        assert found.pop(self.notebook.partition("/")[2]) == NOTEBOOK
        return found

    def owner(self, session_id: str) -> int:
        """Return the server that has a session; wait for one that takes it."""

        def has(number: int) -> bool:
            answer = self.servers.user(number).get(f"sessions/{session_id}")
            assert answer.status_code == 200, answer.text
            assert answer.json()["read_only"] in {"", ELSEWHERE}
            return not answer.json()["read_only"]

        def found() -> list[int]:
            last = self.owners.get(session_id, 0)
            order = sorted(self.servers.running() or [last], key=lambda number: number != last)
            return list(itertools.islice(filter(has, order), 1))  # the other may not open it

        (self.owners[session_id],) = eventually(found, "a server that has the session")
        return self.owners[session_id]

    def user(self, session_id: str) -> httpx.Client:
        """Return a client of the server that has a session."""
        return self.servers.user(self.owner(session_id))

    def session(self, session_id: str) -> dict[str, Any]:
        state: dict[str, Any] = self.user(session_id).get(f"sessions/{session_id}").json()
        return state

    def turn(self, turn_id: str) -> dict[str, Any]:
        """Return a turn once it is known what it changed; nothing where nobody knows the turn."""
        user = self.user(self.of_turns[turn_id])
        user.get(f"turns/{turn_id}/changes")
        answer = user.get(f"turns/{turn_id}")
        assert answer.status_code in {200, 404}, answer.text
        turn: dict[str, Any] = answer.json()["turn"] if answer.is_success else {}
        return turn

    def changed(self, turn_id: str) -> list[dict[str, Any]]:
        """Return the files that a turn changed, or others meanwhile."""
        changes = self.turn(turn_id)["changes"]
        return [] if changes is None else list(changes["files"])

    def told(self) -> Told:
        return {
            turn_id: [file["path"] for file in self.changed(turn_id) if file["reverted"]]
            for turn_id in (*self.turns, *self.variants)
        }

    def picture(self) -> Picture:
        """Return what is there once a server has settled it."""
        told = self.told()
        return Picture(self.files(), told)

    def expect_mine(self) -> None:
        """What a person wrote is on disk."""
        found = self.files()
        assert {name: found.get(name) for name in self.mine} == self.mine

    def write_mine(self, name: str) -> None:
        self.written += 1
        self.mine[name] = f"mine {self.written}"
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(self.mine[name])

    def save(self, session_id: str, name: str) -> None:
        """Let a person save a file in a page, while a turn runs."""
        self.written += 1
        self.mine[name] = f"mine {self.written}"
        (self.root / name).parent.mkdir(exist_ok=True)
        number, user = self.owner(session_id), self.user(session_id)
        model = {"type": "file", "format": "text", "content": self.mine[name]}
        before = self.saves(session_id)
        url = self.servers.contents(number, f"{self.name}/{name}")
        user.put(url, json=model).raise_for_status()
        eventually(lambda: self.saves(session_id) > before, "the save is in the log")

    def saves(self, session_id: str) -> int:
        return self.user(session_id).get(f"sessions/{session_id}/traffic").text.count("file_saved")

    def forget_mine(self, session_id: str, deed: str) -> None:
        """What an agent is told to write is not a person's any more.

        Told what was said before, it does the second lines of all that again.
        """
        again = self.deeds if self.session(session_id)["branch"] is not None else ""
        self.deeds += deed
        self.mine = {name: text for name, text in self.mine.items() if name not in deed + again}

    # -- what is asked -----------------------------------------------------------

    def wanted(self, what: str, place: int, *, undo: bool = False) -> Operation | None:
        """Return an operation; None where there is nothing to be changed."""
        if what == "keep" and self.variants:
            turn_id = self.variants[place % len(self.variants)]
            return Operation(self.of_turns[turn_id], f"turns/{turn_id}/keep", {"undo": undo})
        if what != "rewind":
            turn_id = self.turns[place % len(self.turns)]
            return Operation(self.of_turns[turn_id], f"turns/{turn_id}/revert", {"undo": undo})
        if "history" not in FEATURES:
            return None
        page = self.user(self.session_id).get(
            f"sessions/{self.session_id}/items", params={"start": 0, "end": 500}
        )
        order = list(dict.fromkeys(i["turn_id"] for i in page.json()["items"] if i["turn_id"]))
        if not order:
            return None
        body = {"turn_id": order[place % len(order)]}
        return Operation(self.session_id, f"sessions/{self.session_id}/rewind", body)

    def is_fresh(self, operation: Operation) -> bool:
        """Return whether nothing of it was done, so that its Undo gives back what was before."""
        kind = operation.path.rpartition("/")[2]
        if kind == "rewind":
            return True
        if operation.body.get("undo", True):
            return False
        files = self.changed(operation.path.split("/")[1])
        return all(file["reverted"] is (kind == "keep") for file in files)

    def send(self, operation: Operation, number: int | None = None) -> httpx.Response:
        """Ask for an operation. Refused, it has changed nothing; what a person wrote is left."""
        if operation.path.endswith("/keep"):
            for file in self.changed(operation.path.split("/")[1]):
                self.mine.pop(file["path"], None)  # it is asked for by name
        before, fresh = self.picture(), self.is_fresh(operation)
        user = self.servers.user(self.owner(operation.session_id) if number is None else number)
        answer = user.post(operation.path, json=operation.body)
        refusals = {400, 403, 409, 410} | ({404} if number is not None else set())
        assert answer.status_code in {200, *refusals}, answer.text
        if answer.status_code != 200:
            assert self.picture() == before, answer.text
            return answer
        self.expect_mine()
        self.undo = (operation.undo(answer.json()), before) if fresh else None
        if operation.path.startswith("sessions/"):
            self.session_id = str(answer.json()["session"]["session_id"])
            self.owners.setdefault(self.session_id, self.owners[operation.session_id])
        return answer

    def take_back(self) -> bool:
        """Send what gives back a picture, which it does; False where two servers have a part."""
        assert self.undo is not None
        operation, before = self.undo
        answer = self.send(operation)
        if answer.status_code != 200:
            assert "another server" in answer.text
            return False
        assert self.files() == before.files
        assert self.told().items() >= before.told.items()
        self.undo = None
        return True

    # -- what happens ------------------------------------------------------------

    @initialize(deeds=st.lists(DEED, min_size=1, max_size=3), attempted=st.booleans())
    def begin(self, deeds: list[str], attempted: bool) -> None:
        for deed in deeds:
            self.prompt(deed, beside=False)
        if attempted:
            self.attempt(deeds[0], beside=False)

    @rule(deed=DEED, beside=st.booleans())
    def another_prompt(self, deed: str, beside: bool) -> None:
        self.prompt(deed, beside=beside)

    def prompt(self, deed: str, *, beside: bool) -> None:
        """Prompt in the notebook's session, or in one of the other server."""
        if beside and not self.beside_id:
            self.beside_id = self.open(1 - self.owner(self.session_id))
        session_id = self.beside_id if beside else self.session_id
        self.forget_mine(session_id, deed)
        user = self.user(session_id)
        turn_id = start_turn(user, session_id, deed)
        finished(user, turn_id)
        self.of_turns[turn_id] = session_id
        self.turns.append(turn_id)
        self.undo = None
        self.expect_mine()

    def held_turn(self, session_id: str, deed: str, verb: str = "hold") -> tuple[str, Path]:
        """Start a turn that does something, and then waits for a file; return that, too."""
        self.forget_mine(session_id, deed)
        self.written += 1
        said, gate = f"Go {self.written}", self.servers.data.parent / f"{self.name}-{self.written}"
        user = self.user(session_id)
        turn_id = start_turn(user, session_id, f"{deed}\nsay {said}\n{verb} {gate}")
        self.of_turns[turn_id] = session_id
        self.undo = None

        def has_said() -> bool:
            items = user.get(f"turns/{turn_id}").json()["items"]
            words = "".join(i["text"] for i in items if i["kind"] == "agent_message")
            return words.endswith(said)

        eventually(has_said, said)
        return turn_id, gate

    @rule(deed=DEED, name=NAMES, ending=st.sampled_from(["", "stop", "kill"]))
    def prompt_beside_a_person(self, deed: str, name: str, ending: Ending | Literal[""]) -> None:
        """A person saves a file while the turn waits, which ends then, or by the server's end."""
        turn_id, gate = self.held_turn(self.session_id, deed)
        self.save(self.session_id, name)
        if ending and not self.has_ended:
            self.has_ended = True
            self.servers.end(self.owners[self.session_id], ending, gate)
        gate.touch()
        finished(self.user(self.session_id), turn_id)
        self.turns.append(turn_id)
        assert self.turn(turn_id)["changes_unknown"] == ""
        authors = {file["path"]: file["author"] for file in self.changed(turn_id)}
        assert {authors[path] for path in set(authors) - {name}} <= {"agent"}
        if name not in deed and self.session(self.session_id)["branch"] is None:
            assert authors.get(name, "you") == "you"
        self.expect_mine()

    @rule(name=NAMES, what=st.sampled_from(["mine", "0", "1", "2", "rename"]))
    def a_person_works(self, name: str, what: str) -> None:
        """In a file, or the notebook gets another name."""
        if what == "rename":
            self.rename()
            return
        self.mine.pop(name, None)
        if what == "mine":
            self.write_mine(name)
        else:
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(what)
        self.undo = None

    def rename(self) -> None:
        """Rename the notebook: its session goes along."""
        self.written += 1
        old, self.notebook = self.notebook, f"{self.name}/book-{self.written}.ipynb"
        number = self.owner(self.session_id)
        url = self.servers.contents(number, old)
        answer = self.servers.user(number).patch(url, json={"path": self.notebook})
        assert answer.status_code == 200, answer.text
        eventually(
            lambda: self.session(self.session_id)["notebook_path"] == self.notebook, "it goes along"
        )

    @rule(place=PLACE, undo=st.booleans())
    def revert(self, place: int, undo: bool) -> None:
        if not self.turns:
            return
        operation = self.wanted("revert", place, undo=undo)
        assert operation is not None
        self.send(operation)

    @rule(place=PLACE)
    def go_back(self, place: int) -> None:
        if not self.turns:
            return
        if (operation := self.wanted("rewind", place)) is not None:
            self.send(operation)

    @rule(deed=DEED, beside=st.booleans())
    def another_attempt(self, deed: str, beside: bool) -> None:
        self.attempt(deed, beside=beside)

    def attempt(self, deed: str, *, beside: bool) -> None:
        """Try a prompt in a copy, at either server."""
        if "variants" not in FEATURES:
            return
        number = 1 - self.owner(self.session_id) if beside else self.owner(self.session_id)
        user = self.servers.user(number)
        answer = user.post("variants", json={"agent": AGENT, "cwd": str(self.root)})
        assert answer.status_code == 200, answer.text
        session_id = answer.json()["session_id"]
        turn_id = start_turn(user, session_id, deed)
        finished(user, turn_id)
        self.of_turns[turn_id] = session_id
        self.owners[session_id] = number
        self.variants.append(turn_id)

    @rule(place=PLACE)
    def keep(self, place: int) -> None:
        if not self.variants:
            return
        operation = self.wanted("keep", place)
        assert operation is not None
        self.send(operation)

    @rule()
    def undo_last(self) -> None:
        if self.undo is None:
            return
        self.take_back()

    # -- two servers -------------------------------------------------------------

    @rule(what=st.sampled_from(["revert", "keep", "rewind"]), place=PLACE, ending=ENDING)
    def the_other_server_tries(self, what: str, place: int, ending: Ending) -> None:
        """It may only read the session, until that one's server has ended: then it takes it."""
        operation = self.wanted(what, place)
        if operation is None:
            return
        owner = self.owner(operation.session_id)
        other = self.servers.user(1 - owner)
        assert other.get(f"sessions/{operation.session_id}").json()["read_only"] == ELSEWHERE
        assert self.send(operation, 1 - owner).status_code != 200
        if not self.has_ended:
            self.has_ended = True
            told = self.told()
            self.servers.end(owner, ending)
            assert self.owner(operation.session_id) == 1 - owner
            assert self.told() == told
            self.send(operation)

    @rule(place=PLACE, other=PLACE)
    def two_at_once(self, place: int, other: int) -> None:
        """Each server reverts a turn: it is as if one had come after the other."""
        if not (self.turns and self.beside_id):
            return
        one, two = (self.wanted("revert", each) for each in (place, other))
        assert one is not None
        assert two is not None
        owners = self.owner(one.session_id), self.owner(two.session_id)
        if owners[0] == owners[1] or not (self.is_fresh(one) and self.is_fresh(two)):
            return
        before = self.files()
        possible = []
        for order in ((one, two), (two, one)):
            undone: list[Operation] = []
            done: set[str] = set()
            for operation in order:
                if self.send(operation).status_code == 200:
                    undone.append(operation._replace(body={"undo": True}))
                    done.add(operation.path)
            possible.append((done, self.picture()))
            for operation in reversed(undone):
                assert self.send(operation).status_code == 200
            assert self.files() == before
        requests = [
            Request(self.servers.user(owner), operation)
            for owner, operation in zip(owners, (one, two), strict=True)
        ]
        for request in requests:
            request.start()
        answers = [request.answered() for request in requests]
        at_once = {
            operation.path
            for operation, answer in zip((one, two), answers, strict=True)
            if answer is not None and answer.status_code == 200
        }
        assert (at_once, self.picture()) in possible
        self.undo = None

    @rule(place=PLACE, deed=DEED, beside=st.booleans(), verb=st.sampled_from(["hold", "work"]))
    def revert_beside_a_turn(self, place: int, deed: str, beside: bool, verb: str) -> None:
        """What is reverted while another turn runs in the folder is none of its changes."""
        if not self.turns:
            return
        number = self.owner(self.session_id)
        session_id = self.open(1 - number if beside else number)
        turn_id, gate = self.held_turn(session_id, deed, verb)
        operation = self.wanted("revert", place)
        assert operation is not None
        self.send(operation)
        gate.touch()
        finished(self.user(session_id), turn_id)
        self.turns.append(turn_id)
        self.undo = None
        assert all(file["path"] in deed for file in self.changed(turn_id))
        self.expect_mine()

    # -- how servers end ---------------------------------------------------------

    @rule(ending=ENDING)
    def restart(self, ending: Ending) -> None:
        if self.has_ended:
            return
        before, self.has_ended = self.picture(), True
        self.servers.end(self.owner(self.session_id), ending)
        assert self.picture() == before
        self.expect_mine()

    def at(self, moment: tuple[str, int], is_alive: Callable[[], bool]) -> None:
        """Wait for a moment, unless something ends before."""
        where, times = moment
        if where == "at once":
            return
        if where == "answer":
            eventually(lambda: not is_alive(), "it ends")
            return
        logs = self.servers.data / "sessions" / self.session_id
        folders = {"record": self.servers.data / "operations", "folder": self.root, "log": logs}
        seen = _look(folders[where])
        while is_alive() and times:
            if (now := _look(folders[where])) != seen:
                seen, times = now, times - 1

    @rule(place=PLACE, undo=st.booleans(), moment=MOMENT, ending=ENDING)
    def end_in_a_revert(
        self, place: int, undo: bool, moment: tuple[str, int], ending: Ending
    ) -> None:
        if self.ends >= _MAX_ENDS:
            return
        self.end_in_an_operation(self.rehearsed("revert", place), undo, moment, ending)

    @rule(place=PLACE, undo=st.booleans(), moment=MOMENT, ending=ENDING)
    def end_in_keeping(
        self, place: int, undo: bool, moment: tuple[str, int], ending: Ending
    ) -> None:
        if self.ends >= _MAX_ENDS or not self.variants:
            return
        self.end_in_an_operation(self.rehearsed("keep", place), undo, moment, ending)

    @rule(place=PLACE, undo=st.booleans(), moment=MOMENT, ending=ENDING)
    def end_in_going_back(
        self, place: int, undo: bool, moment: tuple[str, int], ending: Ending
    ) -> None:
        if self.ends >= _MAX_ENDS:
            return
        self.end_in_an_operation(self.rehearsed("rewind", place), undo, moment, ending)

    @rule(moment=MOMENT, ending=ENDING)
    def end_in_an_undo(self, moment: tuple[str, int], ending: Ending) -> None:
        if self.ends >= _MAX_ENDS or self.undo is None:
            return
        self.end_in_an_operation(self.undo, False, moment, ending)

    def end_in_an_operation(
        self,
        rehearsed: tuple[Operation, Picture] | None,
        undo: bool,
        moment: tuple[str, int],
        ending: Ending,
    ) -> None:
        """All of it is done or nothing, as its session's log says; what was answered is done.

        With ``undo`` it is done, and its Undo is what the server ends in.
        """
        if rehearsed is None:
            return
        if undo:
            assert self.send(rehearsed[0]).status_code == 200
            assert self.undo is not None
            rehearsed = self.undo
        operation, after = rehearsed
        before, is_undo = self.picture(), rehearsed is self.undo
        after = after._replace(told={**before.told, **after.told})
        owner = self.owner(operation.session_id)
        request = Request(self.servers.user(owner), operation)
        request.start()
        self.at(moment, request.is_alive)
        self.ends += 1
        self.servers.end(owner, ending)
        answer = request.answered()
        now = self.picture()
        assert now in (before, after)
        if answer is not None and answer.status_code == 200:
            assert now == after
        self.expect_mine()
        is_done = now == after
        if operation.path.startswith("sessions/"):
            goes_on = self.session(self.session_id)["continues_in"]
            assert bool(goes_on) is is_done or before == after
            is_done, self.session_id = bool(goes_on), goes_on or self.session_id
        # All its sessions were opened since, so nothing is left to be noted.
        records = (self.servers.data / "operations").glob("*.ndjson")
        assert not [path for path in records if f'/{self.name}"' in path.read_text()]
        self.undo = None
        if is_done and not is_undo:
            reply = {"session": {"session_id": self.session_id}}
            self.undo = operation.undo(reply), before
        elif not is_done:
            self.undo = operation, after
            self.take_back()  # it can be done now

    def rehearsed(self, what: str, place: int) -> tuple[Operation, Picture] | None:
        """Carry out an operation and undo it; return it, and what is there after it."""
        for each in range(place, place + _TRIED):
            operation = self.wanted(what, each)
            if operation is None or not self.is_fresh(operation):
                continue
            if self.send(operation).status_code == 200:
                after = self.picture()
                return (operation, after) if self.take_back() else None
        return None

    @rule(deed=DEED, moment=MOMENT, ending=ENDING)
    def end_in_a_turn(self, deed: str, moment: tuple[str, int], ending: Ending) -> None:
        """What a turn has changed is known at the next start, or said to be unknown."""
        if self.has_ended:
            return
        before, told = self.picture()
        self.forget_mine(self.session_id, deed)
        owner, user = self.owner(self.session_id), self.user(self.session_id)
        turn_id = start_turn(user, self.session_id, deed)
        self.of_turns[turn_id] = self.session_id
        self.at(moment, lambda: _runs(user, turn_id))
        self.has_ended = True
        self.servers.end(owner, ending)
        self.undo = None
        self.expect_mine()
        assert self.told() == told
        turn = self.turn(turn_id)
        if not turn:
            assert self.files() == before  # the agent was never asked
            return
        self.turns.append(turn_id)
        files = () if turn["changes"] is None else turn["changes"]["files"]
        assert bool(files or turn["changes_unknown"]) >= (self.files() != before)


def _runs(user: httpx.Client, turn_id: str) -> bool:
    return bool(user.get(f"turns/{turn_id}").json()["turn"]["status"] != "done")


def _look(folder: Path) -> list[tuple[str, int, int]]:
    """Return what is in a folder, as far as a change of it shows."""
    found = []
    with contextlib.suppress(OSError):  # it changes meanwhile
        for path in folder.rglob("*"):
            status = path.stat()
            found.append((str(path), status.st_size, status.st_mtime_ns))
    return sorted(found)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    servers = Servers(tmp_path)
    try:
        yield servers
    finally:
        servers.close()


def test_a_server_is_killed_in_a_revert_and_the_other_one_goes_on(servers: Servers) -> None:
    operations = Operations(servers)
    operations.begin(["write a.py 1\nwrite b.py 1\nwrite new/c.py 1"], attempted=False)
    operations.end_in_a_revert(0, False, ("folder", 1), "kill")
    operations.the_other_server_tries("revert", 0, "kill")


@pytest.mark.long
@pytest.mark.timeout(600 + 60 * TIMES)
def test_any_sequence(servers: Servers) -> None:
    class Here(Operations):
        def __init__(self) -> None:
            super().__init__(servers)

    # A sequence takes seconds, so one that fails is shown as it is.
    few = settings(
        examples(2), stateful_step_count=10, phases=(Phase.explicit, Phase.reuse, Phase.generate)
    )
    run_state_machine_as_test(Here, settings=few)
