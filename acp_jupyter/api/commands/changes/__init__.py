"""Commands about the changes of turns: revert them, go back to before a turn, keep a variant's."""
