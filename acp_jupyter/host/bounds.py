"""What the administrator of a server allows: agents, policies, downloads, hosts, attachments.

A user's settings can narrow these bounds, and never widen them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any, Self, get_args

from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox, SandboxLevel
from acp_jupyter.protocol.turn_limit import NO_LIMIT, TurnLimit, TurnLimitError, read_turn_limit
from acp_jupyter.protocol.vocabulary import UNASKED_WORDS, read_unasked

POLICIES: tuple[Policy, ...] = get_args(Policy)
SANDBOXES: tuple[Sandbox, ...] = ("off", "folder", "copy", "read-only")
"""From the least to the most restrictive."""
NETWORKS: tuple[Network, ...] = ("none", "hosts", "all")
"""From the most to the least restrictive."""
LEVELS: tuple[SandboxLevel, ...] = ("none", "partial", "full")
_ANY = ("*",)
_MAX_INSTRUCTIONS = 20_000
DECIDED = "The administrator of this server has decided so."
MASKS_VARIABLE = "ACP_JUPYTER_MASKS"
"""Environment variable with the masked columns, as a JSON list, for the kernels of a server."""


@dataclass(frozen=True)
class Bounds:
    """What is allowed. Names of agents and hosts are patterns, such as ``claude*``.

    Attributes
    ----------
    agents
        Each tuple of patterns must match an agent's id.
    remote_hosts
        Each must match the host of an agent that runs elsewhere.
    policies
        Those that a session or a prompt may have.
    sandboxes
        The same of sandboxes.
    sandbox_level
        The level at which a sandbox must be enforced; otherwise no agent starts in one.
    downloads
        Whether agents may be downloaded.
    mcp_commands
        Whether MCP servers of the configuration may be programs.
    attachments
        Whether prompts may carry files, variables and cells.
    unasked_modes
        Whether agents may work in modes in which they don't ask about everything.
    instructions
        Instructions for all agents.
    masks
        Columns of tables whose values no agent reads, as patterns.
    turn_limit
        The most that a turn may use.
    """

    agents: tuple[tuple[str, ...], ...] = ()
    remote_hosts: tuple[tuple[str, ...], ...] = ()
    policies: tuple[Policy, ...] = POLICIES
    sandboxes: tuple[Sandbox, ...] = SANDBOXES
    sandbox_level: SandboxLevel = "none"
    downloads: bool = True
    mcp_commands: bool = True
    attachments: bool = True
    unasked_modes: bool = True
    instructions: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    turn_limit: TurnLimit = NO_LIMIT

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Return the bounds of one configuration."""
        policies = _names(settings, "allowed_policies", POLICIES)
        unknown = [name for name in policies if name not in POLICIES]
        if unknown:
            raise BadRequest(
                f"allowed_policies names {unknown[0]!r}, which is no policy. "
                f"Policies: {', '.join(POLICIES)}."
            )
        sandboxes = _names(settings, "allowed_sandboxes", SANDBOXES)
        unknown = [name for name in sandboxes if name not in SANDBOXES]
        if unknown:
            raise BadRequest(
                f"allowed_sandboxes names {unknown[0]!r}, which is no sandbox. "
                f"Sandboxes: {', '.join(SANDBOXES)}."
            )
        level = settings.get("required_sandbox_level", "none")
        if level not in LEVELS:
            raise BadRequest(f"required_sandbox_level must be one of: {', '.join(LEVELS)}.")
        return cls(
            (_names(settings, "allowed_agents", _ANY),),
            (_names(settings, "allowed_remote_hosts", _ANY),),
            tuple(policy for policy in POLICIES if policy in policies),
            tuple(sandbox for sandbox in SANDBOXES if sandbox in sandboxes),
            level,
            _flag(settings, "allow_downloads"),
            _flag(settings, "allow_mcp_commands"),
            _flag(settings, "allow_attachments"),
            _flag(settings, "allow_unasked_modes"),
            _instructions(settings),
            _names(settings, "required_masks", ()),
            _turn_limit(settings),
        ).checked()

    def within(self, other: Bounds) -> Bounds:
        """Return the bounds that allow only what both do."""
        return replace(
            self,
            agents=(*other.agents, *self.agents),
            remote_hosts=(*other.remote_hosts, *self.remote_hosts),
            policies=tuple(policy for policy in self.policies if policy in other.policies),
            sandboxes=tuple(each for each in self.sandboxes if each in other.sandboxes),
            sandbox_level=max(self.sandbox_level, other.sandbox_level, key=LEVELS.index),
            downloads=self.downloads and other.downloads,
            mcp_commands=self.mcp_commands and other.mcp_commands,
            attachments=self.attachments and other.attachments,
            unasked_modes=self.unasked_modes and other.unasked_modes,
            turn_limit=self.turn_limit.within(other.turn_limit),
            instructions=tuple(dict.fromkeys((*other.instructions, *self.instructions))),
            masks=tuple(dict.fromkeys((*other.masks, *self.masks))),
        ).checked()

    def checked(self) -> Self:
        """Return these bounds if they are valid."""
        if not self.policies:
            raise BadRequest(
                "The settings named allowed_policies leave no policy that all of them allow. "
                "Correct them; until then no agent is run."
            )
        if not self.sandboxes:
            raise BadRequest(
                "The settings named allowed_sandboxes leave no sandbox that all of them allow. "
                "Correct them; until then no agent is run."
            )
        apart = any(_are_apart(one, other) for one, other in combinations(self.agents, 2))
        if apart or not all(self.agents):
            raise BadRequest(
                "The settings named allowed_agents leave no agent that all of them allow. "
                "Correct them; until then no agent is run."
            )
        return self

    @property
    def policy(self) -> Policy:
        """The policy of new sessions."""
        return self.within_policy("ask")

    def within_policy(self, policy: Policy) -> Policy:
        """Return the policy, else the next stricter allowed one, else the strictest allowed."""
        order = sorted(self.policies, key=_MIN.index)
        return next((p for p in reversed(order) if _MIN.index(p) <= _MIN.index(policy)), order[0])

    def forbids_agent(self, agent_id: str, host: str = "") -> bool:
        """Return whether an agent is not allowed; ``host`` is that of a remote agent."""
        if not all(_matches(agent_id, patterns) for patterns in self.agents):
            return True
        return bool(host) and not all(_matches(host, each) for each in self.remote_hosts)

    def require_attachments(self, blocks: Iterable[Mapping[str, Any]]) -> None:
        """Check that a prompt with these content blocks is allowed."""
        if not self.attachments and any(block.get("type") != "text" for block in blocks):
            raise NotAllowed(f"Attachments are not allowed here. {DECIDED} Send text alone.")

    def forbids_mode(self, mode_id: str, name: str) -> bool:
        """Return whether a mode is not allowed, because the agent asks less in it."""
        return not self.unasked_modes and bool(read_unasked(mode_id, name))

    def require_mode(self, mode_id: str, name: str) -> None:
        """Check that a mode of an agent is allowed."""
        if self.forbids_mode(mode_id, name):
            words = UNASKED_WORDS[read_unasked(mode_id, name)]
            raise NotAllowed(
                f"The mode {name or mode_id} is not allowed here: there the agent {words}. "
                f"{DECIDED}"
            )

    def require_policy(self, policy: Policy | None) -> None:
        """Check that a policy is allowed; None is."""
        if policy is not None and policy not in self.policies:
            others = ", ".join(self.policies)
            raise NotAllowed(
                f"The policy {policy} is not allowed here. {DECIDED} Choose one of: {others}."
            )

    @property
    def needs_walls(self) -> bool:
        """Whether no agent may run without a sandbox."""
        return self.sandbox_level != "none" and "off" not in self.sandboxes

    def within_sandbox(self, sandbox: Sandbox) -> Sandbox:
        """Return the sandbox, else the next stricter allowed one, else the strictest allowed."""
        start = SANDBOXES.index(sandbox)
        return next(
            (each for each in SANDBOXES[start:] if each in self.sandboxes), self.sandboxes[-1]
        )

    def require_sandbox(self, sandbox: Sandbox | None) -> None:
        """Check that a sandbox is allowed; None is."""
        if sandbox is not None and sandbox not in self.sandboxes:
            others = ", ".join(self.sandboxes)
            raise NotAllowed(
                f"The sandbox {sandbox} is not allowed here. {DECIDED} Choose one of: {others}."
            )


