"""Agents that come with acp-jupyter, each a program of its own (``python -m``).

They speak ACP over stdio like any other agent and import nothing of the rest of the package but
``protocol`` and ``dialects``. What they share is `rpc`: JSON-RPC by lines, on threads of its own.
"""
