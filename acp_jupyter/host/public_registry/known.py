"""Facts about agents that the public registry lacks, such as their programs and short ids.

Some packages that this project has tried are newer than the registry's: they are listed here with
the day of the test. A registry of a later day takes precedence.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_jupyter.host.public_registry.snapshot import Runner


@dataclass(frozen=True)
class KnownAgent:
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
        How it is installed, if not as a package of npx or uvx.
    runner, package, args
        The tested values, in place of the registry's; ``args`` also if only these differ.
    website
        The website, if the registry has none.
    tried
        The day of the test.
    state
        Folders with the agent's own state, in shell syntax.
    settings
        Files, or folders that end in a slash, that are programs which the agent runs, or name some.
        Read-only in a sandbox, since the agent also runs them outside of sandboxes.
    in_partial
        What the user has to know about a sandbox at the partial level.
    hosts
        Hosts of its model and its login, as documented. For an agent with a choice of models, only
        those that all of them need; an entry adds the others.
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
    settings: tuple[str, ...] = ()
    in_partial: str = ""
    hosts: tuple[str, ...] = ()


KNOWN = (
    KnownAgent("auggie", "auggie"),
    KnownAgent("cagent", "cagent"),
    KnownAgent(
        "claude",
        "claude-agent-acp",
        ("claude-code-acp", "claude-acp", "claude-code", "claude-agent-acp"),
        package="@agentclientprotocol/claude-agent-acp@0.101.0",
        args=(),
        tried="2026-11-27",
        state=("${CLAUDE_CONFIG_DIR:-~/.claude}",),
        settings=(
            "${CLAUDE_CONFIG_DIR:-~}/.claude.json",
            "${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json",
            "${CLAUDE_CONFIG_DIR:-~/.claude}/settings.local.json",
            "${CLAUDE_CONFIG_DIR:-~/.claude}/agents/",
            "${CLAUDE_CONFIG_DIR:-~/.claude}/commands/",
            "${CLAUDE_CONFIG_DIR:-~/.claude}/hooks/",
            "${CLAUDE_CONFIG_DIR:-~/.claude}/plugins/",
            "${CLAUDE_CONFIG_DIR:-~/.claude}/skills/",
            "${CLAUDE_CONFIG_DIR:-~/.claude}/CLAUDE.md",
        ),
        hosts=("api.anthropic.com", "claude.ai", "console.anthropic.com", "platform.claude.com"),
    ),
    KnownAgent("code-assistant", "code-assistant"),
    KnownAgent(
        "codex",
        "codex-acp",
        ("codex-acp",),
        package="@agentclientprotocol/codex-acp@2.6.0",
        args=(),
        tried="2026-11-27",
        state=("${CODEX_HOME:-~/.codex}",),
        settings=(
            "${CODEX_HOME:-~/.codex}/config.toml",
            "${CODEX_HOME:-~/.codex}/hooks.json",
            "${CODEX_HOME:-~/.codex}/AGENTS.md",
            "${CODEX_HOME:-~/.codex}/prompts/",
            "${CODEX_HOME:-~/.codex}/rules/",
        ),
        in_partial="Codex can't make its own sandbox inside this one, so the commands that it runs "
        "without asking fail. It may ask to run them outside of its own, or you choose its mode "
        "Full access: this sandbox holds either way.",
        hosts=("api.openai.com", "auth.openai.com", "chatgpt.com"),
    ),
    KnownAgent("droid", "droid", ("factory-droid",), website="https://factory.ai"),
    KnownAgent(
        "gemini",
        "gemini",
        package="@google/gemini-cli@0.61.0",
        args=("--acp",),
        tried="2026-11-27",
        state=("~/.gemini",),
        settings=(
            "~/.gemini/settings.json",
            "~/.gemini/GEMINI.md",
            "~/.gemini/commands/",
            "~/.gemini/extensions/",
            "~/.gemini/hooks/",
            "~/.gemini/policies/",
            "~/.gemini/skills/",
        ),
        hosts=(
            *("generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com"),
            *("oauth2.googleapis.com", "accounts.google.com"),
        ),
    ),
    KnownAgent("copilot", "copilot-language-server", ("github-copilot",)),
    KnownAgent(
        "goose",
        "goose",
        state=(
            "${XDG_CONFIG_HOME:-~/.config}/goose",
            "${XDG_DATA_HOME:-~/.local/share}/goose",
            "${XDG_STATE_HOME:-~/.local/state}/goose",
        ),
    ),
    KnownAgent(
        "kimi",
        "kimi",
        install="uv tool install kimi-cli",
        state=("~/.kimi",),
        hosts=("api.kimi.com", "api.moonshot.ai", "api.moonshot.cn"),
    ),
    KnownAgent(
        "vibe",
        "vibe-acp",
        ("mistral-vibe",),
        install="uv tool install mistral-vibe",
        state=("${VIBE_HOME:-~/.vibe}",),
        hosts=("api.mistral.ai",),
    ),
    KnownAgent(
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
        settings=(
            "${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.json",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.jsonc",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/config.json",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/AGENTS.md",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/agent/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/agents/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/command/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/commands/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/node_modules/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/plugin/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/plugins/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/skill/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/skills/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/tool/",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/tools/",
            "${XDG_CACHE_HOME:-~/.cache}/opencode/bin/",
            "${XDG_CACHE_HOME:-~/.cache}/opencode/node_modules/",
            "${XDG_CACHE_HOME:-~/.cache}/opencode/packages/",
        ),
        hosts=("models.dev", "opencode.ai"),
    ),
    KnownAgent("qoder", "qodercli"),
    KnownAgent(
        "qwen", "qwen", ("qwen-code",), state=("~/.qwen",), hosts=("chat.qwen.ai", "portal.qwen.ai")
    ),
    KnownAgent("stakpak", "stakpak"),
)


def known_agent(registry_id: str) -> KnownAgent | None:
    """Return the known facts about an agent of the registry, if any."""
    return next((k for k in KNOWN if registry_id == k.id or registry_id in k.listed), None)
