"""An agent's Markdown, written so that every reader of Markdown sees it end where it ends.

The parser of the HTML pages finds the blocks. What can't act is copied as it is; of the rest each
block is written anew in the one form that all readers take alike: fences longer than any run of
their sign, list items without tabs, links with their address. Raw HTML and stray backticks become
entities, images become links.

Needs markdown-it-py, which a kernel without a server may lack; so nothing imports this module
before it is used.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from markdown_it.utils import EnvType

__all__ = ["closed_markdown"]

_MOST_CHARS = 128 * 1024
_MOST_OF = {"\n": 8_000, "[": 5_000, "`": 20_000}
"""The parser takes long for each."""
_MOST_LEVELS = 24
_SEEN_LEVELS = 40
"""The parser leaves out what lies deeper."""

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ACTS = re.compile(
    r"<[A-Za-z/!?]|!\[|`{3}|~{3}"
    r"|\$\$|\\\\\[|\\begin\{"
    r"|\[[^\]\n]*\]:"  # a definition: it would make links of what others write
)
"""What may be more than text in one reader or another."""
_LIVE_CODE = re.compile(r"<[A-Za-z/!?]|!\[")
"""What would act, were its code span none."""
_SIGNS = "*_~$[]\\"
"""With one of them in a code span and outside of it, not all readers see that span."""
_RESTLESS = re.compile(r"`|\]\(|\]\[")
"""In text, where it makes neither code nor a link: then readers find others there."""
_ADDRESS = re.compile(r"://|www\.|mailto:|@", re.IGNORECASE)
_BLOCK_BEGINS = re.compile(
    r"#{1,6}(?=[ \t]|$)|>|[-+*](?=[ \t]|$)|=+[ \t]*$|-+[ \t]*$|`{3}|~{3}|:(?=[ \t])"
    r"|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$|\[(?!\^)(?=[^\]]*\]:)"
)
_NUMBER_BEGINS = re.compile(r"(\d{1,9})(?=[.)](?:[ \t]|$))")
_MATH_SIGNS = re.compile(r"(?<!\\)\$\$|\\\\\[|\\\\\]|\\begin\{[a-z]*\*?\}|\\end\{[a-z]*\*?\}")
"""Of the formulas that nbconvert finds before anything else and over the ends of blocks."""
_MATH_BEGINS = re.compile(r"\$(?=\$)|(?<!\\)(?:\\\\)+(?=\\?\[)|(?<=\\begin)\{")
_NO_INFO = re.compile(r"[^\w+#.{}=:,\"' -]")
_SAFE_ADDRESS = re.compile(r"[\w./:#?=&%+~@,;-]+")
_UNSAFE = re.compile(r"[^!-~]|[`<>*_~$|()\[\]\\]")
_SAFE_TITLE = re.compile(r"[\w .,:;/'?!+-]+")


def closed_markdown(text: str) -> str | None:
    """Return a text that is closed in itself; None for what would take the parser too long."""
    if len(text) > _MOST_CHARS or any(text.count(sign) > most for sign, most in _MOST_OF.items()):
        return None
    env: EnvType = {}
    tokens = _parser().parse(text, env)
    if any(token.level > _MOST_LEVELS for token in tokens):
        return None
    written = _Writer(text, env).text(SyntaxTreeNode(tokens).children)
    return written if _is_closed(written) else None


def _is_closed(written: str) -> bool:
    """Look again, as a reader to whom HTML is HTML."""
    after = "what comes after"
    blocks = _strict().parse(f"{written}\n\n{after}")
    kinds = {each.type for block in blocks for each in (block, *(block.children or ()))}
    alone = [block.content for block in blocks[-2:-1] if block.level == 1] == [after]
    return alone and kinds.isdisjoint({"html_block", "html_inline", "image"})


class _Span(NamedTuple):
    """What stands at a place of a paragraph's source."""

    start: int
    end: int
    kind: str
    content: str = ""
    """Of code its text, of a link its address."""
    title: str = ""
    label_end: int = 0


class _Writer:
    """Writes the blocks of one message."""

    def __init__(self, text: str, env: EnvType) -> None:
        self._lines = text.split("\n")
        self._env = env
        self._refers = bool(env.get("references"))

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
        """Return the source of a block that can't act; empty where it has to be written."""
        if block.type in {"fence", "code_block"} or block.map is None:
            return ""
        source = "\n".join(self._lines[slice(*block.map)]).rstrip()
        refers = self._refers and "[" in source
        return "" if refers or source[:1].isspace() or _ACTS.search(source) else source

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
                return _paragraph(self._inline(block))

    def _blocks(self, blocks: Sequence[SyntaxTreeNode], *, tight: bool = False) -> str:
        written = ""
        for number, block in enumerate(blocks):
            close = tight and blocks[number - 1].type in {"paragraph", "heading", "fence"}
            # A formula that some reader begins in the line before ends at a blank one.
            close = close and not (block.type == "fence" and re.search(r"\$|\\", written))
            written += ("\n" if close else "\n\n") * bool(number) + self._block(block)
        return written

    def _list(self, block: SyntaxTreeNode) -> str:
        paragraphs = [
            each for item in block.children for each in item.children if each.type == "paragraph"
        ]
        tight = all(each.hidden for each in paragraphs)
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
        spans: list[_Span] = []
        _parser().inline.parse(source, _parser(), {**self._env, "spans": spans}, [])
        written = _InlineWriter(source, spans, in_table=in_table).written(0, len(source))
        if not _formulas_end(written):
            written = _MATH_BEGINS.sub(_entities, written)
        return written


