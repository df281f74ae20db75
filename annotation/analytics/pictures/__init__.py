"""Pictures of figures, for papers and pages: one file per kind, each with its table."""
