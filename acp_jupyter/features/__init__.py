"""What the core works without: each feature is a folder here, and a row in `NAMES`.

A feature's ``__init__`` says in a sentence what it is, and in `FEATURE` what it registers. It
imports the core and no other feature. The core asks for what is registered with `registered`, and
imports no feature. ``scripts/without.py NAME`` proves that everything else works without one.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any

from acp_jupyter.feature import Feature

NAMES: list[str] = [
    "batches",
    "checks",
    "context",
    "data",
    "fix",
    "gateway",
    "history",
    "inbox",
    "outside",
    "prompt_cells",
    "prompts",
    "recordings",
    "share",
    "variants",
]


@cache
def features() -> dict[str, Feature]:
    """Return the features by their names."""
    return {name: import_module(f"{__name__}.{name}").FEATURE for name in NAMES}


def registered(kind: str) -> dict[str, Any]:
    """Import what the features register of a kind, a field of `Feature`, by their names."""
    places = {name: getattr(feature, kind) for name, feature in features().items()}
    return {
        name: pkgutil.resolve_name(f"{__name__}.{name}.{place}")
        for name, place in places.items()
        if place
    }


def programs() -> dict[str, tuple[str, str]]:
    """Return the commands that the features add to ``jupyter acp``: what each does, and its place.

    Nothing is imported, as a command line needs one of them only.
    """
    return {
        program.name: (program.words, f"{__name__}.{name}.{program.main}")
        for name, feature in features().items()
        if (program := feature.program) is not None
    }
