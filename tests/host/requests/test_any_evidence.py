"""Whatever evidence is taken from a request: what was asked is not allowed by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_jupyter.host.requests.policy import decide
from acp_jupyter.host.requests.rules import CurrentRules
from acp_jupyter.protocol.host_events.session import Policy, Rule
from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import Diff, PermissionOption, ToolCall
from acp_jupyter.transcript.rule_text import read_rule

Request = tuple[ToolCall, tuple[PermissionOption, ...]]
Mutation = Callable[[Request, str], Request]

_PATHS = st.sampled_from(["a.py", "src/b.py", "conftest.py", ".git/x", "../a", "/etc/passwd"])
_COMMANDS = st.sampled_from(["git status", "git status -s", "rm a", "ls; rm a", "ls 'a"])
_URLS = st.sampled_from(["https://a.example/b", "https://b.example/", "file:///a"])
_ODD = st.sampled_from(["/x", "../x", "~/x", "a\u202eb", "\\\\x", "C:/x", "x/../../y", "\x00"])


def _rules() -> st.SearchStrategy[tuple[Rule, ...]]:
    texts = ["edit", "edit:src/**", "read", "execute:git *", "fetch:https://a.example/*", "delete"]
    one = st.builds(
        lambda text, effect, scope: read_rule(text, effect=effect, scope=scope, rule_id="r"),
        st.sampled_from(texts),
        st.sampled_from(["allow", "allow", "deny"]),
        st.sampled_from(["turn", "session", "workspace"]),
    )
    return st.lists(one, max_size=3).map(tuple)


@st.composite
def _requests(draw: st.DrawFn) -> Request:
    """Draw a request that does not contradict itself: only commands have a command."""
    kind = draw(st.sampled_from(get_args(AcpKind)))
    fields: dict[str, Any] = {"tool_kind": kind}
    if kind == "execute":
        fields["command"] = draw(_COMMANDS)
    elif kind == "fetch":
        fields["raw_input"] = {"url": draw(_URLS)}
    else:
        fields["path"] = draw(st.just("") | _PATHS)
        places = draw(st.lists(_PATHS, max_size=2))
        fields["locations"] = tuple(Location(path=path) for path in places)
        fields["diffs"] = tuple(Diff(path=path) for path in draw(st.lists(_PATHS, max_size=1)))
    kinds = st.sampled_from(["allow_once", "allow_always", "reject_once", "reject_always", "odd"])
    offered = draw(st.lists(kinds, max_size=4))
    options = tuple(
        PermissionOption(option_id=f"o{n}", name=kind, option_kind=kind)
        for n, kind in enumerate(offered)
    )
    return ToolCall(id="i1", tool_call_id="c1", title="x", **fields), options


def _with(**changes: Any) -> Mutation:
    return lambda request, _odd: (request[0].model_copy(update=changes), request[1])


def _odd_path(request: Request, odd: str) -> Request:
    return request[0].model_copy(update={"path": odd if request[0].path else ""}), request[1]


def _one_more_path(request: Request, odd: str) -> Request:
    call = request[0]
    if not (call.path or call.locations or call.diffs):
        return request
    more = (*call.locations, Location(path=odd))
    return call.model_copy(update={"locations": more}), request[1]


def _operator(request: Request, _odd: str) -> Request:
    command = request[0].command
    changed = f"{command} && rm -r ." if command else ""
    return request[0].model_copy(update={"command": changed}), request[1]


def _no_single_allow(request: Request, _odd: str) -> Request:
    return request[0], tuple(o for o in request[1] if o.option_kind != "allow_once")


def _a_second_allow(request: Request, _odd: str) -> Request:
    more = PermissionOption(option_id="more", name="more", option_kind="allow_once")
    return request[0], (*request[1], more) if _singles(request) else request[1]


def _singles(request: Request) -> int:
    return sum(option.option_kind == "allow_once" for option in request[1])


MUTATIONS: dict[str, Mutation] = {
    "no kind": _with(tool_kind="other"),
    "no paths": _with(path="", locations=(), diffs=()),
    "no command": _with(command=""),
    "no address": _with(raw_input=None),
    "an odd path": _odd_path,
    "one more path": _one_more_path,
    "an operator": _operator,
    "no options": lambda request, _odd: (request[0], ()),
    "no single allow": _no_single_allow,
    "two single allows": _a_second_allow,
}


def verdict(policy: Policy, request: Request, rules: tuple[Rule, ...]) -> str:
    call, options = request
    made = decide(policy, call, options, CurrentRules(rules))
    if made is None:
        return "ask"
    kinds = {option.option_id: option.option_kind for option in options}
    return kinds[made.option_id]


@settings(max_examples=500)
@given(
    policy=st.sampled_from(get_args(Policy)),
    request=_requests(),
    rules=_rules(),
    names=st.lists(st.sampled_from(sorted(MUTATIONS)), min_size=1, max_size=3),
    odd=_ODD,
)
def test_taking_evidence_away_never_turns_a_question_into_a_grant(
    policy: Policy, request: Request, rules: tuple[Rule, ...], names: list[str], odd: str
) -> None:
    before = verdict(policy, request, rules)
    assert before in {"ask", "allow_once", "reject_once", "reject_always"}
    poorer = request
    for name in names:
        poorer = MUTATIONS[name](poorer, odd)
    if before == "ask":
        assert verdict(policy, poorer, rules) != "allow_once"


@given(policy=st.sampled_from(get_args(Policy)), request=_requests(), odd=_ODD)
def test_without_its_evidence_nothing_is_allowed(
    policy: Policy, request: Request, odd: str
) -> None:
    for name in ("no kind", "no options", "no single allow", "two single allows"):
        assert verdict(policy, MUTATIONS[name](request, odd), ()) != "allow_once"
    without = _with(path="", locations=(), diffs=(), command="", raw_input=None)(request, odd)
    assert verdict(policy, without, ()) != "allow_once"
    if policy in {"accept-edits", "read-only"}:
        named = _with(path="a.py")(request, odd)
        for name in ("an odd path", "one more path"):
            assert verdict(policy, MUTATIONS[name](named, odd), ()) != "allow_once"


@given(policy=st.sampled_from(get_args(Policy)), request=_requests(), rules=_rules())
def test_one_more_denial_never_allows_more(
    policy: Policy, request: Request, rules: tuple[Rule, ...]
) -> None:
    if verdict(policy, request, rules) != "allow_once":
        denial = read_rule("edit:src/**", effect="deny", scope="session", rule_id="d")
        assert verdict(policy, request, (*rules, denial)) != "allow_once"
