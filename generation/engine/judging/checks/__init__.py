"""The checks, found by `judging.check`: those of one subject in a file."""
