"""The schemes of segments, one file each: see `segments/engine/scheme.py`."""
