"""Agents of the public registry, which need no configuration, and their downloads.

A package is downloaded and run only after the user has allowed it.
"""
