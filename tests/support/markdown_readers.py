"""Readers of Markdown that have nothing to do with ours, and what agents may write to fool them."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nbconvert.filters.markdown import markdown2html

from acp_jupyter.transcript.closed_markdown import DOLLAR_APART

__all__ = [
    "AFTER",
    "as_html",
    "documents",
    "messages",
    "parsers_see_it_end",
    "what_nbconvert_shows",
    "words_of",
]

AFTER = """

# A heading after it

A paragraph after it.

$$
y
$$

- [x] \\\\[ z \\\\] \\begin{x} \\end{x}
"""
"""Its formulas may not end what an answer began, nor its box be a link of that."""

_BLOCKS = (
    *("```", "````", "`````", "~~~", "~~~~", "```python", "~~~ a`b", "``` a~~~", "```a`b"),
    *("> ", ">", "- ", "* ", "+ ", "1. ", "2) ", "10. ", "-\t", "-", "1.", "- [ ] ", "- [x] "),
    *("# ", "#", "===", "---", "***", "- - -", "a|b\n-|-\n", "|a|b|\n|--|:-:|\n|", "| ", "|"),
    *("<!--", "-->", "<?", "?>", "<!X", "<![CDATA[", "]]>", "<script>", "</script>", "<pre>"),
    *("<style>", "<details>", "</details>", "<div>", "</div>", "<b\n", "<b onclick=x>", "</b>"),
    *("<img src=https://evil.org/a>", '<a href="`">', "<x-y>", "<textarea>", "<svg/onload=x>"),
    *("[r]: https://evil.org/b.png", "[r]:\n", "[x]: https://evil.org", "[^1]: ", "[^1]", ": "),
    *("$$", "\\\\[", "\\\\]", "\\begin{x}", "\\end{x}", "$$\nx\n$$", "@@0@@", "---\na: b\n---\n"),
)
_INLINES = (
    *("`", "``", "```", "`a`", "\\`", "\\", "\\\\", "`<img src=x>`", "`` ` <b> ``", "`$`", "`$$`"),
    *("![x](https://evil.org/c.png)", "![x][r]", "![x]", "!", "[", "]", "[x]", "[x][r]", "]("),
    *("](https://evil.org/d.png)", "(", ")", "](<", ' "t")', "[a](b `c`)", "[`a](b)`"),
    *("<https://evil.org>", "<https://evil.org/`>", "https://evil.org/", "www.evil.org", "a@b.org"),
    *("$", "\\(", "\\)", "\\[", "\\]", "*", "**", "_", "~", "~~", "<", ">", "&", "&lt;", "&#96;"),
    *("&#60;img src=x&#62;", "&", ";", "x", "word", "|", "\\|", "<i>", "\\<i>", "a<b", "  \n"),
)
_SPACES = (
    *("\n", "\n", "\n", "\n\n", "\n\n", " ", "  ", "   ", "    ", "     ", "\t", "\n   ", "\n    "),
    *("\n\t", "\n  ", "\r", "\r\n", "\v", "\f", "\u2028", "\u2029", "\x85", "\x1c", "\x00", "\xa0"),
    *("\ud83d", "\ude00", "\u200b", "\x1b[31m"),
)
_KINDS = (_BLOCKS, _INLINES, _SPACES)


def messages(most: int = 14) -> st.SearchStrategy[str]:
    """Return messages out of dangerous pieces."""
    piece = st.sampled_from(_KINDS).flatmap(st.sampled_from)
    return st.lists(piece, max_size=most).map("".join)


_WORDS = st.sampled_from(
    [
        *("words", "*emphasis*", "**strong** words", "`code`", "`Vec<T>`", "a < b", "$x_1 < y$"),
        *(
            "[a link](https://example.org/a_b?c=1)",
            "<https://example.org>",
            "2 * 3 * 4",
            "~5",
            "$5",
        ),
        *("C:\\dir", "snake_case_name", "f(x)[0]", "50%", "a & b", "&amp;", "~~gone~~", "x! [y]"),
        *("https://example.org/x", "`$HOME`", "`a | b`", "don't", "10. x", "#1", "1 > 0", "a\\*b"),
    ]
)
_SENTENCE = st.lists(_WORDS, min_size=1, max_size=5).map(" ".join)
_CODE = st.lists(
    st.sampled_from(
        ["x = 1", "", "    y", "# z", "<b>", "- a", "> q", "`t`", "$$", "\ttab", "| a |"]
    ),
    min_size=1,
    max_size=4,
).map(lambda lines: "\n".join(["```python", *lines, "```"]))
_TABLE = st.lists(st.sampled_from(["x", "`<b>`", "*y*", "5"]), min_size=2, max_size=2).map(
    lambda cells: f"| A | B |\n|---|:-:|\n| {cells[0]} | {cells[1]} |"
)
_LEAVES = st.one_of(
    *(_SENTENCE, st.lists(_SENTENCE, min_size=2, max_size=3).map("\n".join), _CODE, _TABLE),
    *(_SENTENCE.map("## {}".format), st.just("---"), st.just("$$\nx = y\n$$")),
)


def _list(marks: tuple[str, str], items: list[list[str]], *, loose: bool) -> str:
    written = []
    for mark, blocks in zip(marks * len(items), items, strict=False):
        lines = ("\n\n" if loose else "\n").join(blocks).split("\n")
        indent = " " * len(mark.partition("[")[0])
        rest = [f"{indent}{line}" if line else "" for line in lines[1:]]
        written.append("\n".join([mark + lines[0], *rest]))
    return ("\n\n" if loose else "\n").join(written)


def _containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    quotes = st.lists(inner, min_size=1, max_size=3).map("\n\n".join)
    first = _SENTENCE
    items = st.lists(
        st.tuples(first, st.lists(inner, max_size=2)).map(lambda told: [told[0], *told[1]]),
        min_size=1,
        max_size=3,
    )
    marks = st.sampled_from([("- ", "- "), ("* ", "* "), ("1. ", "2. "), ("- [ ] ", "- [x] ")])
    return st.one_of(
        quotes.map(lambda text: "\n".join(f"> {line}".rstrip() for line in text.split("\n"))),
        st.tuples(marks, items).map(lambda told: _list(told[0], told[1], loose=True)),
        st.tuples(marks, st.lists(_SENTENCE.map(lambda line: [line]), min_size=1, max_size=3)).map(
            lambda told: _list(told[0], told[1], loose=False)
        ),
    )


def documents() -> st.SearchStrategy[str]:
    """Return what agents plainly write: lists with code, tables, quotes, formulas, links."""
    block = st.recursive(_LEAVES, _containers, max_leaves=6)
    return st.lists(block, min_size=1, max_size=6).map("\n\n".join)


@cache
def _parsers() -> tuple[MarkdownIt, ...]:
    html = {"html": True}
    return (
        MarkdownIt("commonmark", html),
        MarkdownIt("commonmark", html).enable(["table", "strikethrough"]),
        MarkdownIt("js-default", html),
    )


def parsers_see_it_end(markdown: str) -> None:
    """Parsers of the standard, with and without its extensions, see what is after an answer."""
    markdown = markdown.replace(DOLLAR_APART, "&#36;")
    for parser in _parsers():
        blocks = parser.parse(markdown + AFTER)
        kinds = {each.type for block in blocks for each in (block, *(block.children or ()))}
        assert kinds.isdisjoint({"image", "html_block", "html_inline"}), markdown
        at = max(n for n, block in enumerate(blocks) if block.type == "heading_close")
        heading, paragraph = blocks[at - 1], blocks[at + 2]
        assert "link_open" not in [each.type for each in blocks[-4].children or ()], markdown
        assert (heading.type, heading.level) == ("inline", 1), markdown
        assert heading.content == "A heading after it", markdown
        assert (paragraph.type, paragraph.level) == ("inline", 1), markdown
        assert paragraph.content == "A paragraph after it.", markdown


@cache
def _without_html() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 100})
    return parser.enable(["table", "strikethrough"]).disable("image")


def as_html(markdown: str) -> str:
    """Return what the standard makes of it, were raw HTML text."""
    markdown = markdown.replace(DOLLAR_APART, "&#36;")
    return re.sub(r">\s+<", "><", str(_without_html().render(markdown)))


def words_of(markdown: str) -> str:
    """Return the letters that are shown of it, without what may be left out or added."""
    return re.sub(r"[`!\s]|<[^>]*>", "", as_html(markdown))


class _Page(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, str]] = []
        """The elements at the top with their words."""
        self.tags: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") or name == "src" for name, _ in attrs), (tag, attrs)
        if tag in {"hr", "br", "input"}:
            return
        if not self.open:
            self.seen.append((tag, ""))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            tag, words = self.seen[-1]
            self.seen[-1] = tag, words + data


_MADE = frozenset(
    {
        *("p", "h1", "h2", "h3", "h4", "h5", "h6", "a", "ul", "ol", "li", "blockquote", "code"),
        *("pre", "span", "div", "em", "strong", "del", "table", "thead", "tbody", "tr", "th", "td"),
        *("hr", "br", "input", "sup", "section", "dl", "dt", "dd"),
    }
)
"""What nbconvert makes of Markdown."""


def what_nbconvert_shows(markdown: str) -> None:
    """Its reader, which knows formulas and footnotes, sees what is after an answer."""
    page = _Page(markdown2html(markdown + AFTER))
    assert _MADE.issuperset(page.tags), markdown
    assert not page.open, markdown
    shown = [(tag, words.strip("¶ \n")) for tag, words in page.seen]
    assert ("h1", "A heading after it") in shown, markdown
    at = shown.index(("h1", "A heading after it"))
    assert shown[at + 1] == ("p", "A paragraph after it."), markdown
