"""Commands about what turns changed: revert it, go back to before them, keep a variant's."""
