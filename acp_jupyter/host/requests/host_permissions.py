"""Permissions that the host requests before it acts for an agent that has not asked.

ACP lets an agent write files and run commands through its client without a permission request. The
host writes a protected file, reads credentials or runs a command only if an allowed request of this
turn covers exactly that, if the policy or a rule allows it, or if the user says yes now. Between
turns this holds for every write.

`request_for_host` makes such a request; the notebook tools use it, too.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.requests.policy import CHANGES_NOTHING
from acp_jupyter.host.requests.rules import Facts, facts_of, rule_on
from acp_jupyter.host.requests.session_folder import FileId, FolderPath
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.host_events.notes import HostNotice, ImportedPacket
from acp_jupyter.protocol.objects import Obj, items, obj
from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import Diff, Permission, PermissionOption, ToolCall
from acp_jupyter.transcript.raw_input import REPLACED_FIELDS, WHOLE_TEXT_FIELDS, field_name
from acp_jupyter.transcript.rule_text import plain_words

_SHOWN_CHARS = 2_000_000
_AFTER_THE_TURN = "Its turn is over."
_REJECTED_BEFORE = "You rejected a change of this file in this turn."
_MAX_CARDS = 100
_MAX_REFUSALS = 20
"""Most refusals that a turn shows, as an agent may look for many files."""
_SHOWN_NAME = 300
_REFUSED = {"read": "Read", "edit": "Edit", "execute": "Run"}
_UNKNOWN = (
    "acp-jupyter can't determine which file this is. It may be protected, or contain passwords or "
    "keys."
)
_CHANGED = "is no longer the file that you were asked about."
_SHARED = "Another session of the same process has a stricter policy, and this may be its work."
_NOT_REQUESTED = "The agent has not asked for this."


class HostPermissions:
    """Checks the permission of what an agent does through the host. Not thread-safe."""

    def __init__(self, journal: Journal, permissions: PermissionRequests) -> None:
        self._journal = journal
        self._permissions = permissions
        self._cards: dict[int, str] = {}
        """Ids of calls that were allowed after a question and are not done yet, by request."""
        self._refused_in = ""
        self._refused: set[tuple[str, str]] = set()
        """Kinds and paths that were refused in this turn without a question."""

    @property
    def restricts(self) -> bool:
        """Whether this session forbids what another session of the same process may allow."""
        return self._changes_nothing or self._permissions.requests.denies()

    @property
    def _changes_nothing(self) -> bool:
        return self._permissions.requests.policy() in CHANGES_NOTHING

    async def to_write(self, request_seq: int, path: str, old: str | None, new: str) -> None:
        """Wait until an agent may replace a file's text. ACP: fs/write_text_file."""
        place = await self._place(path)
        shown = len(old or "") + len(new) <= _SHOWN_CHARS
        diff = Diff(path=place.name, old_text=old, new_text=new, is_new_file=old is None)
        call = host_call(
            "edit",
            title=f"{'Create' if old is None else 'Edit'} {place.name}",
            path=place.name,
            raw_input={"path": path},
            diffs=(diff,) if shown else (),
        )
        facts = await self._facts(call)
        if self._wrote_so(place, old, new):
            return
        reason = self._why_ask()
        if not reason and self._touched(self._permissions.rejected, place):
            reason = _REJECTED_BEFORE
        if place.spot is None:
            reason = reason or _UNKNOWN
        if not shown:
            reason = f"{reason} The change is too large to be shown.".strip()
        protected = place.spot is None or place.spot.protected
        usual = not (reason or protected or self._changes_nothing)
        if usual and await self._no_rule_against(facts):
            return
        words = "create a file" if old is None else "edit a file"
        await self._request(request_seq, call, words, reason, "Nothing was written.")
        if await self._place(path) != place:
            raise NotAllowed(f"{place.name} {_CHANGED} Nothing was written.")

    async def to_read(self, request_seq: int, path: str) -> FileId | None:
        """Wait until an agent may read a file; return which one. ACP: fs/read_text_file."""
        place = await self._place(path)
        call = host_call(
            "read", title=f"Read {place.name}", path=place.name, raw_input={"path": path}
        )
        facts = await self._facts(call)
        denied = not await self._no_rule_against(facts)
        secret = place.spot is None or place.spot.secret
        if not (secret or denied) or self._touched(self._permissions.known_allowed(), place):
            return place.file
        reason = _UNKNOWN if place.spot is None else ""
        await self._request(request_seq, call, "read a file", reason, "Nothing was read.")
        now = await self._place(path)
        if now != place:
            raise NotAllowed(f"{place.name} {_CHANGED} Nothing was read.")
        return now.file

    async def to_run(
        self, request_seq: int, line: str, folder: str, env: Mapping[str, str]
    ) -> None:
        """Wait until an agent may run a command. ACP: terminal/create."""
        raw: dict[str, JsonValue] = {"command": line}
        cwd = self._journal.transcript.session.cwd
        if folder != await asyncio.to_thread(os.path.realpath, cwd):
            raw["cwd"] = folder
        if env:
            raw["env"] = dict(env)
        call = host_call("execute", title=f"Run {line}", command=line, raw_input=raw)
        reason = self._why_ask()
        if not reason and self._was_allowed(line, folder, raw):
            return
        await self._request(
            request_seq, call, "run a command", reason or _NOT_REQUESTED, "Nothing was run."
        )

    def _was_allowed(self, line: str, folder: str, raw: Obj) -> bool:
        """Return whether an allowed request covers this command; each allows one run."""
        known = self._permissions.known_allowed()
        found = next(
            (
                name
                for name, call in known.items()
                if _runs(call, line, raw) and self._ran_in(name) == folder
            ),
            None,
        )
        if found is not None:
            self._permissions.allowed.pop(found, None)
        return found is not None

    def _ran_in(self, request_id: str) -> str:
        """Return the folder of an allowed command, as resolved when the agent asked."""
        places = self._permissions.places.get(request_id)
        return "" if places is None else places.folder

    def _why_ask(self) -> str:
        """Return why an action that is usually allowed needs an answer now; empty if it doesn't."""
        if self._permissions.doubtful():
            return _SHARED
        running = self._journal.transcript.session.active_turn_id is not None
        return "" if running else _AFTER_THE_TURN

    async def _no_rule_against(self, facts: Facts) -> bool:
        current = await self._permissions.current_rules()
        ruling = await asyncio.to_thread(rule_on, current.rules, facts)
        return current.known and ruling.denied is None and ruling.clear

    def _wrote_so(self, place: _Place, old: str | None, new: str) -> bool:
        """Return whether an allowed request showed exactly this change, as diff or in its input."""
        known = self._permissions.known_allowed()
        for request_id in self._touched(known, place):
            call, places = known[request_id], self._permissions.places[request_id]
            if call.tool_kind != "edit":
                continue
            diffs = [diff for diff in call.diffs if place.is_one_of(places.names_of(diff.path))]
            changes = [(diff.old_text, diff.new_text) for diff in diffs] or _changes_in(call)
            result = old or ""
            for before, after in changes:
                whole = before in {None, "", result}
                result = after if whole else result.replace(before or "", after)
            if changes and result == new:
                return True
        return False

    def _touched(self, calls: Iterable[str], place: _Place) -> list[str]:
        """Return the requests that were about this file when they were made."""
        known = self._permissions.places
        return [name for name in calls if name in known and place.is_one_of(known[name].names())]

    async def _request(
        self, request_seq: int, call: ToolCall, words: str, reason: str, undone: str
    ) -> None:
        """Let policy, rules or the user decide; a refusal or a question gets a card."""
        decision = await self._permissions.decide(call, HOST_OPTIONS)
        if decision is not None and decision.option_id == ALLOW:
            return
        option = await request_for_host(
            self._journal,
            self._permissions,
            f"h{request_seq}",
            as_sent(call),
            words=words,
            reason=reason,
            withdrawable=False,
        )
        if option == ALLOW:
            self._cards[request_seq] = call.tool_call_id
            if len(self._cards) > _MAX_CARDS:  # left by agents that died
                del self._cards[next(iter(self._cards))]
        else:
            told: Obj = {"type": "tool_call_update", "toolCallId": call.tool_call_id}
            self._say({**told, "status": "failed"})
            changed = self._permissions.changed.pop(f"h{request_seq}", "")
            if changed:
                raise NotAllowed(f"{changed} {undone}")
            raise NotAllowed(self._refusal(option, decision is not None, undone))

    def tell_refused(
        self, request_seq: int, kind: Literal["read", "edit", "execute"], what: str, words: str
    ) -> None:
        """Show an action that was refused in the turn, and the reason."""
        if request_seq in self._cards:
            self.tell_done(request_seq, words)
            return
        turn_id = self._journal.transcript.session.active_turn_id or ""
        if turn_id != self._refused_in:
            self._refused_in, self._refused = turn_id, set()
        if (kind, what) in self._refused or len(self._refused) > _MAX_REFUSALS:
            return
        self._refused.add((kind, what))
        if len(self._refused) > _MAX_REFUSALS:
            text = "The agent wanted more that was refused. It is in the session's log."
            self._journal.note(HostNotice(severity="warning", text=text))
            return
        name = relative_path(what, self._journal.transcript.session.cwd)
        shown = shorten(name, _SHOWN_NAME)
        title = f"{_REFUSED[kind]} {shown}"
        if kind == "execute":
            call = host_call(kind, title=title, command=shown, raw_input={"command": shown})
        else:
            call = host_call(kind, title=title, path=shown, raw_input={"path": shown})
        self._say({"type": "tool_call", **as_sent(call), **_failed(words)})

    def is_looked_for(self, path: str) -> bool:
        """Return whether a file is missing, and would be in a parent folder. Blocks.

        Before every turn, some agents look for their configuration in all parent folders.
        """
        cwd = Path(os.path.realpath(self._journal.transcript.session.cwd))
        above = Path(os.path.realpath(os.path.dirname(path)))
        return not os.path.exists(path) and cwd.is_relative_to(above)

    def tell_done(self, request_seq: int, failed: str = "") -> None:
        """Show the result on the card of an action that was asked about, if there is one."""
        card = self._cards.pop(request_seq, None)
        if card is not None:
            told: Obj = _failed(failed) if failed else {"status": "completed"}
            self._say({"type": "tool_call_update", "toolCallId": card, **told})

    def _say(self, packet: Obj) -> None:
        self._journal.note(ImportedPacket(packet=packet))

    def _refusal(self, option: str | None, decided: bool, undone: str) -> str:
        policy = self._permissions.requests.policy()
        if self._changes_nothing:
            return f"The policy {policy} doesn't let agents change anything. {undone}"
        if option is None:
            return f"The question was not answered. {undone}"
        if decided:
            return f"A rule of the user forbids this. {undone}"
        return f"This was rejected. {undone} Do something else, or ask the user."

    async def _place(self, path: str) -> _Place:
        """Resolve a path."""
        folder = self._permissions.folder()
        spot = await asyncio.to_thread(folder.locate, path)
        if spot is not None:
            return _Place(spot.real, spot, spot.file)
        parts = (part for part in path.split("/") if part not in {"", "."})
        straight = "/" * path.startswith("/") + "/".join(parts)
        name = relative_path(straight, self._journal.transcript.session.cwd)
        return _Place(name, folder.locate(name) if folder.root is None else None)

    async def _facts(self, call: ToolCall) -> Facts:
        return await asyncio.to_thread(facts_of, call, self._permissions.folder())


