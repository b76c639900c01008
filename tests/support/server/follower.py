"""A program that follows a session's packets by HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from acp_jupyter.dialects.onyx.event_stream import SseDecoder, SseEvent
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["ENDS", "Follower", "first_packets", "following"]


ENDS = {"prompt_response", "error", "done"}


class Follower:
    """Reads in a thread of its own, until the stream ends or :meth:`stop`."""

    def __init__(self, client: httpx.Client, session_id: str, **params: Any) -> None:
        self.raw = bytearray()
        self.packets: list[dict[str, Any]] = []
        """What has come, each with its number."""
        self.headers: httpx.Headers = httpx.Headers()
        self.ended = False
        """Whether the server has ended the stream as it should."""
        self._stop = threading.Event()
        path = f"sessions/{session_id}/packets"
        self._thread = threading.Thread(target=self._read, args=(client, path, params))
        self._thread.start()

    def wait_until_open(self) -> None:
        """Wait for the first bytes, which come at once: from then on nothing is missed."""
        eventually(lambda: self.raw or not self._thread.is_alive(), what="the stream")

    def until(self, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for a packet and return it."""
        return eventually(lambda: next((p for p in self.packets if true(p)), {}), what="a packet")

    def stop(self) -> None:
        """Hang up."""
        self._stop.set()
        self.wait()

    def wait(self) -> None:
        """Wait until nothing is read any more."""
        self._thread.join()

    def _read(self, client: httpx.Client, path: str, params: dict[str, Any]) -> None:
        decoder = SseDecoder()
        with client.stream("GET", path, params=params, timeout=PATIENCE_SECONDS) as answer:
            assert answer.status_code == 200, answer.read()
            self.headers = answer.headers
            for chunk in answer.iter_bytes():
                self.raw += chunk
                self.packets += map(_packet, decoder.feed(chunk))
                if self._stop.is_set():
                    return
        self.ended = True


@contextmanager
def following(client: httpx.Client, session_id: str, **params: Any) -> Iterator[Follower]:
    """Follow; a stream that is silent has to end by itself, or to ping."""
    follower = Follower(client, session_id, **params)
    try:
        follower.wait_until_open()
        yield follower
    finally:
        follower.stop()


def first_packets(
    client: httpx.Client,
    session_id: str,
    count: int,
    *,
    headers: dict[str, str] | None = None,
    **params: Any,
) -> list[dict[str, Any]]:
    """Connect, read that many packets, or up to the end of a turn, and hang up."""
    decoder = SseDecoder()
    found: list[dict[str, Any]] = []
    path = f"sessions/{session_id}/packets"
    with client.stream(
        "GET", path, params=params, headers=headers, timeout=PATIENCE_SECONDS
    ) as answer:
        assert answer.status_code == 200, answer.read()
        if not count:
            return []
        for chunk in answer.iter_bytes():
            for event in decoder.feed(chunk):
                found.append(_packet(event))
                if len(found) == count or found[-1]["type"] in ENDS:
                    return found
    return found


def _packet(event: SseEvent) -> dict[str, Any]:
    return {"seq": int(event.id), **json.loads(event.data)}
