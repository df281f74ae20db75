"""Read step proposals: who may see which, how far their job is, and what pages draw."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean, median
from typing import Any

from django.db.models import QuerySet
from django.http import Http404

from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.models import AT_WORK, JobStatus, Step, Take, Trace, User
from annotation.selectors.corpus.blinding import get_unhidden, openable_datasets
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.engine.claims import LEVEL, Claim
from benchmarks.engine.guiding.proposing import IN_ORDER, WITHOUT_MODEL, Stage
from benchmarks.engine.guiding.step_prompts import LEAST_OVERALL
from benchmarks.models import FeatureSet, ProposedRecording, StepProposals
from benchmarks.selectors.features import visible_feature_sets
from benchmarks.selectors.recording_pages import ClaimRow, claim_pieces, in_words
from segments.engine.model import Segment
from segments.engine.scheme import UNDEFINED_STEP
from segments.formats.exchange import SegmentedRecording, SegmentFile


def _of_user(user: User) -> QuerySet[StepProposals]:
    rows = StepProposals.objects.all()
    if user.is_administrator:
        return rows
    return rows.filter(owner=user) if user.is_researcher else rows.none()


def visible_proposals(user: User) -> QuerySet[StepProposals]:
    """The user's own, of data sets that they may see now."""
    return _of_user(user).filter(dataset__in=visible_datasets(user).values("pk"))


def get_proposals_for_user(user: User, public_id: str) -> StepProposals:
    """Proposals of the user's; raises Http404, or that they are hidden."""
    related = ("dataset", "owner", "job", "audit__campaign", "describer", "features__job")
    rows = visible_proposals(user).select_related(*related)
    openable = _of_user(user).filter(dataset__in=openable_datasets(user).values("pk"))
    return get_unhidden(user, rows, openable, public_id)


def usable_features(user: User | None) -> QuerySet[FeatureSet]:
    """The finished features that the user may use; None is the command line."""
    rows = FeatureSet.objects.all() if user is None else visible_feature_sets(user)
    return rows.filter(finished_at__isnull=False).select_related("dataset")


def stages_of(proposals: StepProposals) -> tuple[Stage, ...]:
    return tuple(Stage) if proposals.describer_name else WITHOUT_MODEL


def state_of_proposals(proposals: StepProposals) -> str:
    if proposals.is_finished or proposals.job is None:
        return "done"
    return str(proposals.job.status)


@dataclass(frozen=True, slots=True)
class ProposalsProgress:
    """How far a job is: `done_count` of `total_count` stages of recordings.

    Of seconds of video while it computes the features that it begins with.
    """

    is_at_work: bool
    done_count: int
    total_count: int
    is_computing_features: bool = False


def progress_of_proposals(proposals: StepProposals) -> ProposalsProgress | None:
    """The progress of an unfinished job."""
    job = proposals.job
    if job is None or job.status == JobStatus.DONE:
        return None
    is_at_work, features = job.status in AT_WORK, proposals.features
    if features is not None and features.finished_at is None and features.job is not None:
        own = features.job
        return ProposalsProgress(is_at_work, own.done_count, own.total_count, True)
    return ProposalsProgress(is_at_work, job.done_count, job.total_count)


def get_recording_of(proposals: StepProposals, number: int) -> ProposedRecording:
    """A recording by its number from 1; raises Http404."""
    row = proposals.recordings.filter(position=number - 1).first()
    if row is None:
        raise Http404("there is no such recording")
    return row


def is_left_out(row: ProposedRecording) -> bool:
    """Whether a recording's captions were rated too low."""
    overall = row.stages.get(Stage.SCORES, {}).get("overall")
    return overall is not None and overall < LEAST_OVERALL


def segment_file(proposals: StepProposals) -> SegmentFile:
    """What was proposed as the segments of a file, without recordings that were left out."""
    rows = [row for row in proposals.recordings.all() if row.steps and not is_left_out(row)]
    names = _step_names(proposals, rows)
    rows = [row for row in rows if row.key in names]
    return SegmentFile(
        tuple(
            SegmentedRecording(
                row.uid,
                tuple(
                    _segment(number, step, names[row.key]) for number, step in enumerate(row.steps)
                ),
                steps={step_id: text for step_id, text in names[row.key] if step_id},
            )
            for row in rows
        )
    )


def _segment(number: int, step: dict[str, Any], names: Sequence[tuple[str, str]]) -> Segment:
    place = step["place"]
    step_id, text = ("", "") if place is None else names[place]
    step_id = step_id or UNDEFINED_STEP
    words = step["caption"] or text
    return Segment(str(number), "steps", step["start_s"], step["end_s"], step_id, text=words)


