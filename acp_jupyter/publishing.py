"""Saved turns in books and papers: for myst-nb and jupyter-book, nbsphinx, and nbconvert.

A turn's Markdown folds its tool calls with HTML. Where HTML is not kept, as in LaTeX and
reStructuredText, a call is a line in bold, and what was folded a quotation. Nothing that an agent
has written is read as a directive.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import nbformat
from nbconvert.preprocessors import Preprocessor

from acp_jupyter.transcript.escaping import inert
from acp_jupyter.transcript.output.record import TURN_MIME

_WITH_HTML = (".html", ".md")
_IMAGES = ("image/png", "image/jpeg")


class TurnPreprocessor(Preprocessor):
    """Writes turns and plots so that any format of nbconvert shows them.

    ``jupyter nbconvert --Exporter.preprocessors=acp_jupyter.publishing.TurnPreprocessor``
    """

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        """Return the cell with its outputs for publication."""
        extension = str(resources.get("output_extension", ""))
        for output in cell.get("outputs", ()):
            _publish(output, keeps_html=extension.endswith(_WITH_HTML))
            if extension.endswith(".html"):
                _describe(output)
        return cell, resources


def read_notebook(text: str) -> Any:
    """Return a notebook from its JSON, with its turns as text: for ``nbsphinx_custom_formats``."""
    notebook: Any = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            _publish(output, keeps_html=False)
    return notebook


def _publish(output: Any, *, keeps_html: bool) -> None:
    data = output.get("data", {})
    if data.pop(TURN_MIME, None) is not None and not keeps_html:
        data["text/markdown"] = without_html(data.get("text/markdown", ""))


def _describe(output: Any) -> None:
    """Add a plot's alternative text, which nbconvert's own template lacks."""
    data = output.get("data", {})
    for mime in _IMAGES:
        if mime in data and "text/html" not in data:
            words = str(data.get("text/plain", "")).strip("<>\n") or "Output of a cell"
            alt = html.escape(words.partition("\n")[0])
            image = "".join(str(data[mime]).split())
            data["text/html"] = f'<img alt="{alt}" src="data:{mime};base64,{html.escape(image)}">'


_FENCE = re.compile(r"(?:[>\s]|[-*]\s)*(`{3,}|~{3,})")
_OURS = re.compile(r"\s*(?:- )?<(?:b|sub|summary)>")
_TAG = re.compile(r"</?(?:b|code|sub|summary|details)>")


def without_html(markdown: str) -> str:
    """Return a turn's Markdown without its HTML: calls in bold, what was folded in a quotation."""
    lines: list[str] = []
    depth, fence = 0, ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            if fence and not _is_known(line[mark.end() :].strip()):
                line = line[: mark.end()]
        elif not fence and line in {"<details>", "<details open>"}:
            depth += 1
            continue
        elif not fence and line == "</details>":
            depth -= 1
            continue
        elif not fence and line in {"<samp>", "</samp>"}:
            continue
        elif not fence and _OURS.match(line):
            is_summary = line.startswith("<summary>")
            lines.append(f"{'> ' * (depth - is_summary)}{_plain(line)}".rstrip())
            continue
        lines.append(f"{'> ' * depth}{line}".rstrip())
    return "\n".join(lines)


def _is_known(language: str) -> bool:
    """Return whether code of that language can be coloured: of another, Sphinx warns."""
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        find_lexer_class_by_name(language)
    except ClassNotFound:
        return False
    return True


def _plain(line: str) -> str:
    bullet = "- " if line.lstrip().startswith("- ") else ""
    title, end, rest = line.partition("</b>")
    if not end:
        return f"{bullet}*{_text_of(line)}*" if "<sub>" in line else f"{bullet}**{_text_of(line)}**"
    return (
        f"{bullet}**{_text_of(title.replace('- ', '', 1) if bullet else title)}** {_text_of(rest)}"
    )


def _text_of(text: str) -> str:
    return inert(html.unescape(_TAG.sub("", text)).strip(), 1_000)


class TurnRenderer:
    """A MIME renderer of myst-nb, which finds it by its entry point."""

    mime_priority_overrides: ClassVar[Sequence[tuple[str, str, int | None]]] = ()
    _last: ClassVar[tuple[object, ...]] = ()

    @classmethod
    def handle_mime(cls, renderer: Any, data: Any, inline: bool) -> list[Any] | None:
        """Return the nodes of a turn's Markdown; None for what is not of a turn."""
        place = (renderer, data.cell_index, data.output_index)
        if data.mime_type == TURN_MIME:
            # Notebooks are written with the types of an output in order: the Markdown comes next.
            cls._last = place
            return []
        if data.mime_type != "text/markdown" or inline or place != cls._last:
            return None
        cls._last = ()
        return list(_nodes(renderer, data))


def _nodes(element_renderer: Any, data: Any) -> Iterator[Any]:
    from docutils import nodes
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from myst_parser.config.main import MdParserConfig
    from myst_parser.parsers.mdit import create_md_parser

    renderer = element_renderer.renderer
    before = renderer.md, renderer.md_config
    root = nodes.container(classes=["output", "text_markdown"])
    try:
        renderer.md_config = MdParserConfig(gfm_only=True)
        renderer.md = create_md_parser(renderer.md_config, renderer.__class__)
        renderer.md.use(dollarmath_plugin)
        with renderer.current_node_context(root):
            renderer.nested_render_text(data.string, data.line or 0)
    finally:
        renderer.md, renderer.md_config = before
    for code in list(root.findall(nodes.literal_block)):
        if not _is_known(code.get("language", "text")):
            code["language"] = "text"
    for link in [node for node in root.findall() if node.tagname == "pending_xref"]:
        # A file of the agent's folder is no page.
        link.replace_self(link.children)
    for raw in list(root.findall(nodes.raw)):
        if latex := _latex_of(raw.astext().strip()):
            raw.parent.insert(raw.parent.index(raw) + 1, nodes.raw("", latex, format="latex"))
    yield root


def _latex_of(tag: str) -> str:
    """Return the replacement for a turn's HTML if that is left out."""
    if tag in {"<b>", "</b>"}:
        return r"\textbf{" if tag == "<b>" else "}"
    summary = re.search(r"<summary>.*</summary>", tag)
    if summary is None:
        return ""
    words = html.unescape(_TAG.sub("", summary[0]))
    return f"\\par\\noindent\\textbf{{{_latex(words)}}}\\par"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
