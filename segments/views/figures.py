"""The page of a round's figures of segments, and the same as CSV."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from annotation.analytics.agreement.intervals import Method
from annotation.analytics.pictures.canvas import PictureFormat
from annotation.analytics.tables.strips import Axis, Mark
from annotation.analytics.tables.table import lay_out
from annotation.engine.csv_cells import csv_lines
from annotation.launch import pictures_to_show
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import may_change_campaign
from annotation.views.figures.paper import (
    PIXELS_PER_INCH,
    PictureFile,
    all_drawn,
    picture_response,
)
from annotation.views.figures.reports import csv_response
from segments.engine.scheme import Scheme, Track
from segments.measures.edge_curves import edge_curves
from segments.measures.report import (
    FIGURES_VERSION,
    FigureRow,
    Part,
    Revision,
    Split,
    csv_rows,
    measure_of,
)
from segments.selectors.figures import (
    MOST_PEOPLE_IN_PAIRS,
    about_round,
    comparable_rounds,
    revision_of,
    round_beside,
    round_figures,
)
from segments.selectors.reading import (
    MixedSchemesError,
    get_readable_segment_round,
    scheme_of_round,
)
from segments.services.looks import note_segment_look

SECTION = {"section": "campaigns"}
# The columns of tables by scenario and by pair; the CSV has all figures.
SHORT = ("tiou_strict", "f1@0.50", "edit", "label_kappa", "mistake_kappa", "time_kappa")
SHORT_OF_PAIRS = (*SHORT, "start_bias_s", "end_bias_s")
SHORT_OF_POINTS = ("onset_within_2_s", "onset_median_s", "onset_bias_s", "onset_paired")
# "First" and "second" only follow from the order of names, so these two would mislead.
NOT_SHOWN = ("coverage_first", "coverage_second")


@dataclass(frozen=True, slots=True)
class Shown:
    row: FigureRow
    value: str
    interval: str
    mark: Mark | None

    @property
    def method(self) -> str:
        """The method of the interval and its recordings; "" where there is none."""
        interval = self.row.summary.interval
        if interval.low is None or interval.method is Method.NONE:
            return ""
        return f"{interval.method.value}, {interval.clusters:,} recordings"


@dataclass(frozen=True, slots=True)
class Matrix:
    """A table of figures with a row for each scenario, pair or person."""

    title: str
    label: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Shown | None]]]


def shown_figures(rows: Sequence[FigureRow]) -> list[Shown]:
    """Figures in words, each with a mark on a strip; those in seconds share one scale."""
    reach = max(
        (
            abs(end)
            for row in rows
            if row.measure.unit == "s"
            for end in (row.summary.value, row.summary.interval.low, row.summary.interval.high)
            if end is not None
        ),
        default=1.0,
    )
    shown = []
    for row in rows:
        value, interval = row.summary.value, row.summary.interval
        if value is None:
            shown.append(Shown(row, "–", "", None))
            continue
        axis = Axis()
        if row.name == "edit":
            axis = Axis(0.0, 100.0)
        elif row.measure.unit == "s":
            axis = Axis(-reach, reach, (0.0,)) if "_bias_" in row.name else Axis(0.0, reach)
        elif not row.measure.is_share:
            axis = Axis(0.0, max(1.0, value, interval.high or 0.0))
        words, ends = row.measure.printed(value), ""
        if interval.low is not None and interval.high is not None:
            ends = " to ".join(map(row.measure.printed, (interval.low, interval.high)))
        aloud = f"{words}, 95% interval {ends}" if ends else words
        shown.append(Shown(row, words, ends, axis.mark(value, interval.low, interval.high, aloud)))
    return shown


def _matrix(
    rows: Iterable[FigureRow], title: str, label: str, names: Sequence[str], all_words: str = ""
) -> Matrix | None:
    """The figures `names` as columns; None where there are no rows for them."""
    chosen = [row for row in rows if row.name in names]
    columns = [name for name in names if any(row.name == name for row in chosen)]
    shown = {(item.row.of, item.row.name): item for item in shown_figures(chosen)}
    lines = list(dict.fromkeys(row.of for row in chosen))
    if not lines:
        return None
    return Matrix(
        title,
        label,
        [measure_of(name).title for name in columns],
        [(of or all_words, [shown.get((of, name)) for name in columns]) for of in lines],
    )


@researcher_required
@require_GET
def segment_agreement(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    round_ = get_readable_segment_round(user, public_id, number)
    against = round_beside(round_, request.GET.get("against", ""))
    revision = revision_of(request.GET.get("revision", ""))
    context: dict[str, object] = SECTION | {
        "campaign": round_.campaign,
        "round": round_,
        "against": against,
        "others": comparable_rounds(round_),
        "revision": revision,
        "revisions": list(Revision),
        "figures_version": FIGURES_VERSION,
        "may_change": may_change_campaign(user, round_.campaign),
        "most_people": MOST_PEOPLE_IN_PAIRS,
        "query": request.GET.urlencode(),
    }
    try:
        figures, scheme = round_figures(round_, against, revision), scheme_of_round(round_)
    except MixedSchemesError as error:
        return render(
            request,
            "segments/figures.html",
            context | {"refusal": str(error)},
            status=409,
        )
    note_segment_look(round_=round_, rows=figures.rows, person=user)
    by_part: dict[Part, list[FigureRow]] = {part: [] for part in Part}
    for row in figures.rows:
        by_part[row.part].append(row)
    answers = [
        (words, shown_figures([row for row in by_part[Part.ANSWERS] if row.split is split]))
        for split, words in (
            (Split.ALL, "All recordings"),
            (Split.BEFORE, "Before the correction"),
            (Split.AFTER, "After it"),
            (Split.CONTROLS, "Untouched controls: false alarms"),
        )
    ]
    curves = edge_curves(scheme, figures.rows)
    pictures = [] if curves.is_empty else [curves]
    drawn = pictures_to_show(pictures=pictures, owner=round_.campaign, actor=user)
    context |= {
        "drawn": drawn[0] if drawn else None,
        "are_drawn": all_drawn(drawn),
        "figures": figures,
        "scheme": scheme,
        "curves": curves,
        "curves_table": lay_out(curves.table()),
        "curves_size": [round(PIXELS_PER_INCH * length) for length in curves.size],
        "tracks": _agreement_of_tracks(scheme, by_part[Part.AGREEMENT]),
        "corrections": shown_figures(by_part[Part.CORRECTIONS]),
        "answers": [(words, rows) for words, rows in answers if rows],
        "people": _people(scheme, by_part),
    }
    return render(request, "segments/figures.html", context)


def _agreement_of_tracks(
    scheme: Scheme, agreement: Sequence[FigureRow]
) -> list[tuple[Track, list[Shown], list[Matrix]]]:
    """For each track with figures: these, and tables by scenario and by pair."""
    tracks = []
    for track in scheme.tracks:
        rows = [row for row in agreement if row.track == track.name]
        if not rows:
            continue
        shown = [row for row in rows if row.split is Split.ALL and row.name not in NOT_SHOWN]
        short = SHORT_OF_POINTS if track.is_points else SHORT
        of_pairs = SHORT_OF_POINTS if track.is_points else SHORT_OF_PAIRS
        matrices = [
            _matrix((row for row in rows if row.split is split), title, label, names)
            for split, title, label, names in (
                (Split.SCENARIO, "By scenario", "Scenario", short),
                (Split.PAIR, "By pair of people", "Pair", of_pairs),
            )
        ]
        tracks.append((track, shown_figures(shown), [item for item in matrices if item]))
    return tracks


def _people(scheme: Scheme, by_part: Mapping[Part, Sequence[FigureRow]]) -> list[Matrix]:
    """Tables of coverage and effort by person."""
    people = [
        _matrix(
            (row for row in by_part[part] if row.track == track),
            title,
            "Person",
            list(dict.fromkeys(row.name for row in by_part[part])),
            all_words="Everybody",
        )
        for part, track, title in (
            *(
                (Part.COVERAGE, item.name, f"Coverage: {item.title.lower()}")
                for item in scheme.tracks
            ),
            (Part.EFFORT, "", "Effort"),
        )
    ]
    return [item for item in people if item]


@researcher_required
@require_GET
def segment_agreement_csv(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    user = signed_in_user(request)
    round_ = get_readable_segment_round(user, public_id, number)
    against = round_beside(round_, request.GET.get("against", ""))
    revision = revision_of(request.GET.get("revision", ""))
    try:
        figures = round_figures(round_, against, revision)
    except MixedSchemesError as error:
        return HttpResponse(str(error), status=409, content_type="text/plain; charset=utf-8")
    note_segment_look(round_=round_, rows=figures.rows, person=user)
    lines = csv_lines(csv_rows(figures.rows, about_round(round_, against, revision)))
    return csv_response(lines, f"segments-{slugify(round_.campaign.name)}-round-{number}.csv")


@researcher_required
@require_GET
def segment_edges_picture(
    request: HttpRequest, public_id: str, number: int, suffix: str
) -> HttpResponseBase:
    """Send the agreement of edges over tolerances as a picture."""
    if suffix not in set(PictureFormat):
        raise Http404(f"there is no picture edges.{suffix}")
    user = signed_in_user(request)
    round_ = get_readable_segment_round(user, public_id, number)
    against = round_beside(round_, request.GET.get("against", ""))
    revision = revision_of(request.GET.get("revision", ""))
    try:
        figures = round_figures(round_, against, revision)
        picture = edge_curves(scheme_of_round(round_), figures.rows)
    except MixedSchemesError as error:
        return HttpResponse(str(error), status=409, content_type="text/plain; charset=utf-8")
    if picture.is_empty:
        raise Http404("there is nothing to draw yet")
    note_segment_look(round_=round_, rows=figures.rows, person=user)
    file = PictureFile(
        f"edges-{slugify(round_.campaign.name)}-round-{number}", PictureFormat(suffix)
    )
    page = reverse("segment-round-agreement", args=[public_id, number])
    back = f"{page}?{request.GET.urlencode()}"
    return picture_response(request, picture, file, owner=round_.campaign, back=back)
