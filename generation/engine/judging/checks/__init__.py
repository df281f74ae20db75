"""The checks: one module each, found by `judging.check`."""
