"""Files of segments, in and out, one module per format: see `exchange.py`."""
