"""What the demo launches: one run over the sample corpus, from plans to published traces."""

from annotation.models import Dataset, Take
from generation.engine.planner.profiles import PIEV
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import Run
from generation.services.runs import RunRequest

RUN_NAME = "Everyday procedures with mistakes"
SEED = 2026


def demo_request(dataset: Dataset) -> RunRequest | None:
    """Return the run to launch, None where the site has it already."""
    if Run.objects.filter(dataset=dataset, name=RUN_NAME).exists():
        return None
    return RunRequest(
        name=RUN_NAME,
        dataset=dataset,
        profile=PIEV,
        seed=SEED,
        stages=list(Stage),
        takes=Take.objects.filter(dataset=dataset),
        is_shared=True,
        options=RunOptions().to_dict(),
    )
