#!/usr/bin/env python3
"""An agent that does what a test needs of one: ``fake_agent.py MODE [WORD...]``.

A mode is a function of the same name, which takes the words; it stands in ``modes``, by nouns:

words           says something, quickly or slowly
loads           does very much: floods, long turns, many sessions at once
permissions     asks for permission
elicitation     asks its user questions
files           reads and changes files, by its client or by tools of its own
steps           does step by step what a test has written down: a scene, terminals, late requests
sessions        remembers what was said, and takes sessions up again
abilities       has modes and models, takes other prompts, is steered, has child sessions
logins          wants a login
notebook_tools  uses the notebook tools, suggests cells
secrets         says what is nobody's business
attacks         tries what it may not
chaos           writes down what it sent, whatever ends it
benches         is measured with
version_2       speaks version 2 of the protocol

Any other mode does one thing that real agents were seen to do wrong, and is in ``hazards``.
"""

from __future__ import annotations

import sys
from importlib import import_module

NOUNS = {
    "words": ("hello", "lingers", "says", "slow_stream"),
    "loads": ("flood", "works", "hostile", "many_sessions"),
    "permissions": ("permission", "two_permissions", "asks", "reads_log"),
    "elicitation": ("elicit",),
    "files": ("edits_files", "own_tools", "runs_commands", "says_nothing"),
    "steps": ("plays", "terminal_script", "acts_late"),
    "sessions": ("keeps_sessions", "keeps_turns"),
    "abilities": ("chooses", "speaks_first", "takes", "steers", "delegates"),
    "logins": ("wants_login",),
    "notebook_tools": ("notebook_user", "answers", "suggests", "asks_mcp"),
    "secrets": ("canary", "leaky", "dies_leaking", "env_dump"),
    "attacks": ("tries_secrets",),
    "chaos": ("chaos",),
    "benches": ("measured", "says_the_time"),
    "version_2": ("version_2",),
}
"""A module is imported only where one of its modes is meant: agents start thousands of times."""
MODES = {mode: noun for noun, modes in NOUNS.items() for mode in modes}


def main() -> None:
    """Run the command line; from here on the agent is called as its mode is."""
    sys.argv = sys.argv[1:]
    mode, *words = sys.argv
    if mode in MODES:
        getattr(import_module(f"modes.{MODES[mode]}"), mode)(*words)
        return
    for noun in import_module("hazards").NOUNS:
        hazards = import_module(f"hazards.{noun}").MODES
        if mode in hazards:
            hazards[mode].run()
            return
    sys.exit(f"There is no mode {mode!r}.")


if __name__ == "__main__":
    main()
