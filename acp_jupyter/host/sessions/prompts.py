"""Prompts: the queue of those that wait for the running turn, and their content blocks.

Blocks are checked when a prompt is queued, and converted for the agent when it is sent.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from pydantic import JsonValue

from acp_jupyter.errors import BadRequest, EmptyPrompt, InvalidBlock, NotQueued, NotSupported
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.requests.policy import follow_up_policy
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.content import BLOCK_TYPES, MEDIA, media_of
from acp_jupyter.protocol.formatting import code_block
from acp_jupyter.protocol.host_events.notes import (
    Origin,
    TurnEdited,
    TurnMoved,
    TurnQueued,
    TurnRemoved,
    TurnSteered,
)
from acp_jupyter.protocol.host_events.session import Policy, Rule, Sandbox
from acp_jupyter.protocol.objects import Obj, obj, text
from acp_jupyter.protocol.turn_limit import NO_LIMIT, TurnLimit

Blocks = tuple[Obj, ...]

_NAME_CHARS = 1_000
_URI_CHARS = 8_000
_QUEUED_PROMPTS = 100
"""Prompts that may wait in one session."""
_NO_FILE = "jupyter:"
"""How the address of a cell, an output or a variable begins."""
_MIME = re.compile(r"[A-Za-z0-9][\w.+-]{0,99}/[\w.+-]{1,100}(?:\s*;[^\x00-\x1f]{0,200})?")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]+")


def content_blocks(prompt: str | Sequence[Obj], limits: Limits | None = None) -> Blocks:
    """Return the ACP content blocks of a prompt; refuse one that can't be sent to any agent."""
    bounds = limits or Limits()
    written: Blocks = ({"type": "text", "text": prompt},) if isinstance(prompt, str) else ()
    raw: Blocks = written if isinstance(prompt, str) else tuple(prompt)
    if len(raw) > bounds.prompt_blocks:
        raise InvalidBlock(f"A prompt can have {bounds.prompt_blocks} parts, not {len(raw)}.")
    for number, block in enumerate(raw, 1):
        _check(block, f"Part {number} of the prompt")
    size = sum(_size(block) for block in raw)
    if size > bounds.prompt_bytes:
        raise InvalidBlock(
            f"The prompt is too large: {size} bytes, and the limit is {bounds.prompt_bytes}. "
            "Attach a smaller file, or name the file in the text."
        )
    if not any(block["type"] != "text" or text(block["text"]).strip() for block in raw):
        raise EmptyPrompt("The prompt is empty. Write what the agent should do.")
    return raw


def _check(block: Obj, where: str) -> None:
    if (media := media_of(block.get("type"))) is not None:
        mime = text(block.get("mimeType"))
        _need(_MIME.fullmatch(mime) is not None, where, f"has no MIME type for its {media}")
        _need(mime.startswith(f"{media}/"), where, f"has a MIME type that is not {media}")
        _need(_is_base64(block.get("data")), where, f"has no {media} in base64")
        _need_uri(block, "uri", where, required=False)
        return
    match block.get("type"):
        case "text":
            _need(isinstance(block.get("text"), str), where, "has no text")
        case "resource_link":
            name = block.get("name")
            named = isinstance(name, str) and 0 < len(name) <= _NAME_CHARS
            _need(named, where, "is a link without a name")
            _need_uri(block, "uri", where)
        case "resource":
            body = obj(block.get("resource"))
            _need_uri(body, "uri", where)
            has_text = isinstance(body.get("text"), str)
            _need(has_text or _is_base64(body.get("blob")), where, "is a file without content")
        case _:
            *types, last = BLOCK_TYPES
            raise InvalidBlock(f"{where} has an unknown type. Use {', '.join(types)} or {last}.")


def _need(good: bool, where: str, words: str) -> None:
    if not good:
        raise InvalidBlock(f"{where} {words}.")


def _need_uri(body: Obj, name: str, where: str, *, required: bool = True) -> None:
    uri = body.get(name)
    if uri is None and not required:
        return
    good = isinstance(uri, str) and len(uri) <= _URI_CHARS and _URI.fullmatch(uri) is not None
    _need(good, where, "has no address (uri)")


def _is_base64(data: JsonValue) -> bool:
    if not isinstance(data, str) or not data:
        return False
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _size(block: Obj) -> int:
    body = obj(block.get("resource"))
    parts = (block.get("text"), block.get("data"), body.get("text"), body.get("blob"))
    return sum(len(part.encode(errors="replace")) for part in parts if isinstance(part, str))


