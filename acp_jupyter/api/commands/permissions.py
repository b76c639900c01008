"""Answers to permission requests, the rules that remember them, and trusted folders."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path

from acp_jupyter.api.access import (
    Caller,
    NotebookLookup,
    UserCaller,
    may_see,
    place_of,
    require_sender,
    require_user,
    sender,
    visible_session,
)
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.sessions import CreateSession
from acp_jupyter.api.models.turns import (
    AnswerPermission,
    ListRules,
    ListTrust,
    RevokeRule,
    RevokeTrust,
    RuleEntry,
    TrustFolder,
)
from acp_jupyter.errors import BadRequest, NotAllowed, SharedFileBroken
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.recording import Playback, RecordingSource
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.requests.rules import SessionRules
from acp_jupyter.host.requests.trust import (
    needs_trust,
    not_trusted,
    recording_not_trusted,
    too_much,
)
from acp_jupyter.host.sessions.prompts import Prompt
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.permission_stores import TrustedFolder
from acp_jupyter.host.workspace.folders import resolve_cwd
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.host_events.session import Rule
from acp_jupyter.transcript.rule_text import rule_text


class PermissionCommands:
    """Carries out commands about permissions and rules."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @handles(AnswerPermission)
    async def answer(self, command: AnswerPermission, caller: UserCaller) -> dict[str, str]:
        """Answer a request once; remember the answer, or send the reason to the agent."""
        session = self._host.sessions.require(command.session_id)
        call = session.turns.permissions.requests.call(command.request_id)
        turn_id = None if call is None else call.turn_id
        user = require_sender(session, turn_id, caller, "answer a permission request")
        rule = self._rule(session, command, user)
        reason = command.reason.strip()
        policy, rules = session.turns.follow_up()
        outcome = session.turns.permissions.answer(
            command.request_id, command.option_id, reason, caller.answerer
        )
        if reason and call is not None:
            # The protocol has no field for the reason, so it is sent as the next message.
            request = call.command or call.path or call.title
            words = f"I rejected this ({request}) because: {reason}"
            message = Prompt(words, policy, rules=rules, user=user)
            session.turns.queue.append(message, first=True)
        if rule is not None:
            try:
                await self._remember(session, rule)
            except (BadRequest, SharedFileBroken) as error:
                # The agent has its answer already.
                done = "Allowed" if rule.effect == "allow" else "Rejected"
                words = f"{done} once, and not remembered. {error.message}"
                session.journal.note(HostNotice(severity="warning", text=words))
        return {"outcome": outcome}

    def _rule(self, session: Session, command: AnswerPermission, user: str) -> Rule | None:
        if command.remember is None:
            return None
        rules, requests = _rules_of(session), session.turns.permissions.requests
        text, effect = requests.to_remember(
            command.request_id, command.option_id, command.wider_rule
        )
        return rules.read(text, effect, command.remember, user)

    async def _remember(self, session: Session, rule: Rule) -> None:
        rules = _rules_of(session)
        if rule.scope == "workspace":
            await asyncio.to_thread(rules.add_to_folder, rule)
        else:
            rules.add(rule)
        await session.turns.permissions.review()

    @handles(ListRules)
    async def list(self, command: ListRules, caller: Caller) -> list[RuleEntry]:
        """Return the rules that the caller may see."""
        seen = [session for session in self._host.sessions.values() if may_see(session, caller)]
        if command.session_id:
            named = visible_session(self._host, command.session_id, caller)
            seen = [session for session in seen if session is named]
        # An imported session has none, as no rule answers its requests.
        with_rules = {session: r for session in seen if (r := session.turns.permissions.rules)}
        stored = await asyncio.to_thread(self._host.permission_stores.rules.all)
        folders = dict.fromkeys(str(rules.folder.resolve()) for rules in with_rules.values())
        return [*_of_sessions(with_rules), *_of_folders(folders, stored)]

    @handles(RevokeRule)
    async def revoke(self, command: RevokeRule, caller: Caller) -> dict[str, str]:
        """Remove a rule; a kernel may only remove rules that allow something."""
        entries = await self.list(ListRules(), caller)
        entry = next((entry for entry in entries if entry.rule.id == command.rule_id), None)
        if entry is None:
            raise BadRequest("There is no such rule, or it was removed already.")
        if entry.rule.effect == "deny":
            require_user(caller, "remove a rule that denies something")
            if (person := sender(caller)) and entry.rule.user not in {"", person}:
                raise NotAllowed(f"Only {entry.rule.user}, who denied this, can remove the rule.")
        if entry.session_id:
            session = self._host.sessions.require(entry.session_id)
            _rules_of(session).remove(command.rule_id)
            await session.journal.flushed()  # a killed server forgets it too
        else:
            await asyncio.to_thread(self._host.permission_stores.rules.remove, command.rule_id)
        return {}


