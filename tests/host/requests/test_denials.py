"""What a rule that denies a command says of commands."""

from __future__ import annotations

import pytest

from acp_jupyter.host.requests.rule_commands import Denial, denial

CASES = [
    ("rm a", "rm a", Denial.YES),
    ("rm a", "rm a b", Denial.PERHAPS),
    ("rm a", 'rm a "$MORE"', Denial.UNKNOWN),
    ("rm a", "rm", Denial.NO),
    ("rm a", "rm b", Denial.NO),
    ("rm a", 'rm "$FILE"', Denial.UNKNOWN),
    ("rm *", "rm", Denial.YES),
    ("rm *", "rm a b", Denial.YES),
    ("rm *", "ls && rm a", Denial.YES),
    ("rm *", "/bin/rm a", Denial.YES),
    ("rm *", "ls", Denial.NO),
]


@pytest.mark.parametrize(("pattern", "command", "verdict"), CASES)
def test_a_denial_is_of_the_words_it_names(pattern: str, command: str, verdict: Denial) -> None:
    assert denial(pattern, command) is verdict
