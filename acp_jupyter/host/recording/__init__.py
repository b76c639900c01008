"""Sessions that are recorded, and sessions that are played from their record."""
