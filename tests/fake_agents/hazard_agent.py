#!/usr/bin/env python3
"""Does one thing that real agents were seen to do wrong: ``hazard_agent.py MODE``.

The modes stand in ``hazards``. Whatever the mode, the prompt "again" is answered with "Still
here.", which shows that the session has outlived the hazard.
"""

from __future__ import annotations

import sys

from hazards import lines, processes, requests, starts, turns, updates

MODES = {
    **updates.MODES,
    **lines.MODES,
    **turns.MODES,
    **starts.MODES,
    **requests.MODES,
    **processes.MODES,
}

if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in MODES:
        MODES[name].run()
    else:
        sys.exit(f"No mode {name!r}. There are: {', '.join(sorted(MODES))}")
