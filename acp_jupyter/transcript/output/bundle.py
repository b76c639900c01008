"""The MIME bundle that is saved in a notebook for a turn: a snapshot, Markdown and plain text."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

from pydantic import JsonValue

from acp_jupyter.protocol.formatting import quantity, shorten_middle
from acp_jupyter.protocol.host_events.notes import Origin, is_replayed
from acp_jupyter.protocol.host_events.session import TurnChanges, Wall
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.tools.outputs import SearchHit
from acp_jupyter.transcript.escaping import one_line, printable
from acp_jupyter.transcript.model.items import (
    AgentMessage,
    Item,
    Notice,
    Plan,
    Thought,
    UserMessage,
)
from acp_jupyter.transcript.model.session_state import STEERED, SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import (
    ContentBlockItem,
    Detail,
    Diff,
    Permission,
    TerminalView,
    ToolCall,
)
from acp_jupyter.transcript.output.diff_text import trimmed_diff
from acp_jupyter.transcript.output.markdown import (
    OUTPUT_CHARS,
    cut_text,
    shown_output,
    turn_markdown,
    turn_plain_text,
)
from acp_jupyter.transcript.output.plain_text import duration_text
from acp_jupyter.transcript.output.record import TURN_MIME, TurnSnapshot, run_mark, saved_record
from acp_jupyter.transcript.redactor import Redactor, Scrubber

_SNAPSHOT_BYTES = 256 * 1024
_ITEM_TEXT_CHARS = 192 * 1024
_DIFF_CHARS = 64 * 1024
_FILES = 50
_DETAILS = 30
_DETAIL_CHARS = 2_000
_MAX_ITEMS = 1_500
"""More would not fit into a snapshot, and nobody would read them."""
_HIT_CHARS = 100


class Bundle(Model):
    """A Jupyter MIME bundle."""

    data: dict[str, JsonValue]
    metadata: dict[str, JsonValue]


def build_bundle(
    turn: TurnState,
    items: Iterable[Item],
    session: SessionState,
    *,
    redactor: Redactor | None = None,
    home: str = "",
    thoughts: bool = False,
) -> Bundle:
    """Return a turn as cell output that leaks nothing.

    Equal turns give equal data: ids and times are in the metadata only. A replayed recording has no
    metadata, so that its notebook doesn't change. There is no ``text/html``: viewers would prefer
    it to the Markdown.
    """
    scrubber = Scrubber.of_session(session, redactor or Redactor(), home)
    snapshot, shown = saved_turn(turn, items, session, scrubber, thoughts=thoughts)
    readable = tuple(map(_without_times, readable_items(shown, scrubber)))
    footer = snapshot.footer
    markdown = turn_markdown(snapshot.turn, readable, thoughts=thoughts, footer=footer)
    data: dict[str, JsonValue] = {
        TURN_MIME: saved_record(snapshot),
        "text/markdown": scrubber.text(_folded(markdown, snapshot)),
        "text/plain": scrubber.text(turn_plain_text(snapshot.turn, shown, footer=footer)),
    }
    if name := _variant_name(snapshot):
        data["text/plain"] = f"{name}\n{data['text/plain']}"
    replayed = snapshot.final and is_replayed(session.agent_info.name)
    return Bundle(data=data, metadata={} if replayed else run_mark(turn, snapshot.items))


def _folded(markdown: str, snapshot: TurnSnapshot) -> str:
    """Fold a variant of a prompt, unless some of its changes were kept."""
    name = _variant_name(snapshot)
    if not name:
        return markdown
    if not snapshot.final or is_kept(snapshot.turn):
        return f"**{escape(name)}**\n\n{markdown}"
    return f"<details>\n<summary>{escape(name)}</summary>\n\n{markdown}\n\n</details>"


def _variant_name(snapshot: TurnSnapshot) -> str:
    turn = snapshot.turn
    if not turn.variant:
        return ""
    kept = "kept" if is_kept(turn) else "not kept" if snapshot.final else "running"
    return f"Variant {turn.variant}: {one_line(snapshot.agent.name)}, {kept}"


def is_kept(turn: TurnState) -> bool:
    """Return whether some changes of a variant were kept, and not reverted since."""
    files = () if turn.changes is None else turn.changes.files
    return any(file.kept and not file.is_not_kept for file in files)


def saved_turn(
    turn: TurnState,
    items: Iterable[Item],
    session: SessionState,
    scrubber: Scrubber,
    *,
    thoughts: bool,
    picture_chars: int = 0,
    fit: Callable[[Sequence[Item], int], tuple[Item, ...]] | None = None,
) -> tuple[TurnSnapshot, tuple[Item, ...]]:
    """Return the snapshot of a turn that is saved, and the items for its text.

    Parameters
    ----------
    picture_chars
        Largest picture, in characters of data, for a file without the notebook: it includes the
        pictures of cells. 0 if the notebook has them.
    """
    shown_turn = scrubber.model(_without_origin(turn))
    newest, earlier, edited = _newest(items)
    saved = tuple(_saved_items(newest, scrubber, thoughts=thoughts, picture_chars=picture_chars))
    changed = tuple(scrubber.text(path) for path in edited)
    snapshot = TurnSnapshot(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        final=turn.status == "done",
        agent=scrubber.model(session.agent_info),
        session_title=scrubber.text(session.title) if session.named else "",
        turn=shown_turn,
        items=(fit or _fitting)(saved, earlier),
        footer=tuple(turn_footer(shown_turn, changed, scrubber.model(session), None)),
    )
    return snapshot, (left_out_note(turn.turn_id, earlier), *saved) if earlier else saved


def readable_items(items: Iterable[Item], scrubber: Scrubber) -> Iterator[Item]:
    """Yield items without control characters, and without secrets that these had hidden.

    Secrets are replaced before the Markdown is written: a stand-in in it might open a block.
    """
    for item in items:
        if isinstance(item, AgentMessage | Thought | Plan):
            text = printable(item.text)
            if text != item.text:
                item = item.model_copy(update={"text": scrubber.text(text)})
        yield item


def _without_origin(turn: TurnState) -> TurnState:
    """Return a turn without the id of its cell and the ids of its files' texts."""
    unknown: dict[str, object] = {"old_text_id": "", "new_text_id": ""}
    changes = turn.changes
    if changes is not None:
        files = tuple(file.model_copy(update=unknown) for file in changes.files)
        changes = changes.model_copy(update={"files": files})
    error = None if turn.origin is None else turn.origin.error
    origin = None if error is None else Origin(error=error)
    return turn.model_copy(update={"origin": origin, "changes": changes})


