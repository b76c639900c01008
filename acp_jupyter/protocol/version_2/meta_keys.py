"""Keys in ``_meta`` for what version 2 has and version 1 has no field for."""

REPLACES = "acp-jupyter/replaces"
"""On a chunk: it replaces the text of its message instead of being added to it."""
ASKED_WORDS = "acp-jupyter/words"
"""On a permission request: what the agent says about the request itself."""

TERMINAL_ALONE = "acp-jupyter/terminal-alone"
"""On a tool call: the update is only about a terminal, whose id it carries."""

CAN_CANCEL = "acp-jupyter/can-cancel"
"""On a tool call or a terminal: whether the client may cancel it now."""
BACKGROUND = "acp-jupyter/background"
"""On a session's info: all background work."""

CUT = "acp-jupyter/cut"
"""On a message's parameters, update or tool call: more was sent than is read."""
