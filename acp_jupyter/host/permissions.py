"""Which permission requests a policy answers, and how.

A policy answers only on evidence: the joined tool call names its kind and its
paths, and the request offers exactly one ``allow_once``. Everything else is
asked. Nothing here is ever granted by silence.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import assert_never

from acp_jupyter.transcript.events import Policy
from acp_jupyter.transcript.items import PermissionOption, ToolCall

__all__ = ["Decision", "decide", "reject_option"]

_PROTECTED_PARTS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".claude",
        ".codex",
        ".gemini",
        ".opencode",
        ".cursor",
        ".github",
        ".gitlab",
        ".circleci",
        ".ci",
        ".vscode",
        ".idea",
        ".devcontainer",
        ".jupyter",
        ".ipython",
        ".venv",
        "venv",
        "node_modules",
    }
)
_PROTECTED_NAMES = frozenset(
    {
        ".bashrc",
        ".bash_profile",
        ".profile",
        ".zshrc",
        ".zprofile",
        ".gitlab-ci.yml",
        ".pre-commit-config.yaml",
        ".mcp.json",
        "opencode.json",
        "agents.md",
        "claude.md",
        "gemini.md",
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "makefile",
        "jenkinsfile",
        "setup.py",
        "noxfile.py",
        "tox.ini",
    }
)
_PROTECTED_PREFIXES = (".env", "jupyter_", "ipython_")


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer that a policy gives."""

    option_id: str
    rule: str


def decide(
    policy: Policy, call: ToolCall, options: tuple[PermissionOption, ...]
) -> Decision | None:
    """Answer a request by policy; None asks the user.

    Parameters
    ----------
    policy
        Of the turn.
    call
        The tool call as joined from all that is known of it; its paths are
        relative where they lie inside the session's folder.
    options
        What the agent offers.
    """
    match policy:
        case "ask":
            return None
        case "deny":
            return _reject(options, policy)
        case "read-only":
            if call.tool_kind in {"read", "search"} and _inside(call):
                return _allow(options, policy)
            return _reject(options, policy)
        case "accept-edits":
            if call.tool_kind == "edit" and _inside(call) and not _protected(call):
                return _allow(options, policy)
            return None
        case "allow-all":
            known = call.tool_kind != "other" and bool(call.command or _paths(call))
            return _allow(options, policy) if known else None
        case _:
            assert_never(policy)


def reject_option(options: tuple[PermissionOption, ...]) -> str | None:
    """Return the option that rejects once, or any that rejects."""
    kinds = {option.option_kind: option.option_id for option in reversed(options)}
    return kinds.get("reject_once") or kinds.get("reject_always")


def _reject(options: tuple[PermissionOption, ...], rule: str) -> Decision | None:
    option_id = reject_option(options)
    return None if option_id is None else Decision(option_id, rule)


def _allow(options: tuple[PermissionOption, ...], rule: str) -> Decision | None:
    """``allow_once`` and only that; several of them are a question, not a permission."""
    once = [option for option in options if option.option_kind == "allow_once"]
    return Decision(once[0].option_id, rule) if len(once) == 1 else None


def _paths(call: ToolCall) -> tuple[str, ...]:
    named = (
        call.path,
        *(place.path for place in call.locations),
        *(diff.path for diff in call.diffs),
    )
    return tuple({path for path in named if path})


def _inside(call: ToolCall) -> bool:
    """All paths are relative to the folder and none climbs out of it."""
    paths = _paths(call)
    return bool(paths) and all(_path_inside(path) for path in paths)


def _path_inside(path: str) -> bool:
    if path.startswith(("/", "~", "\\")) or ":" in path[:3] or "\0" in path:
        return False
    normal = posixpath.normpath(path.replace("\\", "/"))
    return normal != ".." and not normal.startswith("../")


def _protected(call: ToolCall) -> bool:
    return any(_path_protected(path) for path in _paths(call))


def _path_protected(path: str) -> bool:
    pure = PurePosixPath(posixpath.normpath(path.replace("\\", "/")).lower())
    name = pure.name
    return (
        not _PROTECTED_PARTS.isdisjoint(pure.parts)
        or name in _PROTECTED_NAMES
        or name.startswith(_PROTECTED_PREFIXES)
    )
