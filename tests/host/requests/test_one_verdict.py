"""A file has one verdict, however an agent spells it: what counts is the file that is used."""

from __future__ import annotations

import json
import os
import signal
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.errors import PermissionGone, PermissionSettled
from acp_jupyter.host.requests.rules import turn_rules
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.permission_answers import answer, asked, rule
from tests.support.processes import family
from tests.support.wait import eventually

FOLDERS: dict[str, Callable[[Path], str]] = {
    "absolute": str,
    "by a link": lambda root: str(root.parent / "link"),
    "by a link above": lambda root: str(root.parent / "above/ws"),
    "by its parent": lambda root: f"{root}/../ws",
    "by a folder of it": lambda root: f"{root}/sub/..",
    "by a link in it": lambda root: f"{root}/self",
    "with dots": lambda root: f"{root}/./.",
    "with slashes": lambda root: str(root).replace("/", "//")[1:] + "//",
    "relative": lambda _: ".",
    "relative, out and in": lambda _: "../ws",
    "relative, by a link": lambda _: "self/self",
}
FILES: dict[str, Callable[[str], str]] = {
    "its name": lambda name: name,
    "a link": lambda name: f"to-{name}",
    "a link to a link": lambda name: f"sub/to-to-{name}",
    "a hard link": lambda name: f"hard-{name}",
    "by a folder": lambda name: f"sub/../{name}",
}
CAFE = unicodedata.normalize("NFC", "café.txt")
NAMES = (".env", "setup.py", "plain.txt", CAFE, unicodedata.normalize("NFD", "cafe\u0301-d.txt"))


def fill(root: Path) -> None:
    (root / "sub").mkdir(parents=True)
    (root / "self").symlink_to(".")
    (root.parent / "link").symlink_to(root)
    (root.parent / "above").symlink_to(root.parent)
    for name in NAMES:
        (root / name).write_text("KEY=planted")
        (root / f"to-{name}").symlink_to(name)
        (root / f"sub/to-to-{name}").symlink_to(f"../to-{name}")
        (root / f"hard-{name}").hardlink_to(root / name)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("one") / "ws"
    fill(root)
    return root


def spelled(root: Path, name: str, folder: str, file: str) -> str:
    return f"{FOLDERS[folder](root)}/{FILES[file](name)}"


SPELLINGS = [(folder, file) for folder in FOLDERS for file in FILES]
ANY = st.tuples(st.sampled_from(list(FOLDERS)), st.sampled_from(list(FILES)))


@given(ANY, ANY, st.sampled_from(["", "file://"]))
@pytest.mark.parametrize(
    ("kind", "name", "policy", "rules", "wanted"),
    [
        ("read", ".env", "read-only", [], "no"),
        ("read", "plain.txt", "read-only", [], "once"),
        ("read", CAFE, "read-only", [], "once"),
        ("edit", "setup.py", "accept-edits", [], None),
        ("edit", "setup.py", "ask", [("edit", "allow")], None),
        ("read", "plain.txt", "allow-all", [("read:plain.txt", "deny")], "no"),
        ("read", "plain.txt", "allow-all", [("read:PLAIN.TXT", "deny")], "no"),
        ("read", "plain.txt", "allow-all", [("read:to-plain.txt", "deny")], "no"),
        ("read", "plain.txt", "allow-all", [("read:sub/to-to-plain.txt", "deny")], "no"),
        ("read", "plain.txt", "allow-all", [("read:hard-plain.txt", "deny")], "no"),
        ("read", CAFE, "allow-all", [(f"read:{CAFE}", "deny")], "no"),
        (
            *("read", CAFE, "allow-all"),
            *([(f"read:{unicodedata.normalize('NFD', CAFE)}", "deny")], "no"),
        ),
        ("read", NAMES[4], "allow-all", [(f"read:{NAMES[4]}", "deny")], "no"),
        ("edit", "setup.py", "ask", [("edit:setup.py", "allow")], "once"),
        ("edit", "plain.txt", "ask", [("edit:plain.txt", "allow")], "once"),
        ("read", ".env", "ask", [("read:.env", "allow")], "once"),
        ("read", ".env", "ask", [("read", "allow")], None),
    ],
)
def test_a_request_has_one_verdict(
    root: Path,
    kind: AcpKind,
    name: str,
    policy: Policy,
    rules: list[tuple[str, Any]],
    wanted: str | None,
    one: tuple[str, str],
    other: tuple[str, str],
    scheme: str,
) -> None:
    made = [rule(text, effect) for text, effect in rules]
    for spelling in (one, other):
        path = spelled(root, name, *spelling)
        path = f"{scheme}{path}" if path.startswith("/") else path
        call = asked(kind, {"path": path}, cwd=str(root), locations=[{"path": path}])
        assert answer(call, *made, policy=policy, root=root) == wanted, path


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_located_as_one(root: Path, name: str) -> None:
    spots = [SessionFolder(root).locate(spelled(root, name, *each)) for each in SPELLINGS]
    assert None not in spots
    assert len({(spot.secret, spot.protected, spot.file) for spot in spots if spot}) == 1
    assert {spot.real for spot in spots if spot} == {name, f"hard-{name}"}


