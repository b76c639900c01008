"""Writes an agent's Markdown so that every renderer sees it end where it ends.

The parser of the HTML pages finds the blocks. A block of plain text is copied unchanged. Any other
is written in the one form that all renderers read alike: fences longer than any run of their
marks, list items without tabs, links with their address. Raw HTML and stray backticks become
entities, images become links.

Needs markdown-it-py, which a kernel without a server may lack; so nothing imports this module
before it is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from markdown_it.utils import EnvType

from acp_jupyter.protocol.formatting import fence
from acp_jupyter.transcript.closed_inline import (
    PRICE,
    closed_inline,
    has_price,
    math_block,
    with_source_positions,
)
from acp_jupyter.transcript.glued_fences import fences_apart

_MAX_CHARS = 128 * 1024
_MAX_OF = {"\n": 8_000, "[": 5_000, "`": 20_000}
"""Characters that are slow to parse."""
_MAX_LEVELS = 24
_SEEN_LEVELS = 40
"""The parser leaves out blocks that are nested more deeply."""

_DOLLAR = "&#36;"
DOLLAR_APART = f"<span>{_DOLLAR}</span>"
"""A ``$`` outside of formulas. Some renderers look for formulas in the HTML that they made."""

_SPACES = " \t\n"
"""Whitespace in Markdown; any other counts as text."""
_ACTS = re.compile(
    r"<[A-Za-z/!?]|!\[|`{3}|~{3}"
    r"|\$\$|\\\\\[|\\begin\{"
    r"|\[\]\("  # renderers leave such a link open, and the following text would be in it
    r"|\]:"  # a link definition: it would turn other people's text into links
)
"""Text that some renderer doesn't draw as plain text."""
_BLOCK_BEGINS = re.compile(
    r"#{1,6}(?!#)|>|[-+*](?=[ \t]|$)|=+[ \t]*$|-+[ \t]*$|`{3}|~{3}|:(?=[ \t])"
    r"|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$|\[(?!\^[^&]*$)(?=[^\]]*\]:)|(?=[|: \t-]*$)[|: \t]*-"
    r"|\|[ \t]*$"  # nbconvert's renderer takes it for the end of a table's head
)
"""Footnotes stay, unless they contain an entity: some renderers would see a link definition."""
_NUMBER_BEGINS = re.compile(r"(\d{1,9})(?=[.)](?:[ \t]|$))")
_LEFT_OUT = re.compile(r"[`!\s]|<[^<>]*>")
_NO_INFO = re.compile(r"[^\w+#.{}=:,\"' -]")


def closed_markdown(text: str) -> str | None:
    """Return the text with every block closed before its end.

    None if parsing would take too long, or if renderers would disagree about the words.
    """
    if len(text) > _MAX_CHARS or any(text.count(sign) > most for sign, most in _MAX_OF.items()):
        return None
    text = fences_apart(text).replace(PRICE, "\ufffd")
    env: EnvType = {}
    tokens = _parser().parse(text, env)
    if any(token.level > _MAX_LEVELS for token in tokens) or _is_code_or_text(tokens):
        return None
    written = _BlockWriter(text, env).text(SyntaxTreeNode(tokens).children)
    plain = written.replace(PRICE, _DOLLAR)
    is_same = plain == text or _rendered(plain) == _rendered(text)
    return written.replace(PRICE, DOLLAR_APART) if is_same and _is_closed(plain) else None


def _is_code_or_text(tokens: Sequence[Token]) -> bool:
    """Return whether indented lines follow a formula: text to renderers without formulas."""
    pairs = (pair for pair in pairwise(tokens) if pair[0].type == "math_block")
    codes = (pair for pair in pairs if pair[1].type == "code_block")
    return any(math.map and code.map and math.map[1] == code.map[0] for math, code in codes)


def _is_closed(written: str) -> bool:
    """Parse the result once more, now with HTML, and return whether a later block stays apart."""
    after = "what comes after"
    blocks = _strict().parse(f"{written}\n\n{after}")
    kinds = {each.type for block in blocks for each in (block, *(block.children or ()))}
    alone = [block.content for block in blocks[-2:-1] if block.level == 1] == [after]
    return alone and kinds.isdisjoint({"html_block", "html_inline", "image"})


def _rendered(markdown: str) -> str:
    """Return the words that a renderer shows, without characters that writing may change."""
    return _LEFT_OUT.sub("", _shown().render(markdown))