def _rules_of(session: Session) -> SessionRules:
    rules = session.turns.permissions.rules
    if rules is None:
        raise BadRequest("This session keeps no rules.")
    return rules


def _of_sessions(sessions: Iterable[Session]) -> Iterator[RuleEntry]:
    for session in sessions:
        for rule in session.state.rules:
            yield RuleEntry(rule=rule, text=rule_text(rule), session_id=session.session_id)


def _of_folders(
    folders: dict[str, None], rules: dict[str, tuple[Rule, ...]]
) -> Iterator[RuleEntry]:
    for folder in folders:
        for rule in rules.get(folder, ()):
            yield RuleEntry(rule=rule, text=rule_text(rule), folder=folder)


class TrustCommands:
    """Decides in which folders agents may start, and carries out commands about trust.

    A user's trust is remembered. A kernel's trust only counts for prompts of kernels in its
    session, as an agent's code may run in the kernel.
    """

    def __init__(self, host: AgentHost, pages_and_kernels: NotebookLookup) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels

    async def admit(
        self,
        command: CreateSession,
        caller: Caller,
        notebook: str,
        folder: Path,
        found: Session | None = None,
    ) -> None:
        """Check that the agent may run in a folder, or that the user can be asked.

        A recording that this installation made is played anywhere.
        """
        played = self._played(command, notebook, found)
        if played is not None:
            if await asyncio.to_thread(self._host.recordings().is_ours, played):
                return
        elif not needs_trust(
            self._host.config.registry.get(command.agent, place_of(caller, notebook))
        ):
            return
        store = self._host.permission_stores.trust
        if command.trust:
            if isinstance(caller, UserCaller):
                await asyncio.to_thread(store.trust, folder)
            return
        seen = isinstance(caller, UserCaller) or self._pages_and_kernels.holds(notebook)
        if command.ask_trust and seen:
            return
        if not await asyncio.to_thread(store.trusts, folder):
            if played is not None:
                raise recording_not_trusted(played.path, str(folder))
            raise not_trusted(str(folder), await asyncio.to_thread(too_much, folder))

    def _played(
        self, command: CreateSession, notebook: str, found: Session | None
    ) -> RecordingSource | None:
        if found is not None:
            return found.recording.file if isinstance(found.recording, Playback) else None
        options = command.record
        if options is None or options.mode != "replay":
            return None
        recordings = self._host.recordings()
        return recordings.prepare(command.agent, command.label, notebook, options).file

    async def require(self, spec: AgentSpec, folder: Path, *, trust: bool) -> None:
        """Check that the agent may run in a folder; with ``trust``, the user trusts it now."""
        store = self._host.permission_stores.trust
        if not needs_trust(spec):
            return
        if trust:
            await asyncio.to_thread(store.trust, folder)
        elif not await asyncio.to_thread(store.trusts, folder):
            raise not_trusted(str(folder), await asyncio.to_thread(too_much, folder))

    def grant(self, command: CreateSession, session: Session, caller: Caller) -> None:
        """Trust a new session's folder for that session, if the command says so."""
        trust = session.turns.permissions.trust
        if not command.trust or trust is None:
            return
        if isinstance(caller, UserCaller):
            trust.grant(caller.answerer)
        else:
            trust.grant_to_kernels()

    @handles(TrustFolder)
    async def answer(self, command: TrustFolder, caller: UserCaller) -> dict[str, str]:
        """Remember a folder, or answer the question of a session."""
        store = self._host.permission_stores.trust
        if command.folder:
            if not command.trust:
                raise BadRequest("To stop trusting a folder, send DELETE.")
            folder = resolve_cwd(self._host.config.root, command.folder, inside_root=False)
            await asyncio.to_thread(store.trust, folder)
            return {"folder": str(folder)}
        session = self._host.sessions.require(command.session_id)
        trust = session.turns.permissions.trust
        if trust is None:
            raise BadRequest("This session has no agent to trust.")
        trust.check(command.request_id)
        folder = trust.folder
        if command.trust:
            await asyncio.to_thread(store.trust, folder)
            trust.check(command.request_id)  # another user may have answered first
        trust.answer(trusted=command.trust, who=caller.answerer)
        return {"folder": str(folder)}

    @handles(ListTrust)
    async def list(self, command: ListTrust, caller: UserCaller) -> list[TrustedFolder]:
        """Return the trusted folders."""
        return list(await asyncio.to_thread(self._host.permission_stores.trust.folders))

    @handles(RevokeTrust)
    async def revoke(self, command: RevokeTrust, caller: UserCaller) -> dict[str, str]:
        """Stop trusting a folder."""
        if not await asyncio.to_thread(self._host.permission_stores.trust.revoke, command.folder):
            raise BadRequest(
                f"{command.folder} is not among the folders that were trusted here. Folders of "
                "c.AcpJupyter.trusted_folders are removed there."
            )
        return {}
