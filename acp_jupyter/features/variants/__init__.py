"""Trying a prompt several ways, each in a copy of the folder."""
