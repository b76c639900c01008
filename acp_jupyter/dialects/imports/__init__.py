"""Imports: a log of any dialect as the traffic of a new session, with its turns.

Reading the file and storing the session are `acp_jupyter.host`'s.
"""
