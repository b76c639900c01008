"""Modes of the fake agent, by nouns; ``fake_agent.py`` says which is where."""
