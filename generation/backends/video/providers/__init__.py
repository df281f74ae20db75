"""Clips from the video models of providers, behind the interface of `clips.ClipBackend`.

An adapter (`adapters/`) says what a provider can do, as data, and how its requests are written and
read; it sends nothing. `ordering` fits a request to that, `transport` sends, `job` submits, polls
and fetches, and `registry` finds adapters by name. `generation.services.clips.provider_clips`
stores what was ordered.
"""
