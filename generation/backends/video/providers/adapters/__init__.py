"""One file per provider, with a `PROVIDER`; none of them has ever met the real service."""
