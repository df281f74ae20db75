"""What the clips of a run would cost, before it is launched."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef, QuerySet

from annotation.engine.formats.errors import FormatError
from annotation.engine.procedure import Take as EngineTake
from annotation.models import Step, Take
from annotation.selectors.corpus import procedure_of
from generation.backends.video.providers.exceptions import SettingsError
from generation.engine.planner.plan import Plan
from generation.engine.planner.procedure import Procedure
from generation.engine.planner.profile import Profile
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
from generation.selectors.launching.text_price import SAMPLE_TAKES, SEED, sample_plans
from generation.selectors.plans.procedures import prepare_engine_take


@dataclass(frozen=True, slots=True)
class ClipPrice:
    """Clips and seconds to order over all filmed takes, estimated; `price` in US dollars.

    `price` is None without a price per second, typed or read from the service.
    """

    take_count: int
    clip_count: int
    seconds: int
    price: Decimal | None


@dataclass(frozen=True, slots=True)
class _Filmed:
    """A sampled take with its recording's length."""

    reference: EngineTake
    procedure: Procedure
    duration_s: float


def price_of_clips(
    takes: QuerySet[Take], profile: Profile, endpoint: VideoEndpoint, *, corrects: bool
) -> ClipPrice | None:
    """Return what an endpoint would ask for the clips of these takes; None where none is filmed.

    A sample of the takes is planned, written by the rules and cut. What a text model writes instead
    has the same steps to show; what has to be ordered twice comes on top.
    """
    timed = Step.objects.filter(take=OuterRef("pk"), start_s__isnull=False)
    filmed = takes.filter(Exists(timed), video__isnull=False)
    sample = [item for item in map(_sampled, _sample_of(filmed)) if item is not None]
    try:
        limits = endpoint.adapter().limits.clips
    except SettingsError:
        return None
    if not sample:
        return None
    plans = sample_plans([item.procedure for item in sample], profile, corrects=corrects)
    lengths_s = [
        length_s
        for item, plan in zip(sample, plans, strict=True)
        for length_s in _ordered_lengths_s(item, plan, limits)
    ]
    take_count = filmed.count()
    scale = take_count / len(sample)
    seconds, clip_count = round(sum(lengths_s) * scale), round(len(lengths_s) * scale)
    prices = endpoint.prices
    price = None if prices is None else prices.of(seconds, clip_count)
    return ClipPrice(take_count, clip_count, seconds, price)


def _sample_of(filmed: QuerySet[Take]) -> QuerySet[Take]:
    return filmed.select_related("video").order_by("content_hash")[:SAMPLE_TAKES]


def _sampled(row: Take) -> _Filmed | None:
    assert row.video is not None  # noqa: S101 - takes without one were left out
    reference = procedure_of(row)
    try:
        prepared = prepare_engine_take(reference, row)
    except FormatError:
        return None
    return _Filmed(reference, prepared.procedure, row.video.duration_s)


def _ordered_lengths_s(item: _Filmed, plan: Plan, limits: ClipLimits) -> list[int]:
    """Return how long each clip is that is ordered for a take; nothing where it cannot be cut."""
    rng = generator_for(SEED, plan.take_uid, Stage.WRITE)
    try:
        rewrite = write_rewrite(plan, rng=rng).rewrite
        trace, _ = trace_of_rewrite(item.reference, plan, rewrite, uid="sample", provenance={})
        edits = plan_edits(
            take=item.reference,
            trace=trace,
            source_duration_s=item.duration_s,
            options=EditOptions(limits=limits),
        )
    except (PlanConflictError, SplicingError):
        return []
    return [
        round(limits.asked_s(piece.duration_s))
        for piece in edits.clips
        if piece.kind is not PieceKind.BRIDGE
    ]
