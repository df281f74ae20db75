"""Question sets: queued, made, reviewed and frozen."""
