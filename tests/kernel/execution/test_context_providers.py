"""Names of other packages after ``@``: the documented example, and packages that misbehave."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_jupyter.kernel import context_providers
from acp_jupyter.kernel.context_providers import offered_names, provided_text
from tests.support.wait import PATIENCE_SECONDS

pytestmark = pytest.mark.timeout(method="thread")
"""The other method has the process's one timer, which the code under test needs."""

_EXAMPLE = Path(__file__).parent / "shop_catalogue"
_BROKEN = """\
def complete(typed):
    {complete}

def describe(name):
    {describe}
"""


def _install(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes long to import a package."""
    monkeypatch.setattr(context_providers, "_COMPLETE_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(context_providers, "_DESCRIBE_SECONDS", PATIENCE_SECONDS)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, _EXAMPLE)


def _package(
    monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, complete: str, describe: str
) -> None:
    facts = folder / f"{name}-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[acp_jupyter.context]\n{name} = {name}\n")
    (folder / f"{name}.py").write_text(_BROKEN.format(complete=complete, describe=describe))
    _install(monkeypatch, folder)
    monkeypatch.delitem(sys.modules, name, raising=False)


def test_the_page_shows_the_example() -> None:
    page = Path(__file__).parents[3] / "docs" / "how-to" / "context-providers.md"
    text = page.read_text(encoding="utf-8")
    assert (_EXAMPLE / "shop_catalogue.py").read_text(encoding="utf-8") in text
    points = _EXAMPLE / "shop_catalogue-1.0.dist-info" / "entry_points.txt"
    _, name, module = points.read_text(encoding="utf-8").replace("\n", " = ").split(" = ")[:3]
    assert f'{name} = "{module}"' in text


@pytest.mark.usefixtures("example")
def test_the_example_offers_its_names_and_describes_them() -> None:
    assert offered_names("") == ["shop:orders", "shop:orders_2025", "shop:stores"]
    assert offered_names("sh") == offered_names("shop:") == offered_names("")
    assert offered_names("shop:st") == ["shop:stores"]
    assert offered_names("other:") == []
    found = provided_text("shop:stores", {})
    assert found == "shop:stores\nOne row per store. Columns: city, opened, square_metres."
    for name in ("shop:nothing", "shop:", "shop", "stores", "other:stores", "shop:a b"):
        assert provided_text(name, {}) is None


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize(
    ("complete", "describe", "words"),
    [
        ("raise KeyError(typed)", "raise KeyError(name)", "Describing it failed: KeyError."),
        ("raise SystemExit", "raise SystemExit", "Describing it failed: SystemExit."),
        ("return 3", "return 3", "Its description is no text."),
        ("while True: yield ''", "return 'x' * 10**6", "988,000 characters left out"),
        ("return ['a b', '@a', 3, 'a\"b', '', 'x' * 201]", "return None", None),
    ],
)
def test_what_fails_fails_alone(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    complete: str,
    describe: str,
    words: str | None,
) -> None:
    _package(monkeypatch, tmp_path, "bad_catalogue", complete, describe)
    assert offered_names("") == ["shop:orders", "shop:orders_2025", "shop:stores"]
    assert offered_names("bad_catalogue:") == []
    found = provided_text("bad_catalogue:a", {})
    if words is None:
        assert found is None
    else:
        assert found is not None
        assert words in found
        assert len(found) < 13_000


def test_what_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(context_providers, "_COMPLETE_SECONDS", 0.05)
    monkeypatch.setattr(context_providers, "_DESCRIBE_SECONDS", 0.05)
    _package(monkeypatch, tmp_path, "endless_catalogue", "while True: pass", "while True: pass")
    assert offered_names("") == []
    found = provided_text("endless_catalogue:a", {})
    assert found == "endless_catalogue:a\nDescribing it took longer than 0.05 s."


def test_a_package_that_is_broken_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _package(monkeypatch, tmp_path, "broken_catalogue", "return (", "return (")
    assert offered_names("") == []
    found = provided_text("broken_catalogue:a", {})
    assert found == "broken_catalogue:a\nDescribing it failed: SyntaxError."
