"""Prove that all the rest works without a feature: remove it from a copy, and test what is left.

``python scripts/without.py variants`` copies the repository, removes there the feature's folders,
its row in ``acp_jupyter/features/__init__.py`` and in the page's list, and its public names. Then
it makes types and golden texts again, which may only lose something, and runs the checks of
``make check`` and the fast tests. ``--all`` does it for every feature, ``--in-turn`` for one,
another after each commit; ``--quick`` does the quickest of this; ``--keep`` keeps the copy.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = "acp_jupyter/features/__init__.py"
PAGE_LIST = "labextension/src/features/index.ts"
BUILT = (".venv", "acp_jupyter/labextension", "acp_jupyter/static", "labextension/node_modules")
"""What git does not know: the copy links to it."""
MAKE_AGAIN = ("python scripts/gen_types.py", "python -m scripts.policy_table")
GOLDEN = ("tests/contract", "tests/protocol/test_patterns.py")
MADE = (
    "labextension/src/wire/types.ts",
    "labextension/src/wire/saved_shapes.ts",
    "docs/security.md",
    "tests/contract/golden",
    "tests/golden/patterns.json",
)
CHECKS = (
    "lint-imports --no-logo",
    "python scripts/structure.py",
    "pytest -q tests/contract tests/features/test_features.py",
)
PAGE_CHECKS = ("jlpm typecheck", "jlpm eslint", "jlpm imports", "jlpm test")
MORE_CHECKS = (
    "ruff check .",
    "ruff format --check acp_jupyter tests scripts",
    "codespell",
    "mypy",
    "pytest -q -n 2 -m 'not long' {fast}",
    "pytest -q -n 2 -m 'not long' tests/server/test_extension.py tests/notebooks/test_magics.py",
)


def features() -> list[str]:
    """Return the names of the features that have a part in Python."""
    listed = (ROOT / LIST).read_text(encoding="utf-8")
    return re.findall(r'^    "(\w+)",$', listed, re.MULTILINE)


def of_the_page() -> list[str]:
    """Return the names of the features that have a part in the page."""
    listed = (ROOT / PAGE_LIST).read_text(encoding="utf-8")
    return re.findall(r"^export \{ \w+Plugin \} from '\./(\w+)/", listed, re.MULTILINE)


def copy_to(folder: Path) -> None:
    """Copy what git knows or does not ignore, and link to what was built."""
    known = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(known, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in filter(None, listed.split("\0")):
        source, target = ROOT / path, folder / path
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    for path in BUILT:
        (folder / path).symlink_to(ROOT / path)
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", folder / ".mypy_cache")


def remove(folder: Path, name: str) -> bool:
    """Remove a feature from a copy; return whether the page has a part of it."""
    for place in ("acp_jupyter/features", "tests/features", "scripts/features"):
        shutil.rmtree(folder / place / name, ignore_errors=True)
    edit(folder / LIST, lambda text: re.sub(rf'^    "{name}",\n', "", text, flags=re.MULTILINE))
    head = folder / "acp_jupyter/__init__.py"
    module = rf"acp_jupyter\.features\.{name}\b"
    public = re.findall(rf'"(\w+)": "{module}', head.read_text(encoding="utf-8"))
    gone = [module, *(rf'^    "{each}",$' for each in public)]
    edit(head, lambda text: re.sub(rf"^.*(?:{'|'.join(gone)}).*\n", "", text, flags=re.MULTILINE))
    for file in folder.rglob("*.md"):
        edit(file, lambda text: without_mentions(text, name, public))
    page = folder / PAGE_LIST
    if name not in of_the_page():
        return False
    row = re.compile(rf"^export \{{ \w+Plugin \}} from '\./{name}/.*\n", re.MULTILINE)
    shutil.rmtree(page.parent / name)
    edit(page, lambda text: row.sub("", text))
    return True


def edit(file: Path, change: Callable[[str], str]) -> None:
    """Change the text of a file."""
    text = file.read_text(encoding="utf-8")
    if (changed := change(text)) != text:
        file.write_text(changed, encoding="utf-8")


def without_mentions(text: str, name: str, public: Sequence[str]) -> str:
    """Return a page without the rows, paths and public names of a feature."""
    for each in public:
        text = re.sub(rf"\bacp_jupyter\.{each}\b", each, text)
    place = rf"(?:acp_jupyter/|tests/)?features/{name}\b"
    text = re.sub(rf"^\|.*`{place}.*\n", "", text, flags=re.MULTILINE)
    described = rf"^\.\. auto\w+:: acp_jupyter\.features\.{name}\..*\n(?: +:.*\n)*"
    text = re.sub(described, "", text, flags=re.MULTILINE)
    return re.sub(rf"`{place}[^`]*`", name, text)


def added(before: str, after: str) -> list[str]:
    """Return what is in a text that was not, word by word in its order, before."""
    old, new = (re.findall(r"\w+|[^\w\s]", text) for text in (before, after))
    rest = iter(old)
    if all(word in rest for word in new):
        return []
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line.startswith("+ ")]


def made(folder: Path) -> Iterator[Path]:
    """Yield the files that are made from the code."""
    for place in MADE:
        path = folder / place
        yield from sorted(path.iterdir()) if path.is_dir() else [path]


def run(command: str, folder: Path, **env: str) -> None:
    """Run a command in the copy, quietly if it passes."""
    begun = time.monotonic()
    inside = folder / "labextension" if command.startswith("jlpm") else folder
    path = os.pathsep.join((str(ROOT / ".venv/bin"), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(folder), **env}
    done = subprocess.run(
        shlex.split(command), cwd=inside, env=environment, capture_output=True, text=True
    )
    print(f"  {command.split(' -q')[0]:40} {time.monotonic() - begun:5.0f} s", flush=True)
    if done.returncode:
        print(done.stdout[-8000:], done.stderr[-4000:], sep="\n")
        raise SystemExit(f"{command} fails")


def make_again(folder: Path) -> None:
    """Make the types and the golden texts again: they may only lose something."""
    before = {file: file.read_text(encoding="utf-8") for file in made(folder)}
    for command in MAKE_AGAIN:
        run(command, folder)
    run(f"pytest -q {' '.join(GOLDEN)}", folder, ACP_WRITE_GOLDEN="1")
    for file, text in before.items():
        if new := added(text, file.read_text(encoding="utf-8")):
            raise SystemExit("\n".join((f"{file.relative_to(folder)} has more than before:", *new)))


def try_without(name: str, *, quick: bool, keep: bool) -> None:
    """Remove a feature, and test the rest."""
    print(f"without {name}:", flush=True)
    folder = Path(tempfile.mkdtemp(prefix=f"acp-without-{name}-"))
    try:
        copy_to(folder)
        has_page = remove(folder, name)
        run(f"ruff format {LIST}", folder)
        make_again(folder)
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
        (listed,) = re.findall(r"^FAST := (.*)$", makefile, re.MULTILINE)
        fast = " ".join(str(path) for each in listed.split() for path in folder.glob(each))
        more = () if quick else (*(PAGE_CHECKS if has_page else ()), *MORE_CHECKS)
        for command in (*CHECKS, *more):
            run(command.format(fast=fast), folder)
    finally:
        if keep:
            print(f"  the copy is {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def chosen(asked: Sequence[str], *, each: bool, in_turn: bool) -> Sequence[str]:
    """Return the features to leave out."""
    known = features()
    every = list(dict.fromkeys((*known, *of_the_page())))
    if unknown := set(asked) - set(every):
        raise SystemExit(f"There is no feature {', '.join(unknown)}: {', '.join(every)}.")
    if each or not in_turn:
        return every if each else asked
    count = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    return [known[int(count or 0) % len(known)]]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true", dest="each")
    parser.add_argument("--in-turn", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    for name in chosen(given.names, each=given.each, in_turn=given.in_turn):
        try_without(name, quick=given.quick, keep=given.keep)


if __name__ == "__main__":
    main()