def fitted_blocks(
    blocks: Sequence[Obj],
    capabilities: Sequence[str],
    root: Path,
    agent: str,
    is_file: Callable[[Path], bool] = Path.is_file,
) -> Blocks:
    """Return the blocks in kinds that the agent supports.

    All agents support text and links. An embedded text that the agent doesn't support becomes a
    link if the file is in the session's folder, else text. Of a picture with its text, one goes.
    """
    pictured = pictures_with_text(blocks)
    unused = "resource" if "image" in capabilities else "image"
    return tuple(
        _fitted(block, capabilities, root, agent, is_file)
        for block in blocks
        if not (block.get("type") == unused and _address(block) in pictured)
    )


def pictures_with_text(blocks: Sequence[Obj]) -> frozenset[str]:
    """Return the addresses of what is there both as a picture and as text.

    A page sends an output of a cell so, while it is not known whether the agent takes images.
    """
    pictures, texts = (
        {_address(block) for block in blocks if block.get("type") == kind}
        for kind in ("image", "resource")
    )
    return frozenset(each for each in pictures & texts if each.startswith(_NO_FILE))


def _address(block: Obj) -> str:
    return text(block.get("uri")) or text(obj(block.get("resource")).get("uri"))


def _fitted(
    block: Obj,
    capabilities: Sequence[str],
    root: Path,
    agent: str,
    is_file: Callable[[Path], bool],
) -> Obj:
    media = media_of(block.get("type"))
    if media is not None and media not in capabilities:
        named = text(block.get("uri")).rpartition("/")[2] or text(block.get("mimeType"))
        raise _not_supported(agent, media, MEDIA[media].words, named)
    if block.get("type") != "resource" or "embeddedContext" in capabilities:
        return block
    body = obj(block.get("resource"))
    uri = text(body.get("uri"))
    path = SessionFolder(root).file_of_uri(uri)
    if path is not None and is_file(path):
        return _link(uri, path.name, text(body.get("mimeType")))
    if "text" in body:
        return {"type": "text", "text": f"\n{uri}\n{code_block(text(body['text']))}\n"}
    raise _not_supported(agent, "embeddedContext", "a file in a message", uri.rpartition("/")[2])


def _link(uri: str, name: str, mime_type: str) -> Obj:
    link: Obj = {"type": "resource_link", "uri": uri, "name": name}
    return link | ({"mimeType": mime_type} if mime_type else {})


def _not_supported(agent: str, capability: str, what: str, named: str) -> NotSupported:
    name = f" ({named[:100]})" if named else ""
    return NotSupported(
        f"{agent} can't take {what}{name}, so the message was not sent.",
        f"It does not announce the prompt capability {capability!r}. Remove the attachment, or use "
        "an agent that supports it.",
    )


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt, as it was sent."""

    content: str | Blocks
    policy: Policy | None = None
    """That of its turn; None for the session's."""
    sandbox: Sandbox | None = None
    """The same."""
    origin: Origin | None = None
    can_ask: bool = True
    """Whether its sender can answer the requests of its turn."""
    rules: tuple[Rule, ...] = ()
    user: str = ""
    kernel_id: str = ""
    """The kernel that sent it; empty where a user did."""
    limit: TurnLimit = NO_LIMIT
    """How much its turn may use."""


Work: TypeAlias = Callable[[], Awaitable[None]]
"""The work of a turn, from its start to its end."""


