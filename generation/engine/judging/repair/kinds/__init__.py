"""The deterministic repairs: one module each, found by `repair.deterministic`."""
