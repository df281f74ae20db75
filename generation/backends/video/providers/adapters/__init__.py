"""One file per provider, with a `PROVIDER`; none has been tried against the real service."""
