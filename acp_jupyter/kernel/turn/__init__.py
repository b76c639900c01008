"""A prompt turn: its Python interface, and its output in a cell, with widget and questions.

Its items come from the host unchanged; `acp_jupyter.transcript.output` makes saved outputs, and the
front end draws widgets.
"""
