"""The commands of pages, kernels and HTTP clients, and the events that they get.

`models` has the messages and the table of commands, which kernels import without a host; `commands`
has the handlers. Web frameworks and widgets are only in `server` and `kernel`.
"""
