"""Modes of the hazard agent, by what goes wrong."""