@dataclass(frozen=True, slots=True)
class _Place:
    """A file that an agent reads or writes through the host."""

    name: str
    """The shown name: relative to the folder, with links resolved."""
    spot: FolderPath | None
    """None if the file is unknown."""
    file: FileId | None = field(default=None, compare=False)

    def is_one_of(self, names: Collection[str]) -> bool:
        """Return whether any of the names is a name of the file."""
        links = () if self.spot is None else self.spot.links
        return any(name in names for name in (self.name, *links))


def _changes_in(call: ToolCall) -> list[tuple[str | None, str]]:
    """Return the old and new texts in the input of an edit; None as old text: the whole file."""
    source = obj(call.raw_input)
    edits = [obj(each) for each in items(source.get("edits"))] or [source]
    changes: list[tuple[str | None, str]] = []
    for edit in edits:
        named = {field_name(key): value for key, value in edit.items()}
        whole = (value for key in WHOLE_TEXT_FIELDS if isinstance(value := named.get(key), str))
        part = (
            (before, after)
            for old, new in REPLACED_FIELDS
            if isinstance(before := named.get(old), str)
            and isinstance(after := named.get(new), str)
        )
        found = next(part, None) or next(((None, text) for text in whole), None)
        if found is None:
            return []
        changes.append(found)
    return changes