def _saved_items(
    items: Iterable[Item], scrubber: Scrubber, *, thoughts: bool, picture_chars: int
) -> Iterator[Item]:
    for item in items:
        match item:
            case UserMessage(steered=False):
                continue  # it is the cell's source
            case Thought() if not thoughts:
                continue
            case ToolCall():
                yield _saved_call(item, scrubber, picture_chars)
            case ContentBlockItem():
                yield _saved_block(scrubber.model(item), picture_chars)
            case _:
                yield scrubber.model(item)


def _saved_call(call: ToolCall, scrubber: Scrubber, picture_chars: int) -> ToolCall:
    raw: dict[str, object] = {"raw_input": None, "raw_output": None}
    if call.tool_kind == "read":
        raw |= {"output": "", "blocks": ()}
    if not picture_chars and call.tool_name.endswith(_SHOW_CELLS) and "notebook" in call.tool_name:
        raw["blocks"] = tuple(map(_of_a_cell, call.blocks))
    call = scrubber.model(call.model_copy(update=raw))
    return call.model_copy(
        update={
            # Cut after redaction: half of a secret would not be recognised.
            "output": shown_output(call),
            "command": shorten_middle(call.command, OUTPUT_CHARS),
            "permission": call.permission and _saved_permission(call.permission),
            "files": None if call.files is None else call.files[:_FILES],
            "hits": _saved_hits(call.hits),
            "terminal": None if call.terminal is None else _saved_terminal(call.terminal),
            "wall": None if call.wall is None else _saved_wall(call.wall),
            "diffs": tuple(_saved_diff(diff) for diff in call.diffs),
            "blocks": tuple(_saved_block(block, picture_chars) for block in call.blocks),
        }
    )


