"""What a field of a command does when a kernel sends it."""

from __future__ import annotations

__all__ = [
    "AGENTS",
    "FORCED",
    "LESS",
    "LOOKS",
    "MADE",
    "NAMES",
    "NEVER",
    "OWN",
    "PROVEN",
    "SAYS",
    "Fields",
    "never",
]

NEVER = "a kernel is refused"
NAMES = "names what it is about; a kernel finds only what is its own or its notebook's"
LOOKS = "chooses what is read"
SAYS = "what is said or shown, with no say in who decides"
OWN = "counts for the kernel's own prompts alone"
MADE = "counts where a session is made, never for one that is there"
FORCED = "the server's own knowledge takes its place"
LESS = "can only take away"
PROVEN = "must lead to the kernel itself, which proves it"
AGENTS = "the agent's own choice: it counts for all, and is told in the session"

Fields = dict[str, str]


def never(*fields: str) -> Fields:
    return dict.fromkeys(fields, NEVER)