class _InlineWriter:
    """Writes the text of one paragraph, heading or cell."""

    def __init__(self, source: str, spans: Iterable[_Span], *, in_table: bool) -> None:
        self._source = source
        self._spans = sorted(spans, key=lambda span: (span.start, -span.end))
        self._in_table = in_table
        self._next = 0
        self._counts = {sign: source.count(sign) for sign in _SIGNS}
        self._is_quiet = "~`" not in source and not self._is_restless()

    def _is_restless(self) -> bool:
        end = 0
        for span in self._spans:
            if _RESTLESS.search(self._source, end, max(end, span.start)):
                return True
            if span.kind == "escape" and self._source[span.start + 1] in "`<!|[]$~\\":
                return True
            end = max(end, span.end)
        return _RESTLESS.search(self._source, end) is not None

    def written(self, start: int, end: int) -> str:
        """Return a part of the source with what it has of code, links and escapes."""
        parts = ""
        while self._next < len(self._spans) and self._spans[self._next].start < end:
            span = self._spans[self._next]
            self._next += 1
            parts += self._text(self._source[start : span.start])
            parts = self._added(parts, span)
            start = span.end
        return parts + self._text(self._source[start:end])

    def _added(self, before: str, span: _Span) -> str:
        source = self._source[span.start : span.end]
        match span.kind:
            case "code":
                return re.sub(r"\\$", "&#92;", before) + self._code(span)
            case "link":
                words = self.written(span.start + 1, span.label_end)
                return f"{before.rstrip('!')}[{words}]({_address(span)})"
            case "autolink":
                if _SAFE_ADDRESS.fullmatch(source[1:-1]):
                    return before + source
                words = _literal(source[1:-1])
                return f"{before.rstrip('!')}[{words}]({_address(span)})"
            case _:
                return before + (_entity(source[1]) if source[1] in "`<!|" else source)

    def _text(self, text: str) -> str:
        text = re.sub(r"!+(?=\[)", "", _TAG.sub("&lt;", text)).replace("`", "&#96;")
        return text.replace("|", r"\|") if self._in_table else text

    def _code(self, span: _Span) -> str:
        code = span.content
        if not self._is_sure(span):
            return f"&#96;{_literal(code)}&#96;"
        if self._in_table:
            code = code.replace("|", r"\|")
        longest = max(map(len, re.findall(r"`+", code)), default=0)
        marks = "`" * (longest + 1)
        ends = code[:1] + code[-1:]
        pad = " " if "`" in ends or (ends == "  " and code.strip()) else ""
        return f"{marks}{pad}{code}{pad}{marks}"

    def _is_sure(self, span: _Span) -> bool:
        """Tell whether every reader takes this for code, or it is nothing if one does not."""
        code = span.content
        if _MATH_BEGINS.search(code) or (self._in_table and r"\|" in code):
            return False
        if not _LIVE_CODE.search(code):
            return True
        before = self._source[max(0, span.start - 2_000) : span.start]
        word = re.split(r"\s", before)[-1]
        odd = any(0 < code.count(sign) < self._counts[sign] for sign in _SIGNS)
        unsure = odd or "`" in code or before.endswith(("\\", "~")) or _ADDRESS.search(word)
        return self._is_quiet and not unsure


def _paragraph(words: str) -> str:
    return "\n".join(_line(line) for line in words.split("\n"))


def _line(line: str) -> str:
    """Return a line that begins no block, now that it is no longer indented."""
    line = line.lstrip()
    if _BLOCK_BEGINS.match(line):
        return f"\\{line}"
    return _NUMBER_BEGINS.sub(r"\1\\", line, 1) if _NUMBER_BEGINS.match(line) else line


def _fenced(block: SyntaxTreeNode) -> str:
    sign = "~" if block.markup.startswith("~") else "`"
    longest = max(map(len, re.findall(f"{sign}+", block.content)), default=0)
    marks = sign * max(len(block.markup), 3, longest + 1)
    code = block.content.removesuffix("\n")
    info = _NO_INFO.sub("", block.info).strip()
    return f"{marks}{info}\n{code}\n{marks}" if code else f"{marks}{info}\n{marks}"