class _BlockWriter:
    """Writes the blocks of one message."""

    def __init__(self, text: str, env: EnvType) -> None:
        self._lines = text.split("\n")
        self._env = env
        self._refers = bool(env.get("references"))
        self._has_price = has_price(text)

    def text(self, blocks: Sequence[SyntaxTreeNode]) -> str:
        """Return the blocks of the top level."""
        written = ""
        end = -1
        for block in blocks:
            copied = self._as_it_is(block)
            begin = block.map[0] if block.map else 0
            joined = copied and begin == end
            written += ("\n" if joined else "\n\n" if written else "") + (
                copied or self._block(block)
            )
            end = begin + copied.count("\n") + 1 if copied else -1
        return written

    def _as_it_is(self, block: SyntaxTreeNode) -> str:
        """Return the source of a block of plain text; empty if the block has to be written."""
        if block.type in {"fence", "code_block"} or block.map is None:
            return ""
        source = "\n".join(self._lines[slice(*block.map)]).rstrip(_SPACES)
        refers = self._refers and "[" in source
        acts = _ACTS.search(source) or (self._has_price and "$" in source)
        return "" if refers or source[:1].isspace() or acts else source

    def _block(self, block: SyntaxTreeNode) -> str:
        match block.type:
            case "heading":
                words = re.sub(r"(^|[ \t])(#+)$", r"\1\\\2", self._inline(block).replace("\n", " "))
                return f"{'#' * int(block.tag[1:])} {words}"
            case "fence" | "code_block":
                return _fenced(block)
            case "math_block":
                return block.content
            case "hr":
                return "___"
            case "blockquote":
                return _indented(self._blocks(block.children), "> ", "> ")
            case "bullet_list" | "ordered_list":
                return self._list(block)
            case "table":
                return self._table(block)
            case _:
                return "\n".join(_line(line) for line in self._inline(block).split("\n"))

    def _blocks(self, blocks: Sequence[SyntaxTreeNode], *, tight: bool = False) -> str:
        written = ""
        for number, block in enumerate(blocks):
            close = tight and blocks[number - 1].type in {"paragraph", "heading", "fence"}
            # A blank line ends a formula that some renderer sees beginning in the line before.
            close = close and not (block.type == "fence" and re.search(r"\$|\\", written))
            written += ("\n" if close else "\n\n") * bool(number) + self._block(block)
        return written

    def _list(self, block: SyntaxTreeNode) -> str:
        paragraphs = [
            each for item in block.children for each in item.children if each.type == "paragraph"
        ]
        tight = bool(paragraphs) and all(each.hidden for each in paragraphs)
        items: list[str] = []
        for item in block.children:
            mark = f"{item.info}{item.markup} "
            body = self._blocks(item.children, tight=tight)
            items.append(_indented(body, mark, " " * len(mark)))
        return ("\n" if tight else "\n\n").join(items)

    def _table(self, table: SyntaxTreeNode) -> str:
        rows = [row.children for part in table.children for row in part.children]
        lines = [[self._inline(cell, in_table=True) for cell in row] for row in rows]
        marks = {"left": ":--", "right": "--:", "center": ":-:"}
        styles = [str(cell.attrs.get("style", "")).rpartition(":")[2] for cell in rows[0]]
        lines.insert(1, [marks.get(style, "---") for style in styles])
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

    def _inline(self, block: SyntaxTreeNode, *, in_table: bool = False) -> str:
        source = "".join(child.content for child in block.children)
        # A single price can't begin a formula.
        prices = self._has_price
        return closed_inline(_parser(), source, self._env, in_table=in_table, prices=prices)


def _line(line: str) -> str:
    """Return the line without its indent, escaped so that it doesn't begin a block."""
    line = line.lstrip(_SPACES)
    # Escape all: if only the first were, the others could end an emphasis before them.
    if not line.strip("* \t") or not line.strip("_ \t"):
        return re.sub(r"(?=[*_])", r"\\", line)
    if line.startswith("~~~"):
        rest = line.lstrip("~")
        return r"\~" * (len(line) - len(rest)) + rest
    if _BLOCK_BEGINS.match(line):
        return f"\\{line}"
    return _NUMBER_BEGINS.sub(r"\1\\", line, 1) if _NUMBER_BEGINS.match(line) else line


def _fenced(block: SyntaxTreeNode) -> str:
    sign = "~" if block.markup.startswith("~") else "`"
    marks = max(block.markup, fence(block.content, sign), key=len)
    code = block.content.removesuffix("\n")
    info = _NO_INFO.sub("", block.info).strip()
    return f"{marks}{info}\n{code}\n{marks}" if code else f"{marks}{info}\n{marks}"


def _indented(text: str, first: str, rest: str) -> str:
    lines = text.split("\n")
    written = [f"{first}{lines[0]}", *(f"{rest}{line}" for line in lines[1:])]
    return "\n".join(line.rstrip() if not line.strip(" >") else line for line in written)


# -- the parser --------------------------------------------------------------


@cache
def _strict() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True, "maxNesting": _SEEN_LEVELS}).enable(
        ["table", "strikethrough"]
    )


@cache
def _shown() -> MarkdownIt:
    """Return the parser that treats HTML as text."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _SEEN_LEVELS})
    return parser.enable(["table", "strikethrough"]).disable("image")


@cache
def _parser() -> MarkdownIt:
    """Return the parser for blocks, and for code, links and escapes in them; the rest is text."""
    options = {"html": False, "maxNesting": _SEEN_LEVELS}
    parser = MarkdownIt("commonmark", options).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.inline.ruler.disable(["emphasis", "image"])
    ends: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "math_block", math_block, ends)
    with_source_positions(parser)
    return parser
