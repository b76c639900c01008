"""Translates version 2 of the protocol from and into version 1, which everything else uses.

`Version2` follows one conversation, message by message. Replayed and imported logs and the host's
own requests all take this path.
"""

from acp_jupyter.protocol.version_2.conversation import Version2, in_version_1

__all__ = ["Version2", "in_version_1"]
