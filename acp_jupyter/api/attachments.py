"""Attachments of a prompt as content blocks: files, and whatever ``@`` names in its text.

A notebook is attached as text: its cells with their outputs, without the JSON.
"""

from __future__ import annotations

import base64
import glob
import itertools
import json
import mimetypes
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from pydantic import JsonValue

from acp_jupyter.api.cell_text import cell_text, output_text
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.turns import CellPlace
from acp_jupyter.cells.context import LEFT_OUT, context_of
from acp_jupyter.errors import AcpError, BadLine, plain_reason
from acp_jupyter.host.requests.protected_paths import compared_names
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.protocol.content import MEDIA, media_of
from acp_jupyter.protocol.formatting import code_block, shorten_end
from acp_jupyter.protocol.objects import lines_or_text, obj, text

_MAX_BYTES = 10 * 1024 * 1024
"""Most bytes of an image or sound; larger ones make agents fail."""
_MAX_TEXT_BYTES = 256 * 1024
"""Most bytes of a text sent as a whole; a larger one is named, and the agent reads it."""
_MAX_NOTEBOOK_BYTES = 50 * 1024 * 1024
_MAX_FILES = 50
_MAX_LOOKED_AT = 10_000
_PATTERN = re.compile(r"[*?\[]")

_Block = dict[str, JsonValue]


def with_attachments(
    prompt: str,
    paths: Sequence[str],
    root: Path,
    capabilities: Sequence[str],
    here: Path | None = None,
) -> tuple[_Block, ...]:
    """Return a prompt with files: images and sound embedded, short texts in full, others as links.

    Parameters
    ----------
    capabilities
        The content that the agent accepts: of ``image``, ``audio``, ``embeddedContext``.
    here
        The folder that names begin at; by default the process's own.

    Raises
    ------
    BadLine
        A file is not there, lies outside ``root``, or is too large.
    """
    start = here or Path.cwd()
    found = dict.fromkeys(path for given in paths for path in _files_of(given, start))
    if len(found) > _MAX_FILES:
        raise BadLine(
            f"These are {len(found)} files, and the limit is {_MAX_FILES}. Name fewer, or tell "
            "the agent where they are: it can read them itself."
        )
    return (
        {"type": "text", "text": prompt},
        *(_block(name, path, root.resolve(), capabilities) for name, path in found),
    )


def _files_of(given: str, here: Path) -> list[tuple[str, Path]]:
    """Return the files of a name or pattern: the name to show, and the full path."""
    try:
        if b"\0" not in os.fsencode(given):
            return [(name, path.resolve()) for name, path in _matching(given, here)]
        raise BadLine(f"{given!r} can't be a file's name.")
    except (UnicodeEncodeError, OSError, RuntimeError):  # half a character, a loop of links
        raise BadLine(f"{given!r} can't be a file's name.") from None


def _matching(given: str, here: Path) -> list[tuple[str, Path]]:
    """Return the files of a pattern; a name without one is itself, and so is a file of that name.

    Hidden files match only where the pattern has the dot, as in a shell.
    """
    path = _expanded(given, here)
    if not _PATTERN.search(given) or path.exists():
        return [(given, path)]
    matches = itertools.islice(glob.iglob(str(path), recursive=True), _MAX_LOOKED_AT)
    # A file name may look like a home folder: an editor's lock file is called ~$report.docx.
    files = sorted(match for match in matches if Path(match).is_file())
    if not files:
        raise BadLine(f"No file matches {given}. Patterns start at the notebook's folder.")
    return [(_named(file, here), Path(file)) for file in files]


def _named(file: str, here: Path) -> str:
    """Return a file's name from the folder that names begin at."""
    path = Path(file)
    return str(path.relative_to(here)) if path.is_relative_to(here) else file


def _expanded(given: str, here: Path) -> Path:
    path = here / given
    try:
        return path if path.exists() else here / Path(given).expanduser()
    except RuntimeError:  # there is no such user
        return path


def _block(given: str, path: Path, root: Path, capabilities: Sequence[str]) -> _Block:
    if not path.is_relative_to(root):
        raise BadLine(
            f"{given} lies outside the session's folder {root}. Copy it there, or paste its text."
        )
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise BadLine(f"{given} {what}. Name a file, relative to the notebook's folder.")
    if path.suffix == ".ipynb":
        return _notebook(given, path, capabilities)
    mime = mimetypes.guess_type(path.name)[0] or ""
    size = path.stat().st_size
    try:
        media = media_of(mime.partition("/")[0])
        # Other images, such as SVG, go as files.
        drawn = media != "image" or mime in MEDIA["image"].drawn
        if media is not None and media in capabilities and drawn:
            return _media(given, path, mime, size)
        whole = _text(path) if size <= _MAX_TEXT_BYTES else None
    except OSError as error:
        raise BadLine(f"{given} can't be read: {plain_reason(error)}.") from None
    if whole is not None and "embeddedContext" in capabilities:
        return _embedded(path, whole, mime or "text/plain")
    link: _Block = {
        "type": "resource_link",
        "uri": path.as_uri(),
        "name": path.name,
        "size": size,
    }
    return link | ({"mimeType": mime} if mime else {})


