"""Agents that come with acp-jupyter, each a program of its own (``python -m``).

They speak ACP over stdio like any other agent and import nothing of the rest of the package but
``protocol`` and ``dialects``. Those that are no bridge to another are built on the protocol's SDK;
what they share is `serving`.
"""
