"""Prints the section of CHANGELOG.md for a release's tag; fails if they name different versions."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def release_notes(tag: str, version: str, changelog: str) -> str:
    """Return the text below the heading of the version.

    Raises
    ------
    ValueError
        If the tag isn't that of the version, or the changelog has no such section.
    """
    if tag != f"v{version}":
        raise ValueError(f"The tag is {tag}, and the package has the version {version}.")
    section = re.search(
        rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", changelog, re.M | re.S
    )
    if section is None or not section[1].strip():
        raise ValueError(f"CHANGELOG.md has no section of {version} with its date.")
    return section[1].strip() + "\n"


def main() -> None:
    """Print the notes for the tag that is given."""
    written = (ROOT / "acp_jupyter/_version.py").read_text("utf-8")
    version = re.search(r'__version__ = "(.+)"', written)
    assert version is not None
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    try:
        print(release_notes(sys.argv[1], version[1], changelog), end="")
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
