"""Simulating the corrections of planned mistakes; each kind has a file in `correction_kinds/`."""