def _saved_permission(permission: Permission) -> Permission:
    details = [
        detail.model_copy(update={"value": shorten_middle(detail.value, _DETAIL_CHARS)})
        for detail in permission.details[:_DETAILS]
    ]
    more = len(permission.details) - len(details)
    if more:
        details.append(Detail(name="…", value=f"and {more} more fields"))
    return permission.model_copy(update={"details": tuple(details)})


_SHOW_CELLS = ("run_cells", "read_cells")
"""The notebook tools that return the outputs of cells."""


def _of_a_cell(block: ContentBlockItem) -> ContentBlockItem:
    """Return a picture's block without the picture, which is in the output of its cell."""
    return block.model_copy(update={"data": "", "name": "The picture is in its cell"})


def _saved_terminal(terminal: TerminalView) -> TerminalView:
    return terminal.model_copy(update={"command": shorten_middle(terminal.command, OUTPUT_CHARS)})


def _saved_wall(wall: Wall) -> Wall:
    """Return a wall without its actions: a saved output has no buttons."""
    return Wall(path="", words=wall.words, run_id=wall.run_id)


def _saved_hits(hits: tuple[SearchHit, ...] | None) -> tuple[SearchHit, ...] | None:
    if hits is None:
        return None
    cut = (hit.model_copy(update={"text": hit.text[:_HIT_CHARS]}) for hit in hits[:_FILES])
    return tuple(cut)


def _saved_diff(diff: Diff) -> Diff:
    # The page needs the whole notebook to find the changed cells.
    diff = diff if diff.path.endswith(".ipynb") else trimmed_diff(diff)
    if len(diff.old_text or "") + len(diff.new_text) <= _DIFF_CHARS:
        return diff
    note = "(too large to be saved here)\n"
    return diff.model_copy(
        update={"old_text": None if diff.old_text is None else note, "new_text": note}
    )


def _saved_block(block: ContentBlockItem, picture_chars: int) -> ContentBlockItem:
    update = {"text": shorten_middle(block.text, OUTPUT_CHARS)}
    if len(block.data) > (picture_chars or _ITEM_TEXT_CHARS):
        update["data"] = ""
    return block.model_copy(update=update)


def _newest(items: Iterable[Item]) -> tuple[Sequence[Item], int, Sequence[str]]:
    """Return the newest items, the number of earlier ones, and the files that all items changed."""
    newest: deque[Item] = deque(maxlen=_MAX_ITEMS)
    edited: dict[str, None] = {}
    count = 0
    for count, item in enumerate(items, 1):  # noqa: B007 - how many there were
        newest.append(item)
        edited.update(dict.fromkeys(changed_files((item,))))
    return newest, count - len(newest), list(edited)


def left_out_note(turn_id: str | None, count: int) -> Notice:
    """Return the note that replaces earlier items that did not fit."""
    words = "1 earlier item is" if count == 1 else f"{count} earlier items are"
    text = f"{words} not saved here. The session has {'it' if count == 1 else 'them'}."
    return Notice(id="left-out", turn_id=turn_id, text=text)


def _fitting(items: Sequence[Item], earlier: int) -> tuple[Item, ...]:
    """Return the newest items that fit, and a note in place of the others."""
    room = _SNAPSHOT_BYTES
    fitting: list[Item] = []
    for item in reversed(items):
        item = _shortened_item(item)
        room -= len(item.model_dump_json())
        if room < 0:
            break
        fitting.append(item)
    left_out = len(items) - len(fitting) + earlier
    if left_out:
        fitting.append(left_out_note(items[0].turn_id, left_out))
    return tuple(reversed(fitting))


