"""``%acp share``: which files it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.error import UsageError

from acp_jupyter.features.share import kernel
from tests.kernel.magics.test_export_import import FakeHost


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "host_client", FakeHost)


@pytest.mark.parametrize("ending", ["html", "HTM"])
def test_a_page_for_others_is_html(ending: str, tmp_path: Path) -> None:
    kernel.run_share([str(tmp_path / f"page.{ending}")])
    assert (tmp_path / f"page.{ending}").read_text() == "as shared"
    with pytest.raises(UsageError, match=r"should end with \.html"):
        kernel.run_share([str(tmp_path / "page.md")])