def _runs(call: ToolCall, line: str, raw: Obj) -> bool:
    """Return whether a tool call runs exactly this command with these variables."""
    if call.tool_kind != "execute" or not call.command:
        return False
    known = obj(call.raw_input)
    same_env = obj(known.get("env")) == obj(raw.get("env"))
    words = plain_words(line)
    same_line = call.command == line or (words is not None and words == _words(call.command))
    return same_env and same_line


def _failed(words: str) -> Obj:
    content: list[JsonValue] = [{"type": "content", "content": {"type": "text", "text": words}}]
    return {"status": "failed", "content": content}


def _words(command: str) -> tuple[str, ...] | None:
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return None


ALLOW = "allow"
"""Id of the option that allows the action."""

HOST_OPTIONS = (
    PermissionOption(option_id=ALLOW, name="Allow", option_kind="allow_once"),
    PermissionOption(option_id="reject", name="Reject", option_kind="reject_once"),
)


async def request_for_host(
    journal: Journal,
    permissions: PermissionRequests,
    request_id: str,
    call: Obj,
    *,
    words: str,
    reason: str = "",
    withdrawable: bool = True,
    by_user: bool = False,
) -> str | None:
    """Make a permission request of the host, for policy, rules or user to answer.

    Parameters
    ----------
    by_user
        Whether the user started it: then only they can allow it, and ``words`` is the question.
    """

    def say(packet: Obj) -> None:
        journal.note(ImportedPacket(packet=packet))

    options: list[JsonValue] = [
        {"optionId": each.option_id, "name": each.name, "kind": each.option_kind}
        for each in HOST_OPTIONS
    ]
    say(
        {
            "type": "permission_request",
            "request_id": request_id,
            "toolCall": call,
            "options": options,
            "action": words,
            "reason": reason,
            **({"by_user": True} if by_user else {}),
        }
    )
    if by_user:
        option = await permissions.ask_user(request_id)
    else:
        option = await permissions.ask(
            request_id, given_up="withdrawn" if withdrawable else "agent_exited"
        )
    outcome: Obj = {"outcome": "cancelled"}
    if option is not None:
        outcome = {"outcome": "selected", "optionId": option}
    say({"type": "permission_response", "request_id": request_id, "outcome": outcome})
    return option


def host_call(
    kind: AcpKind,
    *,
    title: str,
    raw_input: JsonValue,
    path: str = "",
    command: str = "",
    diffs: tuple[Diff, ...] = (),
) -> ToolCall:
    """Return the request's tool call as it will be in the transcript."""
    return ToolCall(
        id="i0",
        tool_call_id=f"host-{secrets.token_hex(6)}",
        title=title,
        tool_kind=kind,
        path=path,
        command=command,
        locations=(Location(path=path),) if path else (),
        diffs=diffs,
        raw_input=raw_input,
        permission=Permission(request_id="h0", title=title, options=HOST_OPTIONS),
    )


def as_sent(call: ToolCall) -> Obj:
    """Return a tool call in the form of the protocol."""
    content: list[JsonValue] = [
        {"type": "diff", "path": diff.path, "oldText": diff.old_text, "newText": diff.new_text}
        for diff in call.diffs
    ]
    places: list[JsonValue] = [{"path": location.path} for location in call.locations]
    return {
        "toolCallId": call.tool_call_id,
        "title": call.title,
        "kind": call.tool_kind,
        "status": "pending",
        "rawInput": call.raw_input,
        "locations": places,
        "content": content,
    }
