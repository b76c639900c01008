"""What is large: long lines are read in steps, and of a message as much as costs little."""