def test_a_hard_link_of_what_is_kept_at_home_is_the_same_file(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "ws"
    (home / ".ssh").mkdir(parents=True)
    root.mkdir()
    for file, twin in ((home / ".ssh/anything", "notes.txt"), (home / ".netrc", "more.txt")):
        file.write_text("secret")
        (root / twin).hardlink_to(file)
    (home / "plain").touch()
    (root / "plain.txt").hardlink_to(home / "plain")
    (root / "single.txt").touch()
    folder = SessionFolder(root, home=home)
    spots = folder.locate_all(["notes.txt", "more.txt", "plain.txt", "single.txt"])
    assert [spot.secret for spot in spots if spot] == [True, True, False, False]
    assert [spot.protected for spot in spots if spot] == [True, True, True, False]


@pytest.mark.parametrize(
    "path",
    ["~/.env", "a\u202eb", "a\u200bb", "C:\\x", "\\\\host\\x", "../../x", "/etc/passwd", "loop"],
)
def test_what_can_not_be_placed_is_not_taken_for_harmless(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert SessionFolder(tmp_path).locate(path) is None


# -- through the host -------------------------------------------------------------


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    agents = {"scripted": script("terminal_script")}
    with driving(tmp_path_factory.mktemp("host"), agents) as driver:
        fill(driver.root)
        yield driver


def ask(method: str, **params: Any) -> dict[str, Any]:
    return {"ask": method, "params": params}


def cards(session: Session) -> list[ToolCall]:
    return [item for item in session.transcript.items if isinstance(item, ToolCall)]


def waiting(session: Session) -> Permission:
    def found() -> Permission | None:
        asked = (card.permission for card in cards(session))
        return next((each for each in asked if each and each.state == "pending"), None)

    permission = eventually(found, what="somebody is asked")
    assert permission is not None
    return permission


def does(driver: Driver, step: dict[str, Any], policy: Policy, *denied: str, asks: bool) -> str:
    """Return what becomes of one request: ``asked``, ``done`` or ``refused``."""
    session = driver.open("scripted")
    rules = turn_rules((), denied)
    turn_id = driver.prompt(session, json.dumps([step]), policy=policy, rules=rules)
    if asks:
        driver.answer(session, waiting(session).request_id, "reject")
    driver.done(session, turn_id)
    outcomes = [card.permission.outcome for card in cards(session) if card.permission]
    if "code" not in json.loads(driver.text(session))[-1]:
        return "done"
    return "asked" if outcomes == ["Rejected"] else "refused"


HOST_FOLDERS = [each for each in FOLDERS if not each.startswith("relative")]


@pytest.mark.parametrize("folder", HOST_FOLDERS)
@pytest.mark.parametrize("file", FILES)
def test_credentials_are_asked_for_by_any_name(driver: Driver, folder: str, file: str) -> None:
    path = spelled(driver.root, ".env", folder, file)
    assert does(driver, ask("fs/read_text_file", path=path), "ask", asks=True) == "asked"


@pytest.mark.parametrize("folder", ["by a link", "by a link in it", "with slashes"])
@pytest.mark.parametrize("file", FILES)
def test_a_no_holds_for_any_name(driver: Driver, folder: str, file: str) -> None:
    path = spelled(driver.root, "plain.txt", folder, file)
    step = ask("fs/read_text_file", path=path)
    assert does(driver, step, "allow-all", "read:plain.txt", asks=False) == "refused"
    assert does(driver, step, "ask", asks=False) == "done"


@pytest.mark.parametrize("folder", HOST_FOLDERS)
@pytest.mark.parametrize("file", ["its name", "a link", "a link to a link"])
def test_a_protected_file_is_asked_for_by_any_name(driver: Driver, folder: str, file: str) -> None:
    path = spelled(driver.root, "setup.py", folder, file)
    step = ask("fs/write_text_file", path=path, content="x")
    assert does(driver, step, "accept-edits", asks=True) == "asked"


def test_a_path_is_shown_as_the_file_that_it_leads_to(driver: Driver) -> None:
    session = driver.open("scripted")
    path = spelled(driver.root, "setup.py", "by a link", "a link to a link")
    step = ask("fs/write_text_file", path=path, content="x")
    turn_id = driver.prompt(session, json.dumps([step]))
    permission = waiting(session)
    (card,) = cards(session)
    assert (card.path, permission.rule) == ("setup.py", "edit:setup.py")
    driver.answer(session, permission.request_id, "reject")
    driver.done(session, turn_id)


def own_request(path: str, kind: str = "edit", **more: Any) -> dict[str, Any]:
    call = {
        **{"toolCallId": "c1", "title": kind, "kind": kind, "status": "pending"},
        **({"locations": [{"path": path}]} if path else {}),
        **more,
    }
    options = [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    return ask("session/request_permission", toolCall=call, options=options)


@pytest.mark.parametrize(
    ("kind", "path", "cautions", "rule_text"),
    [
        ("edit", "ROOT/plain-2.txt", [], "edit:plain-2.txt"),
        (
            *("edit", "ROOT/setup.py"),
            *(["setup.py is protected: it can change what runs later, or what agents may do."],),
            "edit:setup.py",
        ),
        (
            *("edit", "LINK/to-setup.py"),
            [
                "LINK/to-setup.py leads to setup.py.",
                "setup.py is protected: it can change what runs later, or what agents may do.",
            ],
            "edit:setup.py",
        ),
        (
            *("edit", "ROOT/hard-plain.txt"),
            ["hard-plain.txt is protected: it is also plain.txt, by a hard link."],
            "edit:hard-plain.txt",
        ),
        ("read", "ROOT/hard-.env", ["hard-.env may hold passwords or keys."], "read:hard-.env"),
        ("edit", "/etc/hosts", [], ""),
    ],
)
def test_an_agents_own_request_says_what_is_protected_and_why(
    driver: Driver, kind: str, path: str, cautions: list[str], rule_text: str
) -> None:
    root, link = str(driver.root), str(driver.root.parent / "link")
    session = driver.open("scripted")
    where = path.replace("ROOT", root).replace("LINK", link)
    turn_id = driver.prompt(session, json.dumps([own_request(where, kind)]))
    request_id = waiting(session).request_id
    told = [words.replace("LINK", link) for words in cautions]
    if told:
        eventually(lambda: waiting(session).cautions)
    assert list(waiting(session).cautions) == told
    if rule_text:
        assert waiting(session).rule == rule_text
    driver.answer(session, request_id, "no")
    driver.done(session, turn_id)


TEN = "".join(f"line {number}\n" for number in range(10))


@pytest.mark.parametrize(
    ("there", "old", "differs"),
    [
        (TEN, TEN, False),
        (TEN, "line 3\n", False),
        (TEN.replace("\n", "\r\n"), TEN, False),
        (TEN, TEN.replace("line 2", "import os; os.remove('data')"), True),
        (TEN, "line 3\nline 5\n", True),
        (TEN, None, True),
        ("", "", False),
    ],
)
def test_lines_that_an_agent_calls_unchanged_are_compared_with_the_file(
    driver: Driver, there: str, old: str | None, differs: bool
) -> None:
    (driver.root / "ten.txt").write_bytes(there.encode())
    (driver.root / "to-ten.txt").unlink(missing_ok=True)
    (driver.root / "to-ten.txt").symlink_to("ten.txt")
    session = driver.open("scripted")
    path = f"{driver.root}/to-ten.txt"  # which is told in any case
    diff = {"type": "diff", "path": path, "oldText": old, "newText": "new"}
    turn_id = driver.prompt(session, json.dumps([own_request(path, "edit", content=[diff])]))
    eventually(lambda: waiting(session).cautions)
    asked = waiting(session)
    words = "ten.txt does not contain the text that the agent wants to replace."
    assert (words in asked.cautions, asked.text_differs) == (differs, differs)
    driver.answer(session, asked.request_id, "no")
    driver.done(session, turn_id)


def swap(root: Path, name: str, target: str) -> None:
    """Put a link where a file or folder was, in one step."""
    (root / name).rename(root / f"{name}-before")
    os.symlink(target, root / name)


Swap = Callable[[Path], None]


@pytest.mark.parametrize(
    ("step", "change", "words"),
    [
        (
            ask("fs/read_text_file", path="ROOT/.env"),
            lambda root: swap(root, ".env", "../outside"),
            "is no longer the file",
        ),
        (
            ask("fs/write_text_file", path="ROOT/d/setup.py", content="x"),
            lambda root: swap(root, "d", ".git"),
            "is no longer the file",
        ),
        (
            ask("fs/write_text_file", path="ROOT/d/setup.py", content="x"),
            lambda root: swap(root, "d", ".."),
            "is no longer the file",
        ),
        (
            ask("terminal/create", command="touch ran", cwd="ROOT/d"),
            lambda root: swap(root, "d", ".git"),
            "you were asked",  # which of two checks meets it first, is a matter of the moment
        ),
        (
            ask("terminal/create", command="touch ran", cwd="ROOT/d"),
            lambda root: ((root / "d").rename(root / "e"), (root / "d").mkdir()),
            "was replaced after you were asked",
        ),
        (
            ask("terminal/create", command="touch ran", cwd="ROOT/d"),
            lambda root: (root / "d").rename(root.parent / "moved"),
            "was replaced after you were asked",
        ),
    ],
    ids=["read", "write", "write outside", "command", "another folder", "folder moved away"],
)
def test_what_is_swapped_while_the_card_waits_is_not_used(
    tmp_path: Path, step: dict[str, Any], change: Swap, words: str
) -> None:
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        root = driver.root
        for folder in ("d", ".git"):
            (root / folder).mkdir()
        (root / ".env").write_text("KEY=planted")
        (tmp_path / "outside").write_text("outside")
        session = driver.open("scripted")
        steps = json.dumps([step]).replace("ROOT", str(root))
        turn_id = driver.prompt(session, steps)
        request_id = waiting(session).request_id
        if "terminal" not in step["ask"]:
            eventually(lambda: waiting(session).cautions)
        change(root)
        driver.answer(session, request_id, "allow")
        driver.done(session, turn_id)
        assert words in driver.text(session)
        (card,) = cards(session)
        assert card.status == "failed"
        outcome = "" if card.permission is None else card.permission.outcome
        shown = f"{outcome} {session.transcript.text_of(card.id)}"
        assert words in shown
        made = [path for path in tmp_path.rglob("*") if path.name in {"ran", "setup.py"}]
        assert made == []


@pytest.mark.parametrize(
    ("request_step", "change"),
    [
        (
            own_request("ROOT/d/a.txt", rawInput={"path": "ROOT/d/a.txt"}),
            lambda root: swap(root, "d", ".git"),
        ),
        (
            own_request("", "execute", rawInput={"command": "touch ran", "cwd": "ROOT/d"}),
            lambda root: swap(root, "d", ".git"),
        ),
        (
            own_request("ROOT/d/a.txt"),
            lambda root: (root / "d/a.txt").hardlink_to(root / ".env"),
        ),
    ],
    ids=["file", "command", "hard link"],
)
def test_an_agent_gets_no_yes_for_what_was_swapped_meanwhile(
    tmp_path: Path, request_step: dict[str, Any], change: Swap
) -> None:
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        root = driver.root
        for folder in ("d", ".git"):
            (root / folder).mkdir()
        (root / ".env").write_text("KEY=planted")
        session = driver.open("scripted")
        turn_id = driver.prompt(session, json.dumps([request_step]).replace("ROOT", str(root)))
        request_id = waiting(session).request_id
        eventually(lambda: request_id in session.turns.permissions.places)
        change(root)
        driver.answer(session, request_id, "yes")
        driver.done(session, turn_id)
        (answer,) = json.loads(driver.text(session))
        assert answer["outcome"] == {"outcome": "selected", "optionId": "no"}
        (card,) = cards(session)
        assert card.permission is not None
        assert card.permission.state == "rejected"
        assert "Not allowed: " in card.permission.outcome


def test_a_command_allowed_for_a_folder_runs_in_no_other(tmp_path: Path) -> None:
    """Its folder is swapped between the agent's request and the command."""
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        for folder in ("d", "other"):
            (driver.root / folder).mkdir()
        session = driver.open("scripted")
        cwd = str(driver.root / "d")
        steps = [
            own_request("", "execute", rawInput={"command": "touch ran", "cwd": cwd}),
            own_request("", "execute", toolCallId="c2", rawInput={"command": "sleep 0"}),
            ask("terminal/create", command="touch ran", cwd=cwd),
        ]
        turn_id = driver.prompt(session, json.dumps(steps))
        for _ in range(2):
            request_id = waiting(session).request_id
            if _:
                swap(driver.root, "d", "other")
            driver.answer(session, request_id, "yes")
            eventually(
                lambda seen=request_id: all(  # type: ignore[misc]
                    not c.permission
                    or c.permission.request_id != seen
                    or c.permission.state != "pending"
                    for c in cards(session)
                )
            )
        permission = waiting(session)
        assert permission.request_id.startswith("h")
        driver.answer(session, permission.request_id, "reject")
        driver.done(session, turn_id)
        assert not list(tmp_path.rglob("ran"))


def kill_agent() -> None:
    for pid, command in family(os.getpid()).items():
        if "terminal_script" in command:
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "step",
    [
        ask("fs/write_text_file", path="ROOT/setup.py", content="x"),
        ask("terminal/create", command="touch ran", cwd="ROOT"),
        ask("fs/read_text_file", path="ROOT/.env"),
    ],
    ids=["write", "command", "read"],
)
def test_a_yes_after_the_agents_death_does_nothing(tmp_path: Path, step: dict[str, Any]) -> None:
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        (driver.root / "setup.py").write_text("before")
        (driver.root / ".env").write_text("KEY=planted")
        session = driver.open("scripted")
        steps = json.dumps([step]).replace("ROOT", str(driver.root))
        turn_id = driver.prompt(session, steps)
        request_id = waiting(session).request_id
        kill_agent()
        assert driver.done(session, turn_id).stop_reason == "error"
        with pytest.raises((PermissionGone, PermissionSettled)):
            driver.answer(session, request_id, "allow")
        assert (driver.root / "setup.py").read_text() == "before"
        assert not list(driver.root.rglob("ran"))
        assert session.state.waiting == 0


def test_a_yes_ends_with_the_agent_that_it_was_given_to(tmp_path: Path) -> None:
    """It dies before it has used it; the next process asks anew for the same text."""
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        path = str(driver.root / "setup.py")
        Path(path).write_text("before")
        session = driver.open("scripted")
        diff = {"type": "diff", "path": path, "oldText": "before", "newText": "x"}
        other = own_request("", "execute", toolCallId="c2", rawInput={"command": "true"})
        turn_id = driver.prompt(session, json.dumps([own_request(path, content=[diff]), other]))
        first = waiting(session).request_id
        driver.answer(session, first, "yes")
        eventually(lambda: session.state.waiting and waiting(session).request_id != first)
        kill_agent()
        assert driver.done(session, turn_id).stop_reason == "error"
        write = ask("fs/write_text_file", path=path, content="x")
        turn_id = driver.prompt(session, json.dumps([write]))
        driver.answer(session, waiting(session).request_id, "reject")
        driver.done(session, turn_id)
        assert Path(path).read_text() == "before"


@pytest.mark.parametrize(
    ("step", "named"),
    [
        (ask("fs/read_text_file", path="OUT/there"), True),
        (ask("fs/read_text_file", path="OUT/not-there"), True),
        (ask("fs/read_text_file", path="ROOT/../AGENTS.md"), False),
        (ask("fs/read_text_file", path="ROOT/away/there"), True),
        (ask("fs/write_text_file", path="OUT/new", content="x"), True),
        (ask("terminal/create", command="true", cwd="OUT"), True),
        (ask("terminal/create", command="true", cwd="ROOT/none"), True),
    ],
    ids=[
        "read",
        "read what is not there",
        "look in a parent folder",
        "by a link",
        "write",
        "command",
        "no such folder",
    ],
)
def test_a_refusal_is_named_in_the_turn(
    tmp_path: Path, step: dict[str, Any], *, named: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "there").write_text("x")
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        (driver.root / "away").symlink_to(outside)
        session = driver.open("scripted")
        steps = json.dumps([step, step]).replace("ROOT", str(driver.root))
        driver.done(session, driver.prompt(session, steps.replace("OUT", str(outside))))
        said = session.transcript.text_of
        found = [(card.status, card.permission, str(said(card.id))) for card in cards(session)]
        if not named:
            assert found == []
            return
        ((status, permission, output),) = found
        assert (status, permission) == ("failed", None)
        assert "outside the working directory" in output or "does not exist" in output
        assert not (outside / "new").exists()


def test_refusals_without_end_are_not_all_named(tmp_path: Path) -> None:
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        session = driver.open("scripted")
        steps = [
            ask("fs/write_text_file", path=f"/nowhere/{n}\u202e{'x' * 500}", content="x")
            for n in range(60)
        ]
        driver.done(session, driver.prompt(session, json.dumps(steps)))
        assert len(cards(session)) == 20
        assert all(len(card.title) < 400 for card in cards(session))
