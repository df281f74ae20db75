"""Changes to rounds of texts and to verdicts."""
