"""Paths of a tool call against the session's folder, as they lie on disk."""

from __future__ import annotations

import posixpath
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

__all__ = ["Places", "Spot"]

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
class Spot:
    """A path that lies inside the folder."""

    named: str
    """Relative, as the agent wrote it, without detours."""
    real: str
    """Relative, after symbolic links."""

    @property
    def protected(self) -> bool:
        """Whether it configures what runs later: agents, shells, tests, version control."""
        return _is_protected(self.named) or _is_protected(self.real)


class Places:
    """A session's folder.

    Parameters
    ----------
    root
        None where nothing is to be looked up on disk.
    """

    def __init__(self, root: Path | None) -> None:
        self.root = root

    @property
    def cwd(self) -> str:
        """The folder as agents write it."""
        return "" if self.root is None else str(self.root)

    def spot(self, path: str) -> Spot | None:
        """Return where a path lies; None outside the folder, or if it can't be told. May block."""
        if path.startswith(("/", "~", "\\")) or ":" in path[:3] or not path.isprintable():
            return None
        named = posixpath.normpath(path.replace("\\", "/"))
        if named == ".." or named.startswith("../"):
            return None
        if self.root is None:
            return Spot(named, named)
        try:
            root = self.root.resolve()
            # Of what was written: a detour behind a link leads elsewhere.
            real = (root / path.replace("\\", "/")).resolve().relative_to(root)
        except (OSError, RuntimeError, ValueError):
            return None
        return Spot(named, real.as_posix())


def _is_protected(path: str) -> bool:
    pure = PurePosixPath(unicodedata.normalize("NFKC", path).casefold())
    parts = [part.rstrip(". ") for part in pure.parts]
    name = parts[-1] if parts else ""
    return (
        not _PROTECTED_PARTS.isdisjoint(parts)
        or name in _PROTECTED_NAMES
        or name.startswith(_PROTECTED_PREFIXES)
    )
