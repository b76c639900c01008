"""A hostile record in a folder that is trusted: what it writes, by each way, policy and user.

A row of `TARGETS`, `WAYS` or `EXPECTED` is an attack. Every row is a turn of one record.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import dataclass
from typing import Literal, get_args

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.features.recordings.records import host_in, opened, recorded
from tests.support.agents.peer import Json
from tests.support.agents.replay_log import OPTIONS, Score
from tests.support.host.driver import Driver
from tests.support.wait import eventually

CWD = "/workspace"
EVIL = "evil\n"
OLD = "mine\n"

Kind = Literal["plain", "protected", "never"]
Who = Literal["yes", "no", "nobody"]
Way = Literal["client", "own", "deletes", "asks", "lies", "policy"]
Outcome = Literal["written", "asked", "refused", "recorded", "in vain"]
"""``asked``: written if somebody is there and says yes. ``recorded``: asked, and where nobody can
be asked the answer in the record counts. ``in vain``: asked by the record, and never written."""

TARGETS: dict[str, Kind] = {
    "notes.txt": "plain",
    "src/table.csv": "plain",
    ".git/config": "never",
    ".git/hooks/pre-commit": "never",
    "sub/.git/config": "never",
    "sub/.GIT/config": "never",
    ".venv/lib/evil.pth": "never",
    ".envrc": "protected",
    "conftest.py": "protected",
    "sub/conftest.py": "protected",
    "sitecustomize.py": "protected",
}
"""What no client records is never written by the replay itself."""

FULLY = {"notes.txt", ".git/config", "conftest.py"}
"""Under every policy; the others under the one that allows most."""

WAYS: dict[Way, str] = {
    "client": "fs/write_text_file",
    "own": "a change of its own tools",
    "deletes": "a deletion by its own tools",
    "asks": "a change of its own tools that the user allowed in the record",
    "lies": "a change of its own tools, where the user allowed another in the record",
    "policy": "a change of its own tools that a policy allowed in the record",
}

REFUSED: dict[Policy, Outcome] = {"read-only": "refused", "deny": "refused"}
ALWAYS_ASKED: dict[Policy, Outcome] = {
    "ask": "asked",
    "accept-edits": "asked",
    "allow-all": "asked",
    **REFUSED,
}
IN_VAIN: dict[Policy, Outcome] = {
    "ask": "in vain",
    "accept-edits": "in vain",
    "allow-all": "in vain",
    **REFUSED,
}
EDITED: dict[Policy, Outcome] = {
    "ask": "asked",
    "accept-edits": "written",
    "allow-all": "written",
    **REFUSED,
}
EXPECTED: dict[tuple[Way, Kind], dict[Policy, Outcome]] = {
    ("client", "plain"): {**EDITED, "ask": "written"},
    ("client", "protected"): ALWAYS_ASKED,
    ("client", "never"): ALWAYS_ASKED,
    ("own", "plain"): EDITED,
    ("own", "protected"): ALWAYS_ASKED,
    ("deletes", "plain"): {**EDITED, "accept-edits": "asked"},
    ("deletes", "protected"): ALWAYS_ASKED,
    ("asks", "plain"): {**EDITED, "ask": "recorded"},
    ("asks", "protected"): ALWAYS_ASKED,
    ("lies", "plain"): EDITED,
    ("lies", "protected"): ALWAYS_ASKED,
    ("asks", "never"): IN_VAIN,
    ("lies", "never"): IN_VAIN,
    ("policy", "never"): IN_VAIN,
    ("policy", "plain"): {**EDITED, "ask": "recorded"},
    ("policy", "protected"): ALWAYS_ASKED,
}
ASKED = {"asked", "recorded", "in vain"}


@dataclass(frozen=True)
class Row:
    """An attack: what it writes lies in a folder of its own."""

    number: int
    target: str
    way: Way
    policy: Policy

    @property
    def path(self) -> str:
        return f"r{self.number}/{self.target}"

    @property
    def prompt(self) -> str:
        return f"Prompt {self.number}"

    def outcome(self) -> Outcome:
        expected = EXPECTED.get((self.way, TARGETS[self.target]), REFUSED)
        return expected.get(self.policy, "refused")


ROWS = [
    Row(number, *cells)
    for number, cells in enumerate(itertools.product(TARGETS, WAYS, get_args(Policy)))
    if cells[0] in FULLY or cells[2] == "allow-all"
]


def _hostile() -> str:
    """Return a record with a turn for each row."""
    score = Score()
    score.note(
        note="session_opened", session_id="h", agent_id="x", agent_name="X", cwd=CWD, folder=CWD
    )
    score.open(cwd=CWD)
    for row in ROWS:
        turn_id = f"t{row.number}"
        score.note(note="turn_queued", turn_id=turn_id, prompt=[], policy="ask")
        score.note(note="turn_started", turn_id=turn_id)
        prompt = score.prompt(row.prompt)
        if row.way == "client":
            write = score.ask("fs/write_text_file", path=f"{CWD}/{row.path}", content=EVIL)
            score.answer(">", write, {})
        if row.way in {"asks", "lies", "policy"}:
            _ask(score, row)
        score.end(prompt)
        if row.way != "client":
            after = None if row.way == "deletes" else {"text": EVIL}
            before = hashlib.sha256(OLD.encode()).hexdigest() if after is None else None
            change = {"path": row.path, "before": before, "after": after}
            score.note(note="files_changed", turn_id=turn_id, files=[change])
    lines = [{"record": 1, **score.lines[0]}, *score.lines[1:]]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def _ask(score: Score, row: Row) -> None:
    path = f"{CWD}/{row.path}"
    shown = "harmless\n" if row.way == "lies" else EVIL
    call: Json = {
        "toolCallId": f"c{row.number}",
        "title": f"Edit {row.path}",
        "kind": "edit",
        "status": "pending",
        "locations": [{"path": path}],
        "content": [{"type": "diff", "path": path, "newText": shown}],
    }
    score.update("tool_call", **call)
    asked = score.ask("session/request_permission", toolCall=call, options=OPTIONS)
    by = {"by": "user"} if row.way != "policy" else {"by": "policy", "rule": "allow-all"}
    score.note(note="permission_settled", request_id=f"p{len(score.lines)}", **by)
    score.choose(asked, "y")


@dataclass(frozen=True)
class Seen:
    """What became of a row."""

    written: bool
    asked: bool
    failure: str

    @property
    def told(self) -> tuple[bool, bool, bool]:
        """As `_expected` says it."""
        return self.written, self.asked, bool(self.failure)


def _play(driver: Driver, row: Row, session: Session, who: Who) -> Seen:
    """Play a turn; whoever is there gives each question the same answer."""
    there = driver.root / row.path
    if row.way == "deletes":
        there.parent.mkdir(parents=True)
        there.write_text(OLD)
    turn_id = driver.prompt(session, row.prompt, policy=row.policy, can_ask=who != "nobody")
    asked: set[str] = set()
    answers = row.outcome() in ASKED and who != "nobody"

    def is_done() -> bool:
        # A user must not be faster than the policy: only what is for them is answered.
        for request_id in set(session.transcript.request_items) - asked if answers else ():
            asked.add(request_id)
            _answer(driver, session, request_id, "allow_once" if who == "yes" else "reject_once")
        return session.transcript.turns[turn_id].status == "done"

    try:
        eventually(is_done, what=f"the end of {row}")
    except AssertionError:
        driver.run(session.cancel)
        driver.done(session, turn_id)
        asked.add("unexpected")
    failure = session.transcript.turns[turn_id].failure
    written = not there.exists() if row.way == "deletes" else there.exists()
    return Seen(written, bool(asked), "" if failure is None else failure.message)


def _answer(driver: Driver, session: Session, request_id: str, kind: str) -> None:
    call = session.transcript.items[int(session.transcript.request_items[request_id][1:])]
    assert isinstance(call, ToolCall)
    assert call.permission is not None
    kinds = {option.option_kind: option.option_id for option in call.permission.options}
    driver.answer(session, request_id, kinds[kind])


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, Who], Seen]:
    """What became of every row, with each user."""
    found: dict[tuple[int, Who], Seen] = {}
    for who in get_args(Who):
        root = tmp_path_factory.mktemp("hostile") / "ws"
        recorded(root, "").mkdir(parents=True)
        recorded(root, "x.ndjson").write_text(_hostile())
        with host_in(root, agents=False) as driver:
            session = opened(driver, "x", "replay")
            for row in ROWS:
                found[row.number, who] = _play(driver, row, session, who)
    return found


@pytest.mark.parametrize("who", get_args(Who))
@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize("way", WAYS)
def test_a_hostile_record_does_only_what_is_allowed(
    way: Way, kind: Kind, who: Who, seen: dict[tuple[int, Who], Seen]
) -> None:
    rows = [row for row in ROWS if (row.way, TARGETS[row.target]) == (way, kind)]
    assert rows
    found = {row: seen[row.number, who].told for row in rows}
    expected = {row: _expected(row, who) for row in rows}
    assert found == expected


def _expected(row: Row, who: Who) -> tuple[bool, bool, bool]:
    """Whether it is written, somebody is asked, and the turn says why not."""
    outcome = row.outcome()
    written = {
        "written": True,
        "asked": who == "yes",
        "recorded": who in {"yes", "nobody"},
        "in vain": False,
        "refused": False,
    }[outcome]
    return written, outcome in ASKED and who != "nobody", not written
