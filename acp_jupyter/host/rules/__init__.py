"""Answers to permission requests that users had remembered."""
