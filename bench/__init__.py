"""Figures that `make bench` measures, each beside a named peer in the same run.

One module per figure, run as `python -m bench.<name>`; `measure` holds what they share.
"""
