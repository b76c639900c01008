"""`SessionFeed`: updates all widgets of a session in this kernel, in one thread.

The thread waits for events, merges them, and updates the widgets at most ten times a second; it
pauses longer if updates take long. It also runs while a cell does, and so do observers. A stream
that breaks starts again with a snapshot, so nothing is lost.
"""

from __future__ import annotations

import itertools
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from acp_jupyter.errors import AcpError, NotAllowed, UnknownSession
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    SessionChanged,
    Snapshot,
    TextAppended,
    TextChanged,
    TurnEnded,
    TurnStarted,
)
from acp_jupyter.transcript.model.item_base import index_of
from acp_jupyter.transcript.model.items import AgentMessage, Item, Thought
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.view import TurnView, Values

_SHARE = 0.04
"""Largest share of a processor's time; slow updates are followed by a longer pause."""
_LONGEST_PAUSE = 5.0
_AFTERWARDS_SECONDS = 2.0
"""How long a turn is followed after its end, when some agents send the last of their text."""
_FIRST_UPDATE_SECONDS = 5.0
"""How long a new widget waits for its first values."""
_GONE_SECONDS = 20.0
"""How long a host may be unreachable before its turns count as ended."""
_THREAD = "acp-widgets"
_FIRST_RETRY, _LAST_RETRY = 0.5, 30.0


def load_diffs(client: HostClient, turn: TurnView) -> None:
    """Set the final diffs of a turn that has ended, if its changes are known."""
    try:
        reply = client.changes(turn.turn.turn_id)
    except AcpError:
        return
    if reply.known:
        turn.end_with(reply.diffs(turn.reported_diffs))


@dataclass(frozen=True, eq=False, slots=True)
class Follower:
    """The callbacks of a widget that follows a turn.

    Attributes
    ----------
    follows
        The id of its turn; empty for the running turn, else the newest.
    publish
        Called with a turn's id and its changed values, or with ``whole`` all values. Returns a
        function to call after all widgets are updated.
    close
        Called when the session no longer exists.
    updated
        Set after the first update.
    """

    follows: str
    publish: Callable[[str, Values, bool], Callable[[], None]]
    close: Callable[[AcpError], None]
    updated: threading.Event = field(default_factory=threading.Event)


