"""What becomes of requests at the edges of what rules and policies look at.

``tests/golden/requests`` tells it of each. ``ACP_WRITE_GOLDEN=1`` writes it anew, to be read.
"""

from __future__ import annotations

import itertools
import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from acp_jupyter.host.requests.answers import allows, needs_live_answer
from acp_jupyter.host.requests.policy import Decision, decide, follow_up_policy, reject_option
from acp_jupyter.host.requests.protected_paths import holds_credentials, is_protected
from acp_jupyter.host.requests.rule_commands import allowing, denial, match_further, match_word
from acp_jupyter.host.requests.rule_shell import Word, read_script
from acp_jupyter.host.requests.rule_wrappers import commands_of
from acp_jupyter.host.requests.rules import CurrentRules, facts_of, match_address, match_path
from acp_jupyter.host.requests.session_folder import FolderPath, SessionFolder
from acp_jupyter.protocol.host_events.session import Policy, Rule, RuleEffect
from acp_jupyter.protocol.packets import Location
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.tool_items import (
    Diff,
    Permission,
    PermissionOption,
    ToolCall,
)
from tests.acceptance import golden
from tests.support.host.permission_answers import rule
from tests.support.transcript.outcomes import check, cut
from tests.support.transcript.traffic import Script

FOLDER = golden.GOLDEN / "requests"
POLICIES: tuple[Policy, ...] = get_args(Policy)


# -- commands --------------------------------------------------------------------


def nested(command: str, depth: int, wrap: str) -> str:
    """Return a command within so many others."""
    for _ in range(depth):
        command = f"{wrap} {shlex.quote(command)}"
    return command


MADE = {
    **{f"{n} evals within each other": nested("rm a", n, "eval") for n in (7, 8, 9)},
    **{f"{n} evals in a row": "eval " * n + "rm a" for n in (7, 8, 9)},
    **{f"{n} times find -exec": "find -exec " * n + "rm a" for n in (7, 8, 9, 10)},
    **{f"{n} commands": ";".join(["a"] * n) for n in (99, 100, 101)},
    **{f"{n} words": " ".join(["a"] * n) for n in (2_000, 2_001)},
    **{f"{n} characters": "a" * n for n in (20_000, 20_001)},
    **{f"a name of {n} characters": "${" + "a" * n + "}" for n in (100, 101)},
    **{f"{n} shells": nested("a", n, "sh -c") for n in (1, 2, 3, 4, 5)},
    **{f"{n} login shells and one more": nested("a", n, "sh -lc") + ";a" for n in (3, 4)},
    **{f"an address of {n} characters": f"http://a/{'b' * (n - 9)}" for n in (4_000, 4_001)},
}
"""What is too long to be written there."""


def table(name: str, tell: Callable[[str], str | list[str]]) -> None:
    """Compare what is told of each text in a file; a row is added by its text alone."""
    file = FOLDER / f"{name}.json"
    known = json.loads(file.read_text())
    told = {text: tell(MADE.get(text, text)) for text in known}
    if os.environ.get("ACP_WRITE_GOLDEN"):
        file.write_text(json.dumps(told, indent=1) + "\n")
        return
    assert told == known


def written(words: Iterable[Word]) -> str:
    """Return a command; what may be anything stands in brackets."""
    return " ".join(w.text if w.known else f"<{w.text}>" for w in words) or "(nothing)"


DENYING = (
    "",
    "rm *",
    "rm",
    "rm a",
    "* a",
    "a*",
    "rm * b",
    "a b",
    "/a/b/rm *",
    "sudo -u a *",
    "r* a",
)
ALLOWING = (
    *("", "rm *", "rm a", "a", "a *", "b", "sh *", "cd *", "a 'b c'", "git a*", "a x*/y", "A=1 *"),
)


def test_commands() -> None:
    table("commands", lambda text: [read(text), runs(text), denied(text), allowed(text)])


def read(text: str) -> str:
    script = read_script(text)
    flags = ("certain",) * script.certain + ("plain",) * script.plain
    return f"read: {cut(' / '.join(map(written, script.commands)), 150)} [{' '.join(flags)}]"


def runs(text: str) -> str:
    commands = commands_of(text)
    found = cut(" / ".join(map(written, commands.found)), 150)
    flags = ("certain",) * commands.certain + ("runs others",) * commands.runs_others
    return f"runs: {found} [{', '.join(flags)}] names {cut(' '.join(sorted(commands.names)), 80)}"


