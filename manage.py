#!/usr/bin/env python
"""PIE-V's command line in a checkout; an installed PIE-V has the same as `piev`."""

from piev_site.command import main

if __name__ == "__main__":
    main()
