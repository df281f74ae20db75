"""One file per text model: a `NAME` and a `build(settings)` each; see `registry`."""
