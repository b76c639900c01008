"""Logs of any kind, as the lines of a session."""
