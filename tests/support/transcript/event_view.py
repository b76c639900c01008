"""What a page does with events, and as strictly as can be: nothing lost, nothing doubled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_jupyter.transcript.model.events import Event

__all__ = ["View"]

Json = dict[str, Any]


class View:
    """State of one session, made from event frames alone."""

    def __init__(self) -> None:
        self.seq = 0
        self.epoch = ""
        self.session: Json = {}
        self.items: dict[int, Json] = {}
        self.turns: dict[str, Json] = {}

    def apply(self, frame: Json) -> None:
        """Take an ``events`` frame."""
        for event in frame["events"]:
            self._apply(event)

    def take(self, events: Iterable[Event]) -> View:
        """Take events as the host makes them; return the view."""
        self.apply({"events": [event.model_dump(mode="json") for event in events]})
        return self

    def state(self) -> tuple[Json, list[Json], Json]:
        """Return what can be seen."""
        return self.session, [self.items[index] for index in sorted(self.items)], self.turns

    def text(self) -> str:
        return "".join(item.get("text", "") for item in self.state()[1])

    def copy(self) -> View:
        view = View()
        view.seq, view.epoch, view.session = self.seq, self.epoch, self.session
        view.items, view.turns = dict(self.items), dict(self.turns)
        return view

    def _apply(self, event: Json) -> None:
        kind = event["kind"]
        if kind == "snapshot":
            self.epoch = event["epoch"]
            self.session = event["session"]
            self.items = dict(enumerate(event["items"], event["first_index"]))
            self.turns = {turn["turn_id"]: turn for turn in event["turns"]}
            self.seq = event["seq"]
            return
        assert event["seq"] > self.seq, f"{kind} {event['seq']} after {self.seq}"
        self.seq = event["seq"]
        match kind:
            case "item_added":
                assert event["index"] not in self.items
                self.items[event["index"]] = event["item"]
            case "item_replaced":
                self.items[self._index(event["item"]["id"])] = event["item"]
            case "item_closed":
                index = self._index(event["item_id"])
                closed = {"open": False}
                if self.items[index]["kind"] == "thought":
                    closed["ended_at"] = event["at"]
                self.items[index] = {**self.items[index], **closed}
            case "text_appended":
                index = self._index(event["item_id"])
                item, field = self.items[index], event["field"]
                assert event["offset"] == _utf16_units(item[field])
                self.items[index] = {**item, field: item[field] + event["text"]}
            case "text_changed":
                index = self._index(event["item_id"])
                item, field = self.items[index], event["field"]
                units = item[field].encode("utf-16-le")
                assert 2 * event["offset"] <= len(units)
                kept = units[: 2 * event["offset"]].decode("utf-16-le")
                self.items[index] = {**item, field: kept + event["text"]}
            case "session_changed":
                self.session = event["session"]
            case "turn_started" | "turn_ended":
                self.turns[event["turn"]["turn_id"]] = event["turn"]
            case _:
                raise AssertionError(f"unknown event {kind}")

    def _index(self, item_id: str) -> int:
        return next(index for index, item in self.items.items() if item["id"] == item_id)


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
