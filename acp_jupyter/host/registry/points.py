"""Agents that installed packages bring: entry points of the group ``acp_jupyter.agents``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any, Protocol

from acp_jupyter.host.registry.entries import AgentSpec, Broken, agent_id_of, parse_entry

__all__ = ["GROUP", "EntryPointAgents", "Point"]

GROUP = "acp_jupyter.agents"
_FIELDS = ("command", "args", "env", "name")


class Point(Protocol):
    """What is used of an ``importlib.metadata.EntryPoint``."""

    @property
    def name(self) -> str:
        """The agent's id."""

    @property
    def value(self) -> str:
        """Where its description is."""

    def load(self) -> object:
        """Import it."""


def _installed() -> Iterable[Point]:
    return entry_points(group=GROUP)


class EntryPointAgents:
    """Reads each entry point once, when its agent is asked for.

    An entry point is an object, or a callable that returns one, with ``command``, and ``args``,
    ``env`` and ``name`` if need be, as keys or as attributes.

    Parameters
    ----------
    points
        Returns the entry points.
    """

    def __init__(self, points: Callable[[], Iterable[Point]] = _installed) -> None:
        self._points = points
        self._listed: dict[str, Point] | None = None
        self._read: dict[str, AgentSpec | Broken] = {}

    def ids(self) -> tuple[str, ...]:
        """Return the agents' ids; nothing is imported for that."""
        if self._listed is None:
            self._listed = {}
            for point in self._points():
                self._listed.setdefault(agent_id_of(point.name), point)
        return tuple(self._listed)

    def get(self, agent_id: str) -> AgentSpec | Broken | None:
        """Return an agent; what its package does wrong is told in words."""
        if agent_id not in self.ids():
            return None
        assert self._listed is not None
        if agent_id not in self._read:
            self._read[agent_id] = _load(self._listed[agent_id])
        return self._read[agent_id]


def _load(point: Point) -> AgentSpec | Broken:
    source = f"the entry point {point.value}"
    try:
        value = point.load()
        if callable(value):
            value = value()
        found = value if isinstance(value, Mapping) else _attributes(value)
        fields: dict[str, Any] = {
            name: found[name] for name in _FIELDS if found.get(name) is not None
        }
        plain = {
            **fields,
            **({"args": list(fields["args"])} if "args" in fields else {}),
            **({"env": dict(fields["env"])} if "env" in fields else {}),
        }
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of other packages
        words = f"{source} failed: {type(error).__name__}: {error}"
        return Broken(
            agent_id_of(point.name), point.name, f"{words}. Update or remove its package."
        )
    return parse_entry(point.name, plain, source)


def _attributes(value: object) -> Mapping[str, object]:
    return {name: getattr(value, name, None) for name in _FIELDS}
