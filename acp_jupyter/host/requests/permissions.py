"""Permission requests of a session.

Recorded answers, rules and the policy decide first, then the user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.requests.answers import (
    SOMEBODY,
    Answerer,
    PermissionWithdrawn,
    RecordedAnswers,
    RequestLookup,
    allows,
    needs_live_answer,
)
from acp_jupyter.host.requests.call_paths import CallPaths
from acp_jupyter.host.requests.policy import CHANGES_NOTHING, Decision, decide, reject_option
from acp_jupyter.host.requests.rules import CurrentRules, SessionRules
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.requests.trust import TrustRequests
from acp_jupyter.host.requests.waiting import WaitingRequests
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.notes import (
    PermissionPlaces,
    PermissionSettledNote,
    SettledBy,
)
from acp_jupyter.transcript.model.tool_items import PermissionOption, ToolCall

_MAX_ANSWERS = 200
_HAS_VALUE = (
    "This contains a value from a .env file of this folder. It is shown only here, never saved. "
    "No rule or policy can allow this."
)
_LOG_SECONDS = 2.0
"""Longest time that an answer waits for the log if the disk does not respond."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    option_id: str | None = None
    withdrawn: bool = False
    by_user: bool = False


class PermissionRequests:
    """Answers each permission request once: by policy, by rule or by the user.

    Parameters
    ----------
    rules
        The rules; None if the policy alone decides.
    trust
        Asks whether the folder is trusted; that question ends with its turn, too.
    """

    def __init__(
        self,
        journal: Journal,
        nobody_to_ask: Callable[[], bool],
        refused: Callable[[], None],
        doubtful: Callable[[], bool],
        rules: SessionRules | None = None,
        trust: TrustRequests | None = None,
        recorded_answers: RecordedAnswers | None = None,
    ) -> None:
        self.requests = RequestLookup(journal)
        self._journal = journal
        self._nobody_to_ask = nobody_to_ask
        self._refused = refused
        self._recorded_answers = recorded_answers
        self.rules = rules
        self.trust = trust
        self.allowed_by_user: dict[str, ToolCall] = {}
        """Calls that the user allowed in this turn, as they were shown, by request id."""
        self.allowed: dict[str, ToolCall] = {}
        """Calls that the user, policies or rules allowed in this turn, by request id."""
        self.allowed_for_session: dict[str, ToolCall] = {}
        """Calls that the user allowed for the session, which the agent may then not ask about."""
        self.rejected: dict[str, ToolCall] = {}
        self.places: dict[str, CallPaths] = {}
        """The files that the calls' paths led to at the time of the request."""
        self.changed: dict[str, str] = {}
        """Changes on disk before the user's yes, by request id."""
        self.at_walls: set[str] = set()
        """Ids of calls that a sandbox stops: rules and users can allow them, policies can't."""
        self.doubtful = doubtful
        self._waiting: WaitingRequests[_Chosen] = WaitingRequests()
        self._of_user: set[str] = set()
        """Open requests that no policy or rule can allow."""
        self._settled: set[str] = set()
        self._ends = 0
        """Number of stopped turns: an answer after its turn's end allows nothing."""

    def nobody_to_ask(self) -> bool:
        """Return whether no user can answer."""
        return self._nobody_to_ask()

    async def ask(
        self, request_id: str, given_up: Literal["agent_exited", "withdrawn"] = "agent_exited"
    ) -> str | None:
        """Return the id of the chosen option, or None for the outcome ``cancelled``.

        ACP: session/request_permission. Waits for the user without a timeout. ``given_up`` says
        how the request ends if the waiting task is cancelled.
        """
        ends = self._ends
        call = self.requests.call(request_id)
        early = self._waiting.pop_early(request_id)
        if early is not None and not early.withdrawn:
            if call is not None:
                self.places[request_id] = await self._look(call)
            return await self._in_log(early.option_id, ends)
        if call is None or call.permission is None:
            return None
        if early is not None:
            self._settle(request_id, "withdrawn")
            await self._in_log(None, ends)
            raise PermissionWithdrawn
        with self._waiting.wait(request_id, lambda: self._expire(request_id, given_up)) as answer:
            self.places[request_id] = await self._look(call)
            await self._answer_without_user(request_id, call, call.permission.options)
            chosen = await answer
            option_id = chosen.option_id
            counts = chosen.by_user and ends == self._ends
            if counts and option_id is not None and allows(call, option_id):
                option_id = await self._if_unchanged(request_id, call, option_id)
        option_id = await self._in_log(option_id, ends)
        if chosen.withdrawn:
            raise PermissionWithdrawn
        return option_id

    async def ask_user(self, request_id: str) -> str | None:
        """Ask as `ask` does, but let only the user allow it; policies and rules may still deny.

        A yes is not remembered: it doesn't allow later requests of an agent.
        """
        self._of_user.add(request_id)
        try:
            return await self.ask(request_id)
        finally:
            self._of_user.discard(request_id)
            for known in (self.allowed_by_user, self.allowed, self.rejected, self.places):
                known.pop(request_id, None)

    async def _look(self, call: ToolCall) -> CallPaths:
        return await asyncio.to_thread(CallPaths.of, call, self.folder())

    async def _if_unchanged(self, request_id: str, call: ToolCall, option_id: str) -> str | None:
        """Return the allowing option if all paths still lead to the same files; else reject."""
        changed = self.places[request_id].changed(await self._look(call))
        if not changed:
            return option_id
        for known in (self.allowed_by_user, self.allowed, self.allowed_for_session):
            known.pop(request_id, None)
        self.changed[request_id] = changed
        self._settle(request_id, "changed", reason=changed)
        options = () if call.permission is None else call.permission.options
        return reject_option(options)

    async def _in_log(self, option_id: str | None, ends: int) -> str | None:
        """Wait until the answer is in the log, at most `_LOG_SECONDS`; return it.

        The journal reports a failure of the log with the next line. Returns None if a turn was
        stopped since the request; ``ends`` is the number of stopped turns at that time.
        """
        await self._journal.flushed(_LOG_SECONDS)
        return option_id if ends == self._ends else None

    async def _answer_without_user(
        self, request_id: str, call: ToolCall, options: tuple[PermissionOption, ...]
    ) -> None:
        decision = await self._decide(request_id, call, options)
        if not self._waiting.waits(request_id):
            return  # stopped or answered meanwhile
        if decision is not None:
            self._choose(request_id, decision.by, decision.option_id, decision.rule)
            return
        if self._recorded_answers is not None:
            again = self._recorded_answers.find(
                call, nobody_to_ask=self._nobody_to_ask(), folder=self.folder()
            )
            if again is not None:
                self._choose(request_id, again.by, again.option_id, again.rule)
                return
        if self._nobody_to_ask():
            self._choose(request_id, "nobody", reject_option(options))
            self._refused()
            return
        places = self.places[request_id]
        differ = await asyncio.to_thread(places.other_texts, call, self.folder())
        secret = await asyncio.to_thread(self._journal.shows_secret, call)
        cautions = (
            *places.cautions(call.tool_kind),
            *(
                f"{path} does not contain the text that the agent wants to replace."
                for path in differ
            ),
            *((_HAS_VALUE,) if secret else ()),
        )
        if (cautions or places.led) and self._waiting.waits(request_id):
            self._journal.note(
                PermissionPlaces(
                    request_id=request_id,
                    cautions=cautions,
                    led=places.led,
                    text_differs=bool(differ),
                    has_secret=secret,
                )
            )

    async def review(self) -> None:
        """Decide all waiting requests again: a rule was added."""
        for request_id in self._waiting.ids():
            call = self.requests.call(request_id)
            if call is None or call.permission is None:
                continue
            decision = await self._decide(request_id, call, call.permission.options)
            if decision is not None and self._waiting.waits(request_id):
                self._choose(request_id, decision.by, decision.option_id, decision.rule)

    async def _decide(
        self, request_id: str, call: ToolCall, options: tuple[PermissionOption, ...]
    ) -> Decision | None:
        decision = await self.decide(call, options)
        if decision is None or request_id not in self._of_user:
            return decision
        return None if allows(call, decision.option_id) else decision

    async def decide(
        self, call: ToolCall, options: tuple[PermissionOption, ...]
    ) -> Decision | None:
        """Return the answer of policy and rules; None if the user must answer."""
        policy, rules, places = self.requests.policy(), self.rules, self.folder()
        stricter = self.doubtful() or call.tool_call_id in self.at_walls
        if stricter and policy not in CHANGES_NOTHING:
            policy = "ask"

        def look() -> Decision | None:
            current = CurrentRules() if rules is None else rules.current()
            found = decide(policy, call, options, current, places)
            if found is not None and allows(call, found.option_id):
                # A secret is not in the log, so only a user who sees it may allow the request.
                found = None if self._journal.shows_secret(call) else found
            if found is None or self._recorded_answers is None or not allows(call, found.option_id):
                return found
            return None if needs_live_answer(call, places) else found

        return await asyncio.to_thread(look)

    async def current_rules(self) -> CurrentRules:
        """Return the rules that apply now."""
        if self.rules is None:
            return CurrentRules()
        return await asyncio.to_thread(self.rules.current)

    def answer(
        self,
        request_id: str,
        option_id: str | None,
        reason: str = "",
        who: Answerer = SOMEBODY,
    ) -> str:
        """Settle a request by the user; return the chosen answer in words.

        Parameters
        ----------
        request_id, option_id
            The request and the chosen option; None for the outcome ``cancelled``.
        """
        # A turn's end closes its requests in the transcript first, and then the waiting tasks.
        call = self.requests.call(request_id)
        if call is None or not (self._waiting.waits(request_id) or self._is_to_come(request_id)):
            raise self.requests.too_late(request_id, settled=request_id in self._settled)
        option = self.requests.option(request_id, option_id)
        if reason and (option is None or not option.option_kind.startswith("reject")):
            raise BadRequest("You can give a reason only when you reject.")
        too_large = call.permission is not None and call.permission.too_large
        if too_large and option is not None and not option.option_kind.startswith("reject"):
            raise BadRequest("This request is too large to be shown, so it can only be rejected.")
        if option is not None and option.option_kind.startswith("allow"):
            self.allowed_by_user[request_id] = call
        self._remember(request_id, option_id)
        self._settle(request_id, "user", "", reason, who)
        self._waiting.answer(request_id, _Chosen(option_id, by_user=True))
        return "cancelled" if option is None else option.name

    def forbidden(self) -> str:
        """Return why the agent may not change anything, even with permission; empty if it may."""
        policy = self.requests.policy()
        if policy in CHANGES_NOTHING:
            return f"The policy {policy} of this turn doesn't let agents change anything."
        return ""

    def withdraw(self, request_id: str) -> None:
        """Close a request that the agent withdrew. ACP: $/cancel_request."""
        if self._waiting.waits(request_id):
            self._settle(request_id, "withdrawn")
        elif request_id in self._settled or self.requests.call(request_id) is None:
            return
        self._waiting.answer(request_id, _Chosen(withdrawn=True))

    def hold_back(self) -> None:
        """Send no further answers: the turn is being stopped."""
        self._ends += 1
        self._cancel_early()

    def cancel_all(self) -> None:
        """Answer all open requests with ``cancelled``: their turn was stopped."""
        self.hold_back()
        for request_id in (*self._waiting.ids(), *self._to_come()):
            self._choose(request_id, "turn_cancelled", None)
        for known in (self.allowed_by_user, self.allowed, self.rejected, self.changed):
            known.clear()
        self.places = {name: at for name, at in self.places.items() if name in self._in_use()}
        if self.trust is not None:
            self.trust.cancel()

    def expire_all(self) -> None:
        """Expire all open requests: their process has ended. Nothing is allowed."""
        for request_id in self._waiting.ids():
            self._expire(request_id)
            self._waiting.answer(request_id, _Chosen())
        self._cancel_early()

    def _cancel_early(self) -> None:
        """Turn answers that came before their requests wait into ``cancelled``."""
        self._waiting.change_early(lambda chosen: replace(chosen, option_id=None))

    def _to_come(self) -> list[str]:
        """Return the requests of the running turn that will wait here."""
        transcript = self._journal.transcript
        found = ((name, self.requests.call(name)) for name in sorted(transcript.request_items))
        active = transcript.session.active_turn_id
        return [
            name
            for name, call in found
            if call is not None and call.turn_id == active and self._is_to_come(name)
        ]

    def _is_to_come(self, request_id: str) -> bool:
        """Return whether an open request will wait here: users see it as soon as it is logged."""
        known = self._waiting.waits(request_id) or request_id in self._settled
        return not known and self.requests.outcome(request_id) == "pending"

    def _choose(
        self,
        request_id: str,
        by: SettledBy,
        option_id: str | None,
        rule: str = "",
    ) -> None:
        """Answer a request without the user."""
        self._remember(request_id, option_id)
        self._settle(request_id, by, rule)
        self._waiting.answer(request_id, _Chosen(option_id))

    def _expire(self, request_id: str, by: SettledBy = "agent_exited") -> None:
        self._journal.note(PermissionSettledNote(request_id=request_id, by=by))

    def _remember(self, request_id: str, option_id: str | None) -> None:
        """Remember an answer until the turn ends; if there are very many, the newest."""
        call = self.requests.call(request_id)
        option = self.requests.option(request_id, option_id)
        if call is None or option is None:
            return
        always = option.option_kind == "allow_always"
        allowed = self.allowed_for_session if always else self.allowed
        remembered = allowed if option.option_kind.startswith("allow") else self.rejected
        remembered[request_id] = call
        if len(remembered) > _MAX_ANSWERS:
            oldest = next(iter(remembered))
            del remembered[oldest]
            self.places.pop(oldest, None)

    def _in_use(self) -> set[str]:
        return {*self.allowed_for_session, *self._waiting.ids()}

    def known_allowed(self) -> dict[str, ToolCall]:
        """Return the calls allowed in this turn or for the whole session, by request id."""
        return {**self.allowed, **self.allowed_for_session}

    def folder(self) -> SessionFolder:
        """Return the session's folder, to locate paths in it."""
        return SessionFolder(None) if self.rules is None else self.rules.session_folder

    def _settle(
        self,
        request_id: str,
        by: SettledBy,
        rule: str = "",
        reason: str = "",
        who: Answerer = SOMEBODY,
    ) -> None:
        self._settled.add(request_id)
        self._journal.note(
            PermissionSettledNote(
                request_id=request_id,
                by=by,
                rule=rule,
                reason=reason,
                user=who.user,
                shown_name=who.shown_name,
            )
        )
