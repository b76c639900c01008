"""An agent's Markdown as HTML that runs nothing, fetches nothing and imitates nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from acp_jupyter.transcript.markdown import printable

__all__ = ["AgentHtml"]

_MOST_CHARS = 64 * 1024
_ALL_CHARS = 2 * 1024 * 1024
_SCHEMES = ("https://", "http://", "mailto:")


class AgentHtml:
    """Renders the texts of one page.

    Raw HTML is shown as text, an image as its description, a link only where it leads to the web.
    Text that is too long, or comes after too much of it, is shown as it is: there is Markdown that
    takes time with its length squared.

    Parameters
    ----------
    all_chars
        How much is rendered altogether.
    """

    def __init__(self, all_chars: int = _ALL_CHARS) -> None:
        self._left = all_chars

    def __call__(self, text: str) -> Markup:
        """Return Markdown as HTML."""
        text = printable(text)
        self._left -= len(text)
        if len(text) > _MOST_CHARS or self._left < 0:
            return Markup("<pre>{}</pre>").format(text)
        return Markup(_parser().render(text))  # noqa: S704 - html is off, and links are checked


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.validateLink = _is_web  # type: ignore[method-assign]
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link)
    return parser


def _is_web(url: str) -> bool:
    return url.strip().lower().startswith(_SCHEMES)


def _image(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    """Show what an image is of: to fetch it would tell who reads this."""
    token = tokens[idx]
    words = self.renderInlineAsText(token.children or [], options, env)
    url = str(token.attrs.get("src", ""))
    return str(Markup('<span class="image">{} <code>{}</code></span>').format(words, url))


def _link(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[idx].attrSet("rel", "noopener noreferrer nofollow")
    return self.renderToken(tokens, idx, options, env)
