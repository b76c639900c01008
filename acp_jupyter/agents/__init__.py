"""Agents that come with acp-jupyter, each a program of its own (``python -m``).

They speak ACP over stdio like any other agent and import nothing of the rest of the package but
``packets``. What they share lies here: JSON-RPC by lines, on threads of its own.
"""
