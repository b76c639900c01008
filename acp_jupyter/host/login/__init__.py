"""Logging in to agents, and out again."""
