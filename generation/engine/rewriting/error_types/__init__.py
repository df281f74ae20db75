"""The writers of error types: one module each, found by `registry.error_writers`."""
