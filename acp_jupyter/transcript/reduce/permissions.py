"""Permission requests: a request and its answer are a state of their tool call.

Some agents send a label in place of the call's id. Then the request belongs to the newest open call
of the turn that doesn't contradict it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from acp_jupyter.protocol.content import TextBlock, ToolContent, ToolContentBlock
from acp_jupyter.protocol.host_events.notes import PermissionPlaces, PermissionSettledNote
from acp_jupyter.protocol.objects import Obj, obj
from acp_jupyter.protocol.packets import (
    OptionPacket,
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
)
from acp_jupyter.protocol.tools.table import KIND_TITLES, TOOLS
from acp_jupyter.transcript.model.tool_items import (
    CallFacts,
    Permission,
    PermissionOption,
    PermissionState,
    ToolCall,
)
from acp_jupyter.transcript.permission_evidence import contents_of, is_question
from acp_jupyter.transcript.reduce import evidence
from acp_jupyter.transcript.reduce.draft import Draft, count_pending_requests
from acp_jupyter.transcript.reduce.tool_calls import release_held_update, upsert_tool_call
from acp_jupyter.transcript.rule_text import rule_for, wider_rules_for

_REASON_CHARACTERS = 4000

_CHOSEN = {
    "allow_once": "Allowed once",
    "allow_always": "Always allowed",
    "reject_once": "Rejected",
    "reject_always": "Always rejected",
}


def add_request(draft: Draft, packet: PermissionRequest) -> None:
    """Attach a request to its tool call, found by id or made now."""
    asked = _without_empty(packet.tool_call)
    if packet.action:
        words = packet.reason  # the host's own, which knows its card
    else:
        asked, words = _reason_of_command(draft, match_call(draft, asked, packet.request_id))
        words = "\n".join(filter(None, (words, packet.words[:_REASON_CHARACTERS])))
    item_id = upsert_tool_call(draft, asked)
    item = draft.get_call(item_id)
    options = _distinct(packet.options)
    permission = Permission(
        request_id=packet.request_id,
        title=packet.action
        if packet.by_user
        else _title(draft.session.agent_info.name, item, packet.action),
        reason=words if packet.action else "\n".join(filter(None, (_reason(item), words))),
        options=options,
        asked_at=draft.at,
        too_large=draft.calls[item.tool_call_id].is_cut,
    )
    item = item.model_copy(update={"permission": permission})
    found = contents_of(item, draft.session.cwd)
    fields: dict[str, object] = {
        "folder": found.folder,
        "details": found.details,
        "too_large": found.too_large,
    }
    if not (packet.by_user or is_question(item, options)):
        fields |= {"rule": rule_for(found), "wider_rules": wider_rules_for(found)}
    permission = permission.model_copy(update=fields)
    if packet.auto_approve:
        # The agent's own settings allowed it; the transcript never hides that.
        words = "Allowed by the agent's own settings"
        permission = permission.model_copy(
            update={
                "state": "allowed",
                "outcome": words,
                "without_user": True,
                "wider_rules": (),
            }
        )
    draft.replace(item.model_copy(update={"permission": permission}))
    if packet.auto_approve:
        return
    draft.request_items = draft.request_items.set(packet.request_id, item_id)
    count_pending_requests(draft)


def _reason_of_command(draft: Draft, call: ToolCallProgress) -> tuple[ToolCallProgress, str]:
    """Use the text of a request about a command as its reason, as no output exists yet."""
    facts = draft.calls.get(call.tool_call_id)
    kind = call.acp_kind or (None if facts is None else facts.acp_kind)
    if kind != "execute" or not call.content:
        return call, ""
    texts = [_text(part) for part in call.content]
    rest = tuple(part for part, text in zip(call.content, texts, strict=True) if text is None)
    words = "\n".join(filter(None, texts)).strip()[:_REASON_CHARACTERS]
    return call.model_copy(update={"content": rest or None}), words


def _text(part: ToolContent) -> str | None:
    if isinstance(part, ToolContentBlock) and isinstance(part.block, TextBlock):
        return part.block.text
    return None


def _without_empty(call: ToolCallProgress) -> ToolCallProgress:
    """Drop a request's empty values, which must not erase known ones (opencode sends them)."""
    empties: tuple[object, ...] = ({}, [], (), "")
    changes = {name: None for name in ("raw_input", "content") if getattr(call, name) in empties}
    # A request says what will happen, not that it does.
    fields = {**call.__dict__, **changes, "status": None}
    if not call.locations:
        del fields["locations"]
    return ToolCallProgress.model_construct(**fields)


def _distinct(packets: Sequence[OptionPacket]) -> tuple[PermissionOption, ...]:
    """Return one option for each id; an id that both allows and rejects counts as allowing."""
    # A button that says "Reject" must never send an id that the agent reads as a permission.
    chosen: dict[str, PermissionOption] = {}
    for packet in packets:
        former = chosen.get(packet.option_id)
        allows = packet.kind.startswith("allow")
        if former is None or (allows and not former.option_kind.startswith("allow")):
            chosen[packet.option_id] = PermissionOption(
                option_id=packet.option_id, name=packet.name, option_kind=packet.kind
            )
    return tuple(chosen.values())


