"""Outputs of tools, line by line."""

from __future__ import annotations

from acp_jupyter.protocol.tools.outputs import SearchHit, read_search_result


def test_what_divides_hits_is_not_shown() -> None:
    found = read_search_result(("a.py:1:x", "--", "", "b.py:2:y"))
    assert found.hits == (
        SearchHit(path="a.py", line=1, text="x"),
        SearchHit(path="b.py", line=2, text="y"),
    )
    assert found.remarks == ()
