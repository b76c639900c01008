from __future__ import annotations

import pytest

from acp_jupyter.server.auth import origin_is_named

OWN = ["lab.example:8888"]


@pytest.mark.parametrize(
    ("origin", "listed", "pattern", "allowed"),
    [
        ("http://lab.example:8888", "", None, True),
        ("HTTP://LAB.EXAMPLE:8888", "", None, True),
        ("https://lab.example:8888", "", None, True),
        ("http://lab.example", "", None, False),
        ("http://evil.example", "", None, False),
        ("http://evil.example", "*", None, False),
        ("http://lab.example:8888.evil.example", "", None, False),
        ("http://evil.example#lab.example:8888", "", None, False),
        ("null", "*", None, False),
        ("", "*", ".*", False),
        ("https://hub.example", "https://hub.example", None, True),
        ("https://other.example", "https://hub.example", None, False),
        ("https://a.hub.example", "", r"https://\w+\.hub\.example", True),
        ("https://evil.example", "", r"https://\w+\.hub\.example", False),
        ("https://evil.example", "", ".*", False),
        ("http://lab.example:8888", "", ".*", True),
    ],
)
def test_only_the_own_or_a_named_origin(
    origin: str, listed: str, pattern: str | None, allowed: bool
) -> None:
    assert origin_is_named(origin, OWN, listed, pattern) is allowed
