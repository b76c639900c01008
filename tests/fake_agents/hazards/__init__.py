"""Modes that do one thing that real agents were seen to do wrong, by what goes wrong.

Whatever the mode, the prompt "again" is answered with "Still here.", which shows that the session
has outlived the hazard.
"""

__all__ = ["NOUNS"]

NOUNS = ("turns", "starts", "updates", "lines", "requests", "dialects", "processes")
"""The modules; each has a table of its `MODES`."""
