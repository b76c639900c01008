"""Keys of ``_meta``: what version 2 says and version 1 has no field for."""

REPLACES = "acp-jupyter/replaces"
"""In the ``_meta`` of a chunk: it is not added to its message, but takes the place of its text."""
ASKED_WORDS = "acp-jupyter/words"
"""In the ``_meta`` of a permission request: what the agent says of the request itself."""

TERMINAL_ALONE = "acp-jupyter/terminal-alone"
"""In the ``_meta`` of a tool call: it is none, but tells of a terminal, whose id it has."""

CAN_CANCEL = "acp-jupyter/can-cancel"
"""In the ``_meta`` of a tool call, or a terminal: whether the client may cancel it now."""
BACKGROUND = "acp-jupyter/background"
"""In the ``_meta`` of a session's info: all the work that goes on beside the turns."""

CUT = "acp-jupyter/cut"
"""In the ``_meta`` of a message's parameters, update or tool call: more was sent than is read."""
