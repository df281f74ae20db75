"""The correction types: one module each, found by `correction_kinds`."""
