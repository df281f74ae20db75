"""Clips from the video models of providers, behind the interface of `clips.ClipBackend`.

An adapter (`adapters/`) says what a provider can do, as data, and how its requests are written and
read; it sends nothing. `ordering` fits a request to that, `transport` sends, `job` submits, polls
and fetches, and `registry` finds adapters by name. What was ordered is kept in rows by
`generation.services.clips.provider_clips`.
"""
