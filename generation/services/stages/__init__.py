"""The stages of a run, one file each; `stage_registry` finds them."""