def _title(agent: str, item: ToolCall, purpose: str) -> str:
    if purpose:
        return f"{agent} wants to {purpose}"
    match item.tool_kind:
        case "edit":
            purpose = "create a file" if item.is_new_file else "edit a file"
        case "execute":
            purpose = "run a command"
        case "delete":
            purpose = "delete a file"
        case "move":
            purpose = "move a file"
        case "read":
            purpose = "read a file"
        case "fetch":
            purpose = "fetch from the web"
        case "search":
            purpose = "search"
        case "think" | "switch_mode" | "other":
            purpose = "continue"
    return f"{agent} wants to {purpose}"


def _reason(item: ToolCall) -> str:
    """Return the agent's reason, unless it only repeats the command, path or diff."""
    titles = (words for row in TOOLS.values() for words in (row.title, row.edit_title))
    generic = {KIND_TITLES[item.tool_kind], *titles}
    shown = [text for text in (item.command, item.path) if text]
    words = (w for w in (item.title, item.description) if w not in generic)
    return " ".join(w for w in words if not any(text in w for text in shown))


def add_places(draft: Draft, note: PermissionPlaces) -> None:
    """Add what the host found on disk; a remembered answer then covers the file itself."""
    item_id = draft.request_items.get(note.request_id)
    item = None if item_id is None else draft.get(item_id)
    if not isinstance(item, ToolCall) or item.permission is None:
        return
    fields: dict[str, object] = {"cautions": note.cautions, "text_differs": note.text_differs}
    found = contents_of(item, draft.session.cwd)
    evidence = found.evidence
    if note.has_secret:
        fields |= {"rule": "", "wider_rules": ()}
    elif note.led and evidence is not None and not is_question(item, item.permission.options):
        paths = tuple(sorted({note.led.get(path, path) for path in evidence.paths}))
        found = replace(found, evidence=replace(evidence, paths=paths))
        fields |= {"rule": rule_for(found), "wider_rules": wider_rules_for(found)}
    permission = item.permission.model_copy(update=fields)
    draft.replace(item.model_copy(update={"permission": permission}))


def note_settled(draft: Draft, note: PermissionSettledNote) -> None:
    """Remember who answers; the answer itself follows."""
    why = note.reason if note.by == "user" else note.rule
    draft.settled_by = draft.settled_by.set(note.request_id, (note.by, why))
    if note.by == "agent_exited":
        _set_outcome(draft, note.request_id, "expired", "Expired: the agent stopped")
    elif note.by == "nobody":
        words = "Nobody could be asked, so this was rejected."
        _set_outcome(draft, note.request_id, "rejected", words)
    elif note.by == "changed":
        words = f"Not allowed: {note.reason}"
        _set_outcome(draft, note.request_id, "rejected", words)
    elif note.by == "turn_cancelled":
        # The answer may come after the turn's end, and is this one.
        _set_outcome(draft, note.request_id, "cancelled", "Not answered: turn stopped")
    elif note.by == "withdrawn":
        _set_outcome(draft, note.request_id, "cancelled", "Withdrawn by the agent")
    elif note.shown_name:
        item_id = draft.request_items.get(note.request_id)
        item = None if item_id is None else draft.get(item_id)
        if isinstance(item, ToolCall) and item.permission is not None:
            named = item.permission.model_copy(update={"answered_by": note.shown_name})
            draft.replace(item.model_copy(update={"permission": named}))


def settle_request(draft: Draft, packet: PermissionResponse) -> None:
    """Settle a request with the answer that was sent to the agent."""
    by, rule = draft.settled_by.get(packet.request_id, (None, None))
    draft.settled_by = draft.settled_by.discard(packet.request_id)
    item_id = draft.request_items.get(packet.request_id)
    item = None if item_id is None else draft.get(item_id)
    if not isinstance(item, ToolCall) or item.permission is None:
        return
    option = _chosen(item.permission.options, packet)
    if option is None:
        _set_outcome(draft, packet.request_id, "cancelled", "Dismissed")
        return
    state = _state(option.option_kind)
    without_user = by in {"policy", "rule"}
    if without_user:
        verb = "Allowed" if state == "allowed" else "Rejected"
        words = f"{verb} by {by}: {rule}"
    else:
        words = _CHOSEN.get(option.option_kind, option.name)
        words = f"{words} (recorded)" if by == "record" else words
    reason = packet.reason or (rule if by == "user" else None)
    if reason:
        words = f"{words}: {reason}"
    _set_outcome(draft, packet.request_id, state, words, option.name, without_user=without_user)


def _chosen(
    options: tuple[PermissionOption, ...], packet: PermissionResponse
) -> PermissionOption | None:
    """Return the option that an answer names; for a plain yes or no the first such one."""
    if packet.approved is None:
        return next((o for o in options if o.option_id == packet.option_id), None)
    wanted = "allow_once" if packet.approved else "reject_once"
    return next((o for o in options if o.option_kind == wanted), None)


