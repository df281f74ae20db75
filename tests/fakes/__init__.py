"""Servers that the tests run on this machine in place of the outside world."""