def denied(text: str) -> str:
    by: dict[str, list[str]] = {}
    for pattern in DENYING:
        by.setdefault(denial(pattern, text).name, []).append(repr(pattern))
    return "; ".join(f"{verdict} by {', '.join(by[verdict])}" for verdict in sorted(by))


def allowed(text: str) -> str:
    by = [repr(each) for each in ALLOWING if allowing([each], text, "/ws") is not None]
    first = allowing(ALLOWING, text, "/ws")
    return f"allowed by {', '.join(by) or 'none'}; of all by {first and ALLOWING[first]!r}"


def test_further_words() -> None:
    """Which words the last ``*`` of a rule stands for."""
    table("further_words", _further)


def _further(word: str) -> str:
    programs = ("a", "curl", "/x/curl", "man", "rsync", "sed", "ssh", "tar", "wget", "zip")
    places = [*((p, "/w") for p in programs), *(("a", folder) for folder in ("", "/w/", "/"))]
    found = [f"{p} in {f or '?'}" for p, f in places if match_further(p, word, f)]
    return "all" if len(found) == len(places) else ", ".join(found) or "none"


def test_words() -> None:
    wanted = ("a", "*", "a*", "*a", "-*", "a/*", "*/a", "a*b", "[a]", "?", "*.*", "")
    text = "a -a ab b a/b b/a a/-b a/.. .. a.. a=.. a:..a a\\.. axb * [a] x.y A a@.. a,.. - a/b/c"
    words = ("", *text.split())
    matches = ((each, (repr(w) for w in words if match_word(each, w))) for each in wanted)
    check(FOLDER, "words", (f"{each!r}: {' '.join(found)}" for each, found in matches))


# -- paths and addresses ---------------------------------------------------------


def test_patterns_of_paths() -> None:
    asterisks = "* */b ** **/b a/** a/**/b **/** a* **/a/**"
    some = "a b a/b a/c a/b/c a/c/b x/a/b x/a ab [a] ? a/ A a/c/d/b b/b"
    patterns, paths = ("", *some.split(), *asterisks.split()), ("", *some.split())
    matches = ((each, (repr(p) for p in paths if match_path(each, p))) for each in patterns)
    check(FOLDER, "patterns_of_paths", (f"{each!r}: {' '.join(found)}" for each, found in matches))


ADDRESSES = (
    *("http://a/", "http://a/*", "http://a/b", "http://a/b*", "https://a/*", "http://a/b?*", "*"),
    *("http://a:80/*", "ftp://a/*", "", "http://A./b", "http://a/b#c"),
    *("http://a/b?c", "http://a/-", "http://a/\u00e9", "http://a/b#*", "http://a/b?c#*"),
)


def test_addresses() -> None:
    table("addresses", _address)


def _address(url: str) -> str:
    by: dict[bool | None, list[str]] = {True: [], None: [], False: []}
    for pattern in ADDRESSES:
        by[match_address(pattern, url)].append(repr(pattern))
    unclear = "all" if len(by[None]) == len(ADDRESSES) else " ".join(by[None])
    return f"matches {' '.join(by[True]) or 'none'}; unclear for {unclear}"


def test_empty_names_in_paths_change_nothing() -> None:
    for path in ("conftest.py/", "a//conftest.py", "a/conftest.py//"):
        assert is_protected(path)
    for path in (".git//config", ".git/config/", "a//.env"):
        assert holds_credentials(path)


def test_paths() -> None:
    table("paths", lambda path: _located(SessionFolder(None).locate(path)))


def _located(spot: FolderPath | None) -> str:
    if spot is None:
        return "outside"
    marks = ("protected",) * spot.protected + ("secret",) * spot.secret
    marks += ("plain",) * spot.plain
    names = (spot.named, spot.real) if spot.real != spot.named else (spot.named,)
    return " ".join((" really ".join(map(ascii, names)), *marks))


