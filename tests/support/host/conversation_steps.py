"""Steps of conversations: what an agent does through the host, and the question of trust."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from acp_jupyter.host.requests.answers import Answerer
from acp_jupyter.host.requests.host_permissions import (
    HostPermissions,
    as_sent,
    host_call,
    request_for_host,
)
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.requests.rules import SessionRules
from acp_jupyter.host.requests.trust import TrustRequests
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import TrustStore

__all__ = ["HostSteps", "named"]


class HostSteps:
    """A part of `tests.support.host.conversation.Conversation`."""

    told: list[str]
    journal: Journal
    permissions: PermissionRequests
    _host: HostPermissions
    _rules: SessionRules
    _trust: TrustRequests
    _store: TrustStore
    _calls: Iterator[int]
    _requests: dict[str, str]

    def _later(self, name: str, made: Any) -> None:
        raise NotImplementedError

    # -- what an agent does through the host ----------------------------------------

    def _numbered(self, name: str) -> int:
        number = next(self._calls)
        self._requests[name] = f"h{number}"
        return number

    def _path(self, path: str) -> str:
        return f"{self._rules.folder}/{path}"

    def _to_write(self, name: str, path: str, old: str, new: str) -> None:
        """Write a text in place of another (``-`` for none), each perhaps so many times."""
        before = None if old == "-" else times(old)
        number = self._numbered(name)
        self._later(name, self._host.to_write(number, self._path(path), before, times(new)))

    def _to_read(self, name: str, path: str) -> None:
        self._later(name, self._host.to_read(self._numbered(name), self._path(path)))

    def _to_tool(self, name: str) -> None:
        """Ask for a tool of the host's own."""
        self._requests[name] = f"t{next(self._calls)}"
        call = as_sent(host_call("execute", title="Run a cell", raw_input={"code": "1"}))
        asked = request_for_host(
            self.journal, self.permissions, self._requests[name], call, words="run code"
        )
        self._later(name, asked)

    def _to_run(self, name: str, folder: str, env: str, *line: str) -> None:
        where = os.path.realpath(self._path(folder))
        variables = dict([env.split("=")]) if "=" in env else {}
        number = self._numbered(name)
        self._later(name, self._host.to_run(number, " ".join(line), where, variables))

    # -- trust -------------------------------------------------------------------

    def _to_start(self, name: str = "start") -> None:
        self._later(name, self._trust.require())

    def _to_prompt(self, name: str = "prompt") -> None:
        self._later(name, self._trust.require_from_user())

    def _to_open(self) -> None:
        self.told.append("open" if self._trust.is_open() else "not open")

    def _to_trust(self, trusted: str) -> None:
        self._trust.answer(trusted=trusted == "yes", who=named("Ann"))

    def _to_grant(self, to: str = "") -> None:
        if to == "kernels":
            self._trust.grant_to_kernels()
        elif to == "folder":
            self._store.trust(self._rules.folder)
        else:
            self._trust.grant(named("Ann"))

    def _to_check(self, request: str) -> None:
        self._trust.check(request)
        self.told.append("it is open")


def times(text: str) -> str:
    """Return a text; ``x*3`` for one that is repeated."""
    part, _, count = text.partition("*")
    return part * int(count or 1)


def named(name: str) -> Answerer:
    return Answerer(name.lower(), name)
