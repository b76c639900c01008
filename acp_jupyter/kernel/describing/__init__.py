"""What can be told of values without harm: bounded in size, and in time."""
