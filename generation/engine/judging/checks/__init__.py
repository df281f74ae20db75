"""The checks, found by `judging.check`: a file each, or one for a family that shares its code."""
