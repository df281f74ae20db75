"""What the clips of a run would cost, before it is launched."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef

from annotation.models import Step, Take
from annotation.selectors.corpus.corpus import procedure_of
from generation.backends.video.providers.exceptions import SettingsError
from generation.engine.planner.plan import Plan
from generation.engine.planner.randomness import generator_for
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.rewrite_trace import trace_of_rewrite
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.splicing.edit_list import PieceKind
from generation.engine.splicing.exceptions import SplicingError
from generation.engine.splicing.limits import ClipLimits
from generation.engine.splicing.options import EditOptions
from generation.engine.splicing.planning import plan_edits
from generation.engine.stages import Stage
from generation.models import VideoEndpoint
from generation.selectors.launching.sample import PRICED_TAKES, SEED, RunSample


@dataclass(frozen=True, slots=True)
class ClipPrice:
    """Clips and seconds to order over all filmed takes, estimated; `price` in US dollars.

    `price` is None without a price per second, typed or read from the service.
    """

    take_count: int
    clip_count: int
    seconds: int
    price: Decimal | None


def price_of_clips(
    sample: RunSample, endpoint: VideoEndpoint, *, corrects: bool
) -> ClipPrice | None:
    """What an endpoint would charge for the clips of the takes; None if none has a recording.

    A sample of the takes is planned, written by the rules and cut; a text model would write the
    same steps. Clips that have to be ordered twice are not included.
    """
    timed = Step.objects.filter(take=OuterRef("pk"), start_s__isnull=False)
    filmed = sample.takes.filter(Exists(timed), video__isnull=False)
    procedures = sample.read(filmed, PRICED_TAKES)
    rows = filmed.filter(pk__in=procedures).select_related("video")
    planned = [(row, procedure) for row in rows if (procedure := procedures[row.pk]) is not None]
    try:
        limits = endpoint.adapter().limits.clips
    except SettingsError:
        return None
    if not planned:
        return None
    lengths_s = [
        length_s
        for row, procedure in planned
        for length_s in _ordered_lengths_s(row, sample.plan(procedure, corrects=corrects), limits)
    ]
    take_count = filmed.count()
    scale = take_count / len(planned)
    seconds, clip_count = round(sum(lengths_s) * scale), round(len(lengths_s) * scale)
    prices = endpoint.prices
    price = None if prices is None else prices.of(seconds, clip_count)
    return ClipPrice(take_count, clip_count, seconds, price)


def _ordered_lengths_s(row: Take, plan: Plan, limits: ClipLimits) -> list[int]:
    """The length of each clip to order for a take; empty if the take cannot be cut."""
    assert row.video is not None  # noqa: S101 - takes without one were left out
    reference, rng = procedure_of(row), generator_for(SEED, plan.take_uid, Stage.WRITE)
    try:
        rewrite = write_rewrite(plan, rng=rng).rewrite
        trace, _ = trace_of_rewrite(reference, plan, rewrite, uid="sample", provenance={})
        edits = plan_edits(
            take=reference,
            trace=trace,
            source_duration_s=row.video.duration_s,
            options=EditOptions(limits=limits),
        )
    except (PlanConflictError, SplicingError):
        return []
    return [
        round(limits.order_length_s(piece.duration_s))
        for piece in edits.clips
        if piece.kind is not PieceKind.BRIDGE
    ]
