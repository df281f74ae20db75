"""Check a rewrite against its plan, and repair it; `checks/` has one file per check."""
