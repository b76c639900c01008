"""Answers to questions that ask for a secret go to the agent and nowhere else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

from acp_jupyter.packets.parse.elicitation import secret_names
from acp_jupyter.packets.traffic import TrafficEntry

__all__ = ["NOT_KEPT", "SecretAnswers"]

NOT_KEPT = "(not kept)"
_REMEMBERED = 1000


class SecretAnswers:
    """Takes them out of the lines of one session before anybody else sees these."""

    def __init__(self) -> None:
        self._requests: OrderedDict[int, frozenset[str]] = OrderedDict()

    def without(self, entry: TrafficEntry) -> TrafficEntry:
        """Return the line as it may be kept; nearly always the same."""
        message = entry.message
        if entry.direction == "<" and message.get("method") == "elicitation/create":
            names = secret_names(message.get("params"))
            if names:
                self._requests[entry.seq] = names
                if len(self._requests) > _REMEMBERED:
                    self._requests.popitem(last=False)
            return entry
        if entry.direction != ">" or entry.re is None or entry.re not in self._requests:
            return entry
        names = self._requests.pop(entry.re)
        result = message.get("result")
        content = result.get("content") if isinstance(result, Mapping) else None
        if not isinstance(result, Mapping) or not isinstance(content, Mapping):
            return entry
        kept = {name: NOT_KEPT if name in names else value for name, value in content.items()}
        return entry._replace(message={**message, "result": {**result, "content": kept}})
