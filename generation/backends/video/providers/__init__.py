"""Clips from the video models of providers, behind the interface of `clips.ClipBackend`.

An adapter (`adapters/`) says what a provider can do, as data, and how its requests are written and
read; it sends nothing. `transport` sends, `job` submits and polls, `backend` does all of it for one
clip, and `registry` finds adapters by name.
"""
