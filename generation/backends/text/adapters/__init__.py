"""One file per protocol of text models: a `TITLE` and a `build(settings)` each; see `registry`."""
