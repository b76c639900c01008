"""A prompt turn: from Python, and as a cell's output with its widget and questions.

Its items come from the host as they are; saved outputs are made by `acp_jupyter.transcript.output`,
and what a widget shows is drawn by the front end.
"""
