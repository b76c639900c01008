"""The notebook tools for agents that were started elsewhere, in a terminal or another program.

`agents` admits such agents by a key, and shows the calls of each as a session; `command` is the
program that they start.
"""
