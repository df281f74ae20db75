"""The tasks: every folder in `tasks/` that has a `TASK`."""

from functools import lru_cache

from annotation.engine.modules import offered
from benchmarks.engine.task import Task

PACKAGE = "benchmarks.engine.tasks"


@lru_cache(1)
def tasks() -> dict[str, Task]:
    """The tasks by name, in the order of their names."""
    return {task.name: task for task in offered(PACKAGE, "TASK").values()}
