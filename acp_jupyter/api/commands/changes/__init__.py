"""Commands about the changes of turns: revert or keep them, go back to before a turn."""