class SessionFeed:
    """Follows one session as long as it has followers."""

    def __init__(self, client: HostClient, session_id: str) -> None:
        self._client = client
        self._session_id = session_id
        self._session: SessionState | None = None
        self._turns: dict[str, TurnView] = {}
        """The turns with followers, and the newest one, by id in order."""
        self._turn_of: dict[int, TurnView] = {}
        """The turn of each message that may get more text, by the message's index."""
        self._sent_turns: dict[Follower, str] = {}
        """The last turn that each follower got; empty if there was none."""
        self._ended_at: dict[str, float] = {}
        self._changed: dict[str, Values] = {}
        """The changed values of each turn, for the followers."""
        self._anew = False
        """Whether a snapshot has come since the last update of followers."""

    def run(self) -> None:
        """Update the followers until there are none."""
        retry, gone_at = _FIRST_RETRY, float("inf")
        while _wanted(self):
            try:
                busy = time.thread_time()
                for events in self._client.events(self._session_id):
                    retry, gone_at = _FIRST_RETRY, float("inf")
                    self._apply(events)
                    self._publish()
                    if not _wanted(self):
                        return
                    spent = time.thread_time() - busy
                    if events:
                        time.sleep(min(spent / _SHARE, _LONGEST_PAUSE))
                    busy = time.thread_time()
            except (UnknownSession, NotAllowed) as error:
                self._close(error)
                _end(self)
                return
            except AcpError as error:
                # A host that has exited has ended its agents; after a restart we follow it again.
                gone_at = min(gone_at, time.monotonic())
                if time.monotonic() - gone_at > _GONE_SECONDS:
                    self._close(error)
            time.sleep(retry)
            retry = min(2 * retry, _LAST_RETRY)

    def _close(self, error: AcpError) -> None:
        for follower in _followers(self):
            self._call(partial(follower.close, error))
            follower.updated.set()

    # -- events ----------------------------------------------------------------

    def _apply(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case Snapshot():
                    self._load(event)
                case SessionChanged():
                    self._session = event.session
                case TurnStarted() | TurnEnded():
                    name = event.turn.turn_id
                    self._turns.setdefault(name, TurnView(event.turn)).apply(event)
                case ItemAdded() | ItemReplaced():
                    self._add(event.item)
                case TextAppended():
                    turn = self._turn_of.get(index_of(event.item_id))
                    if turn is not None:
                        turn.apply(event)
                case TextChanged():
                    pass  # output of a call, which is in no trait
                case ItemClosed():
                    self._turn_of.pop(index_of(event.item_id), None)

    def _load(self, snapshot: Snapshot) -> None:
        """Start again from a snapshot."""
        self._session = snapshot.session
        self._turn_of.clear()
        self._ended_at.clear()
        self._anew = True
        statuses = {turn.turn_id: turn.status for turn in snapshot.turns}
        wanted = {_current(list(statuses), statuses)}
        wanted |= {follower.follows for follower in _followers(self)}
        for sent in self._sent_turns.values():
            wanted |= {name for name in statuses if name not in _before(sent, statuses)}
        self._turns = {
            turn.turn_id: TurnView(turn)
            for turn in snapshot.turns
            if turn.turn_id in wanted or turn.status != "done"
        }
        for item in snapshot.items:
            self._add(item)
        # Fetch turns that are not completely in the snapshot's window.
        shown = {item.turn_id for item in snapshot.items}
        cut = snapshot.items[0].turn_id if snapshot.first_index and snapshot.items else None
        for name, status in statuses.items():
            if name in self._turns and (name == cut or (name not in shown and status != "queued")):
                self._fetch(name)

    def _fetch(self, turn_id: str) -> None:
        detail = self._client.turn(turn_id)
        self._turns.setdefault(turn_id, TurnView(detail.turn)).update(detail.turn)
        for item in detail.items:
            self._add(item)

    def _add(self, item: Item) -> None:
        turn = self._turns.get(item.turn_id or "")
        if turn is not None:
            turn.add(item)
            if isinstance(item, AgentMessage | Thought):
                self._turn_of[index_of(item.id)] = turn

    # -- followers -------------------------------------------------------------

    def _publish(self) -> None:
        if self._session is None:
            return
        followers = _followers(self)
        for follower in followers:
            if follower.follows not in {"", *self._turns}:
                self._fetch(follower.follows)
        statuses = {name: turn.turn.status for name, turn in self._turns.items()}
        current = _current(list(self._turns), statuses)
        self._changed.clear()
        for name, turn in self._turns.items():
            turn.use(self._session)
            if turn.turn.status == "done" and name not in self._ended_at:
                self._ended_at[name] = time.monotonic()
                if any(each.follows in {name, ""} for each in followers):
                    load_diffs(self._client, turn)
            self._changed[name] = turn.changed()
        due = {
            each: self._due(self._sent_turns.get(each), each.follows or current)
            for each in followers
        }
        for step in range(max(map(len, due.values()), default=0)):
            self._send_step({each: names[step] for each, names in due.items() if step < len(names)})
        for follower in followers:
            self._sent_turns.setdefault(follower, "")
            follower.updated.set()
        self._anew = False
        self._forget(current)

    def _send_step(self, names: Mapping[Follower, str]) -> None:
        """Update each follower with a turn; call the callbacks for ends after all updates."""
        afterwards: list[Callable[[], None]] = []
        for follower, name in names.items():
            whole = self._anew or name != self._sent_turns.get(follower)
            values = self._turns[name].values if whole else self._changed[name]
            if whole or values:
                self._sent_turns[follower] = name
                afterwards.append(follower.publish(name, values, whole))
        for tell in afterwards:
            self._call(tell)

    def _due(self, sent: str | None, current: str) -> list[str]:
        """Return the turns to send: the current one, and those since the last that was sent."""
        names = list(self._turns)
        if current not in names:
            return []
        if sent is None or (sent and sent not in names):
            return [current]
        first, last = names.index(sent) if sent else 0, names.index(current)
        return names[first : last + 1] if first <= last else [current]

    def _forget(self, current: str) -> None:
        """Drop turns that have ended, and their followers."""
        now = time.monotonic()
        for name in list(self._turns):
            ended = self._ended_at.get(name)
            if ended is not None and now - ended > _AFTERWARDS_SECONDS:
                for follower in _followers(self):
                    if follower.follows == name:
                        unfollow(follower)
                        self._sent_turns.pop(follower, None)
                if name != current:
                    del self._turns[name]

    @staticmethod
    def _call(tell: Callable[[], None]) -> None:
        """Call a widget; print exceptions of its observers, and continue."""
        try:
            tell()
        except Exception:  # noqa: BLE001 - of the user's own code
            traceback.print_exc()


def _current(order: list[str], statuses: Mapping[str, str]) -> str:
    """Return the running turn, else the newest that began, else the first in the queue."""
    begun = [name for name in order if statuses[name] != "queued"]
    running = [name for name in begun if statuses[name] != "done"]
    return next(iter([*running[:1], *begun[-1:], *order[:1]]), "")


def _before(name: str, order: Iterable[str]) -> list[str]:
    """Return the names before a name: all if it is missing, none if it is empty."""
    return list(itertools.takewhile(lambda each: name not in {each, ""}, order))


_lock = threading.Lock()
_feeds: dict[str, tuple[SessionFeed, dict[Follower, None]]] = {}
"""The running feeds, by session."""


def follow(client: HostClient, session_id: str, follower: Follower) -> None:
    """Update a widget from a session's events, until `unfollow`."""
    with _lock:
        known = _feeds.get(session_id)
        if known is not None:
            known[1][follower] = None
            known[0]._sent_turns.pop(follower, None)
            return
        feed = SessionFeed(client, session_id)
        _feeds[session_id] = (feed, {follower: None})
    threading.Thread(target=feed.run, name=_THREAD, daemon=True).start()


def wait_for_first_update(follower: Follower) -> None:
    """Wait for a widget's first update; don't wait in the thread that sends it."""
    if threading.current_thread().name != _THREAD:
        follower.updated.wait(_FIRST_UPDATE_SECONDS)


def unfollow(follower: Follower) -> None:
    """Stop updating a widget."""
    with _lock:
        for _, followers in _feeds.values():
            followers.pop(follower, None)


def _followers(feed: SessionFeed) -> list[Follower]:
    with _lock:
        known = _feeds.get(feed._session_id)
        return [] if known is None or known[0] is not feed else list(known[1])


def _wanted(feed: SessionFeed) -> bool:
    """Return whether the feed has followers; end it if it has none."""
    with _lock:
        known = _feeds.get(feed._session_id)
        if known is None or known[0] is not feed:
            return False
        if not known[1]:
            del _feeds[feed._session_id]
            return False
        return True


def _end(feed: SessionFeed) -> None:
    with _lock:
        _feeds.pop(feed._session_id, None)
