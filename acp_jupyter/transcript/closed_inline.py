"""Writes the text of one paragraph so that all renderers agree on what is code and what a formula.

Some renderers look for formulas first, even across blocks: a formula that begins in a text must end
there. Needs markdown-it-py, as `closed_markdown` does.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LIVE_CODE = re.compile(r"<[A-Za-z/!?]|!\[")
"""What a renderer would act on if it didn't see the code span around it."""
_SIGNS = "*_~$[]\\"
"""Where one of these is both inside and outside a code span, some renderers miss the span."""
_STRAY_SIGNS = re.compile(r"`|\]\(|\]\[")
"""In plain text, these make some renderers see code or links in other places."""
_ADDRESS = re.compile(r"://|www\.|mailto:|@", re.IGNORECASE)
_SAFE_ADDRESS = re.compile(r"[\w./:#?=&%+~@,;-]+")
_FORMULA = re.compile(
    r"(?<![\w$\\])\$(?![\s$])(?:\\[^\n]|[^$\\\n]|\n(?![ \t]*\n)){1,1000}?(?<!\s)\$(?!\w)"
    r"|\$\$(?:\\[^\n]|[^$\\\n]|\n(?![ \t]*\n)){1,4000}?\$\$"
)
"""As in Pandoc and in the page (``math.ts``): no space inside, no word after."""
PRICE = "\ufdd0"
"""Stands for a ``$`` that doesn't begin a formula; no text has this character."""
_UNSAFE = re.compile(r"[^!-~]|[`<>*_~$|()\[\]\\]")
_SAFE_TITLE = re.compile(r"[\w .,:;/'?!+-]+")


def has_price(text: str) -> bool:
    """Return whether a viewer may mistake the text between two prices for a formula."""
    return text.count("$") > 1 and "$" in _FORMULA.sub("", text)


def closed_inline(
    parser: MarkdownIt, source: str, env: EnvType, *, in_table: bool, prices: bool
) -> str:
    """Return a paragraph with safe code spans and links, and without HTML, images and backticks."""
    spans: list[_Span] = []
    parser.inline.parse(source, parser, {**env, "spans": spans}, [])
    written = _InlineWriter(source, spans, in_table=in_table, prices=prices).written(0, len(source))
    # Renderers differ in where a formula of several lines begins.
    closed = all(map(formulas_end, written.split("\n")))
    return written if closed else MATH_BEGINS.sub(_entities, written)


def with_source_positions(parser: MarkdownIt) -> None:
    """Make a parser record where in the source it finds code, links and escapes."""
    for rule in parser.inline.ruler.__rules__:
        if rule.name in _KINDS:
            parser.inline.ruler.at(rule.name, _with_position(rule.name, rule.fn))


class _Span(NamedTuple):
    """A code span, link or escape, with its position in a paragraph's source."""

    start: int
    end: int
    kind: str
    content: str = ""
    """The text of code, or the address of a link."""
    title: str = ""
    label_end: int = 0


class _InlineWriter:
    """Writes the text of one paragraph, heading or cell."""

    def __init__(
        self, source: str, spans: Iterable[_Span], *, in_table: bool, prices: bool
    ) -> None:
        self._source = source
        self._spans = sorted(spans, key=lambda span: (span.start, -span.end))
        self._in_table = in_table
        self._next = 0
        self._counts = {sign: source.count(sign) for sign in _SIGNS}
        self._dollar = PRICE if prices else "$"
        self._formulas = frozenset(_dollars_of_formulas(source, self._spans)) if prices else ()
        self._is_quiet = not self._has_strikethrough_into_code() and not self._has_stray_signs()
        self._has_price = self._ends_in_code()

    def _has_stray_signs(self) -> bool:
        end = 0
        for span in self._spans:
            if _STRAY_SIGNS.search(self._source, end, max(end, span.start)):
                return True
            if span.kind == "escape" and self._source[span.start + 1] in "`<!|[]$~\\":
                return True
            end = max(end, span.end)
        return _STRAY_SIGNS.search(self._source, end) is not None

    def _ends_in_code(self) -> bool:
        """Return whether a renderer may see a formula that begins in text and ends in code."""
        codes = [span for span in self._spans if span.kind == "code"]
        at = opened = 0
        for code in codes:
            opened += self._source.count("$", at, code.start)
            if opened % 2 and "$" in code.content:
                return True
            at = max(at, code.end)
        return False

    def _has_strikethrough_into_code(self) -> bool:
        """Return whether a strikethrough may begin outside of code and end inside."""
        total = self._source.count("~~")
        codes = (span.content.count("~~") for span in self._spans if span.kind == "code")
        return "~`" in self._source or any(0 < count < total for count in codes)

    def written(self, start: int, end: int) -> str:
        """Return a part of the source with its code, links and escapes rewritten."""
        parts = ""
        while self._next < len(self._spans) and self._spans[self._next].start < end:
            span = self._spans[self._next]
            self._next += 1
            parts += self._text(start, span.start)
            parts = self._added(parts, span)
            start = span.end
        return parts + self._text(start, end)

    def _added(self, before: str, span: _Span) -> str:
        source = self._source[span.start : span.end]
        match span.kind:
            case "code":
                return re.sub(r"(\\)\1?\Z", "&#92;", before) + self._code(span)
            case "link":
                words = self.written(span.start + 1, span.label_end) or _literal(span.content)
                return f"{before.rstrip('!')}[{words}]({_address(span)})"
            case "autolink":
                if _SAFE_ADDRESS.fullmatch(source[1:-1]):
                    return before + source
                words = _literal(source[1:-1])
                return f"{before.rstrip('!')}[{words}]({_address(span)})"
            case _:
                if source[1] == "$" and self._dollar == PRICE:
                    return before + PRICE
                return before + (_entity(source[1]) if source[1] in "`<!|$" else source)

    def _text(self, start: int, end: int) -> str:
        text = "".join(
            self._dollar if sign == "$" and at not in self._formulas else sign
            for at, sign in enumerate(self._source[start:end], start)
        )
        text = re.sub(r"!+(?=\[)", "", _TAG.sub("&lt;", text)).replace("`", "&#96;")
        text = text.replace("$", "&#36;") if self._has_price else text
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
        """Return whether all renderers see code here, or a text that is harmless without it."""
        code = span.content
        if MATH_BEGINS.search(code) or (self._in_table and r"\|" in code):
            return False
        if not _LIVE_CODE.search(code):
            return True
        before = self._source[max(0, span.start - 2_000) : span.start]
        word = re.split(r"\s", before)[-1]
        signs = _SIGNS.replace("$", "") if self._has_price else _SIGNS
        odd = any(0 < code.count(sign) < self._counts[sign] for sign in signs)
        unsure = odd or "`" in code or before.endswith(("\\", "~")) or _ADDRESS.search(word)
        return self._is_quiet and not unsure