def test_paths_on_disk(tmp_path: Path) -> None:
    root, own = tmp_path / "ws", tmp_path / "ws/own"
    folders = "ws/src ws/own ws/env ws/bare ws/half ws/a/b out/pyvenv.cfg ws/twice"
    for name in folders.split():
        (tmp_path / name).mkdir(parents=True)
    files = (
        "src/a src/.env env/pyvenv.cfg bare/HEAD bare/objects bare/refs half/HEAD own/x src/hard"
    )
    for name in files.split():
        (root / name).write_text("")
    links = {
        **{"src/link": "a", "src/away": "../../out", "src/to_env": ".env", "src/loop": "loop"},
        **{"src/up": "..", "deep": "a/b"},
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    (root / "src/other").hardlink_to(root / "src/hard")
    folder = SessionFolder(root, (own, tmp_path / "none"))
    paths = (
        *("src/a", "src/none", "src/link", "src/.env", "src/to_env", "src/away", "src/away/a"),
        *("src/loop", "src/hard", "src/other", "src/up/a", "src/up/../src/a", "env", "env/a"),
        *("env/a/b", "bare", "bare/x/y", "half/x", "own", "own/x", "ownx", ".", "deep/../a"),
        *("src/../src/a", "a/b", "src", "src/a/b", "x" * 300),
    )
    check(FOLDER, "paths_on_disk", (f"{p[:20]}: {_located(folder.locate(p))}" for p in paths))
    assert folder.locate(f"{root}/src/a") == folder.locate("src/a")
    assert (folder.cwd, SessionFolder(None).cwd) == (str(root), "")


# -- decisions -------------------------------------------------------------------


def options(*kinds: str) -> tuple[PermissionOption, ...]:
    return tuple(
        PermissionOption(option_id=f"{kind}{n or ''}", name=kind, option_kind=kind)
        for n, kind in enumerate(kinds)
    )


def call(**fields: Any) -> ToolCall:
    return ToolCall(**{"id": "i1", "tool_call_id": "c1", "title": "x", **fields})


def _calls() -> Iterator[tuple[str, ToolCall]]:
    for kind in ("read", "search", "edit", "delete", "move", "other", "think", "switch_mode"):
        names = ("a.py", "src/a.py src/b.py", "src/a.py b.py", "../a", ".env", "conftest.py")
        for named in ("", *names, "run", "a.yaml", "src/a.py /x"):
            paths = named.split()
            places = tuple(Location(path=path) for path in paths)
            yield f"{kind} {named}", call(tool_kind=kind, locations=places)
    for command in (
        "",
        "rm a",
        "ls",
        "ls | rm",
        "git push",
        "$x",
        "python -c 1",
        "ls; rm a",
        "env -S a",
    ):
        yield f"execute {command}", call(tool_kind="execute", command=command)
    odd: dict[str, Any] = {"command": "ls", "cwd": "sub"}
    yield "execute ls in sub", call(tool_kind="execute", command="ls", raw_input=odd)
    odd = {"command": "ls", "odd": 1}
    yield "execute ls and odd", call(tool_kind="execute", command="ls", raw_input=odd)
    for url in ("http://a/", "http://b/", "file:a", ""):
        yield f"fetch {url}", call(tool_kind="fetch", raw_input={"url": url})
    yield "fetch and odd", call(tool_kind="fetch", raw_input={"url": "http://a/", "odd": 1})
    yield "fetch nothing", call(tool_kind="fetch")
    yield "fetch at a path", call(tool_kind="fetch", path="a")
    yield "edit with a diff", call(tool_kind="edit", diffs=(Diff(path="src/a.py"),))
    yield "edit a path", call(tool_kind="edit", path="src/a.py")
    odd = {"path": "src/a.py", "odd": "../b"}
    yield "edit and odd", call(tool_kind="edit", path="src/a.py", raw_input=odd)
    yield "read and odd", call(tool_kind="read", path="src/a.py", raw_input=odd)
    yield "edit with a command", call(tool_kind="edit", path="src/a.py", command="ls")
    yield "read with a command", call(tool_kind="read", path="src/a.py", command="ls")
    yield "think with a command", call(tool_kind="think", command="ls")
    yield "edit by bash", call(tool_kind="edit", path="src/a.py", tool_name="bash")


CALLS = dict(_calls())


def _rule(text: str) -> Rule:
    """Read a rule: ``+`` for one of the turn, ``-`` for one that denies."""
    effect: RuleEffect = "deny" if text[0] == "-" else "allow"
    return rule(text.lstrip("-+"), effect, "turn" if text[0] == "+" else "session")


RULES: dict[str, CurrentRules] = {
    "no rules": CurrentRules(),
    "unknown rules": CurrentRules(known=False),
    "unknown rules beside read, edit, execute:ls": CurrentRules(
        tuple(map(_rule, ("read", "edit", "execute:ls"))), known=False
    ),
    **{
        texts: CurrentRules(tuple(map(_rule, texts.split(", "))))
        for texts in (
            *("edit", "+edit", "+read", "read", "edit:src/**", "+edit:src/**, edit:a.py"),
            *(
                "edit:src/a.py, edit:src/b.py",
                "edit:conftest.py",
                "read:.env",
                "search:conftest.py",
            ),
            *("execute:ls", "+execute:ls, execute:rm *", "execute:git *", "fetch:http://a/*"),
            *("-edit", "-edit:src/**, +edit", "-read:src/*, read", "-execute:rm *", "-execute"),
            *("-execute:ls, +execute:ls", "-fetch:http://a/*", "-fetch, +fetch:http://b/"),
            *("-execute:git push, -execute:rm *, +execute:git *", "-edit:SRC/A.PY"),
            *("-delete:a.py, -edit:a.py", "edit:a.py, +edit:a.py", "move:src/*, delete:src/*"),
            *("execute:env *, -execute:rm *", "+execute:env *, -execute:rm *"),
        )
    },
}


def test_what_policies_and_rules_decide() -> None:
    check(FOLDER, "decisions", _decision_lines())


def _decision_lines() -> Iterator[str]:
    yield f"under {' '.join(POLICIES)}: yes or no, and by which rule, or the user is asked"
    offered = options("allow_once", "reject_once", "allow_always")
    for name, asked in CALLS.items():
        plain = ""
        for rules, current in RULES.items():
            if not (rules in {"no rules", "unknown rules"} or asked.tool_kind in rules):
                continue
            made = ", ".join(_said(decide(p, asked, offered, current)) for p in POLICIES)
            each = made.split(", ")
            told = f"always {each[0]}" if len({*each}) == 1 else made
            if rules == "no rules":
                plain = made
                yield f"{name}: {told}"
            elif made != plain:
                yield f"{name}, with {rules}: {told}"


def _said(made: Decision | None) -> str:
    if made is None:
        return "?"
    by = "" if made.by == "policy" else f" by {made.rule}"
    return f"{'yes' if made.option_id == 'allow_once' else 'no'}{by}"


def test_which_options_are_chosen() -> None:
    kinds = ("allow_once", "allow_always", "reject_once", "reject_always")
    check(FOLDER, "options", (
        line
        for count in (0, 1, 2, 3)
        for chosen in itertools.permutations((*kinds, "allow_once", "odd"), count)
        if chosen[:1] != ("odd",)
        for line in _option_lines(chosen)
    ))  # fmt: skip


def _option_lines(kinds: tuple[str, ...]) -> Iterator[str]:
    offered = options(*kinds)
    edit = call(tool_kind="edit", path="a.py")
    made = [decide(policy, edit, offered) for policy in ("deny", "allow-all")]
    told = ", ".join("?" if each is None else each.option_id for each in made)
    asks = call(permission=Permission(request_id="r", title="x", options=offered))
    granting = [option.option_id for option in offered if allows(asks, option.option_id)]
    yield (
        f"{' '.join(o.option_id for o in offered) or 'none'}: {told}; "
        f"rejects {reject_option(offered)}; allowing {' '.join(granting) or 'none'}"
    )


def test_what_is_known_of_a_call() -> None:
    folder = SessionFolder(None)
    check(FOLDER, "facts", (f"{name}: {_facts(asked, folder)}" for name, asked in CALLS.items()))


def _facts(asked: ToolCall, folder: SessionFolder) -> str:
    facts = facts_of(asked, folder)
    marks = {"named": facts.names_something, "inside": facts.inside, "understood": facts.understood,
             "only live": needs_live_answer(asked, folder), "evidence": facts.evidence}  # fmt: skip
    return " ".join([name for name, holds in marks.items() if holds])


def test_policies_of_follow_ups() -> None:
    check(FOLDER, "follow_ups", (
        f"{turn} in {own}: {_follow_up(turn, own)}" for own in POLICIES for turn in POLICIES
    ))  # fmt: skip


def _follow_up(policy: Policy, own: Policy) -> str:
    rules = (rule("edit", "deny"), rule("read"))
    turn = TurnState(turn_id="t", session_id="s", policy=policy, rules=rules)
    session = Script().transcript.session.model_copy(update={"policy": own})
    followed, kept = follow_up_policy(turn, session)
    return f"{followed} {' '.join(each.id for each in kept)}"
