"""The rules that count in one session: of its turn, its own, and its folder's."""

from __future__ import annotations

import logging
import time
import uuid
from pathlib import Path

from acp_jupyter.errors import BadRequest, KeptFileBroken
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.permissions import Standing
from acp_jupyter.host.permissions_paths import Places
from acp_jupyter.host.rules.store import RulesStore, same_rule
from acp_jupyter.protocol.host_events.permissions import Rule, RuleEffect, RulesChanged, RuleScope
from acp_jupyter.transcript.permissions.rule_text import RuleTextError, read_rule

__all__ = ["SessionRules", "turn_rules"]

_log = logging.getLogger(__name__)
_MOST_RULES = 500
_MOST_OF_TURN = 100


def turn_rules(allow: tuple[str, ...], deny: tuple[str, ...]) -> tuple[Rule, ...]:
    """Read the rules of a turn.

    Raises
    ------
    BadRequest
        One can't be understood; the message says what to type.
    """
    if len(allow) + len(deny) > _MOST_OF_TURN:
        raise BadRequest(f"A turn has at most {_MOST_OF_TURN} rules.")
    denied = (_read(text, "deny", "turn") for text in deny)
    return (*denied, *(_read(text, "allow", "turn") for text in allow))


def _counting(rules: tuple[Rule, ...], user: str) -> tuple[Rule, ...]:
    """Return the rules that count for what somebody has sent: a no is for all, a yes is one's own.

    A prompt of a kernel has no sender: whose code ran there is not known, so all count.
    """
    return tuple(r for r in rules if r.effect == "deny" or not user or r.user in {"", user})


def _read(text: str, effect: RuleEffect, scope: RuleScope) -> Rule:
    try:
        return read_rule(text, effect=effect, scope=scope, rule_id=uuid.uuid4().hex, at=time.time())
    except RuleTextError as error:
        raise BadRequest(str(error)) from None


class SessionRules:
    """Adds rules, takes them back, and says which count.

    Parameters
    ----------
    journal
        Of the session; its own rules are kept there.
    folder
        Of the session.
    store
        Of the folders' rules.
    own_folders
        See `Places`.
    """

    def __init__(
        self,
        journal: Journal,
        folder: Path,
        store: RulesStore,
        own_folders: tuple[Path, ...] = (),
    ) -> None:
        self._journal = journal
        self._store = store
        self.folder = folder
        self.session_folder = Places(folder, own_folders)

    def current(self) -> Standing:
        """Return the rules that count now. Blocks on the disk; may be called in any thread."""
        session = self._journal.transcript.session
        turn = self._journal.transcript.turns.get(session.active_turn_id or "")
        user = "" if turn is None else turn.user
        own = (*(() if turn is None else turn.rules), *_counting(session.rules, user))
        try:
            return Standing((*own, *_counting(self._store.of(self.folder), user)))
        except KeptFileBroken as error:
            _log.warning("%s Until then everything is asked.", error.message)
            return Standing(own, known=False)

    def read(self, text: str, effect: RuleEffect, scope: RuleScope, user: str = "") -> Rule:
        """Read a rule, which then is that user's.

        Raises
        ------
        BadRequest
            It is none.
        """
        return _read(text, effect, scope).model_copy(update={"user": user})

    def add(self, rule: Rule) -> None:
        """Remember a rule for the session.

        Raises
        ------
        BadRequest
            There are too many.
        """
        rules = self._journal.transcript.session.rules
        if len(rules) >= _MOST_RULES:
            raise BadRequest(f"This session has {_MOST_RULES} rules. Remove some first.")
        if not any(same_rule(rule, known) for known in rules):
            self._journal.note(RulesChanged(rules=(*rules, rule)))

    def add_to_folder(self, rule: Rule) -> None:
        """Remember a rule for all sessions in the folder. Blocks.

        Raises
        ------
        BadRequest
            There are too many.
        KeptFileBroken
            They can't be read or written.
        """
        self._store.add(self.folder, rule)

    def remove(self, rule_id: str) -> bool:
        """Forget a rule of the session; tell whether it was there."""
        rules = self._journal.transcript.session.rules
        left = tuple(rule for rule in rules if rule.id != rule_id)
        if len(left) == len(rules):
            return False
        self._journal.note(RulesChanged(rules=left))
        return True
