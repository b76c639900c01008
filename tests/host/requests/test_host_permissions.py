"""What an agent may do that does not ask: policies, rules and the user decide all the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.requests.rules import turn_rules
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.wait import eventually

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    own = tmp_path / "own"  # also in a sandbox
    own.mkdir()
    late = {**script("acts_late"), "sandbox": {"writable": [str(own)]}}
    agents = {"scripted": script("terminal_script"), "late": late}
    with driving(tmp_path, agents) as driver:
        yield driver


def write(path: str, content: str = "x", **more: Any) -> dict[str, Any]:
    return {"ask": "fs/write_text_file", "params": {"path": path, "content": content, **more}}


def read(path: str) -> dict[str, Any]:
    return {"ask": "fs/read_text_file", "params": {"path": path}}


def run(command: str, *args: str, **more: Any) -> dict[str, Any]:
    return {"ask": "terminal/create", "params": {"command": command, "args": args, **more}}


def announced(kind: str, **about: Any) -> dict[str, Any]:
    """Ask for a tool call, as well-behaved agents do."""
    call = {"toolCallId": "c1", "title": kind, "kind": kind, "status": "pending", **about}
    asked = {"toolCall": call, "options": OPTIONS}
    return {"ask": "session/request_permission", "params": asked}


@dataclass
class Row:
    """What an agent does in a turn, and what becomes of its last request."""

    name: str
    policy: Policy
    steps: list[dict[str, Any]]
    outcome: str
    """``done``, ``asked`` or ``refused``."""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    choose: list[str] = field(default_factory=list)
    """What the user answers before."""


def diff(path: str, new: str) -> dict[str, Any]:
    return {"content": [{"type": "diff", "path": path, "oldText": None, "newText": new}]}


PLAIN, HOOK, RUN = "ROOT/a.txt", "ROOT/.git/hooks/pre-commit", run("touch", "ran")

ROWS = [
    Row("plain file", "ask", [write(PLAIN)], "done"),
    Row("plain file", "accept-edits", [write(PLAIN)], "done"),
    Row("plain file", "allow-all", [write(PLAIN)], "done"),
    Row("plain file", "read-only", [write(PLAIN)], "refused"),
    Row("plain file", "deny", [write(PLAIN)], "refused"),
    Row("plain file, denied", "ask", [write(PLAIN)], "refused", deny=("edit:*.txt",)),
    Row("plain file, denied", "allow-all", [write(PLAIN)], "refused", deny=("edit",)),
    Row("plain file, other denied", "ask", [write(PLAIN)], "done", deny=("edit:*.py",)),
    Row("protected", "ask", [write(HOOK)], "asked"),
    Row("protected", "accept-edits", [write(HOOK)], "asked"),
    Row("protected", "read-only", [write(HOOK)], "refused"),
    Row("protected", "allow-all", [write(HOOK)], "done"),
    Row("protected, by a wide rule", "ask", [write(HOOK)], "asked", allow=("edit:**",)),
    Row(
        "protected, by its name",
        "ask",
        [write(HOOK)],
        "done",
        allow=("edit:.git/hooks/pre-commit",),
    ),
    Row("another spelling", "accept-edits", [write("ROOT//./.GIT/config")], "asked"),
    Row("a link to it", "accept-edits", [write("ROOT/link/config")], "asked"),
    Row("a hard link", "accept-edits", [write("ROOT/hard.txt")], "asked"),
    Row(
        "protected, shown and allowed",
        "ask",
        [announced("edit", locations=[{"path": HOOK}], **diff(HOOK, "x")), write(HOOK)],
        "done",
        choose=["yes"],
    ),
    Row(
        "protected, other text than shown",
        "ask",
        [announced("edit", locations=[{"path": HOOK}], **diff(HOOK, "y")), write(HOOK)],
        "asked",
        choose=["yes"],
    ),
    Row(
        "protected, the second of two that were shown",
        "ask",
        [
            announced("edit", content=[*diff(PLAIN, "y")["content"], *diff(HOOK, "x")["content"]]),
            write(HOOK),
        ],
        "done",
        choose=["yes"],
    ),
    Row(
        "protected, allowed without a text",
        "ask",
        [announced("edit", locations=[{"path": HOOK}]), write(HOOK)],
        "asked",
        choose=["yes"],
    ),
    Row(
        "protected, always allowed without a text",
        "ask",
        [announced("edit", locations=[{"path": HOOK}]), write(HOOK)],
        "asked",
        choose=["always"],
    ),
    Row(
        "protected, allowed with its text",
        "ask",
        [announced("edit", rawInput={"file_path": HOOK, "content": "x"}), write(HOOK)],
        "done",
        choose=["yes"],
    ),
    Row(
        "protected, allowed with another text",
        "ask",
        [announced("edit", rawInput={"file_path": HOOK, "content": "y"}), write(HOOK)],
        "asked",
        choose=["yes"],
    ),
    Row(
        "protected, a part of it allowed",
        "ask",
        [
            announced(
                "edit",
                rawInput={"file_path": "ROOT/.git/config", "oldString": "old", "newString": "new"},
            ),
            write("ROOT/.git/config", "a new b"),
        ],
        "done",
        choose=["yes"],
    ),
    Row(
        "protected, more than the part that was allowed",
        "ask",
        [
            announced(
                "edit",
                rawInput={
                    "file_path": "ROOT/.git/config",
                    "edits": [{"old_text": "old", "new_text": "new"}],
                },
            ),
            write("ROOT/.git/config", "a new b, and more"),
        ],
        "asked",
        choose=["yes"],
    ),
    Row(
        "protected, where another file was allowed",
        "ask",
        [announced("edit", locations=[{"path": PLAIN}]), write(HOOK)],
        "asked",
        choose=["yes"],
    ),
    Row(
        "plain, rejected before",
        "ask",
        [announced("edit", locations=[{"path": PLAIN}], **diff(PLAIN, "x")), write(PLAIN)],
        "asked",
        choose=["no"],
    ),
    Row("command", "ask", [RUN], "asked"),
    Row("command", "accept-edits", [RUN], "asked"),
    Row("command", "read-only", [RUN], "refused"),
    Row("command", "deny", [RUN], "refused"),
    Row("command", "allow-all", [RUN], "done"),
    Row("command, by a rule", "ask", [RUN], "done", allow=("execute:touch *",)),
    Row("command, denied", "allow-all", [RUN], "refused", deny=("execute:touch *",)),
    Row(
        "command, allowed before",
        "ask",
        [announced("execute", rawInput={"command": "touch ran"}), RUN],
        "done",
        choose=["yes"],
    ),
    Row(
        "command, allowed once, run twice",
        "ask",
        [announced("execute", rawInput={"command": "touch ran"}), run("touch", "ran"), RUN],
        "asked",
        choose=["yes"],
    ),
    Row(
        "command, always allowed, run twice",
        "ask",
        [announced("execute", rawInput={"command": "touch ran"}), run("touch", "ran"), RUN],
        "done",
        choose=["always"],
    ),
    Row(
        "another command than allowed",
        "ask",
        [announced("execute", rawInput={"command": "touch other"}), RUN],
        "asked",
        choose=["yes"],
    ),
    Row(
        "allowed, with variables",
        "ask",
        [
            announced("execute", rawInput={"command": "touch ran"}),
            run("touch", "ran", env=[{"name": "LD_PRELOAD", "value": "x.so"}]),
        ],
        "asked",
        choose=["yes"],
    ),
    Row(
        "allowed, elsewhere",
        "ask",
        [announced("execute", rawInput={"command": "touch ran"}), run("touch", "ran", cwd="sub")],
        "asked",
        choose=["yes"],
    ),
    Row(
        "allowed, naming the session's folder",
        "ask",
        [
            announced("execute", rawInput={"command": "touch ran", "cwd": "ROOT"}),
            run("touch", "ran", cwd="ROOT"),
        ],
        "done",
        choose=["yes"],
    ),
    Row("credentials", "ask", [read("ROOT/.env")], "asked"),
    Row("credentials", "read-only", [read("ROOT/.env")], "refused"),
    Row("credentials, by a wide rule", "ask", [read("ROOT/.env")], "asked", allow=("read",)),
    Row("credentials, by name", "ask", [read("ROOT/.env")], "done", allow=("read:.env",)),
    Row("plain reading", "read-only", [read("ROOT/known.txt")], "done"),
    Row("reading, denied", "allow-all", [read("ROOT/known.txt")], "refused", deny=("read",)),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name} ({row.policy})")
def test_what_an_agent_does_without_asking(driver: Driver, tmp_path: Path, row: Row) -> None:
    root = driver.root
    (root / "sub").mkdir()
    (root / "known.txt").write_text("known")
    (root / ".env").write_text("KEY=1")
    (root / ".git").mkdir()
    (root / ".git/config").write_text("a old b")
    (root / "link").symlink_to(root / ".git")
    (tmp_path / "outside.txt").write_text("outside")
    (root / "hard.txt").hardlink_to(tmp_path / "outside.txt")
    session = driver.open("scripted")
    steps = json.dumps(row.steps).replace("ROOT", str(root))
    rules = turn_rules(row.allow, row.deny)
    turn_id = driver.prompt(session, steps, policy=row.policy, rules=rules)
    for option in row.choose:
        driver.answer(session, driver.asked(session), option)
    if row.outcome == "asked":
        _card, request = _asked(session)
        driver.answer(session, request.request_id, "reject")
    driver.done(session, turn_id)
    answer = json.loads(driver.text(session))[-1]
    assert ("code" not in answer) == (row.outcome == "done"), answer
    kinds = [card.permission.state for card in _cards(session) if card.permission]
    assert ("rejected" in kinds[len(row.choose) :]) == (row.outcome != "done")
    changed = {"touch": root / "ran", PLAIN: root / "a.txt", HOOK: root / HOOK[5:]}
    for path in changed.values():
        assert row.outcome == "done" or "twice" in row.name or not path.exists()
    assert (tmp_path / "outside.txt").read_text() == "outside"


@pytest.mark.parametrize(
    ("told", "option", "then", "asked"),
    [
        (announced("execute", rawInput={"command": "touch ran"}), "yes", RUN, True),
        (
            announced("edit", locations=[{"path": HOOK}], **diff(HOOK, "x")),
            "yes",
            write(HOOK),
            True,
        ),
        (announced("edit", locations=[{"path": PLAIN}]), "no", write(PLAIN), False),
        (announced("execute", rawInput={"command": "touch ran"}), "always", RUN, False),
    ],
    ids=["a command", "a protected file", "a rejected file", "for good"],
)
def test_an_answer_counts_for_its_turn(
    driver: Driver, told: dict[str, Any], option: str, then: dict[str, Any], *, asked: bool
) -> None:
    """What was allowed or rejected once says nothing of the next turn."""
    session = driver.open("scripted")
    first, second = (json.dumps([step]).replace("ROOT", str(driver.root)) for step in (told, then))
    turn_id = driver.prompt(session, first)
    driver.answer(session, driver.asked(session), option)
    driver.done(session, turn_id)
    eventually(
        lambda: not session.turns.permissions.allowed_by_user, what="what was granted is forgotten"
    )
    turn_id = driver.prompt(session, second)
    if asked:
        _card, request = _asked(session)
        driver.answer(session, request.request_id, "reject")
    driver.done(session, turn_id)
    # A question that nobody expects would have kept the turn from its end.
    requests = [card.permission for card in _cards(session) if card.permission is not None]
    assert len(requests) == 1 + asked


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _cards(session: Session) -> list[ToolCall]:
    return [item for item in session.transcript.items if isinstance(item, ToolCall)]


def _asked(session: Session, kind: str = "", path: str = "") -> tuple[ToolCall, Permission]:
    """Wait for a request that the host makes; return its card."""

    def found() -> tuple[ToolCall, Permission] | None:
        for card in _cards(session):
            asked = card.permission if kind in {"", card.tool_kind} else None
            asked = asked if card.path.endswith(path) else None
            if asked and asked.state == "pending" and asked.request_id.startswith("h"):
                return card, asked
        return None

    card = eventually(found, what="the user is asked")
    assert card is not None
    return card


def _cautions(session: Session) -> list[str]:
    """Wait for what the host says of the files that are asked for."""

    def found() -> list[str]:
        asked = (card.permission for card in _cards(session))
        return [words for each in asked if each for words in each.cautions]

    return eventually(found, what="the host says what it found on disk")


def test_the_user_says_yes(driver: Driver) -> None:
    session = driver.open("scripted")
    hook = driver.root / "conftest.py"
    steps = [write(str(hook), "x = 1\n"), run("touch", "ran")]
    turn_id = driver.prompt(session, json.dumps(steps))
    card, request = _asked(session)
    assert request.title == "terminal_script wants to create a file"
    assert card.title == "Create conftest.py"
    assert _cautions(session) == [
        "conftest.py is protected: it can change what runs later, or what agents may do."
    ]
    assert [(d.path, d.new_text) for d in card.diffs] == [("conftest.py", "x = 1\n")]
    driver.answer(session, request.request_id, "allow")
    command, request = _asked(session, "execute")
    assert (command.command, request.rule) == ("touch ran", "execute:touch ran")
    assert [detail.name for detail in request.details] == []
    driver.answer(session, request.request_id, "allow")
    driver.done(session, turn_id)
    eventually((driver.root / "ran").exists)
    assert hook.read_text() == "x = 1\n"
    assert [c.status for c in _cards(session)][:2] == ["completed", "completed"]


def test_what_is_too_large_to_be_shown_can_only_be_rejected(driver: Driver) -> None:
    session = driver.open("scripted")
    raw_input = {"file_path": "a.txt", **{f"field {n}": "x" for n in range(1_001)}}
    turn_id = driver.prompt(session, json.dumps([announced("edit", rawInput=raw_input)]))
    request_id = driver.asked(session)
    for option in ("yes", "always"):
        with pytest.raises(BadRequest, match="can only be rejected"):
            driver.answer(session, request_id, option)
    driver.answer(session, request_id, "no")
    driver.done(session, turn_id)
    (card,) = [card for card in _cards(session) if card.permission]
    assert card.permission is not None
    assert (card.permission.state, len(card.permission.details)) == ("rejected", 1_000)


def test_an_answer_that_a_stop_overtakes_allows_nothing(driver: Driver) -> None:
    """The stop comes before the answer is in the log, and nothing was sent yet."""
    session = driver.open("scripted")
    turn_id = driver.prompt(session, json.dumps([announced("edit")]))
    request_id = driver.asked(session)

    def allow_and_stop() -> None:
        session.turns.permissions.answer(request_id, "yes")
        session.cancel(turn_id)

    driver.run(allow_and_stop)
    driver.done(session, turn_id)
    assert json.loads(driver.text(session)) == [{"outcome": {"outcome": "cancelled"}}]


def test_a_refusal_says_whose_it_is(driver: Driver) -> None:
    session = driver.open("scripted")
    steps = json.dumps([write(str(driver.root / "a.txt")), write(str(driver.root / "setup.py"))])
    turn_id = driver.prompt(session, steps, rules=turn_rules((), ("edit:*.txt",)))
    _card, request = _asked(session, path="setup.py")
    driver.answer(session, request.request_id, "reject")
    driver.done(session, turn_id)
    by_rule, by_user = (answer["message"] for answer in json.loads(driver.text(session)))
    assert by_rule.startswith("A rule of the user forbids this.")
    assert by_user.startswith("This was rejected.")


def test_an_answer_is_told_in_words(driver: Driver) -> None:
    session = driver.open("scripted")
    turn_id = driver.prompt(session, json.dumps([announced("edit"), announced("read")]))
    first = driver.asked(session)
    assert driver.run(lambda: session.turns.permissions.answer(first, "yes")) == "Allow"
    second = eventually(
        lambda: next((name for name in session.transcript.request_items if name != first), "")
    )
    assert driver.run(lambda: session.turns.permissions.answer(second, None)) == "cancelled"
    driver.done(session, turn_id)


def test_a_file_that_changes_while_the_user_is_asked_is_left_alone(driver: Driver) -> None:
    session = driver.open("scripted")
    turn_id = driver.prompt(session, json.dumps([write(str(driver.root / "setup.py"))]))
    _card, request = _asked(session)
    (driver.root / "setup.py").write_text("the user's")
    driver.answer(session, request.request_id, "allow")
    driver.done(session, turn_id)
    assert (driver.root / "setup.py").read_text() == "the user's"
    assert "has changed while the user was asked" in driver.text(session)


Later = Callable[[Session, Policy | None, list[dict[str, Any]]], Path]

DEEDS: dict[str, dict[str, Any]] = {
    "writes a plain file": write(PLAIN),
    "writes a protected file": write(HOOK),
    "reads a plain file": read("ROOT/known.txt"),
    "reads a file that may hold credentials": read("ROOT/.env"),
    "runs a command": RUN,
}


def _promised() -> list[tuple[str, Policy, str]]:
    """Return the cells of the table in docs/security.md of what agents do without asking."""
    page = (Path(__file__).parents[3] / "docs" / "security.md").read_text()
    _, _, rest = page.partition("| Without asking, an agent |")
    head, _, *rows = rest.partition("\n\n")[0].splitlines()
    policies = [cell.strip(" `") for cell in head.split("|") if cell.strip()]
    cells = []
    for row in rows:
        deed, *outcomes = (cell.strip() for cell in row.strip("|").split("|"))
        cells += [(deed, policy, told) for policy, told in zip(policies, outcomes, strict=True)]
    return cells  # type: ignore[return-value]


@pytest.mark.parametrize(("deed", "policy", "outcome"), _promised())
def test_the_page_about_security_says_what_is_done(
    driver: Driver, later: Later, deed: str, policy: Policy, outcome: str
) -> None:
    (driver.root / "known.txt").write_text("known")
    (driver.root / ".env").write_text("KEY=1")
    name = deed.removesuffix(" after its turn")
    (step,) = json.loads(json.dumps([DEEDS[name]]).replace("ROOT", str(driver.root)))
    session = driver.open("late" if name != deed else "scripted", policy=policy)
    driver.run(session.attach)
    if name != deed:
        answers = later(session, policy, [step])
    else:
        turn_id = driver.prompt(session, json.dumps([step]))
    if outcome == "asked":
        _card, request = _asked(session)
        driver.answer(session, request.request_id, "reject")
    if name != deed:
        (answer,) = json.loads(eventually(partial(_text, answers)))
        done = "result" in answer
    else:
        driver.done(session, turn_id)
        done = "code" not in json.loads(driver.text(session))[-1]
    asked = [card.permission.outcome for card in _cards(session) if card.permission]
    assert done == (outcome == "done"), driver.text(session)
    assert (
        asked
        == {"done": [], "asked": ["Rejected"], "refused": [f"Rejected by policy: {policy}"]}[
            outcome
        ]
    )


@pytest.fixture
def later(driver: Driver, tmp_path: Path) -> Later:
    def do(session: Session, policy: Policy | None, steps: list[dict[str, Any]]) -> Path:
        go, answers = tmp_path / "own" / "go", tmp_path / "own" / "answers.json"
        wish = {"steps": steps, "go": str(go), "answers": str(answers)}
        driver.done(session, driver.prompt(session, json.dumps(wish), policy=policy))
        go.touch()
        return answers

    return do


@pytest.mark.parametrize(
    ("of_session", "of_turn", "outcome"),
    [
        ("ask", "ask", "asked"),
        ("accept-edits", "accept-edits", "asked"),
        ("ask", "allow-all", "asked"),
        ("allow-all", "ask", "asked"),
        ("ask", "read-only", "refused"),
        ("ask", "deny", "refused"),
        ("allow-all", "deny", "refused"),
        ("read-only", "allow-all", "refused"),
        ("deny", "ask", "refused"),
    ],
)
def test_after_its_turn_an_agent_asks_for_everything(
    driver: Driver, later: Later, of_session: Policy, of_turn: Policy, outcome: str
) -> None:
    session = driver.open("late", policy=of_session)
    driver.run(session.attach)
    steps = [write(str(driver.root / "a.txt")), run("touch", "ran")]
    answers = later(session, of_turn, steps)
    if outcome == "asked":
        for kind in ("edit", "execute"):
            _card, request = _asked(session, kind)
            driver.answer(session, request.request_id, "allow")
        given = json.loads(eventually(partial(_text, answers)))
        assert all("result" in answer for answer in given)
        assert (driver.root / "a.txt").read_text() == "x"
    else:
        given = json.loads(eventually(partial(_text, answers)))
        assert all("doesn't let agents change anything" in a["error"]["message"] for a in given)
        assert [c.permission.state for c in _cards(session) if c.permission] == ["rejected"] * 2
        assert not (driver.root / "a.txt").exists()


def test_after_its_turn_nothing_waits_where_nobody_can_answer(driver: Driver, later: Later) -> None:
    session = driver.open("late")
    answers = later(session, "ask", [write(str(driver.root / "a.txt"))])
    (answer,) = json.loads(eventually(partial(_text, answers)))
    assert "Nothing was written" in answer["error"]["message"]
    assert not (driver.root / "a.txt").exists()


@pytest.mark.parametrize("policy", ["read-only", "deny"])
def test_who_may_change_nothing_shares_no_process(driver: Driver, policy: Policy) -> None:
    """Whatever session an agent names, it can't borrow another's policy."""
    free, bound = driver.open("scripted", policy="allow-all"), driver.open("scripted")
    for session in (free, bound):
        driver.done(session, driver.prompt(session, "[]"))
    other = free.state.agent_session_id
    assert other.rpartition("-")[0] == bound.state.agent_session_id.rpartition("-")[0]
    first = driver.open("scripted")
    steps = [write(str(driver.root / "a.txt"), sessionId=other)]
    driver.done(first, driver.prompt(first, json.dumps(steps), policy=policy))
    assert "There is no such session here" in driver.text(first)
    assert not (driver.root / "a.txt").exists()


@pytest.mark.parametrize("policy", ["read-only", "deny"])
def test_a_conversation_that_can_not_move_is_no_way_around_a_policy(
    driver: Driver, policy: Policy
) -> None:
    """Such an agent keeps the process; what it does in another session's name is asked."""
    free, bound = driver.open("scripted", policy="allow-all"), driver.open("scripted")
    for session in (free, bound):
        driver.done(session, driver.prompt(session, "[]"))
        driver.run(session.attach)
    steps = [
        write(str(driver.root / "a.txt"), sessionId=free.state.agent_session_id),
        run("touch", "ran", sessionId=free.state.agent_session_id),
    ]
    turn_id = driver.prompt(bound, json.dumps(steps), policy=policy)
    for kind in ("edit", "execute"):
        _card, request = _asked(free, kind)
        assert "has a stricter policy" in request.reason
        driver.answer(free, request.request_id, "reject")
    driver.done(bound, turn_id)
    assert not (driver.root / "a.txt").exists()
    assert not (driver.root / "ran").exists()
