"""A session or a turn as one HTML file: no script, nothing from elsewhere, light and dark.

An agent's Markdown becomes HTML that runs nothing, fetches nothing and imitates nothing. The
templates lie in ``templates`` beside this module.

Needs jinja2 and markdown-it-py, which a kernel without a server may lack. So whoever needs a page
imports this module then, and gets a `MissingPackage` that says what to install.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from acp_jupyter.errors import MissingPackage
from acp_jupyter.protocol.content import MEDIA, media_of
from acp_jupyter.protocol.files import human_size
from acp_jupyter.protocol.formatting import shorten_middle
from acp_jupyter.transcript.escaping import printable
from acp_jupyter.transcript.model.items import Item, Thought
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, Diff, ToolCall
from acp_jupyter.transcript.output.bundle import changed_files, sections, turn_footer
from acp_jupyter.transcript.output.diff_text import line_counts, unified_diff
from acp_jupyter.transcript.output.plain_text import (
    item_times,
    other_details,
    outcome_facts,
    running_text,
    turn_seconds,
)
from acp_jupyter.transcript.redactor import Scrubber
from acp_jupyter.transcript.view import nested, step_count_text

try:
    from jinja2 import Environment, PackageLoader, StrictUndefined, Template
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict
    from markupsafe import Markup
except ImportError as error:
    raise MissingPackage(
        "HTML needs two more packages here. Run: pip install jinja2 markdown-it-py", str(error)
    ) from error

_TEXT_CHARS = 20_000
"""Most characters of a tool's output, a command or a written file."""
_MEDIA_CHARS = 4 * 1024 * 1024
_PAGE_ITEMS = 20_000
_OPEN_DIFF_LINES = 60


class _DiffLine(NamedTuple):
    tag: str
    text: str


class _Section(NamedTuple):
    """A turn with its items; without a turn, the items between two turns."""

    turn: TurnState | None
    rows: tuple[tuple[Item, tuple[Item, ...]], ...]
    """The agent's own items, each with the items of its subagents."""
    footer: tuple[str, ...]


def html_page(
    session: SessionState,
    turns: Iterable[TurnState],
    items: Iterable[Item],
    scrubber: Scrubber,
    *,
    thoughts: bool = False,
) -> str:
    """Return an HTML page with these turns.

    Parameters
    ----------
    session, turns, items
        The content of the page; the items of all turns in one sequence, in order.
    thoughts
        Whether to include the agent's reasoning; named steps are always included.
    """
    scrubbed = scrubber.model(session)
    shown = [
        scrubber.model(_drawn_part(item))
        for item in items
        if thoughts or not isinstance(item, Thought) or item.title
    ]
    left_out = max(0, len(shown) - _PAGE_ITEMS)
    known = {turn.turn_id: scrubber.model(turn) for turn in turns}
    return _template().render(
        session=scrubbed,
        title=scrubbed.title or scrubbed.agent_info.name,
        sections=list(_sections(scrubbed, known, shown[left_out:])),
        left_out=left_out,
        agent=AgentHtml(),
    )


def _drawn_part(item: Item) -> Item:
    if not isinstance(item, ToolCall):
        return item
    return item.model_copy(update={"raw_input": None, "raw_output": None})


def _sections(
    session: SessionState, turns: dict[str, TurnState], items: Sequence[Item]
) -> Iterator[_Section]:
    """Yield the sections of the page, in the order in which they began."""
    for turn, own in sections(turns.values(), items):
        footer = (
            turn_footer(turn, changed_files(own), session, turn_seconds(turn, own)) if turn else ()
        )
        yield _Section(turn, tuple(nested(own)), tuple(footer))


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("acp_jupyter.transcript.output"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "printable": printable,
        "capped": _capped,
        "facts": outcome_facts,
        "times": item_times,
        "beside": other_details,
        "running": running_text,
        "counts": line_counts,
        "steps": step_count_text,
        "diff_lines": _diff_lines,
        "is_short": _is_short,
        "media": _media,
        "moment": _moment,
        "size": human_size,
    }
    return environment.get_template("session.html")


def _capped(text: str) -> str:
    return shorten_middle(printable(text), _TEXT_CHARS)


def _diff_lines(diff: Diff) -> list[_DiffLine]:
    tags = {"+": "ins", "-": "del"}
    lines = printable(unified_diff(diff)).split("\n")[2:]  # the file is named in the header
    return [_DiffLine(tags.get(line[:1], "span"), line) for line in lines]


def _is_short(diffs: Sequence[Diff]) -> bool:
    return 0 < sum(len(_diff_lines(diff)) for diff in diffs) <= _OPEN_DIFF_LINES


def _media(block: ContentBlockItem) -> str:
    """Return an image or a sound as a ``data:`` URL; empty for other blocks."""
    media = media_of(block.type)
    if media is None or block.mime_type not in MEDIA[media].drawn:
        return ""
    if not 0 < len(block.data) <= _MEDIA_CHARS:
        return ""
    try:
        base64.b64decode(block.data, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return f"data:{block.mime_type};base64,{block.data}"


def _moment(seconds: float | None) -> str:
    """Return a time as ISO 8601, in UTC: the page may be read anywhere."""
    try:
        return datetime.fromtimestamp(seconds or 0, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return ""


_MARKDOWN_CHARS = 64 * 1024
_PAGE_MARKDOWN_CHARS = 2 * 1024 * 1024
_SCHEMES = ("https://", "http://", "mailto:")


class AgentHtml:
    """Renders the texts of one page.

    Raw HTML is shown as text, an image as its description, and only links to the web are links.
    Text beyond the limits is shown as source, as rendering some Markdown takes quadratic time.
    """

    def __init__(self, all_chars: int = _PAGE_MARKDOWN_CHARS) -> None:
        self._left = all_chars

    def __call__(self, text: str) -> Markup:
        """Return Markdown as HTML."""
        text = printable(text)
        self._left -= len(text)
        if len(text) > _MARKDOWN_CHARS or self._left < 0:
            return Markup("<pre>{}</pre>").format(text)
        return Markup(_markdown_parser().render(text))  # noqa: S704 - html is off, and links are checked


@cache
def _markdown_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.validateLink = _is_web  # type: ignore[method-assign]
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("link_open", _render_link)
    return parser


def _is_web(url: str) -> bool:
    return url.strip().lower().startswith(_SCHEMES)


def _render_image(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    """Show an image's description and URL: fetching it would reveal who reads the page."""
    token = tokens[idx]
    words = self.renderInlineAsText(token.children or [], options, env)
    url = str(token.attrs.get("src", ""))
    return str(Markup('<span class="image">{} <code>{}</code></span>').format(words, url))


def _render_link(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[idx]
    if token.attrGet("href"):
        token.attrSet("rel", "noopener noreferrer nofollow")
    else:  # an empty address would link to the page itself
        token.attrs.pop("href", None)
    return self.renderToken(tokens, idx, options, env)
