"""Counters and traces of all sessions, for the operators of a server."""
