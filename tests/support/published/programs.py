"""The published agents that the tests drive: their commands, with a fake model and own homes.

What an agent does otherwise than the rest, and may do so, stands here too.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Step, Use
from tests.support.processes import all_processes
from tests.support.published.chosen_sandbox import LEVEL, SANDBOX

__all__ = ["PROGRAMS", "PUBLISHED", "Published", "opencode_settings", "processes_of"]

Entry = dict[str, Any]

_NPM = Path(__file__).parents[2] / "published_agents"

PROGRAMS = _NPM / "node_modules" / ".bin"
"""What a person who installed them has on the PATH."""


@dataclass(frozen=True)
class Published:
    """An agent from npm.

    Parameters
    ----------
    agent_id
        Under which it is configured.
    package
        Its folder below ``tests/published_agents`` with its ``package.json``.
    entry
        Makes its entry of ``c.AcpJupyter.agents`` from a home and the model.
    name
        What it calls itself, as users see it.
    asks
        The scenarios in which it asks for permission before it does something.
    failed_command
        The status that it gives to a command that ends with exit code 3.
    plan
        What the user sees of its plan: a plan, the list of a tool call, or nothing.
    """

    agent_id: str
    package: str
    entry: Callable[[Path, FakeModel], Entry]
    name: str
    asks: frozenset[str]
    failed_command: str
    plan: str
    first_words: str = ""
    """What it says before each answer of a model that it does not know."""
    asks_questions: bool = False
    """Whether it has a tool for questions, where the client can show them."""
    command_output: bool = True
    """Whether it tells what a command printed."""
    keeps_commands: bool = False
    """Whether a command goes on in the background when its turn is stopped."""
    retries_cut_streams: bool = False
    """Whether a stream that is cut is asked for again, for ever."""
    late_tools: bool = False
    """Whether the tools of MCP servers are not there yet in a session's first turn."""
    searches_tools: bool = False
    """Whether its model is shown the tools of MCP servers once it has searched for them."""
    asks_to_read: bool = False
    """Whether it asks before each call of a tool of an MCP server, also of those that only read."""
    errors_as_text: bool = False
    """Whether an error of the model is a message of its own, and the turn ends as any other."""
    files_by_the_minute: bool = False
    """Whether a session is overwritten when it is loaded in the minute in which it began."""
    keeps_allowed: frozenset[str] = frozenset()
    """The scenarios that it asks about once in a session, if they are always allowed."""
    mode: str = ""
    """The mode that it is set to under the policy ``ask``, where it opens in another."""
    unasked: str = ""
    """What it does without asking in the mode that it opens in, as the view says it."""
    goes_on_after_no: bool = True
    """Whether the model is told of a rejection and goes on."""
    commands_fail: bool = False
    """Whether commands that it runs without asking fail, as its own sandbox fails in ours."""
    long: bool = False
    """Whether only ``make test-all`` drives it."""

    def searches(self, *tools: str) -> list[list[Step]]:
        """Return what its model does before it uses those tools of the notebook."""
        if not self.searches_tools:
            return []
        wanted = ",".join(f"mcp__notebook__{tool}" for tool in tools)
        return [[Use([r"^ToolSearch$"], {"query": f"select:{wanted}"}, exact=True)]]

    @property
    def version(self) -> str:
        """The version that is installed."""
        files = [
            _NPM / folder / "node_modules" / self.package / "package.json"
            for folder in (".", "more")
        ]
        file = next((file for file in files if file.exists()), None)
        assert file is not None, f"{self.package} is not installed; make test-all does it"
        return str(json.loads(file.read_text())["version"])


def opencode_settings(model: FakeModel) -> str:
    """Return the text of an ``opencode.json`` whose only model is the fake one."""
    options = {"baseURL": model.url, "apiKey": "mock"}
    mock = {"name": "Mock", "limit": {"context": 200_000, "output": 16_000}}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"mock": mock}}
    return json.dumps(
        {
            "model": "mock/mock",
            "small_model": "mock/mock",
            "autoupdate": False,
            "share": "disabled",
            "permission": {"edit": "ask", "bash": "ask"},
            "provider": {"mock": {**provider, "name": "Mock"}},
        }
    )


def _opencode(home: Path, model: FakeModel) -> Entry:
    config = home / "opencode.json"
    config.write_text(opencode_settings(model))
    folders = {
        f"XDG_{name}_HOME": str(home / name) for name in ("CACHE", "CONFIG", "DATA", "STATE")
    }
    entry = _entry("opencode", ["acp"], home, {"OPENCODE_CONFIG": str(config), **folders})
    # A sandbox hides what lies below /tmp, and there a test's home is.
    return {**entry, "sandbox": {**entry["sandbox"], "readable": [str(config)]}}


