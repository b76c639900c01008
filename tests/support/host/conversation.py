"""A session's permission requests, and what its agent does through the host, step by step.

Steps are written as words. Each tells what it changed: outcomes of requests, what is remembered
of the turn, what was returned or raised. Threads are not used, so what is told is always the same.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from pathlib import Path
from typing import Any

from acp_jupyter.errors import AcpError
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.requests.answers import PermissionWithdrawn, RecordedAnswers
from acp_jupyter.host.requests.host_permissions import HostPermissions
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.requests.rules import SessionRules, turn_rules
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.requests.trust import TrustRequests
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import RulesStore, TrustStore
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.host_events.notes import (
    ImportedPacket,
    Note,
    PolicyChanged,
    SessionOpened,
    TurnQueued,
    TurnStartedNote,
)
from acp_jupyter.protocol.host_events.session import RuleEffect, RulesChanged
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.items import TrustRequest
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.rule_text import rule_text
from tests.support.host.conversation_parts import (
    CALLS,
    OPTIONS,
    SPECS,
    AtOnce,
    NoScrubs,
    Recording,
    listed,
    shown,
)
from tests.support.host.conversation_steps import HostSteps, named
from tests.support.host.permission_answers import rule

__all__ = ["Conversation", "told"]


def told(steps: str, folder: Path) -> list[str]:
    """Take steps, divided by semicolons; return what each told."""

    async def run() -> list[str]:
        asyncio.get_running_loop().set_default_executor(AtOnce())
        conversation = Conversation(folder)
        try:
            for step in steps.split(";"):
                await conversation.take(*step.split())
        finally:
            await conversation.close()
        return conversation.told

    return asyncio.run(run())


def _answers_in_order(said: list[str]) -> list[str]:
    """Return what a step told; which of several requests hears first is not told."""

    def is_answer(words: str) -> bool:
        # Those of others, such as a start of the agent, come in their order.
        return re.match(r"[a-z] got ", words) is not None

    answers = iter(sorted(filter(is_answer, said)))
    return [next(answers) if is_answer(words) else words for words in said]


class Conversation(HostSteps):
    """One session; a replay begins another one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.told: list[str] = []
        self._begin()

    def _begin(
        self, *, bare: bool = False, recorded: RecordedAnswers | None = None, spec: str = "agent"
    ) -> None:
        folder = self._folder / str(next(self._numbers))
        (folder / "ws").mkdir(parents=True)
        limits = Limits()
        self._file = folder / "log"
        log = TrafficLog(self._file, limits)
        opening = SessionOpened(
            session_id="s", agent_id="a", agent_name="Agent", cwd=str(folder / "ws"), folder="~/ws"
        )
        self.journal = Journal.begin(opening, log, limits, lambda: None)
        self._flags: set[str] = set()
        self._user = ""
        self._meanwhile: tuple[str, ...] = ()
        self._requests: dict[str, str] = {}
        self._calls = itertools.count(1)
        self._store = TrustStore(folder / "trust.json")
        of_folders = RulesStore(folder / "rules.json")
        place = SessionFolder(folder / "ws")
        self._rules = SessionRules(self.journal, folder / "ws", of_folders, place)
        recording = Recording(is_ours=spec == "ours") if spec in {"ours", "theirs"} else None
        self._trust = TrustRequests(
            self.journal,
            SPECS.get(spec, SPECS["bundled"]),
            folder / "ws",
            self._store,
            lambda: "nobody" in self._flags,
            recording,
        )
        self.permissions = PermissionRequests(
            self.journal,
            lambda: "nobody" in self._flags,
            lambda: self.told.append("refused"),
            self._doubtful,
            None if bare else self._rules,
            None if bare else self._trust,
            recorded,
        )
        self._host = HostPermissions(self.journal, self.permissions)
        self._known = self._facts()

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self.journal.close()

    def _doubtful(self) -> bool:
        if self._meanwhile:
            step, self._meanwhile = self._meanwhile, ()
            self._do(*step)
        return "doubtful" in self._flags

    async def take(self, *step: str) -> None:
        """Take one step, and tell."""
        before = len(self.told)
        try:
            self._do(*step)
        except AcpError as error:
            self.told.append(f"{type(error).__name__}: {error.message}")
        for _ in range(4):  # an answer waits until it is in the log
            await self.journal.flushed()
            for _ in range(20):
                await asyncio.sleep(0)
        facts = self._facts()
        changes = (f"{k}: {v}" for k, v in facts.items() if self._known.get(k, "") != v)
        said = [*_answers_in_order(self.told[before:]), *changes]
        self.told[before:] = [f"{' '.join(step)} -> {'; '.join(said) or 'nothing'}"]
        self._known = facts

    def _do(self, name: str, *words: str) -> None:
        """Do what a step says; it is the method of its name."""
        getattr(self, f"_to_{name}")(*words)

    def _facts(self) -> dict[str, str]:
        """Return what may have changed."""
        facts = {}
        names = {request: name for name, request in self._requests.items()}
        for item in self.journal.transcript.items:
            if isinstance(item, TrustRequest):
                facts[item.request_id] = f"{item.state} {item.title} {item.outcome}".strip()
            few = len(names) < 100
            if few and isinstance(item, ToolCall) and (asked := item.permission):
                by = f" by {asked.answered_by}" * bool(asked.answered_by)
                name = names.get(asked.request_id, asked.request_id)
                wants = shown(item, self._rules.folder) if asked.state == "pending" else ""
                outcome = f" {asked.outcome}" * bool(asked.outcome)
                facts[name] = f"{asked.state}{wants}{outcome}{by} ({item.title} {item.status})"
        for known in (
            "allowed_by_user",
            "allowed",
            "allowed_for_session",
            "rejected",
            "known_allowed",
        ):
            found = getattr(self.permissions, known)
            found = found() if callable(found) else found
            facts[known] = listed(names, found)
        waits = self.permissions._waiting
        facts["waiting"] = listed(names, waits.ids())
        facts["early"] = listed(names, filter(waits.answered_early, names))
        return facts

    def _later(self, name: str, made: Any) -> None:
        async def run() -> None:
            try:
                self.told.append(f"{name} got {await made}")
            except PermissionWithdrawn:
                self.told.append(f"{name} was withdrawn")
            except AcpError as error:
                self.told.append(f"{type(error).__name__}: {error.message}")

        self._tasks[name] = asyncio.create_task(run())

    def _enter(self, direction: str, message: dict[str, Any], re: int | None = None) -> int:
        number = next(self.journal.sequence)
        self.journal.enter_now(TrafficEntry(number, float(number), direction, message, re))  # type: ignore[arg-type]
        return number

    def _note(self, note: Note) -> None:
        self.journal.note(note)

    # -- turns -------------------------------------------------------------------

    def _to_turn(self, policy: Any, *rules: str) -> None:
        """Begin a turn; ``-`` before a rule that denies."""
        turn_id = f"t{next(self._numbers)}"
        allow = tuple(each for each in rules if each[0] != "-")
        deny = tuple(each[1:] for each in rules if each[0] == "-")
        own = turn_rules(allow, deny)
        self._note(
            TurnQueued(turn_id=turn_id, prompt=(), policy=policy, rules=own, user=self._user)
        )
        self._note(TurnStartedNote(turn_id=turn_id))
        params: dict[str, Any] = {"sessionId": "x", "prompt": []}
        message = {"id": 1, "method": "session/prompt", "params": params}
        self._prompt = self._enter(">", message)

    def _to_user(self, user: str) -> None:
        """Let turns from now on be this user's."""
        self._user = user

    def _to_queue(self, policy: Any) -> None:
        turn_id = f"t{next(self._numbers)}"
        self._note(TurnQueued(turn_id=turn_id, prompt=(), policy=policy))

    def _to_end(self) -> None:
        self._enter("<", {"id": 1, "result": {"stopReason": "end_turn"}}, self._prompt)

    def _to_policy(self, policy: Any = None) -> None:
        """Change the policy of the session; tell the one that applies."""
        if policy:
            self._note(PolicyChanged(policy=policy))
        self.told.append(self.permissions.requests.policy())
        self.told.append(repr(self.permissions.forbidden()))
        self.told.append(f"nobody to ask: {self.permissions.nobody_to_ask()}")
        self.told.append(f"restricts: {self._host.restricts}")
        self.told.append("denies" if self.permissions.requests.denies() else "denies nothing")

    def _to_set(self, *flags: str) -> None:
        self._flags = set(flags)

    def _to_rule(self, text: str, of: str = "") -> None:
        """Add a rule to the session, its folder, or one user; ``-`` before one that denies."""
        user = "" if of == "folder" else of
        effect: RuleEffect = "deny" if text[0] == "-" else "allow"
        made = self._rules.read(text.lstrip("-"), effect, "session", user)
        if of == "folder":
            self._rules.add_to_folder(made)
        else:
            self._rules.add(made)

    def _to_fill(self, count: str) -> None:
        """Give the session so many rules."""
        self._note(RulesChanged(rules=tuple(rule(f"edit:{n}") for n in range(int(count)))))

    def _to_drop(self, text: str) -> None:
        rules = self.journal.transcript.session.rules
        found = next((each.id for each in rules if rule_text(each) == text), "none")
        self.told.append(f"dropped: {self._rules.remove(found)}; {len(rules)} before")

    def _to_break(self) -> None:
        """Make the file of the folders' rules unreadable."""
        (self._file.parent / "rules.json").write_text("[")

    def _to_review(self) -> None:
        self._later("review", self.permissions.review())

    def _to_rules(self) -> None:
        async def words() -> str:
            current = await self.permissions.current_rules()
            unknown = ("and unknown ones",) * (not current.known)
            return ", ".join((*(each.words for each in current.rules), *unknown)) or "none"

        self._later("rules", words())

    # -- requests ----------------------------------------------------------------

    def _to_log(self, name: str, *call: str) -> None:
        """Let the agent ask; nothing waits yet."""
        about = CALLS[" ".join(call) or name]
        made = {"toolCallId": f"c{next(self._calls)}", "title": name, **about}
        offered = [{"optionId": o, "name": o.title(), "kind": kind} for o, kind in OPTIONS.items()]
        self._requests[name] = f"p{self._asked(made, offered)}"

    def _asked(self, call: dict[str, Any], options: list[dict[str, str]]) -> int:
        params = {"sessionId": "x", "toolCall": call, "options": options}
        message = {"id": 9, "method": "session/request_permission", "params": params}
        return self._enter("<", message)

    def _to_tell(self) -> None:
        """Let the agent tell of a request that its own settings answered."""
        call = {"toolCallId": "t", "title": "t", **CALLS["ls"]}
        asked: dict[str, Any] = {"type": "permission_request", "request_id": "own"}
        asked |= {"toolCall": call, "auto_approve": True, "options": []}
        self._note(ImportedPacket(packet=asked))

    def _to_wait(self, name: str, given_up: Any = "agent_exited") -> None:
        request = self._requests.get(name, name)

        async def asked() -> str | None:
            option = await self.permissions.ask(request, given_up)
            chosen = {"outcome": "selected", "optionId": option} if option else {}
            outcome = chosen or {"outcome": "cancelled"}
            if request[1:].isdecimal():
                self._enter(">", {"id": 9, "result": {"outcome": outcome}}, int(request[1:]))
            return option

        self._later(name, asked())

    def _to_ask(self, name: str, *call: str) -> None:
        self._to_log(name, *call)
        self._to_wait(name)

    def _to_answer(self, name: str, option: str, *reason: str) -> None:
        request, chosen = self._requests.get(name, name), None if option == "-" else option
        self.told.append(self.permissions.answer(request, chosen, " ".join(reason), named("Ann")))

    def _to_remember(self, name: str, option: str, wider: str = "") -> None:
        lookup = self.permissions.requests
        request, chosen = self._requests.get(name, name), None if option == "-" else option
        self.told.append(" ".join(lookup.to_remember(request, chosen, wider)))

    def _to_withdraw(self, name: str) -> None:
        self.permissions.withdraw(self._requests.get(name, name))

    def _to_give_up(self, name: str) -> None:
        self._tasks[name].cancel()

    def _to_hold_back(self) -> None:
        self.permissions.hold_back()

    def _to_stop(self) -> None:
        self.permissions.cancel_all()

    def _to_exit(self) -> None:
        self.permissions.expire_all()

    def _to_many(self, count: str, option: str) -> None:
        """Answer so many requests that do not wait yet."""
        for number in range(int(count)):
            self._to_log(f"n{number}", "a")
            self.permissions.answer(self._requests[f"n{number}"], option)

    def _to_at_once(self, *words: str) -> None:
        """Take two steps, with ``and`` between them, before anything else happens."""
        at = words.index("and")
        self._do(*words[:at])
        self._do(*words[at + 1 :])

    def _to_meanwhile(self, *step: str) -> None:
        """Take a step while policy and rules are looked at."""
        self._meanwhile = step

    def _to_begin(self, *how: str) -> None:
        """Begin another session: bare, of an agent, or a replay of this one, perhaps altered."""
        recorded = None
        if "replay" in how:
            self.journal.flush()
            recording = self._file.read_text() * ("empty" not in how)
            recording = recording.partition("\n")[2] if "headless" in how else recording
            for old, _, new in (each.partition("=>") for each in how if "=>" in each):
                assert old in recording
                recording = recording.replace(old, new)
            recorded = RecordedAnswers(NoScrubs())
            recorded.load(recording.encode(), is_ours="mine" in how)
        self.journal.close()
        spec = next((each for each in how if each in {*SPECS, "ours", "theirs"}), "agent")
        self._begin(bare="bare" in how, recorded=recorded, spec=spec)
