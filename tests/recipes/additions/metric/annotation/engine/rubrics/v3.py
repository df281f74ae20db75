"""Version 3 of the rubric: version 2, and how tiring it is to put a mistake right."""

from dataclasses import replace

from annotation.engine.rubric import Metric, MetricDefinition, Scale, Scope
from annotation.engine.rubrics import v2

EFFORT = MetricDefinition(Metric.EFFORT, "Effort", Scope.EVENT, Scale.LIKERT)
RUBRIC = replace(v2.RUBRIC, version="3", metrics=(*v2.RUBRIC.metrics, EFFORT))
