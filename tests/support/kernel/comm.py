"""A page's end of a widget's comm, without the page."""

from __future__ import annotations

from typing import Any

from tests.support.kernel.cells import Cell, Kernel

__all__ = ["Comm"]


class Comm:
    """Takes what the kernel sends over the comm of a turn's widget, and sends as a page does."""

    def __init__(self, kernel: Kernel, opened: Cell) -> None:
        self._kernel = kernel
        views = [
            message["content"]
            for message in opened.comms
            if message["msg_type"] == "comm_open"
            and "turn_id" in message["content"]["data"].get("state", {})
        ]
        (view,) = views
        self.id = view["comm_id"]
        self.state: dict[str, Any] = view["data"]["state"]
        self.frames: list[dict[str, Any]] = []
        self.numbers: list[int] = []
        self._code = ""
        self._take(opened)

    def send(self, content: dict[str, Any]) -> None:
        data = {"method": "custom", "content": content}
        client = self._kernel.client
        client.shell_channel.send(
            client.session.msg("comm_msg", {"comm_id": self.id, "data": data})
        )

    def hear(self) -> None:
        """Take what has come; a quick cell brings it along."""
        self._take(self._kernel.run(""))

    def _take(self, cell: Cell) -> None:
        for message in cell.comms:
            content = message["content"]
            if content["comm_id"] == self.id and content["data"].get("method") == "custom":
                sent = content["data"]["content"]
                if "code" in sent:
                    self._code = sent["code"]
                    continue
                self.numbers.append(sent["n"])
                self.frames.append(sent["frame"])

    def hear_code(self) -> str:
        """Return the widget's code, once the kernel was asked for it and has sent it."""
        self.hear()
        return self._code

    def find(self, *kinds: str) -> list[dict[str, Any]]:
        self.hear()
        events = [event for frame in self.frames for event in frame.get("events", ())]
        return [event for event in events if event["kind"] in kinds]

    def pending(self) -> dict[str, Any]:
        """Return the permission request that waits, as a page sees it."""
        items = [event["item"] for event in self.find("item_added", "item_replaced")]
        items += [item for event in self.find("snapshot") for item in event["items"]]
        asked = [(item.get("permission") or {}) for item in items]
        return next((each for each in asked if each.get("state") == "pending"), {})
