"""Build mode, the dialect of seed 002."""