def _step_names(
    proposals: StepProposals, rows: Sequence[ProposedRecording]
) -> dict[str, list[tuple[str, str]]]:
    """The id and the words of each step of the procedure, by the key of the recording.

    Ids are as `segments` has them: places where no step of a take has one.
    """
    takes = dict(Take.objects.filter(dataset=proposals.dataset).values_list("uid", "pk"))
    traces = dict(Trace.objects.filter(dataset=proposals.dataset).values_list("uid", "take"))
    # What was deleted since is in neither.
    pk_of = {
        row.key: of_kind[row.uid]
        for row in rows
        if row.uid in (of_kind := traces if row.key.startswith("trace:") else takes)
    }
    steps: dict[int, list[tuple[str, str]]] = defaultdict(list)
    stored = Step.objects.filter(take__in=pk_of.values()).order_by("take", "index")
    for take, step_id, text in stored.values_list("take", "step_id", "text"):
        steps[take].append((step_id, text))
    for pk, own in steps.items():
        if not any(step_id for step_id, _ in own):
            steps[pk] = [(str(place), text) for place, (_, text) in enumerate(own)]
    return {key: steps[pk] for key, pk in pk_of.items()}


def lanes_of(row: ProposedRecording, texts: Sequence[str]) -> tuple[list[ClaimRow], float]:
    """What each stage made, as rows of a timeline, and the length of the recording in seconds.

    `texts` are the steps of the procedure.
    """
    stages = row.stages
    length_s = float(stages.get(Stage.FEATURES, {}).get("length_s") or 0.0)
    if not length_s:
        return [], 0.0

    def of_steps(steps: Sequence[dict[str, Any]]) -> list[Claim]:
        claims = []
        for one in steps:
            place = one["place"]
            words = "no step" if place is None else f"{place + 1} {texts[place]}"
            claims.append(Claim(one["start_s"], one["end_s"], words))
        return claims

    strip = stages[Stage.FEATURES]["strip"]
    width_s = length_s / len(strip)
    changes = [
        Claim(place * width_s, (place + 1) * width_s, "change", LEVEL, height)
        for place, height in enumerate(strip)
    ]
    rows = [_lane("Change of features", changes, length_s)]
    pieces = stages.get(Stage.CUT, {}).get("pieces", [])
    shown = {
        "Pieces": [
            Claim(start_s, end_s, f"piece {number}")
            for number, (start_s, end_s) in enumerate(pieces, start=1)
        ],
        "Captions": [
            Claim(one["start_s"], one["end_s"], "; ".join(one["lines"]))
            for one in stages.get(Stage.CAPTIONS, {}).get("captions", [])
        ],
        "Groups": [
            Claim(one["start_s"], one["end_s"], one["caption"])
            for one in stages.get(Stage.GROUPS, [])
        ],
        "Proposed steps": of_steps(row.steps),
        "Steps of the data set": of_steps(stages.get("truth", [])),
    }
    rows += [_lane(name, claims, length_s) for name, claims in shown.items() if claims]
    return rows, length_s


def _lane(name: str, claims: Sequence[Claim], length_s: float) -> ClaimRow:
    pieces = claim_pieces(claims, length_s)
    words = in_words(claims)
    if claims[0].kind != LEVEL:
        words = f"{len(claims)} in all"
        pieces = [replace(one, kind="step", top="1", height="8") for one in pieces]
    return ClaimRow(name, "", "", pieces, words, list(claims), "", {})


@dataclass(frozen=True, slots=True)
class EdgeFigures:
    """How far the edges of all recordings with a truth are from it, beside equal pieces."""

    name: str
    recordings: int
    median_s: float | None
    mean_s: float | None
    near: dict[str, float]


def edge_figures(rows: Sequence[ProposedRecording]) -> list[EdgeFigures]:
    """The figures of proposals and of equal pieces over recordings; empty without a truth."""
    figures = []
    for name, key in (("Proposed", "errors"), ("Equal pieces, in order", "even")):
        found = [row.stages[key] for row in rows if row.stages.get(key)]
        if not found:
            continue
        medians, means = (
            [one[which] for one in found if one[which] is not None]
            for which in ("median_s", "mean_s")
        )
        within = sorted({key for one in found for key in one["near"]}, key=float)
        near = {w: mean(one["near"][w] for one in found if w in one["near"]) for w in within}
        figures.append(
            EdgeFigures(
                name, len(found), median(medians) if medians else None,
                mean(means) if means else None, near,
            )
        )  # fmt: skip
    return figures


def how_given(proposals: StepProposals) -> str:
    return "" if proposals.describer_name else IN_ORDER


def texts_of(row: ProposedRecording) -> list[str]:
    """The words of the steps of a recording's procedure, as people read them; raises Http404."""
    names = _step_names(row.proposals, [row]).get(row.key)
    if names is None:
        raise Http404(f"{row.uid} is no longer there")
    shown = shown_text_of(row.proposals.dataset.format)
    return [shown(text) for _, text in names]
