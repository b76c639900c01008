"""What is known of agents that the public registry does not say: their programs and short ids.

Packages that this project has tried are newer than the registry's in places; they stand here with
the day on which they were tried. A registry of a later day wins.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_jupyter.host.public_registry.snapshot import Runner


@dataclass(frozen=True)
class Known:
    """An agent that this project knows.

    Attributes
    ----------
    id
        As people type it.
    command
        The program that its package installs.
    listed
        Its ids in the registry, now and before.
    install
        How it is installed, where that is no package of npx or uvx.
    runner, package, args
        What was tried, in place of what the registry says; ``args`` also where only these differ.
    website
        Where the registry has none.
    tried
        The day on which it was tried.
    state
        Files and folders that it keeps for itself, as a shell would read them.
    hosts
        Those of its model and its login, as its makers name them. Of agents that take many models
        only what all of them need; an entry adds the others.
    """

    id: str
    command: str
    listed: tuple[str, ...] = ()
    install: str = ""
    runner: Runner = "npx"
    package: str = ""
    args: tuple[str, ...] | None = None
    website: str = ""
    tried: str = ""
    state: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


KNOWN = (
    Known("auggie", "auggie"),
    Known("cagent", "cagent"),
    Known(
        "claude",
        "claude-agent-acp",
        ("claude-code-acp", "claude-acp", "claude-code", "claude-agent-acp"),
        package="@agentclientprotocol/claude-agent-acp@0.101.0",
        args=(),
        tried="2026-11-27",
        state=("${CLAUDE_CONFIG_DIR:-~/.claude}", "~/.claude.json"),
        hosts=("api.anthropic.com", "claude.ai", "console.anthropic.com", "platform.claude.com"),
    ),
    Known("code-assistant", "code-assistant"),
    Known(
        "codex",
        "codex-acp",
        ("codex-acp",),
        package="@agentclientprotocol/codex-acp@2.6.0",
        args=(),
        tried="2026-11-27",
        state=("${CODEX_HOME:-~/.codex}",),
        hosts=("api.openai.com", "auth.openai.com", "chatgpt.com"),
    ),
    Known("droid", "droid", ("factory-droid",), website="https://factory.ai"),
    Known(
        "gemini",
        "gemini",
        package="@google/gemini-cli@0.61.0",
        args=("--acp",),
        tried="2026-11-27",
        state=("~/.gemini",),
        hosts=(
            *("generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com"),
            *("oauth2.googleapis.com", "accounts.google.com"),
        ),
    ),
    Known("copilot", "copilot-language-server", ("github-copilot",)),
    Known(
        "goose",
        "goose",
        state=(
            "${XDG_CONFIG_HOME:-~/.config}/goose",
            "${XDG_DATA_HOME:-~/.local/share}/goose",
            "${XDG_STATE_HOME:-~/.local/state}/goose",
        ),
    ),
    Known(
        "kimi",
        "kimi",
        install="uv tool install kimi-cli",
        state=("~/.kimi",),
        hosts=("api.kimi.com", "api.moonshot.ai", "api.moonshot.cn"),
    ),
    Known(
        "vibe",
        "vibe-acp",
        ("mistral-vibe",),
        install="uv tool install mistral-vibe",
        state=("${VIBE_HOME:-~/.vibe}",),
        hosts=("api.mistral.ai",),
    ),
    Known(
        "opencode",
        "opencode",
        package="opencode-ai@1.18.33",
        args=("acp",),
        tried="2026-11-27",
        state=(
            "${XDG_DATA_HOME:-~/.local/share}/opencode",
            "${XDG_STATE_HOME:-~/.local/state}/opencode",
            "${XDG_CONFIG_HOME:-~/.config}/opencode",
            "${XDG_CACHE_HOME:-~/.cache}/opencode",
        ),
        hosts=("models.dev", "opencode.ai"),
    ),
    Known("qoder", "qodercli"),
    Known(
        "qwen", "qwen", ("qwen-code",), state=("~/.qwen",), hosts=("chat.qwen.ai", "portal.qwen.ai")
    ),
    Known("stakpak", "stakpak"),
)


def known_agent(registry_id: str) -> Known | None:
    """Return what is known of an agent of the registry; None if nothing is."""
    return next((k for k in KNOWN if registry_id == k.id or registry_id in k.listed), None)
