"""Which mistakes happen where in a procedure; one file per error type in `error_types/`."""
