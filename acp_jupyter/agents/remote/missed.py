"""Finds what was missed of a turn while its connection was lost, in what the agent replays.

ACP: session/load. Agents replay a conversation in larger pieces than they sent it, so texts are
compared as a whole. Tool calls, plans and the like are states: sending them twice does no harm.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from acp_jupyter.agents.remote.link import Json

_TEXTS = frozenset({"agent_message_chunk", "agent_thought_chunk"})
_USER = "user_message_chunk"
_MAX_CHARS = 16 * 1024 * 1024
"""Characters of a turn's text that are kept for the comparison."""


class ReceivedTurn:
    """The updates of a running turn that have been received."""

    def __init__(self, request_id: object, prompt: str) -> None:
        self.request_id = request_id
        self._prompt = prompt
        self._texts: dict[str, list[str]] = {}
        self._others: set[int] = set()
        self._room = _MAX_CHARS

    def add(self, update: Json) -> None:
        """Record an update that was passed on."""
        kind, text = _kind(update), _text(update)
        if kind not in _TEXTS:
            return
        if text is None:
            self._others.add(_digest(update))
        elif self._room > 0:
            self._room -= len(text)
            self._texts.setdefault(kind, []).append(text)

    def missed(self, told_again: Iterable[Json]) -> Iterator[Json]:
        """Yield the updates of this turn that were not received, in order."""
        turn = self._this_turn(list(told_again))
        if self._room <= 0:
            turn = [update for update in turn if _kind(update) not in _TEXTS]
        seen = {kind: "".join(parts) for kind, parts in self._texts.items()}
        replayed = {
            kind: "".join(filter(None, (_text(u) for u in turn if _kind(u) == kind)))
            for kind in _TEXTS
        }
        place = dict.fromkeys(_TEXTS, 0)
        for update in turn:
            kind, text = _kind(update), _text(update)
            if kind not in _TEXTS:
                yield update
            elif text is None:
                if _digest(update) not in self._others:
                    yield update
            else:
                known = seen.get(kind, "")
                begin, place[kind] = place[kind], place[kind] + len(text)
                new = text[max(0, len(known) - begin) :]
                if new and replayed[kind].startswith(known):
                    yield _with_text(update, new)

    def _this_turn(self, updates: list[Json]) -> list[Json]:
        """Return what follows the last user message, if that began this turn."""
        last = max((i for i, u in enumerate(updates) if _kind(u) == _USER), default=-1)
        first = last
        while first > 0 and _kind(updates[first - 1]) == _USER:
            first -= 1
        words = "".join(_text(update) or "" for update in updates[max(first, 0) : last + 1])
        if last < 0 or self._prompt.strip() not in words:
            return []
        return updates[last + 1 :]


def is_prompt(update: Json) -> bool:
    """Return whether an update is a replayed user message."""
    return _kind(update) == _USER


def is_text(update: Json) -> bool:
    """Return whether an update holds text or another part of a message."""
    return _kind(update) in _TEXTS


def prompt_text(params: Json) -> str:
    """Return the first text block of a prompt, which identifies its turn in a replay."""
    blocks = params.get("prompt")
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict) and block.get("type") == "text":
            return str(block.get("text", ""))
    return ""


def _kind(update: Json) -> str:
    return str(update.get("sessionUpdate"))


def _text(update: Json) -> str | None:
    content = update.get("content")
    if isinstance(content, dict) and content.get("type") == "text":
        text = content.get("text")
        return text if isinstance(text, str) else None
    return None


def _with_text(update: Json, text: str) -> Json:
    content = update["content"]
    assert isinstance(content, dict)
    return {**update, "content": {**content, "text": text}}


def _digest(update: Json) -> int:
    return hash(json.dumps(update, sort_keys=True))
