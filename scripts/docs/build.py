"""Build the documentation site: ``make docs``.

The pages under ``docs/``, the files beside it that are pages too, the example notebooks and the
reference, which is made from the code, are put together in ``docs/_build/source``. Their code
blocks are run, then Sphinx makes ``docs/_build/html`` of them. Any warning, such as a link that
leads nowhere, and any failing block fails the build.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.docs import code_blocks, examples, http_reference, pages, python_reference  # noqa: E402

BUILD = ROOT / "docs/_build"
SOURCE = BUILD / "source"
HTML = BUILD / "html"


def stage() -> None:
    """Write all pages below ``docs/_build/source``."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.rmtree(HTML, ignore_errors=True)  # pages that are gone
    SOURCE.mkdir(parents=True)
    pages.copy_pages(ROOT, SOURCE)
    examples.copy_notebooks(ROOT, SOURCE)
    python_reference.write_pages(ROOT, SOURCE / "reference")
    http_reference.write_pages(SOURCE)


def themes() -> str:
    """Return JupyterLab's own colours as style sheets of the site's light and dark themes."""
    folder = Path(sys.prefix) / "share/jupyter/lab/themes/@jupyterlab"
    rules = []
    for name in ("light", "dark"):
        css = (folder / f"theme-{name}-extension/index.css").read_text()
        found = re.search(r":root\s*(\{[^}]*\})", css)
        assert found is not None
        rules.append(f'html[data-theme="{name}"] {found[1]}')
    return "\n".join(rules)


def build_scripts() -> None:
    """Bundle what draws saved turns in a page without a server, and what draws diagrams."""
    target = SOURCE / "_static"
    subprocess.run(
        ["node", "scripts/build-docs.mjs", str(target)], cwd=ROOT / "labextension", check=True
    )
    (target / "jupyter-themes.css").write_text(themes())
    mermaid = ROOT / "labextension/node_modules/mermaid/dist/mermaid.min.js"
    shutil.copy2(mermaid, target / "mermaid.min.js")


def main() -> int:
    """Build; 0 when there was nothing to complain about."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-blocks", action="store_true", help="do not run the code blocks")
    given = parser.parse_args()
    stage()
    build_scripts()
    failed = 0 if given.no_blocks else code_blocks.run_pages(SOURCE)
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q"]
    done = subprocess.run([*sphinx, "-d", str(BUILD / "doctrees"), str(SOURCE), str(HTML)])
    addresses = pages.external_links(SOURCE)
    (BUILD / "external-links.txt").write_text("\n".join(addresses) + "\n")
    print(f"{len(addresses)} external links, not followed: docs/_build/external-links.txt")
    if done.returncode or failed:
        return 1
    print(f"The site is in {HTML.relative_to(ROOT)}: open index.html")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
