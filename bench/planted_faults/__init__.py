"""How good the judge is: tallies of published files, samples to label, planted faults."""