def _shortened_item(item: Item) -> Item:
    text = getattr(item, "text", "")
    if len(text) <= _ITEM_TEXT_CHARS:
        return item
    return item.model_copy(update={"text": cut_text(text, _ITEM_TEXT_CHARS)})


def sections(
    turns: Iterable[TurnState], items: Iterable[Item]
) -> Iterator[tuple[TurnState | None, tuple[Item, ...]]]:
    """Yield each turn with its items, and None with the items between turns, in order."""
    known = {turn.turn_id: turn for turn in turns}
    own: dict[str | None, list[Item]] = {}
    for item in items:
        own.setdefault(item.turn_id, []).append(item)
    for turn_id, group in own.items():
        turn = known.get(turn_id or "")
        if turn is None or turn.stop_reason != STEERED:
            yield turn, tuple(group)


# -- the footer --------------------------------------------------------------


def turn_footer(
    turn: TurnState, changed: Sequence[str], session: SessionState, seconds: float | None
) -> Iterator[str]:
    """Yield the facts of a turn's last line."""
    yield " ".join(filter(None, (session.agent_info.name, session.agent_info.version)))
    for name in ("model", "mode"):
        chosen = _chosen(session, name)
        if chosen:
            yield f"{name} {chosen}"
    yield f"policy {turn.policy}"
    if turn.sandbox != "off":
        yield f"sandbox {turn.sandbox}{_not_kept(turn, session)}"
    yield from _changed_text(turn, changed)
    if turn.tokens is not None:
        yield f"{turn.tokens:,} tokens"
    if took := duration_text(seconds):
        yield took


def _not_kept(turn: TurnState, session: SessionState) -> str:
    """Return a note if the sandbox was not enforced; else an empty string."""
    walls = session.walls
    no_walls = walls is not None and walls.sandbox == turn.sandbox and walls.level == "none"
    return " (not kept)" if no_walls else ""


def _changed_text(turn: TurnState, reported: Sequence[str]) -> Iterator[str]:
    """Yield how many files changed, by the turn or an unknown author, or why that is unknown."""
    changes = turn.changes or TurnChanges()
    own = reported if turn.changes is None else [f.path for f in changes.files if f.is_turns]
    count = len(own) if turn.changes is None else changes.own_count
    if own:
        shown = ", ".join(own[:3]) + (", …" if count > 3 else "")
        yield f"{quantity(count, 'file')} changed: {shown}"
    unknown = [file for file in changes.files if file.author == "unknown"]
    if more := len(unknown) + changes.unknown_left_out:
        yield f"{more} more changed meanwhile, by an unknown author"
    if turn.changes_unknown:
        what = "what else changed" if own else "what changed"
        yield f"{what} is not known: {one_line(turn.changes_unknown).rstrip('.')}"


def _without_times(item: Item) -> Item:
    """Return an item without its times: with them, each run would change a notebook's diff."""
    if isinstance(item, ToolCall):
        return item.model_copy(update={"started_at": None, "ended_at": None})
    return item


def _chosen(session: SessionState, category: str) -> str:
    for option in session.config_options:
        if option.category == category and isinstance(option.current_value, str):
            names = {choice.value: choice.name for choice in option.choices}
            return names.get(option.current_value, option.current_value)
    if category == "mode":
        modes = {mode.id: mode.name for mode in session.modes}
        return modes.get(session.current_mode_id, session.current_mode_id)
    return ""


def changed_files(items: Iterable[Item]) -> list[str]:
    """Return the paths of completed edits, in order."""
    paths = (
        diff.path
        for item in items
        if isinstance(item, ToolCall) and item.status == "completed"
        for diff in item.diffs
    )
    return list(dict.fromkeys(paths))
