"""Handlers: they carry out the commands, by noun, once `acp_jupyter.api.dispatch` has found them.

A handler checks who may do it (`acp_jupyter.api.access`) and calls the host. The models of the
commands are in `acp_jupyter.api.models`, their routes in `acp_jupyter.server.routes`.
"""
