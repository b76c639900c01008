"""What the fake agent ``plays`` is to do, for pictures and for tests of looks."""