def _state(kind: str) -> PermissionState:
    if kind.startswith("allow"):
        return "allowed"
    return "rejected" if kind.startswith("reject") else "answered"


def expire_requests(draft: Draft, words: str) -> None:
    """Settle every pending request after the process has exited: none was allowed."""
    for request_id in sorted(draft.request_items):
        _set_outcome(draft, request_id, "expired", words)


def _set_outcome(
    draft: Draft,
    request_id: str,
    state: PermissionState,
    words: str,
    chosen: str = "",
    *,
    without_user: bool = False,
) -> None:
    item_id = draft.request_items.get(request_id)
    if item_id is None:
        return
    item = draft.get(item_id)
    draft.request_items = draft.request_items.discard(request_id)
    if isinstance(item, ToolCall) and item.permission is not None:
        settled = item.permission.model_copy(
            update={
                "state": state,
                "chosen": chosen,
                "outcome": words,
                "without_user": without_user,
                "wider_rules": (),
            }
        )
        update = {"permission": settled, "started_at": _without_the_wait(draft, item)}
        evidence.take_wait(draft, item_id, item.permission.asked_at)
        draft.replace(item.model_copy(update=update))
        release_held_update(draft, item_id)
    count_pending_requests(draft)


def _without_the_wait(draft: Draft, item: ToolCall) -> float | None:
    """Return a call's start, moved by the wait for the answer, which is not the call's own time."""
    asked_at = None if item.permission is None else item.permission.asked_at
    if item.started_at is None or asked_at is None:
        return item.started_at
    return item.started_at + max(0.0, draft.at - asked_at)


_MAX_ITEMS = 200
"""How many items back a tool call is searched for."""


def match_call(draft: Draft, requested: ToolCallProgress, request_id: str) -> ToolCallProgress:
    """Return the tool call of a permission request, with the id of the call that it belongs to.

    That is the call with the request's id. Some agents send a label in place of an id: then it is
    the newest open call of the turn that has had no request and doesn't contradict this one. While
    a call waits for an answer, a second request about it gets a card of its own.
    """
    facts = draft.calls.get(requested.tool_call_id)
    known = None if facts is None else draft.get_call(facts.item_id)
    own_id = f"{requested.tool_call_id}#{request_id}"
    if facts is not None and known is not None and known.awaits_permission:
        held = draft.held.get(known.id)
        return _separate_call(requested, facts if held is None else facts.joined(held), own_id)
    here = known if known is not None and known.turn_id == draft.turn_id() else None
    if facts is not None and here is not None:
        answered = here.permission is not None
        if not answered or _may_be_same(requested, facts):
            return requested
    for item in _open_calls(draft):
        if item.permission is None and _may_be_same(requested, draft.calls[item.tool_call_id]):
            return requested.model_copy(update={"tool_call_id": item.tool_call_id})
    # The same label for another action: the card of the earlier request stays unchanged.
    return requested.model_copy(update={"tool_call_id": own_id}) if here is not None else requested


def _open_calls(draft: Draft) -> Iterator[ToolCall]:
    """Yield the turn's open tool calls, newest first."""
    turn_id = draft.turn_id()
    start = max(0, len(draft.items) - _MAX_ITEMS)
    for index in range(len(draft.items) - 1, start - 1, -1):
        item = draft.items[index]
        if item.turn_id != turn_id or not isinstance(item, ToolCall):
            continue
        if item.status in {"pending", "in_progress"} and item.tool_call_id in draft.calls:
            yield item


def _may_be_same(asked: ToolCallProgress, facts: CallFacts) -> bool:
    """Return whether a request and a call agree in kind, and in input or title, where both say."""
    kinds = {kind for kind in (asked.acp_kind, facts.acp_kind) if kind not in {None, "other"}}
    if len(kinds) > 1:
        return False
    here, there = _action(obj(asked.raw_input)), _action(obj(facts.raw_input))
    shared = here.keys() & there.keys()
    if shared:
        return all(here[name] == there[name] for name in shared)
    title, other = (_words_of(words) for words in (asked.title, facts.title))
    return not title or not other or title in other or other in title


def _action(source: Obj) -> Obj:
    return {name: value for name, value in source.items() if value not in (None, "", [], {})}


def _words_of(title: str | None) -> str:
    return re.sub(r"\W+", " ", (title or "").casefold()).strip()


def _separate_call(
    asked: ToolCallProgress, facts: CallFacts, tool_call_id: str
) -> ToolCallProgress:
    """Return a request completed with what is known of its call, for a card of its own."""
    known: dict[str, object] = {
        "title": facts.title or None,
        "acp_kind": facts.acp_kind,
        "parent_id": facts.parent_id,
        "raw_input": facts.raw_input,
        "content": facts.diffs or None,
        "locations": facts.locations,
    }
    missing = {name: value for name, value in known.items() if not getattr(asked, name)}
    name = asked.tool_name if asked.tool_name != "unknown" else facts.tool_name
    return asked.model_copy(update={**missing, "tool_name": name, "tool_call_id": tool_call_id})
