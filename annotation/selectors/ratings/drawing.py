"""The traces of a round: out of which they are drawn, and what they hold."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.engine.campaigns.trace_choice import TraceChoice
from annotation.engine.taxonomy import EventKind
from annotation.models import Campaign, Event, Round, Trace
from annotation.selectors.corpus.corpus import count_of


def chosen_among(traces: QuerySet[Trace], choice: TraceChoice) -> QuerySet[Trace]:
    """Those of the traces that are as a round asks for; a placeholder is no video."""
    if choice.has_video:
        traces = traces.filter(video__isnull=False, has_placeholders=False)
    if choice.has_correction:
        corrections = Event.objects.filter(trace=OuterRef("pk"), kind=EventKind.CORRECTION)
        traces = traces.filter(Exists(corrections))
    if choice.scenarios:
        traces = traces.filter(take__scenario__in=choice.scenarios)
    return traces


def scenarios_to_draw(campaign: Campaign) -> list[str]:
    """The scenarios of the traces of a campaign's data sets, in their order by name."""
    traces = Trace.objects.filter(dataset__campaigns=campaign).order_by("take__scenario")
    return list(traces.values_list("take__scenario", flat=True).distinct())


def traces_of_round(round_: Round) -> QuerySet[Trace]:
    """The traces with `mistake_count` and `correction_count`."""
    mistakes = Event.objects.filter(kind=EventKind.MISTAKE)
    corrections = Event.objects.filter(kind=EventKind.CORRECTION)
    return (
        round_.ratings.traces.select_related("dataset", "take", "video")
        .annotate(
            mistake_count=count_of(mistakes, "trace"),
            correction_count=count_of(corrections, "trace"),
        )
        .order_by("dataset__name", "uid")
    )
