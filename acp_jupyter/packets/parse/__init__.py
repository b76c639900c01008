"""From one object of any dialect to one packet; total, never raising, losing nothing."""
