"""A sample of the takes of a run before launch, each read and planned once for all estimates."""

from django.db.models import QuerySet

from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import Take
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.files.plan_files import needs_run_statistics
from generation.engine.planner.plan import Plan
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import run_statistics_of
from generation.selectors.plans.procedures import prepare_takes

SAMPLED_TAKES = 20
# Fewer, because they are also written out, which takes longer than planning.
PRICED_TAKES = 10
SEED = 0


class RunSample:
    """`procedures` are those of the sampled takes, None for one that cannot be planned."""

    def __init__(self, takes: QuerySet[Take], profile: Profile) -> None:
        self.takes, self.profile = takes, profile
        self._procedures: dict[int, Procedure | None] = {}
        self._plans: dict[tuple[str, int, bool], Plan] = {}
        self.procedures = list(self.read(takes, SAMPLED_TAKES).values())
        self.readable = [item for item in self.procedures if item is not None and item.steps]
        self._statistics = None
        if self.readable and needs_run_statistics(profile):
            self._statistics = run_statistics_of(self.readable, profile=profile)

    def read(self, takes: QuerySet[Take], count: int) -> dict[int, Procedure | None]:
        """The procedures of some of the takes, by the key of the take.

        They are picked by the hash of their content, so that names and order do not matter.
        """
        keys = list(takes.order_by("content_hash", "pk").values_list("pk", flat=True)[:count])
        new = sorted(set(keys) - self._procedures.keys())
        if new:
            rows = Take.objects.filter(pk__in=new).order_by("pk")
            for key, prepared in zip(new, prepare_takes(rows), strict=True):
                self._procedures[key] = (
                    None if isinstance(prepared, FormatError) else prepared.procedure
                )
        return {key: self._procedures[key] for key in keys}

    def plan(self, procedure: Procedure, seed: int = SEED, *, corrects: bool = True) -> Plan:
        """The plan of a procedure as a run would make it."""
        key = (procedure.take_uid, seed, corrects)
        if key not in self._plans:
            if corrects:
                uncorrected = self.plan(procedure, seed, corrects=False)
                plan = correct_plan(uncorrected, profile=self.profile, seed=seed)
            else:
                plan = plan_take(
                    procedure, profile=self.profile, seed=seed, run_statistics=self._statistics
                )
            self._plans[key] = plan
        return self._plans[key]
