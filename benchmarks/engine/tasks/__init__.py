"""The tasks, a folder each with a `TASK`; no other code names them."""