@dataclass(slots=True)
class QueuedTurn:
    """A prompt turn that is queued or runs."""

    turn_id: str
    blocks: Blocks
    can_ask: bool = True
    kernel_id: str = ""
    work: Work | None = None
    """Runs in the turn in place of a prompt."""
    limit: TurnLimit = NO_LIMIT
    steered: Blocks = ()
    """The prompts that the agent has taken into the turn while it ran."""
    held: bool = False
    """Whether the agent is being asked to take the prompt into the running turn."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)


class TurnQueue:
    """The queue of a session's prompts."""

    def __init__(self, journal: Journal, limits: Limits) -> None:
        self._journal = journal
        self._limits = limits
        self._turns: deque[QueuedTurn] = deque()
        self.going_back = False
        """Whether turns are just being taken back: none may be added in between."""
        self._more = asyncio.Event()

    def append(self, prompt: Prompt, *, first: bool = False) -> str:
        """Add a prompt, at the end or as the ``first``; return its turn's id."""
        blocks = content_blocks(prompt.content, self._limits)
        turn = QueuedTurn(uuid.uuid4().hex, blocks, prompt.can_ask, prompt.kernel_id)
        turn.limit = prompt.limit
        self._append(turn, prompt)
        if first:
            self.to_front(turn.turn_id)
        return turn.turn_id

    def append_work(self, work: Work, policy: Policy, user: str) -> str:
        """Add a turn for an outside agent, which gets no prompt from here; return its id."""
        turn = QueuedTurn(uuid.uuid4().hex, (), work=work)
        self._append(turn, Prompt("", policy, user=user))
        return turn.turn_id

    def _append(self, turn: QueuedTurn, prompt: Prompt) -> None:
        if self.going_back:
            raise BadRequest("The session is going back now. Send the prompt again when it has.")
        if len(self._turns) >= _QUEUED_PROMPTS:
            raise BadRequest(
                f"{_QUEUED_PROMPTS} prompts are already waiting in this session. "
                "Wait for some to end, or remove some."
            )
        self._turns.append(turn)
        session = self._journal.transcript.session
        self._journal.note(
            TurnQueued(
                turn_id=turn.turn_id,
                prompt=turn.blocks,
                policy=prompt.policy or session.policy,
                origin=prompt.origin,
                rules=prompt.rules,
                user=prompt.user,
                sandbox=prompt.sandbox or session.sandbox,
            )
        )
        self._more.set()

    def edit(self, turn_id: str, prompt: str | Blocks, user: str = "") -> None:
        """Replace a queued prompt by a user's; a new text keeps the attachments.

        A prompt of a kernel becomes the user's own, with the policy of a follow-up.
        """
        turn = self._waiting(turn_id)
        if isinstance(prompt, str):
            attached = tuple(block for block in turn.blocks if block["type"] != "text")
            written: Blocks = ({"type": "text", "text": prompt},) if prompt.strip() else ()
            prompt = (*written, *attached)
        turn.blocks = content_blocks(prompt, self._limits)
        note = TurnEdited(turn_id=turn_id, prompt=turn.blocks)
        if turn.kernel_id:
            turn.kernel_id = ""
            transcript = self._journal.transcript
            policy, rules = follow_up_policy(transcript.turns[turn_id], transcript.session)
            taken_over = {"policy": policy, "rules": rules, "user": user}
            taken_over["sandbox"] = transcript.session.sandbox
            note = note.model_copy(update=taken_over)
        self._journal.note(note)

    def to_front(self, turn_id: str) -> None:
        """Move a queued prompt to the front."""
        turn = self._waiting(turn_id)
        if self._turns[0] is not turn:
            self._turns.remove(turn)
            self._turns.appendleft(turn)
            self._journal.note(TurnMoved(turn_id=turn_id))

    def remove(self, turn_id: str | None) -> None:
        """Remove a prompt if it is still queued."""
        for turn in tuple(self._turns):
            if turn.turn_id == turn_id:
                self._turns.remove(turn)
                self._journal.note(TurnRemoved(turn_id=turn.turn_id))

    @contextmanager
    def hold(self, turn_id: str) -> Iterator[QueuedTurn]:
        """Keep a queued prompt from being sent, edited or moved, within the context."""
        turn = self._waiting(turn_id)
        turn.held = True
        try:
            yield turn
        finally:
            turn.held = False
            self._more.set()

    def pop_steered(self, turn: QueuedTurn) -> None:
        """Remove a prompt that the agent has taken into the running turn."""
        if turn in self._turns:
            self._turns.remove(turn)
            self._journal.note(TurnSteered(turn_id=turn.turn_id))

    def clear(self) -> None:
        """Remove all prompts."""
        for turn in tuple(self._turns):
            self.remove(turn.turn_id)

    async def next(self) -> QueuedTurn:
        """Wait for the next prompt, remove it from the queue and return it."""
        while not self._turns or self._turns[0].held:
            self._more.clear()
            await self._more.wait()
        return self._turns.popleft()

    def _waiting(self, turn_id: str) -> QueuedTurn:
        for turn in self._turns:
            if turn.turn_id == turn_id and not turn.held:
                return turn
        raise NotQueued(
            "This message is no longer waiting: it was sent or removed. Send a new one."
        )
