"""What conversations are made of: calls, agents, recordings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.own_programs import module_command
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.outcomes import cut

__all__ = ["CALLS", "OPTIONS", "SPECS", "AtOnce", "NoScrubs", "Recording", "listed", "shown"]

DIFF = {"type": "diff", "path": ".env", "oldText": "a", "newText": "b"}
OPTIONS = {"once": "allow_once", "always": "allow_always", "no": "reject_once"}
CALLS: dict[str, Any] = {
    "a": {"kind": "edit", "rawInput": {"path": "src/a.py"}},
    "b": {"kind": "edit", "rawInput": {"path": "src/b.py"}},
    "env": {"kind": "edit", "rawInput": {"path": ".env"}},
    "read env": {"kind": "read", "rawInput": {"path": ".env"}},
    "other ls": {"kind": "other", "rawInput": {"command": "ls"}},
    "read": {"kind": "read", "rawInput": {"path": "src/a.py"}},
    "ls": {"kind": "execute", "rawInput": {"command": "ls"}},
    "fetch": {"kind": "fetch", "rawInput": {"url": "https://a.b/c"}},
    "ls in sub": {"kind": "execute", "rawInput": {"command": "ls", "cwd": "sub"}},
    "ls in other": {"kind": "execute", "rawInput": {"command": "ls", "cwd": "other"}},
    "ls with B": {"kind": "execute", "rawInput": {"command": "ls", "env": {"A": "2"}}},
    "ls with A": {"kind": "execute", "rawInput": {"command": "ls", "env": {"A": "1"}}},
    "ls of b": {"kind": "execute", "rawInput": {"command": "ls 'b'"}},
    "ls unclosed": {"kind": "execute", "rawInput": {"command": "ls 'b"}},
    "a to b": {"kind": "edit", "content": [DIFF]},
    "q to b": {"kind": "edit", "content": [{**DIFF, "oldText": "q"}]},
    "to b": {"kind": "edit", "content": [{**DIFF, "oldText": None}]},
    "a to b to c": {"kind": "edit", "content": [DIFF, {**DIFF, "oldText": "b", "newText": "c"}]},
    "a to b and x": {"kind": "edit", "content": [DIFF, {**DIFF, "path": "x"}]},
    "a to b and x to c": {
        "kind": "edit",
        "content": [DIFF, {**DIFF, "path": "x", "oldText": "b", "newText": "c"}],
    },
    "odd": {"kind": "other", "rawInput": {"odd": 1}},
}
_DEMO = module_command("acp_jupyter.agents.demo")
_REPLAY = module_command("acp_jupyter.agents.replay", "a")
SPECS = {
    "agent": AgentSpec("x", "X", "/bin/agent", _DEMO[1:]),
    "demo": AgentSpec("x", "X", _DEMO[0], _DEMO[1:]),
    "bundled": AgentSpec("x", "X", _REPLAY[0], _REPLAY[1:]),
}


class AtOnce(ThreadPoolExecutor):
    """Runs in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it is whoever waits that raises it
            done.set_exception(error)
        return done


class Recording:
    """A recording that is played in the agent's place; whose it is, is known once it is read."""

    path = "a.acp"

    def __init__(self, *, is_ours: bool) -> None:
        self._is_ours = is_ours
        self.is_ours = False

    def read(self) -> None:
        self.is_ours = self._is_ours


class NoScrubs:
    def text(self, value: str) -> str:
        return value


def shown(item: ToolCall, folder: Path) -> str:
    """Return what a card shows of a request that waits."""
    asked = item.permission
    assert asked is not None
    raw = json.dumps(item.raw_input).replace(str(folder.parent), "")
    diffs = (f" {d.path} {cut(f'{d.old_text!r} {d.new_text!r}', 20)}" for d in item.diffs)
    places = f" at {' '.join(place.path for place in item.locations)}" * bool(item.locations)
    words = " ".join(filter(None, (asked.reason, *asked.cautions))) or "-"
    return f", {asked.title}: {words} {raw}{''.join(diffs)}{places}"


def listed(names: dict[str, str], requests: Iterable[str]) -> str:
    """Return requests by their names; of very many only how many."""
    found = [names.get(each, each) for each in requests]
    return " ".join(found) or "none" if len(found) < 100 else f"{len(found)} from {found[0]}"
