"""The commands of pages, kernels and HTTP clients, and the events that they get.

`models` are the messages and the table of commands, which kernels import without a host; `commands`
are the handlers. No web framework and no widgets: those are in `server` and `kernel`.
"""
