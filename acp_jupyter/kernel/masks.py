"""Columns whose values no agent reads: `mask`, ``.acp/context.toml``, and an administrator's bound.

A column is recognised by its name, without case, in every table of the kernel: copies, parts and
groups of a table keep the names. What can't be read masks everything.
"""

from __future__ import annotations

import json
import os
import tomllib
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from acp_jupyter.host.bounds import MASKS_VARIABLE

FILE = Path(".acp", "context.toml")
_MAX_BYTES = 1024 * 1024
_MAX_LABEL_CHARS = 300
_ALL = ("*",)


@dataclass(frozen=True, slots=True)
class TableRule:
    """What a file says of the tables whose names match a pattern."""

    table: str
    masked: tuple[str, ...] = ()
    allowed: tuple[str, ...] | None = None
    """The only columns whose values may leave; None for all."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What one file says."""

    masked: tuple[str, ...] = ()
    tables: tuple[TableRule, ...] = ()


class Masks:
    """The masks of this kernel.

    Parameters
    ----------
    start
        The first folder in which the file is looked for, beside the working folder; then in all
        above them.
    """

    def __init__(self, start: Path | None = None) -> None:
        self._start = start
        self._names: set[str] = set()
        self._allowed: list[tuple[weakref.ref[object], frozenset[str]]] = []
        self._files: dict[Path, tuple[tuple[int, int], Rules]] = {}

    def add(self, names: Iterable[str]) -> None:
        """Mask columns of these names."""
        self._names.update(map(_key, names))

    def allow_only(self, table: object, names: Iterable[str]) -> None:
        """Mask all other columns of a table, also those that it gets later."""
        allowed = frozenset(map(_key, names))
        self._allowed = [(ref, each) for ref, each in self._allowed if ref() is not None]
        self._allowed.append((weakref.ref(table), allowed))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that code of this kernel has masked."""
        return tuple(sorted(self._names))

    @property
    def active(self) -> bool:
        """Whether anything may be masked."""
        return bool(self._names or self._allowed or self._bound() or self._rules())

    def is_masked(
        self, column: object, tables: Sequence[str] | None = (), value: object = None
    ) -> bool:
        """Return whether a column's values may not leave.

        Parameters
        ----------
        column
            Its label. Of a label with several parts, any may be masked.
        tables
            The names of its table; None for a column without its table, which may be of any.
        value
            The table.
        """
        return self.which((column,), tables, value)[0]

    def which(
        self, columns: Iterable[object], tables: Sequence[str] | None = (), value: object = None
    ) -> list[bool]:
        """Return `is_masked` of each column; the files are looked at once."""
        rules = (Rules(masked=self._bound()), *self._rules())
        return [
            any(
                self._is_masked(_key(part), tables, value, rules)
                for part in (column if isinstance(column, tuple) else (column,))
            )
            for column in columns
        ]

    def _is_masked(
        self, column: str, tables: Sequence[str] | None, value: object, rules: Sequence[Rules]
    ) -> bool:
        if column in self._names:
            return True
        if value is not None and any(
            ref() is value and column not in allowed for ref, allowed in self._allowed
        ):
            return True
        for each in rules:
            if _matches(column, each.masked):
                return True
            for rule in each.tables:
                if tables is None:
                    named, allowed = True, None
                else:
                    named = any(_matches(_key(name), (rule.table,)) for name in tables)
                    allowed = rule.allowed
                if named and _matches(column, rule.masked):
                    return True
                if named and allowed is not None and not _matches(column, allowed):
                    return True
        return False

    def _bound(self) -> tuple[str, ...]:
        """Return the columns that the administrator has masked."""
        written = os.environ.get(MASKS_VARIABLE, "")
        if not written:
            return ()
        try:
            return _patterns(json.loads(written))
        except (ValueError, RecursionError):
            return _ALL

    def _rules(self) -> list[Rules]:
        """Return what the files of the folder and those above it say; read again if changed."""
        rules = []
        for path in self._paths():
            try:
                facts = path.stat()
            except OSError:
                self._files.pop(path, None)
                continue
            mark = (facts.st_mtime_ns, facts.st_size)
            known = self._files.get(path)
            if known is None or known[0] != mark:
                known = self._files[path] = (mark, read_rules(path))
            rules.append(known[1])
        return [each for each in rules if each != Rules()]

    def _paths(self) -> list[Path]:
        folders: dict[Path, None] = {}
        for start in (self._start, _working_folder()):
            if start is not None:
                folders.update(dict.fromkeys((start, *start.parents)))
        return [folder / FILE for folder in folders]


def read_rules(path: Path) -> Rules:
    """Return what a file says; one that can't be read masks all columns of all tables."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            return Rules(masked=_ALL)
        found = tomllib.loads(path.read_text("utf-8"))
        tables = tuple(
            TableRule(
                _key(name),
                _patterns(rule.get("mask", [])),
                _patterns(rule["allow"]) if "allow" in rule else None,
            )
            for name, rule in found.get("tables", {}).items()
        )
        return Rules(_patterns(found.get("mask", [])), tables)
    except (OSError, ValueError, AttributeError, RecursionError):
        return Rules(masked=_ALL)


def _patterns(found: object) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError("not a list of names")
    return tuple(map(_key, found))


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _key(name: object) -> str:
    """Return a label in the form that is compared."""
    try:
        return str(name)[:_MAX_LABEL_CHARS].casefold()
    except Exception:  # noqa: BLE001 - a label may be any object
        return ""


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return None


masks = Masks(_working_folder())
"""The masks of this process."""