def _claude(home: Path, model: FakeModel) -> Entry:
    env = {
        "ANTHROPIC_BASE_URL": model.root,
        "ANTHROPIC_API_KEY": "mock",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return _entry("claude-agent-acp", [], home, env)


def _claude_in_version_2(home: Path, model: FakeModel) -> Entry:
    return {**_claude(home, model), "protocol_version": 2}


def _old_claude(home: Path, model: FakeModel) -> Entry:
    entry = _claude(home, model)
    program = _NPM / "more/node_modules/old-claude-agent-acp/dist/index.js"
    assert program.exists(), f"{program} is not installed; make test-all does it"
    # Nobody knows a package of this name, so its entry says what it needs.
    sandbox = {**entry["sandbox"], "writable": ["~/.claude", "~/.claude.json"]}
    return {**entry, "command": "node", "args": [str(program)], "sandbox": sandbox}


def _gemini(home: Path, model: FakeModel) -> Entry:
    env = {"GEMINI_API_KEY": "mock", "GOOGLE_GEMINI_BASE_URL": model.root}
    return _entry("gemini", ["--acp"], home, env)


def _codex(home: Path, model: FakeModel) -> Entry:
    assert LEVEL == "partial" or shutil.which("bwrap"), (
        "codex needs bwrap: apt-get install bubblewrap"
    )
    provider = {"name": "mock", "base_url": model.url, "wire_api": "responses"}
    settings = {
        "model_provider": "mock",
        "model": "mock",
        "model_providers": {"mock": {**provider, "env_key": "OPENAI_API_KEY"}},
        # Where it may write, its sandbox leaves a .git behind, and /tmp is everybody's.
        "sandbox_workspace_write": {"exclude_slash_tmp": True, "exclude_tmpdir_env_var": True},
    }
    # It refuses helpers whose home lies below the folder for temporary files.
    temporary = home.with_name(f"{home.name}-tmp")
    temporary.mkdir(exist_ok=True)
    env = {
        "CODEX_CONFIG": json.dumps(settings),
        "MODEL_PROVIDER": "mock",
        "OPENAI_API_KEY": "mock",
        "TMPDIR": str(temporary),
    }
    return _entry("codex-acp", [], home, env)


def _entry(command: str, args: list[str], home: Path, env: Mapping[str, str]) -> Entry:
    folders = [_NPM / "node_modules" / ".bin", _NPM / "more" / "node_modules" / ".bin"]
    found = next((folder / command for folder in folders if (folder / command).exists()), None)
    assert found is not None, f"{command} is not installed; make test-all does it"
    home.mkdir(parents=True, exist_ok=True)
    variables = {"HOME": str(home), **env}
    sandbox = {"use": SANDBOX}
    return {"command": str(found), "args": args, "env": variables, "sandbox": sandbox}


_CLAUDE = Published(
    "claude",
    "@agentclientprotocol/claude-agent-acp",
    _claude,
    name="Claude Agent",
    asks=frozenset({"write_file", "edit_file", "run_command", "touch"}),
    failed_command="failed",
    plan="",  # the model must search for the tool first
    keeps_allowed=frozenset({"write_file", "run_command"}),
    asks_questions=True,
    retries_cut_streams=True,
    searches_tools=True,
    asks_to_read=True,
    mode="default",
    unasked="judged",
)
PUBLISHED = (
    Published(
        "opencode",
        "opencode-ai",
        _opencode,
        name="OpenCode",
        asks=frozenset({"write_file", "edit_file", "run_command", "touch", "sleep_command"}),
        failed_command="completed",
        plan="todos",
        keeps_allowed=frozenset({"write_file", "run_command"}),
        retries_cut_streams=True,
        goes_on_after_no=False,
    ),
    _CLAUDE,
    replace(_CLAUDE, agent_id="claude-2", entry=_claude_in_version_2, long=True),
    Published(
        "old-claude",
        "old-claude-agent-acp",
        _old_claude,
        name="Claude Agent",
        asks=frozenset({"write_file", "edit_file", "run_command", "touch"}),
        failed_command="failed",
        plan="plan",
        keeps_allowed=frozenset({"write_file", "run_command"}),
        asks_questions=True,
        retries_cut_streams=True,
        long=True,
    ),
    Published(
        "gemini",
        "@google/gemini-cli",
        _gemini,
        name="Gemini CLI",
        asks=frozenset({"write_file", "edit_file", "run_command", "touch", "sleep_command"}),
        failed_command="completed",
        plan="",
        command_output=False,
        keeps_allowed=frozenset({"run_command"}),
        files_by_the_minute=True,
        long=True,
    ),
    Published(
        "codex",
        "@agentclientprotocol/codex-acp",
        _codex,
        name="Codex",
        asks=frozenset({"write_file", "edit_file", "touch"}),
        failed_command="failed",
        plan="",
        mode="read-only",
        unasked="judged",
        errors_as_text=True,
        late_tools=True,
        keeps_commands=True,
        commands_fail=SANDBOX != "off" and LEVEL == "partial",
        retries_cut_streams=True,
        goes_on_after_no=False,
        long=True,
    ),
)


def processes_of(home: Path) -> list[psutil.Process]:
    """Return every live process that runs with that home: the agent and all it started."""
    return [process for process in all_processes() if _home(process) == str(home)]


def _home(process: psutil.Process) -> str:
    try:
        return "" if process.status() == psutil.STATUS_ZOMBIE else process.environ().get("HOME", "")
    except psutil.Error:
        return ""
