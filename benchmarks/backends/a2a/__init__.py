"""The protocol A2A: asking agents, being asked to assess one, and taking part as one.

All but `cards` and `exceptions` needs the extra `a2a`, so callers import those when they ask.
"""
