"""Readers of annotation files, one module per data set.

A format module defines `TITLE` (shown to people), `DESCRIPTION` (what to point it at),
`IS_VERIFIED` (whether it has met real files; pages say where it has not), where it is known
`LICENCE` (of the published files), and
`read(path) -> Reading`, where `path` is a file or a folder. It raises `FormatError` with every
problem it found and writes nothing. Adding a format is adding one module here: `registry` finds it
by its file name.
"""
