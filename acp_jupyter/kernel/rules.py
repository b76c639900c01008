"""Rules in the first line of a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.error import UsageError

if TYPE_CHECKING:
    from acp_jupyter.protocol.host_events.permissions import RuleEffect

__all__ = ["checked_rules"]


def checked_rules(texts: list[str], effect: RuleEffect) -> tuple[str, ...]:
    """Return rules as they were written.

    Raises
    ------
    UsageError
        One can't be understood; the message says what to type.
    """
    if not texts:
        return ()
    from acp_jupyter.transcript.permissions.rule_text import RuleTextError, read_rule

    for text in texts:
        try:
            read_rule(text, effect=effect, scope="turn", rule_id="")
        except RuleTextError as error:
            raise UsageError(f"--{effect}: {error}") from None
    return tuple(texts)
