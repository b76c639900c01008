"""Paths and command lines as Windows has them: pure functions, which work on any system."""
