"""The schemes after which recordings are segmented, one file each: see `segments/scheme.py`."""
