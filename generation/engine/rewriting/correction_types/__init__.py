"""The writers of correction types: one module each, found by `registry.correction_writers`."""
