"""Copy the Markdown pages, with links that work on the site."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

OUTSIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Files outside ``docs/`` that are pages."""

_LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_MERMAID = re.compile(r"```mermaid\n(.*?)```", re.S)
_PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="(?P<dark>[^"]+)" />\s*'
    r'<img src="(?P<light>[^"]+)" alt="(?P<alt>[^"]+)" width="(?P<width>\d+)" />\s*</picture>'
)
_ADDRESS = re.compile(r"https?://[^\s)>`\"'|\]]+")
_FENCED = re.compile(r"^(```+).*?^\1", re.M | re.S)


def copy_pages(root: Path, source: Path) -> None:
    """Copy ``docs/``, the changelog and the contributor's guide."""
    skipped = shutil.ignore_patterns("_build", "*.md", "requirements.lock")
    shutil.copytree(root / "docs", source, dirs_exist_ok=True, ignore=skipped)
    for file in sorted((root / "docs").rglob("*.md")):
        inside = file.relative_to(root / "docs")
        if inside.parts[0] != "_build":
            write_page(source, inside.as_posix(), file.read_text(), file.relative_to(root))
    for name, target in OUTSIDE.items():
        write_page(source, target, (root / name).read_text(), Path(name))
    decisions = source / "decisions/README.md"
    listed = "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
    decisions.write_text(decisions.read_text() + listed)


def write_page(source: Path, page: str, text: str, origin: Path) -> None:
    """Write a page whose links were written for the place ``origin`` in the repository."""
    target = source / page
    target.parent.mkdir(parents=True, exist_ok=True)
    text = _MERMAID.sub(_diagram, link_pages(text, origin.as_posix(), page))
    target.write_text(_PICTURE.sub(_by_theme, text))


def link_pages(text: str, origin: str, target: str) -> str:
    """Rewrite the relative links of a page of the repository to pages of the site."""

    def rewritten(found: re.Match[str]) -> str:
        before, path, anchor, after = found.groups()
        if re.match(r"[a-z][a-z+.-]*:", path):
            return found[0]
        there = os.path.normpath((PurePosixPath(origin).parent / path).as_posix())
        new = os.path.relpath(_page_of(there), PurePosixPath(target).parent.as_posix())
        return f"{before}{new}{anchor or ''}{after}"

    return _LINK.sub(rewritten, text)


def _page_of(path: str) -> str:
    """Return the place on the site of a file of the repository."""
    if path in OUTSIDE:
        return OUTSIDE[path]
    if path.startswith("notebooks/"):
        return path.replace("notebooks/", "examples/", 1)
    return path.removeprefix("docs/")


def _diagram(found: re.Match[str]) -> str:
    source = found[1].replace("<", "&lt;").replace(">", "&gt;")
    script = "mermaid.initialize({startOnLoad: true, securityLevel: 'strict'})"
    return (
        f'<pre class="mermaid" role="img" aria-label="Diagram">\n{source}</pre>\n'
        '<script src="_static/mermaid.min.js"></script>\n'
        f"<script>{script}</script>\n"
    )


def _by_theme(found: re.Match[str]) -> str:
    """Return a picture as two images, of which the site shows that of its own theme.

    Of images in HTML Sphinx knows nothing: it would neither copy nor miss them.
    """
    about = f":alt: {found['alt']}\n:width: {found['width']}px\n"
    return "\n\n".join(
        f"```{{image}} {found[theme]}\n{about}:class: only-{theme}\n```"
        for theme in ("light", "dark")
    )


def external_links(source: Path) -> list[str]:
    """Return the addresses that the pages link to."""
    found: set[str] = set()
    for page in source.rglob("*.md"):
        found.update(_ADDRESS.findall(_FENCED.sub("", page.read_text())))
    return sorted(each.rstrip(".,;:*") for each in found)