def _indented(text: str, first: str, rest: str) -> str:
    lines = text.split("\n")
    written = [f"{first}{lines[0]}", *(f"{rest}{line}" for line in lines[1:])]
    return "\n".join(line.rstrip() if not line.strip(" >") else line for line in written)


def _address(span: _Span) -> str:
    address = span.content
    if not _SAFE_ADDRESS.fullmatch(address):
        address = f"<{_UNSAFE.sub(_percent, address)}>"
    title = f' "{span.title}"' if _SAFE_TITLE.fullmatch(span.title) else ""
    return address + title


def _percent(sign: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in sign[0].encode("utf-8", "replace"))


def _literal(text: str) -> str:
    """Return a text in which nothing is a sign of Markdown."""
    escaped = html.escape(text, quote=False)
    return re.sub(r"[\\`*_\[\]~|$!:@{]", lambda sign: _entity(sign[0]), escaped)


def _entities(signs: re.Match[str]) -> str:
    return _entity(signs[0][0]) * (len(signs[0]) // 2 or 1)


def _entity(sign: str) -> str:
    return f"&#{ord(sign)};"


# -- the parser --------------------------------------------------------------


@cache
def _strict() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True, "maxNesting": _SEEN_LEVELS}).enable(
        ["table", "strikethrough"]
    )


@cache
def _parser() -> MarkdownIt:
    """Return what finds blocks, and code, links and escapes in them; the rest is text."""
    options = {"html": False, "maxNesting": _SEEN_LEVELS}
    parser = MarkdownIt("commonmark", options).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.inline.ruler.disable(["emphasis", "image"])
    parser.block.ruler.before("fence", "math_block", _math_block)
    for rule in parser.inline.ruler.__rules__:
        if rule.name in _KINDS:
            parser.inline.ruler.at(rule.name, _recording(rule.name, rule.fn))
    return parser


_Rule = Callable[[StateInline, bool], bool]
_KINDS = {"backticks": "code", "link": "link", "autolink": "autolink", "escape": "escape"}


def _recording(name: str, rule: _Rule) -> _Rule:
    """Return a rule that tells at which place of the source it has found something."""

    def run(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        found = rule(state, silent)
        if found and not silent:
            made = next(_made(state.tokens[count:]), None)
            if made is not None or name == "escape":
                span = _Span(start, state.pos, _KINDS[name])
                state.env["spans"].append(_filled(span, made, state))
        return found

    return run


def _made(tokens: Iterable[Token]) -> Iterator[Token]:
    return (token for token in tokens if token.type in {"code_inline", "link_open"})


def _filled(span: _Span, made: Token | None, state: StateInline) -> _Span:
    match span.kind:
        case "code":
            return span._replace(content=made.content if made else "")
        case "link" | "autolink":
            attrs = made.attrs if made else {}
            address, title = str(attrs.get("href", "")), str(attrs.get("title", ""))
            of_link = span.kind == "link"
            end = state.md.helpers.parseLinkLabel(state, span.start, True) if of_link else 0
            return span._replace(content=address, title=title, label_end=end)
        case _:
            return span


def _formulas_end(text: str) -> bool:
    """Tell whether each formula that begins here also ends here."""
    places: dict[str, list[int]] = {}
    signs = [(sign.start(), sign[0]) for sign in _MATH_SIGNS.finditer(text)]
    for at, sign in signs:
        places.setdefault(sign, []).append(at)
    end = 0
    for at, sign in signs:
        close = _math_close(sign)
        if at < end or not close:
            continue
        ends = places.get(close, [])
        following = bisect_right(ends, at)
        if following == len(ends):
            return False
        end = ends[following] + len(close)
    return True


def _math_close(sign: str) -> str:
    if sign == "\\\\[":
        return "\\\\]"
    return sign.replace("\\begin", "\\end") if sign[:2] in {"$$", "\\b"} else ""


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Find a formula that has its lines for itself; in it is no Markdown."""
    first = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    begin = _MATH_SIGNS.match(first)
    close = _math_close(begin[0]) if begin else ""
    if begin is None or not close or state.is_code_block(start):
        return False
    lines: list[str] = []
    for number in range(start, end):
        line = state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
        if not line or state.sCount[number] < state.blkIndent or re.search("`|~{3}", line):
            return False
        lines.append(line)
        _, found, after = line[begin.end() if number == start else 0 :].partition(close)
        if found:
            break
    else:
        return False
    if after.strip() or not _formulas_end("\n".join(lines)):
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.map = [start, start + len(lines)]
        token.content = _TAG.sub("< ", "\n".join(lines)).replace("![", "! [")
    state.line = start + len(lines)
    return True