def require_no_more(network: Network, now: Network) -> None:
    """Do nothing if a network reaches no more than the one of now."""
    if NETWORKS.index(network) > NETWORKS.index(now):
        raise NotAllowed(
            f"Only the user can open the network of a session from {now} to {network}: do it in "
            "the panel."
        )


_MIN: tuple[Policy, ...] = ("deny", "read-only", "ask", "accept-edits", "allow-all")


def stricter(one: Policy, other: Policy) -> Policy:
    """Return the policy of the two that allows less."""
    return min(one, other, key=_MIN.index)


def _are_apart(names: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return whether no name can match both; False if that is unclear, as both have wildcards."""
    for these, those in ((names, patterns), (patterns, names)):
        if not any(character in name for name in these for character in "*?["):
            return not any(_matches(name, those) for name in these)
    return False


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _names(settings: Mapping[str, Any], name: str, default: Sequence[str]) -> tuple[str, ...]:
    value = settings.get(name, default)
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise BadRequest(f"{name} must be a list of names.")
    return tuple(value)


def _instructions(settings: Mapping[str, Any]) -> tuple[str, ...]:
    words = settings.get("instructions", "")
    if not isinstance(words, str):
        raise BadRequest("instructions must be a text.")
    if len(words) > _MAX_INSTRUCTIONS:
        raise BadRequest(
            f"instructions has {len(words)} characters, and the limit is {_MAX_INSTRUCTIONS}."
        )
    return (words.strip(),) if words.strip() else ()


def _turn_limit(settings: Mapping[str, Any]) -> TurnLimit:
    words = settings.get("turn_limit", "")
    if not isinstance(words, str):
        raise BadRequest("turn_limit must be a text.")
    try:
        return read_turn_limit(words)
    except TurnLimitError as error:
        raise BadRequest(f"turn_limit: {error}") from None


def _flag(settings: Mapping[str, Any], name: str) -> bool:
    value = settings.get(name, True)
    if not isinstance(value, bool):
        raise BadRequest(f"{name} must be True or False.")
    return value
