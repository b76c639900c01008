"""Version 2 of the protocol, translated from and into version 1, which all else knows.

`Version2` follows one conversation, message by message. So there is one way to packets, and logs
that are replayed or imported and the host's own calls need no second one.
"""

from acp_jupyter.protocol.version_2.conversation import Version2, in_version_1

__all__ = ["Version2", "in_version_1"]
