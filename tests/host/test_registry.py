from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from acp_jupyter.errors import AgentStartError, UnknownAgent
from acp_jupyter.host.registry import CONFIG_FILE, Registry
from acp_jupyter.host.registry_entries import AgentReport


def write(folder: Path, content: object) -> Path:
    folder.mkdir(exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / CONFIG_FILE).write_text(text)
    return folder


def test_the_demo_agent_is_always_there() -> None:
    registry = Registry({}, [])
    assert [spec.id for spec in registry.specs()] == ["demo", "claude-cli"]
    assert registry.get("demo").command == sys.executable
    assert registry.statuses()[0].status == "ready"


def test_agents_come_from_the_settings_and_the_files_in_this_order(tmp_path: Path) -> None:
    first = write(tmp_path / "a", {"agent_servers": {"one": {"command": "file"}}})
    second = write(
        tmp_path / "b",
        {"agent_servers": {"one": {"command": "late"}, "Two Words": {"command": "two"}}},
    )
    registry = Registry(
        {"set": {"command": "x", "args": ["-a"], "env": {"K": "V"}}}, [first, second]
    )
    assert [spec.id for spec in registry.specs()] == [
        "demo",
        "set",
        "one",
        "two-words",
        "claude-cli",
    ]
    assert registry.get("one").command == "file"
    assert registry.get("two-words").name == "Two Words"
    spec = registry.get("set")
    assert (spec.args, dict(spec.env)) == (("-a",), {"K": "V"})


def test_a_further_folder_must_be_absolute() -> None:
    entry = {"command": "sh", "additional_directories": ["data"]}
    (_, report, _) = Registry({"x": entry}, []).statuses()
    assert report.status == "broken"
    assert "additional_directories" in report.detail


def test_settings_win_over_files(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"agent_servers": {"one": {"command": "file"}}})
    assert Registry({"one": {"command": "settings"}}, [folder]).get("one").command == "settings"


def test_keys_of_other_editors_are_no_mistake() -> None:
    registry = Registry({"x": {"command": "sh", "type": "custom", "default_mode": "plan"}}, [])
    assert registry.statuses()[1].status == "ready"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "not valid (give it either a command or a url)"),
        ({"command": ""}, "(command is empty)"),
        ({"command": "x", "args": "-a"}, "(args must be a list)"),
        ({"command": "x", "args": [1]}, "(args.0 must be text)"),
        ({"command": "x", "env": {"A": 1}}, "(env.A must be text)"),
        ({"command": ["x"]}, "(command must be text)"),
        (5, "not valid (must be an object)"),
        (None, "not valid (must be an object)"),
    ],
)
def test_a_bad_entry_is_broken_alone(entry: object, words: str) -> None:
    registry = Registry({"bad": entry, "good": {"command": "sh"}}, [])  # type: ignore[dict-item]
    statuses = {report.id: report for report in registry.statuses()}
    assert statuses["bad"].status == "broken"
    assert words in statuses["bad"].detail
    assert statuses["good"].status == "ready"
    assert [spec.id for spec in registry.specs()] == ["demo", "good", "claude-cli"]
    with pytest.raises(AgentStartError, match="bad can't start"):
        registry.get("bad")


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"agent_servers": 5}', "[" * 100_000])
def test_a_bad_file_is_told_and_the_rest_works(tmp_path: Path, content: str) -> None:
    folder = write(tmp_path / "a", content)
    registry = Registry({"good": {"command": "sh"}}, [folder, tmp_path / "missing"])
    reports = registry.statuses()
    assert [report.status for report in reports[:3]] == ["ready", "ready", "broken"]
    assert str(folder / CONFIG_FILE) in reports[2].detail


def test_a_missing_command_says_what_to_do() -> None:
    report = Registry({"x": {"command": "no-such-agent"}}, []).statuses()[1]
    assert report.status == "not_installed"
    assert "no-such-agent was not found. Install it" in report.detail


def claude_cli(config: Mapping[str, Mapping[str, str]] | None = None) -> AgentReport:
    return next(r for r in Registry(config or {}, []).statuses() if r.id == "claude-cli")


def test_the_claude_cli_is_ready_when_its_program_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLAUDE_CLI_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    report = claude_cli()
    assert (report.name, report.status) == ("Claude CLI", "not_installed")
    assert "npm install -g @anthropic-ai/claude-code" in report.detail
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert claude_cli().status == "ready"
    monkeypatch.setenv("CLAUDE_CLI_PATH", str(tmp_path / "elsewhere"))
    assert "elsewhere was not found" in claude_cli().detail
    program.rename(tmp_path / "elsewhere")
    assert claude_cli().status == "ready"


def test_the_claude_cli_is_looked_for_where_the_agent_s_own_variables_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program = tmp_path / "my-claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    args = ["-P", "-m", "acp_jupyter.agents.claude_cli"]
    entry = {"command": sys.executable, "args": args, "env": {"CLAUDE_CLI_PATH": str(program)}}
    assert Registry({"x": entry}, []).statuses()[1].status == "ready"


def test_who_configures_a_claude_cli_of_their_own_has_that_one() -> None:
    config = {"claude-cli": {"command": "sh", "name": "Mine"}}
    assert claude_cli(config).name == "Mine"


def test_the_path_of_the_agent_counts_for_finding_its_command(tmp_path: Path) -> None:
    program = tmp_path / "my-agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    entry = {"command": "my-agent", "env": {"PATH": str(tmp_path)}}
    assert Registry({"x": entry}, []).statuses()[1].status == "ready"


def test_nobody_can_take_the_place_of_the_demo_agent(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"agent_servers": {"Demo": {"command": "evil"}}})
    registry = Registry({"demo": {"command": "evil"}}, [folder])
    assert registry.get("demo").command == sys.executable
    assert registry.statuses()[1].status == "broken"


def test_an_unknown_agent_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownAgent, match="Agents: demo, x"):
        Registry({"x": {"command": "x"}}, []).get("y")


def test_an_agent_is_found_by_id_key_and_title() -> None:
    registry = Registry(
        {
            "Claude Code": {"command": "a"},
            "日本語": {"command": "b"},
            "c": {"command": "c", "name": "My Agent"},
        },
        [],
    )
    for name, agent_id in {
        "claude-code": "claude-code",
        "Claude Code": "claude-code",
        "claude code": "claude-code",
        "日本語": "agent",
        "My Agent": "c",
        "C": "c",
        "Demo": "demo",
        "nobody": "nobody",
    }.items():
        assert registry.id_of(name) == agent_id, name


def test_two_names_that_give_one_id_are_two_agents() -> None:
    registry = Registry({"日本語": {"command": "a"}, "한국어": {"command": "b"}}, [])
    assert [registry.id_of(name) for name in ("日本語", "한국어")] == ["agent", "agent-2"]
    assert [registry.get(agent_id).command for agent_id in ("agent", "agent-2")] == ["a", "b"]
    registry = Registry({"a b": {"command": "a"}, "A-B": {"command": "b"}}, [])
    assert [registry.id_of(name) for name in ("a b", "A-B", "a-b")] == ["a-b", "a-b-2", "a-b"]


def test_what_is_meant_by_two_is_nobodys() -> None:
    registry = Registry(
        {"x": {"command": "a", "name": "Same"}, "y": {"command": "b", "name": "Same"}}, []
    )
    assert registry.id_of("Same") == "Same"


def test_a_name_that_is_almost_right_is_asked_about() -> None:
    with pytest.raises(UnknownAgent, match=r"Did you mean demo\?"):
        Registry({}, []).get("dem")
