"""The rules that are remembered for folders."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.kept_json import KeptJson
from acp_jupyter.protocol.host_events.permissions import Rule
from acp_jupyter.protocol.objects import Model

__all__ = ["RulesStore", "same_rule"]

_MOST_RULES = 500
_SAME = ("effect", "tool_kind", "pattern", "user")


class _Kept(Model):
    version: int = 1
    folders: dict[str, tuple[Rule, ...]] = Field(default_factory=dict)


class RulesStore:
    """A file in the data folder: a workspace must not hold its own permissions. All blocks.

    Parameters
    ----------
    path
        Of the file.
    """

    def __init__(self, path: Path) -> None:
        self._file = KeptJson(path, _Kept)

    def of(self, folder: Path) -> tuple[Rule, ...]:
        """Return the rules of a folder, as they are now.

        Raises
        ------
        KeptFileBroken
            The file can't be read.
        """
        return self._file.read().folders.get(_key(folder), ())

    def all(self) -> dict[str, tuple[Rule, ...]]:
        """Return the rules by folder.

        Raises
        ------
        KeptFileBroken
            The file can't be read.
        """
        return self._file.read().folders

    def add(self, folder: Path, rule: Rule) -> None:
        """Remember a rule; the same one again is the same.

        Raises
        ------
        BadRequest
            The folder has too many.
        KeptFileBroken
            The file can't be read or written.
        """
        key = _key(folder)

        def change(kept: _Kept) -> _Kept:
            known = kept.folders.get(key, ())
            if any(same_rule(rule, other) for other in known):
                return kept
            if len(known) >= _MOST_RULES:
                raise BadRequest(f"This folder has {_MOST_RULES} rules. Remove some first.")
            return kept.model_copy(update={"folders": {**kept.folders, key: (*known, rule)}})

        self._file.change(change)

    def remove(self, rule_id: str) -> bool:
        """Forget a rule; tell whether it was there.

        Raises
        ------
        KeptFileBroken
            The file can't be read or written.
        """
        found = any(rule.id == rule_id for rules in self.all().values() for rule in rules)

        def change(kept: _Kept) -> _Kept:
            left = {
                folder: tuple(rule for rule in rules if rule.id != rule_id)
                for folder, rules in kept.folders.items()
            }
            return kept.model_copy(update={"folders": {f: r for f, r in left.items() if r}})

        if found:
            self._file.change(change)
        return found


def _key(folder: Path) -> str:
    return str(folder.resolve())


def same_rule(rule: Rule, other: Rule) -> bool:
    """Tell whether two rules say the same, for the same people."""
    return all(getattr(rule, name) == getattr(other, name) for name in _SAME)
