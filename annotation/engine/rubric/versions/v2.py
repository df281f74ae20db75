"""Version 2 of the rubric: the metrics, scales and rules of version 1, asked in other words.

Version 1 asked of a correction what it asked of a mistake, so its answers on corrections mean
something else. The sentences are in `v2.toml`.
"""

from dataclasses import replace

from annotation.engine.rubric.versions import v1

RUBRIC = replace(v1.RUBRIC, version="2")
