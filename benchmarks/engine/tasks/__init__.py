"""The tasks, one folder each: its package holds a `TASK`, and nothing else has to know of it."""
