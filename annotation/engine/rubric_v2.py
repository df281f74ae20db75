"""Version 2 of the rubric: the metrics, scales and rules of version 1, asked in other words.

Version 1 asked of a correction what it asked of a mistake, so its answers on corrections mean
something else. The sentences are in `guidelines/built_in_2.toml`.
"""

from dataclasses import replace

from annotation.engine.rubric_v1 import RUBRIC_V1

RUBRIC_V2 = replace(RUBRIC_V1, version="2")
