"""The deterministic repairs, found by `repair.repair`: those of one subject in a file."""