def _dollars_of_formulas(source: str, spans: Iterable[_Span]) -> Iterator[int]:
    """Yield the indexes of each ``$`` that belongs to a formula outside of code."""
    codes = [span for span in spans if span.kind == "code"]
    for found in _FORMULA.finditer(source):
        inside = any(span.start < found.start() < span.end for span in codes)
        if not inside:
            yield from (at for at in range(*found.span()) if source[at] == "$")


def _address(span: _Span) -> str:
    address = span.content
    if not _SAFE_ADDRESS.fullmatch(address):
        address = f"<{_UNSAFE.sub(_percent, address)}>"
    title = f' "{span.title}"' if _SAFE_TITLE.fullmatch(span.title) else ""
    return address + title


def _percent(sign: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in sign[0].encode("utf-8", "replace"))


def _literal(text: str) -> str:
    """Return a text with all Markdown syntax escaped."""
    escaped = html.escape(text, quote=False)
    return re.sub(r"[\\`*_\[\]~|$!:@{]", lambda sign: _entity(sign[0]), escaped)


def _entities(signs: re.Match[str]) -> str:
    return _entity(signs[0][0]) * (len(signs[0]) // 2 or 1)


def _entity(sign: str) -> str:
    return f"&#{ord(sign)};"


# -- places ------------------------------------------------------------------


_Rule = Callable[[StateInline, bool], bool]
_KINDS = {"backticks": "code", "link": "link", "autolink": "autolink", "escape": "escape"}


def _with_position(name: str, rule: _Rule) -> _Rule:
    """Return a rule that also records where in the source it matched."""

    def run(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        found = rule(state, silent)
        if found and not silent:
            token = next(_code_and_links(state.tokens[count:]), None)
            if token is not None or name == "escape":
                span = _Span(start, state.pos, _KINDS[name])
                state.env["spans"].append(_filled_span(span, token, state))
        return found

    return run


def _code_and_links(tokens: Iterable[Token]) -> Iterator[Token]:
    return (token for token in tokens if token.type in {"code_inline", "link_open"})


def _filled_span(span: _Span, token: Token | None, state: StateInline) -> _Span:
    match span.kind:
        case "code":
            return span._replace(content=token.content if token else "")
        case "link" | "autolink":
            attrs = token.attrs if token else {}
            address, title = str(attrs.get("href", "")), str(attrs.get("title", ""))
            of_link = span.kind == "link"
            end = state.md.helpers.parseLinkLabel(state, span.start, True) if of_link else 0
            return span._replace(content=address, title=title, label_end=end)
        case _:
            return span


_MATH_SIGNS = re.compile(r"(?<!\\)\$\$|\\\\\[|\\\\\]|\\begin\{[a-z]*\*?\}|\\end\{[a-z]*\*?\}")
"""Formulas that nbconvert finds first, even across the ends of blocks."""
MATH_BEGINS = re.compile(r"\$(?=\$)|(?<=\$)\$|(?<!\\)(?:\\\\)+(?=\\?\[)|(?<=\\begin)\{")


def formulas_end(text: str) -> bool:
    """Return whether each formula that begins here also ends here."""
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


def math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
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
    if after.strip() or not formulas_end("\n".join(lines)):
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.map = [start, start + len(lines)]
        token.content = re.sub(r"<(?=[A-Za-z/!?])", "< ", "\n".join(lines)).replace("![", "! [")
    state.line = start + len(lines)
    return True
