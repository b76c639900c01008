"""The features: what each registers is there, and the rest works without it."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from acp_jupyter.feature import Feature
from acp_jupyter.features import NAMES, features, programs, registered

ROOT = Path(__file__).resolve().parents[2]
PLACES = tuple(kind for kind, place in asdict(Feature()).items() if place == "")


def test_each_folder_is_a_feature_with_tests() -> None:
    folder = ROOT / "acp_jupyter/features"
    assert {path.parent.name for path in folder.glob("*/__init__.py")} == set(NAMES)
    assert all((ROOT / "tests/features" / name).is_dir() for name in NAMES)


@pytest.mark.parametrize("kind", PLACES)
def test_what_is_registered_is_there(kind: str) -> None:
    of_kind = {name for name, feature in features().items() if getattr(feature, kind)}
    assert set(registered(kind)) == of_kind


def test_its_program_is_there() -> None:
    assert all(callable(pkgutil.resolve_name(place)) for _, place in programs().values())


def test_each_registers_something() -> None:
    assert all(any(asdict(feature).values()) for feature in features().values())


@pytest.mark.parametrize(
    ("own", "other"),
    [("server.extension", "kernel"), ("kernel.magics.ipython_extension", "server")],
)
def test_neither_side_imports_the_other(own: str, other: str) -> None:
    """Also with all that the features register."""
    code = f"""
import sys, acp_jupyter.{own}
print([name for name in sys.modules if name.startswith("acp_jupyter.{other}.")])
"""
    ran = [sys.executable, "-c", code]
    done = subprocess.run(ran, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"
