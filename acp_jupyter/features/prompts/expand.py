"""Puts a saved prompt in the place of ``/NAME``, before the turn is queued."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from acp_jupyter.errors import BadRequest
from acp_jupyter.features.prompts.prompt_file import NAME, PromptFile, PromptFolder
from acp_jupyter.host.bounds import stricter
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.prompts import Blocks, Prompt
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.objects import text


async def expand(host: AgentHost, session: Session, prompt: Prompt) -> tuple[Prompt, str]:
    """Return the prompt to send, and what the user should know; unchanged if it names none.

    The agent gets it as any prompt: only after the folder is trusted.
    """
    written = _text(prompt)
    name, rest = _called(written)
    if not name:
        return prompt, ""
    folder = PromptFolder(folder_of(session), host.config.limits)
    if name in commands_of(host, session):
        try:
            clash = await asyncio.to_thread(folder.read, name) is not None
        except BadRequest:
            clash = True
        return prompt, _clash(name, session) if clash else ""
    found = await asyncio.to_thread(folder.read, name)
    if found is None:
        return prompt, ""
    wanted = found.prompt.agent
    if wanted not in {"", session.spec.id}:
        raise BadRequest(
            f"The saved prompt /{name} is for {wanted}, and this session is of {session.spec.id}. "
            f"Send it in a session of {wanted}."
        )
    policy, words = _policy(host, session, prompt, found)
    return replace(prompt, content=_with(prompt, found.filled(rest)), policy=policy), words


def folder_of(session: Session) -> Path:
    """Return the folder with the files of the user, also for a session in a copy of it."""
    return Path(session.state.copied or session.state.cwd)


def commands_of(host: AgentHost, session: Session) -> set[str]:
    """Return the agent's own commands: as it says in this session, else in another one."""
    names = {command.name for command in session.state.commands}
    if not names:
        others = (each for each in host.sessions.values() if each.spec.id == session.spec.id)
        names = {command.name for each in others for command in each.state.commands}
    return names


def _clash(name: str, session: Session) -> str:
    agent = session.state.agent_info.name or session.spec.id
    return (
        f"/{name} is a command of {agent} and a saved prompt. The agent's own is used. To use the "
        "saved prompt, give its file another name."
    )


def _policy(
    host: AgentHost, session: Session, prompt: Prompt, found: PromptFile
) -> tuple[Policy, str]:
    """Return the stricter of the user's policy and that of the file, and what is said of it."""
    users = prompt.policy or session.kernel_policies.get(prompt.kernel_id)
    users = users or session.policy_for(prompt.user)
    asked = found.prompt.policy
    if asked is None:
        return users, ""
    policy = stricter(users, host.config.bounds.within_policy(asked))
    if policy == asked or stricter(users, asked) == asked:
        return policy, ""
    return policy, (
        f"The saved prompt /{found.prompt.name} asks for the policy {asked}. Yours is stricter: "
        f"{policy} applies."
    )


def _text(prompt: Prompt) -> str:
    if isinstance(prompt.content, str):
        return prompt.content
    first = prompt.content[0] if prompt.content else {}
    return text(first.get("text")) if first.get("type") == "text" else ""


def _with(prompt: Prompt, words: str) -> str | Blocks:
    if isinstance(prompt.content, str):
        return words
    first, *others = prompt.content
    return ({**first, "text": words}, *others)


def _called(written: str) -> tuple[str, str]:
    """Return the name after the slash that a prompt begins with, and the rest."""
    words = written.lstrip()
    if not words.startswith("/"):
        return "", ""
    name, *rest = words[1:].split(maxsplit=1)[:2] or [""]
    return (name, rest[0] if rest else "") if NAME.fullmatch(name) else ("", "")