def _notebook(given: str, path: Path, capabilities: Sequence[str]) -> _Block:
    """Return a notebook's cells as text: its JSON is long and hard to read."""
    try:
        if path.stat().st_size > _MAX_NOTEBOOK_BYTES:
            raise BadLine(f"{given} is too large to be read. Clear its outputs.")
        text = notebook_text(path.read_bytes())
    except OSError as error:
        raise BadLine(f"{given} can't be read: {plain_reason(error)}.") from None
    if text is None:
        raise BadLine(f"{given} can't be read as a notebook. Open it and save it again.")
    if "embeddedContext" in capabilities:
        return _embedded(path, text, "text/markdown")
    return {"type": "text", "text": f"The notebook {path.name}, cell by cell:\n\n{text}"}


def _embedded(path: Path, text: str, mime: str) -> _Block:
    resource: _Block = {"uri": path.as_uri(), "text": text, "mimeType": mime}
    return {"type": "resource", "resource": resource}


def _media(given: str, path: Path, mime: str, size: int) -> _Block:
    if size > _MAX_BYTES:
        raise BadLine(
            f"{given} is too large: {size} bytes, and the limit is {_MAX_BYTES}. Make it smaller."
        )
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    kind = mime.partition("/")[0]
    return {"type": kind, "data": data, "mimeType": mime, "uri": path.as_uri()}


def _text(path: Path) -> str | None:
    """Return a text file's text; None for what is no text."""
    data = path.read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


_CELL_ADDRESS = re.compile(r"cell-(\d+)")


def block_name(block: Mapping[str, JsonValue]) -> str:
    """Return the name of what a content block has, as ``--without`` says it; empty for text."""
    uri = text(block.get("uri")) or text(obj(block.get("resource")).get("uri"))
    last = unquote(uri.rpartition("/")[2])
    cell = _CELL_ADDRESS.fullmatch(last)
    return f"cell {cell[1]}" if cell is not None and uri.startswith("jupyter:") else last


@dataclass(frozen=True, slots=True)
class Without:
    """What a cell's first line leaves out of its prompt, by the names of ``--without``."""

    names: frozenset[str]
    pinned: Mapping[str, str]
    """The ids of the notebook's pinned cells, by their names."""

    @classmethod
    def of(cls, names: Sequence[str], cells: Sequence[Cell | CellPlace]) -> Without:
        """Return it for the cells of the notebook; none if they can't be read."""
        pinned = {
            f"cell {number}": cell.cell_id if isinstance(cell, CellPlace) else cell.id
            for number, cell in enumerate(cells, 1)
            if cell.context == "pinned"
        }
        # Where no cell is known, none goes along.
        known = names if cells else (name for name in names if not name.startswith("cell "))
        return cls(frozenset(known), pinned)

    @property
    def unpinned(self) -> tuple[str, ...]:
        """The ids of the pinned cells that don't go along."""
        return tuple(self.pinned[name] for name in self.names if name in self.pinned)

    def kept(self, blocks: Sequence[_Block], *more: str) -> tuple[_Block, ...]:
        """Return the blocks that go along; ``more`` is what else goes along, by name.

        Raises
        ------
        BadLine
            A name is of nothing that would go along: then something may go that nobody wants to.
        """
        known = {*map(block_name, blocks), *more, *self.pinned}
        missing = sorted(self.names - known)
        if missing:
            raise BadLine(
                f"--without {missing[0]!r}: nothing of that name goes along. Leave it out."
            )
        return tuple(block for block in blocks if block_name(block) not in self.names)


_MAX_CHARS = 200_000
_OUTPUT_CHARS = 2_000


def notebook_text(content: bytes) -> str | None:
    """Return the cells of a notebook of any format 4, bounded; None for what is no notebook."""
    try:
        notebook = json.loads(content)
    except (ValueError, RecursionError):
        return None
    cells = obj(notebook).get("cells")
    if not isinstance(cells, list):
        return None
    parts: list[str] = []
    left = _MAX_CHARS
    for number, cell in enumerate(cells, 1):
        part = _cell(number, obj(cell))
        if len(part) > left:
            parts.append(f"… {len(cells) - number + 1} more cells left out")
            break
        left -= len(part)
        parts.append(part)
    return "\n\n".join(parts)


def _cell(number: int, cell: dict[str, JsonValue]) -> str:
    kind = text(cell.get("cell_type")) or "unknown"
    name = text(cell.get("id"))
    head = f"## Cell {number} ({kind}{f', id {name}' if name else ''})"
    if context_of(cell) == "left-out":
        return f"{head}\n\n[{LEFT_OUT}]"
    source = lines_or_text(cell.get("source"))
    if kind != "code":
        return f"{head}\n\n{source}"
    outputs = output_text(cell.get("outputs"))
    if not outputs.strip():
        return f"{head}\n\n{code_block(source)}"
    shown = shorten_end(outputs.rstrip("\n"), _OUTPUT_CHARS)
    return f"{head}\n\n{code_block(source)}\n\nOutput:\n\n{code_block(shown)}"


