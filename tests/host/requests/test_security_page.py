"""docs/security.md says what the code does."""

from __future__ import annotations

from scripts.policy_table import PAGE, written


def test_the_table_of_policies_is_as_the_code_decides() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page, "Run: make gen"
