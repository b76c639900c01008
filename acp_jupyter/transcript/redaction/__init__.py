"""Takes secrets, and paths of this machine, out of what is written down, saved or exported."""
