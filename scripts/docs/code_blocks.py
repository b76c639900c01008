"""Run the code blocks of the pages, page by page, as the cells of a notebook.

Blocks in ``python`` and ``ipython`` are run in a folder of their own, with the demo agent. A block
that can't be run there has ``<!-- not run: why -->`` on the line before.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_BLOCK = re.compile(
    r"(^ *<!-- not run: [^\n]+ -->\n+)?^ *```(?:python|ipython)\n(.*?)^ *```$", re.M | re.S
)

_RUNNER = """\
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "acp_jupyter")
failed = False
for path in sys.argv[1:]:
    with open(path) as file:
        result = shell.run_cell(file.read())
    if not result.success:
        print("In this block:", open(path).read(), sep="\\n")
        failed = True
        break
sys.exit(failed)
"""

_WITH_BLOCKS = ("*.md", "how-to/*.md", "reference/*.md")


def blocks_of(text: str) -> list[str]:
    """Return the code blocks of a page that are run."""
    return [code for skipped, code in _BLOCK.findall(text) if not skipped]


def run_pages(source: Path) -> int:
    """Run the blocks of all pages; return how many pages failed."""
    failed = blocks = 0
    for page in sorted(page for pattern in _WITH_BLOCKS for page in source.glob(pattern)):
        found = blocks_of(page.read_text())
        blocks += len(found)
        # Outside this repository, which would be the session's folder.
        with tempfile.TemporaryDirectory() as folder:
            works = not found or _run(found, Path(folder))
        if not works:
            print(f"A code block of {page.relative_to(source)} fails.", file=sys.stderr)
            failed += 1
    print(f"{blocks} code blocks run")
    return failed


def _run(blocks: list[str], folder: Path) -> bool:
    work = folder / "work"
    work.mkdir()
    (work / "clean.py").write_text("for row in rows:\n    print(row)\n")
    files = []
    for number, code in enumerate(blocks):
        files.append(folder / f"block_{number}.py")
        files[-1].write_text(code)
    env = {name: os.environ[name] for name in os.environ if not name.startswith(("JPY", "JUPYTER"))}
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        env[name] = str(folder / name.lower())
    env.pop("ACP_JUPYTER_URL", None)
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER, *map(str, files)],
        cwd=work,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
    return done.returncode == 0
