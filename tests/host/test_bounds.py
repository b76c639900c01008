"""What an administrator allows, and what a user's settings make of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import AgentStartError, BadRequest, NotAllowed
from acp_jupyter.host.bounds import POLICIES, Bounds
from acp_jupyter.host.registry import Registry
from acp_jupyter.protocol.host_events.session import Policy, Sandbox
from acp_jupyter.server.system_bounds import bounds_of


def test_by_default_everything_is_allowed() -> None:
    bounds = Bounds.of({})
    assert (bounds.policies, bounds.policy) == (POLICIES, "ask")
    assert not bounds.forbids_agent("any", "any.example.org")
    bounds.require_attachments([{"type": "image"}])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"allowed_policies": ["ask", "none"]}, "'none', which is no policy. Policies: ask,"),
        ({"allowed_policies": []}, "leave no policy that all of them allow"),
        ({"allowed_sandboxes": ["off", "none"]}, "'none', which is no sandbox. Sandboxes: off,"),
        ({"allowed_sandboxes": []}, "leave no sandbox that all of them allow"),
        ({"required_sandbox_level": "some"}, "must be one of: none, partial, full"),
        ({"allowed_agents": "demo"}, "allowed_agents must be a list of names"),
        ({"allowed_remote_hosts": [1]}, "allowed_remote_hosts must be a list of names"),
        ({"allow_downloads": "no"}, "allow_downloads must be True or False"),
        ({"instructions": ["a"]}, "instructions must be a text"),
        ({"instructions": "a" * 20_001}, "has 20001 characters, and the limit is 20000"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_in_words(
    settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadRequest, match=words):
        Bounds.of(settings)


@pytest.mark.parametrize(
    ("allowed", "wanted", "sandbox"),
    [
        (["off", "folder", "read-only"], "folder", "folder"),
        (["folder", "read-only"], "off", "folder"),
        (["off", "read-only"], "folder", "read-only"),
        (["off", "folder"], "read-only", "folder"),
    ],
)
def test_a_sandbox_that_is_not_allowed_gives_way_to_one_that_leaves_less(
    allowed: list[str], wanted: Sandbox, sandbox: Sandbox
) -> None:
    bounds = Bounds.of({"allowed_sandboxes": allowed})
    assert bounds.within_sandbox(wanted) == sandbox
    if wanted not in allowed:
        with pytest.raises(NotAllowed, match=f"The sandbox {wanted} is not allowed here. The adm"):
            bounds.require_sandbox(wanted)


def test_bounds_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(BadRequest, match="leave no policy that all of them allow"):
        Bounds.of({"allowed_policies": ["ask"]}).within(Bounds.of({"allowed_policies": ["deny"]}))
    with pytest.raises(BadRequest, match="leave no agent that all of them allow"):
        Bounds.of({"allowed_agents": ["demo"]}).within(Bounds.of({"allowed_agents": ["claude*"]}))
    both = Bounds.of({"allowed_agents": ["c*", "demo"]}).within(
        Bounds.of({"allowed_agents": ["claude", "demo"]})
    )
    assert not both.forbids_agent("claude")


def test_instructions_of_both_count() -> None:
    machine, user = Bounds.of({"instructions": "One."}), Bounds.of({"instructions": "Two. "})
    assert user.within(machine).within(machine).instructions == ("One.", "Two.")


@pytest.mark.parametrize(
    ("allowed", "wanted", "policy"),
    [
        (["ask", "deny"], "allow-all", "ask"),
        (["read-only", "deny"], "ask", "read-only"),
        (["accept-edits", "allow-all"], "ask", "accept-edits"),
        (["deny", "read-only"], "deny", "deny"),
    ],
)
def test_a_policy_that_is_not_allowed_gives_way_to_one_that_allows_less(
    allowed: list[str], wanted: Policy, policy: Policy
) -> None:
    bounds = Bounds.of({"allowed_policies": allowed})
    assert bounds.within_policy(wanted) == policy
    if wanted not in allowed:
        with pytest.raises(NotAllowed, match=f"The policy {wanted} is not allowed here. The admin"):
            bounds.require_policy(wanted)


@pytest.mark.parametrize("suffix", [".json", ".py"])
def test_a_users_settings_narrow_what_the_machine_allows_and_never_widen_it(
    tmp_path: Path, suffix: str
) -> None:
    forbidding = {
        "allowed_agents": ["demo", "claude*"],
        "allowed_policies": ["ask", "read-only"],
        "allow_downloads": False,
        "allow_mcp_commands": False,
        "allow_attachments": False,
        "allow_unasked_modes": False,
        "allowed_sandboxes": ["folder", "read-only"],
        "required_sandbox_level": "partial",
        "allowed_remote_hosts": ["*.example.org"],
    }
    file = tmp_path / f"jupyter_server_config{suffix}"
    lines = [f"c.AcpJupyter.{name} = {value!r}\n" for name, value in forbidding.items()]
    text = json.dumps({"AcpJupyter": forbidding}) if suffix == ".json" else "".join(lines)
    file.write_text(text)
    user = {
        "allowed_agents": ["claude-agent", "codex"],
        "allowed_policies": ["allow-all", "read-only"],
        "allow_downloads": True,
        "allow_mcp_commands": True,
        "allow_attachments": True,
        "allowed_sandboxes": ["off", "read-only"],
        "required_sandbox_level": "none",
        "allowed_remote_hosts": ["*"],
    }
    bounds = bounds_of(user, [str(tmp_path), str(tmp_path / "absent")])
    assert bounds.policies == ("read-only",)
    assert (bounds.sandboxes, bounds.sandbox_level) == (("read-only",), "partial")
    assert bounds.needs_walls
    assert [bounds.forbids_agent(each) for each in ("demo", "codex", "claude-agent")] == [
        *(True, True, False)
    ]
    assert [bounds.downloads, bounds.mcp_commands, bounds.attachments] == [False] * 3
    assert bounds.forbids_mode("bypassPermissions", "")
    assert bounds.forbids_agent("claude-agent", "evil.com")
    assert not bounds.forbids_agent("claude-agent", "far.example.org")


def test_an_agent_that_is_not_allowed_is_shown_and_does_not_start() -> None:
    agents = {
        "mine": {"command": "sh"},
        "far": {"url": "wss://far.example.org/acp"},
        "near": {"url": "wss://near.example.com/acp"},
    }
    bounds = Bounds.of({"allowed_agents": ["demo", "*ar"], "allowed_remote_hosts": ["*.com"]})
    registry = Registry(agents, [], bounds=bounds)
    states = {report.id: report for report in registry.statuses()}
    assert {name: state.status for name, state in states.items()} == {
        "demo": "ready",
        "mine": "broken",
        "far": "broken",
        "near": "ready",
        "claude-cli": "broken",
    }
    words = "This agent is not allowed here. The administrator of this server has decided so."
    assert states["mine"].detail == words
    with pytest.raises(AgentStartError, match=words):
        registry.get("far")
    assert [spec.id for spec in registry.specs()] == ["demo", "near"]
