"""Agents that would have their login run something else. What they add is seen before it runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.sessions.login import launch_of
from acp_jupyter.protocol.parse.login import auth_methods

FOLDER = Path("/ws")


def current(**raw: Any) -> dict[str, Any]:
    return {"id": "tty", "name": "Terminal", "type": "terminal", **raw}


def older(command: str, *args: str, **env: str) -> dict[str, Any]:
    login = {"command": command, "args": list(args), "env": env}
    return {"id": "tty", "name": "Terminal", "_meta": {"terminal-auth": login}}


def launched(method: dict[str, Any], *command: str) -> tuple[str, ...]:
    spec = AgentSpec("some", "Some", command[0], command[1:])
    return launch_of(spec, {"authMethods": [method]}, "tty", os.environ, FOLDER).argv


PYTHON = sys.executable
REFUSED: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "another program": (older("sh", "-c", "id"), (PYTHON, "agent.py")),
    "code for the agent's interpreter": (older(PYTHON, "-c", "1"), (PYTHON, "agent.py")),
    "another script": (older(PYTHON, "evil.py"), (PYTHON, "agent.py")),
    "another module": (older(PYTHON, "-m", "evil"), (PYTHON, "-m", "agent")),
    "the script, preceded by code": (older(PYTHON, "-ic", "1", "agent.py"), (PYTHON, "agent.py")),
    "another package": (older("env", "evil"), ("env", "agent")),
    "an interpreter by another path": (older("/bin/sh", "-c", "id"), ("sh", "agent.sh")),
    "a library": (current(env={"LD_PRELOAD": "/tmp/evil.so"}), (PYTHON, "agent.py")),
    "a library, on a Mac": (current(env={"DYLD_INSERT_LIBRARIES": "x"}), (PYTHON, "agent.py")),
    "another PATH": (current(env={"PATH": "/tmp/evil"}), (PYTHON, "agent.py")),
    "another PATH, for Windows": (current(env={"Path": "/tmp/evil"}), (PYTHON, "agent.py")),
    "Python's modules": (current(env={"PYTHONPATH": "/tmp/evil"}), (PYTHON, "agent.py")),
    "Node's options": (current(env={"NODE_OPTIONS": "--require=/tmp/x"}), (PYTHON, "agent.py")),
    "a shell's start": (current(env={"BASH_ENV": "/tmp/x"}), (PYTHON, "agent.py")),
    "a browser": (current(env={"BROWSER": "sh -c id"}), (PYTHON, "agent.py")),
    "an editor": (older(PYTHON, "agent.py", EDITOR="sh -c id"), (PYTHON, "agent.py")),
    "another home": (current(env={"HOME": "/tmp/evil"}), (PYTHON, "agent.py")),
    "a proxy": (current(env={"HTTPS_PROXY": "http://evil.org"}), (PYTHON, "agent.py")),
    "a package index": (current(env={"npm_config_registry": "x"}), ("npx", "-y", "agent")),
    "no list": (current(args="--login"), (PYTHON, "agent.py")),
    "too many": (current(args=["x"] * 65), (PYTHON, "agent.py")),
    "a null byte": (current(args=["\0"]), (PYTHON, "agent.py")),
}


@pytest.mark.parametrize("attack", REFUSED)
def test_a_login_runs_the_agents_own_program(attack: str) -> None:
    method, command = REFUSED[attack]
    with pytest.raises(BadRequest):
        launched(method, *command)


ALLOWED: dict[str, tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]] = {
    "more arguments": (
        current(args=["--login"], env={"SOME_MODE": "1"}),
        (PYTHON, "agent.py"),
        (PYTHON, "agent.py", "--login"),
    ),
    "its own script": (
        older(PYTHON, "agent.py", "--login"),
        (PYTHON, "agent.py"),
        (PYTHON, "agent.py", "--login"),
    ),
    "other arguments of a program that runs nothing else": (
        older("true", "login"),
        ("true", "--acp"),
        ("true", "login"),
    ),
}


@pytest.mark.parametrize("case", ALLOWED)
def test_what_agents_really_offer_works(case: str) -> None:
    method, command, argv = ALLOWED[case]
    assert launched(method, *command) == argv


@pytest.mark.parametrize(
    ("method", "adds"),
    [
        (current(args=["--login", "a b"], env={"MODE": "x"}), "MODE=x --login 'a b'"),
        (older(PYTHON, "agent.py", "--login"), f"{PYTHON} agent.py --login"),
        (current(args="--login"), ""),
        ({"id": "tty", "name": "Browser"}, ""),
    ],
)
def test_what_a_login_adds_is_known_before_it_runs(method: dict[str, Any], adds: str) -> None:
    assert auth_methods({"authMethods": [method]})[0].adds == adds