_MAX_MENTIONS = 20
_MAX_WORDS = 200
_MAX_BEGINNINGS = 20
_MAX_ENTRIES = 5_000
_MENTION = re.compile(r"""(?<![^\s(\[{,;:"'])@(cell \d+|[^\s@]{1,300})""")
_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_CELL = re.compile(r"cell ?(\d{1,6})")
_BEGINNING = re.compile(r"\w(?=[^\w/]|$)")


@dataclass(frozen=True, slots=True)
class Mentionable:
    """Resolves names after ``@`` in a prompt, as the panel does."""

    root: Path
    """The session's folder. Files are named from here, or from the notebook's folder in it."""
    notebook_path: str
    describe: Callable[[str], str | None]
    """Returns a description of a variable; None where there is no such variable."""
    cell: Callable[[int], Cell]
    """Returns a cell by its number, or raises `AcpError`."""
    here: Path | None = None
    """The notebook's folder; by default the process's own."""


def mention_blocks(prompt: str, among: Mentionable) -> tuple[_Block, ...]:
    """Return what a prompt mentions, each once and as the panel attaches it.

    A word after ``@`` that names nothing is a word. Code between fences names nothing.
    """
    found: dict[str, _Block] = {}
    for word in _mentions(prompt):
        for name in _beginnings(word):
            block = found.get(name) or _mentioned(name, among)
            if block is not None:
                found[name] = block
                break
    return tuple(found.values())[:_MAX_MENTIONS]


def mentioned_words(prompt: str) -> tuple[str, ...]:
    """Return each word after ``@`` in a prompt, and its beginnings, which may name something."""
    words = itertools.chain.from_iterable(map(_beginnings, _mentions(prompt)))
    return tuple(dict.fromkeys(words))


def _mentions(prompt: str) -> Iterator[str]:
    words = _MENTION.finditer(_FENCED.sub("", prompt))
    return (word[1] for word in itertools.islice(words, _MAX_WORDS))


def _beginnings(word: str) -> Iterator[str]:
    """Yield a word, then its beginnings that end where a word does: ``df`` of ``df.head()``."""
    yield word
    ends = [match.end() for match in _BEGINNING.finditer(word)]
    yield from (word[:end] for end in ends[-_MAX_BEGINNINGS:][::-1] if end < len(word))


def _mentioned(name: str, among: Mentionable) -> _Block | None:
    words = among.describe(name)
    if words is not None:
        return _described(_address(among.notebook_path, "variable", name), words)
    path = _file(name, among.root, among.here or Path.cwd())
    if path is not None:
        return {"type": "resource_link", "uri": path.as_uri(), "name": path.name}
    number = _CELL.fullmatch(name)
    if number is None:
        return None
    try:
        cell = among.cell(int(number[1]))
    except AcpError:
        return None
    shown = cell_text(int(number[1]), cell)
    return _described(_address(among.notebook_path, f"cell-{number[1]}"), shown)


def _described(uri: str, words: str) -> _Block:
    resource: _Block = {"uri": uri, "text": words, "mimeType": "text/plain"}
    return {"type": "resource", "resource": resource}


def _address(notebook_path: str, *parts: str) -> str:
    """Return the address of what is no file, so that no agent looks for it on disk."""
    names = [part for part in (*notebook_path.split("/"), *parts) if part]
    return f"jupyter:{'/'.join(quote(name, safe='') for name in names)}"


def _file(name: str, root: Path, here: Path) -> Path | None:
    """Return a file of the session's folder that is not hidden; ``_`` stands for a space.

    Paths are resolved and compared as those that agents name.
    """
    parts = name.split("/")
    if "\0" in name or any(part.startswith(".") or not part for part in parts):
        return None
    folder = SessionFolder(root)
    try:
        for start in dict.fromkeys((root, here)):
            path = start.joinpath(*parts)
            path = path if path.exists() else _as_written(start, parts)
            if path.is_file() and folder.real_name(str(path)) is not None:
                return path
    except (OSError, ValueError):
        pass
    return None


def _as_written(folder: Path, parts: Sequence[str]) -> Path:
    """Return the existing path with these names, if compared leniently; ``_`` matches a space."""
    path = folder
    for part in parts:
        if not (path / part).exists():
            wanted = compared_names(part)
            with os.scandir(path) as entries:
                names = [entry.name for entry in itertools.islice(entries, _MAX_ENTRIES)]
            same = [name for name in names if compared_names(name.replace(" ", "_")) == wanted]
            if len(same) != 1:
                return folder / "/".join(parts)
            (part,) = same
        path /= part
    return path
