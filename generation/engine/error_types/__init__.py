"""The error types: one module each, found by `registry`."""
