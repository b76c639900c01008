"""Sharing a turn or a session as one HTML file, which can be played step by step."""
