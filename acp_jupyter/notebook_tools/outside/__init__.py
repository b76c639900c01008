"""The notebook tools for agents that were started elsewhere, in a terminal or another program.

`agents` admits them by their key, and shows what each does as a session; `command` is the program
that they start.
"""
