"""The repair loop of the judge."""
