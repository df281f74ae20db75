"""The features of a procedure on which all draws rest: complexity, load, phase, blocks, reuse.

Letters: N steps. All sequences have one value per step. Source: PIE-V section 2 (Eq. 2) and C.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from generation.engine.planner.meaning import Meaning, meaning_reader
from generation.engine.planner.procedure_to_plan import Block, Procedure, ProcedureStep, is_timed
from generation.engine.planner.profile import BlockRule, Load, Profile
from generation.engine.planner.taxonomy import Phase


@dataclass(frozen=True, slots=True)
class Features:
    """One procedure, measured; sequences have N values.

    `durations_s` are 0 for a step without times (`timed_count` says how many have them). `loads`
    and both norms are in [0, 1]. `block_keys` identifies blocks, None where a step has none.
    """

    procedure: Procedure
    meanings: tuple[Meaning, ...]
    blocks: tuple[Block | None, ...]
    durations_s: tuple[float, ...]
    norm_complexities: tuple[float, ...]
    norm_durations: tuple[float, ...]
    loads: tuple[float, ...]
    phases: tuple[Phase, ...]
    timed_count: int
    total_complexity: float
    total_duration_s: float

    @property
    def steps(self) -> tuple[ProcedureStep, ...]:
        return self.procedure.steps

    @property
    def density_steps_per_min(self) -> float:
        """Steps per minute of the steps' own time; 0 where no step takes time."""
        total_s = self.total_duration_s
        return 60.0 * len(self.steps) / total_s if total_s > 0 else 0.0

    def same_block(self, first: int, second: int) -> bool:
        """Whether both steps have the same block; False where one has none."""
        block, other = self.blocks[first], self.blocks[second]
        return block is not None and other is not None and block.block_id == other.block_id


def measure(procedure: Procedure, profile: Profile) -> Features:
    """The features of a procedure, read by the rules of the profile."""
    read = meaning_reader(profile.reading)
    meanings = tuple([read(step.semrep) for step in procedure.steps])
    times = [(step.start_s, step.end_s) for step in procedure.steps]
    durations_s = tuple(
        [
            0.0 if start_s is None or end_s is None else max(0.0, end_s - start_s)
            for start_s, end_s in times
        ]
    )
    complexities = [meaning.complexity for meaning in meanings]
    norm_complexities = normalised(complexities)
    norm_durations = normalised(durations_s)
    loads = step_loads(norm_complexities, norm_durations, profile.load)
    by_unique_id = profile.reading.blocks is BlockRule.UNIQUE_ID
    return Features(
        procedure=procedure,
        meanings=meanings,
        blocks=tuple(
            [step.shared_id_block if by_unique_id else step.block for step in procedure.steps]
        ),
        durations_s=durations_s,
        norm_complexities=norm_complexities,
        norm_durations=norm_durations,
        loads=loads,
        phases=phases_of_loads(loads),
        timed_count=sum(map(is_timed, procedure.steps)),
        total_complexity=sum(complexities),
        total_duration_s=sum(durations_s),
    )


def normalised(values: Sequence[float]) -> tuple[float, ...]:
    """The values min-max scaled to [0, 1]; all 0 where they do not differ.

    >>> normalised([2.0, 4.0, 3.0])
    (0.0, 1.0, 0.5)
    """
    if not values:
        return ()
    low, high = min(values), max(values)
    if high <= low:
        return (0.0,) * len(values)
    span = high - low
    return tuple([(value - low) / span for value in values])


def step_loads(
    norm_complexities: Sequence[float], norm_durations: Sequence[float], load: Load
) -> tuple[float, ...]:
    """The load of each step (Eq. 2)."""
    by_complexity, by_duration = load.complexity_weight, load.duration_weight
    return tuple(
        [
            by_complexity * complexity + by_duration * duration
            for complexity, duration in zip(norm_complexities, norm_durations, strict=True)
        ]
    )


def phases_of_loads(loads: Sequence[float]) -> tuple[Phase, ...]:
    """In which third of the cumulative load the midpoint of each step lies.

    Without any load there is nothing to divide, and every step is in the first phase.

    >>> [phase[-1] for phase in phases_of_loads([1.0, 1.0, 1.0])]
    ['1', '2', '3']
    """
    total = sum(loads)
    if total <= 0:
        return (Phase.INITIATION,) * len(loads)
    phases = []
    for load, end in zip(loads, accumulate(loads), strict=True):
        share = (end - 0.5 * load) / total
        phases.append(
            Phase.INITIATION
            if share <= 1 / 3
            else Phase.ROUTINE
            if share <= 2 / 3
            else Phase.COMPLETION
        )
    return tuple(phases)
