"""The agents that come with acp-jupyter, each a program of its own (``python -m``).

They speak ACP over stdio like any other agent, and import only ``protocol`` and ``dialects`` from
the rest of the package. They share `rpc`: line-based JSON-RPC, with threads for reading and
writing.
"""
