"""Which files a turn made, changed and deleted, whoever did it."""
