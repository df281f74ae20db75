"""Read the texts of a run: with their differences and findings, and what was published."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Count, Q, Sum

from annotation.engine.corpus.procedure import Take as EngineTake
from annotation.models import Take
from annotation.selectors.corpus.corpus import as_shown, procedure_of
from annotation.selectors.corpus.pages import TraceTableRow, side_by_side
from generation.engine.judging.judging import JudgedStatus
from generation.engine.planner.files.plan_json import plan_from_dict
from generation.engine.planner.plan import Plan
from generation.engine.rewriting.rewrite import rewrite_from_dict
from generation.engine.rewriting.rewrite_trace import trace_of_rewrite
from generation.engine.stages import Stage
from generation.models import (
    JudgeFinding,
    PublishedTrace,
    Run,
    RunTake,
    TakeJudgement,
    TakeRewrite,
)
from generation.selectors.runs import withheld_takes


@dataclass(frozen=True, slots=True)
class TextRow:
    """One line of a text beside its original, with the findings about it."""

    table: TraceTableRow
    findings: tuple[JudgeFinding, ...]


@dataclass(frozen=True, slots=True)
class ShownText:
    """A whole text beside its original; `general` are the findings that concern no single row."""

    rows: tuple[TextRow, ...]
    general: tuple[JudgeFinding, ...]


@dataclass(frozen=True, slots=True)
class TakeText:
    """What a take's page shows of its text.

    `written` is the writer's text, None if the judge did not change it. `first_findings` are about
    that text, `last_findings` about the final one.
    """

    final: ShownText
    written: ShownText | None
    rewrite: TakeRewrite
    judgement: TakeJudgement | None
    first_findings: tuple[JudgeFinding, ...]
    last_findings: tuple[JudgeFinding, ...]

    @property
    def attempts(self) -> list[dict[str, Any]]:
        """The judge's attempts to repair, with kind and outcome in words."""
        attempts = [] if self.judgement is None else self.judgement.attempts
        return [
            {
                **item,
                "kind_words": item["kind"].replace("_", " "),
                "outcome_words": item["outcome"].replace("_", " "),
            }
            for item in attempts
        ]


def text_of_take(run_take: RunTake) -> TakeText | None:
    """The text of a take, before and after the judge; None until it is written.

    Six queries, if the plan of `run_take` is loaded.
    """
    rewrite = TakeRewrite.objects.filter(run_take=run_take).first()
    if rewrite is None:
        return None
    judgement = TakeJudgement.objects.filter(run_take=run_take).first()
    findings = list(judgement.findings.all()) if judgement else []
    first = tuple(item for item in findings if not item.is_left)
    last = tuple(item for item in findings if item.is_left)
    take = run_take.take
    plan = plan_from_dict(take.uid, run_take.plan.document)
    shown = partial(_beside_original, take, procedure_of(take), plan)
    final, written = shown(rewrite.document, first), None
    if judgement is not None and judgement.document != rewrite.document:
        final, written = shown(judgement.document, last), final
    return TakeText(final, written, rewrite, judgement, first, last)


def _beside_original(
    take: Take,
    reference: EngineTake,
    plan: Plan,
    document: Mapping[str, object],
    findings: Iterable[JudgeFinding],
) -> ShownText:
    rewrite = rewrite_from_dict(document)
    trace, _ = trace_of_rewrite(reference, plan, rewrite, uid="-", provenance={})
    by_position: dict[int | None, list[JudgeFinding]] = {}
    for finding in findings:
        by_position.setdefault(finding.position, []).append(finding)
    general = tuple(by_position.pop(None, ()))
    # A line that shows no row of the rewrite has no number; -1 then matches no finding.
    rows = tuple(
        TextRow(line, tuple(by_position.get((line.trace_number or 0) - 1, ())))
        for line in side_by_side(as_shown(reference, take), as_shown(trace, take))
    )
    return ShownText(rows, general)


@dataclass(frozen=True, slots=True)
class CodeCount:
    """How often the judge found one kind of fault in a run, before and after repairs."""

    code: str
    severity: str
    found_count: int
    left_count: int


@dataclass(frozen=True, slots=True)
class TextTotals:
    """Sums over the texts of a run so far; `broken_count` of them break the freeform contract."""

    written_count: int
    broken_count: int
    judged_count: int
    clean_count: int
    repaired_count: int
    hard_left: int
    soft_left: int
    codes: tuple[CodeCount, ...]
    published_count: int
    withheld_count: int
    quality: "TextQuality"


@dataclass(frozen=True, slots=True)
class TextQuality:
    """How many texts of a run were judged, are valid, and were checked for sense, and by what.

    Valid: no hard finding is left. `sense_checked_count` of the judged texts were judged since
    there are checks of sense, and `sense_clean_count` of those have none of their findings left.
    """

    judged_count: int
    valid_count: int
    sense_checked_count: int
    sense_clean_count: int
    sense_checks: tuple[str, ...]


_CHECKED = ~Q(sense_checks=[])
_QUALITY = {
    "judged_count": Count("pk"),
    "valid_count": Count("pk", filter=Q(hard_left=0)),
    "sense_checked_count": Count("pk", filter=_CHECKED),
    "sense_clean_count": Count("pk", filter=_CHECKED & Q(sense_left=0)),
}


def text_quality(run: Run) -> TextQuality:
    """How many texts are valid and checked for sense (two queries)."""
    return _quality(run, TakeJudgement.objects.filter(run_take__run=run).aggregate(**_QUALITY))


def _quality(run: Run, counts: Mapping[str, int]) -> TextQuality:
    checked = TakeJudgement.objects.filter(_CHECKED, run_take__run=run).order_by("judged_at")
    latest = checked.values_list("sense_checks", flat=True).last()
    return TextQuality(
        **{name: counts[name] for name in _QUALITY}, sense_checks=tuple(latest or ())
    )


# What the judge said of a take's text, as columns of exports; empty until it did.
QUALITY_COLUMNS = ("text_is_valid", "text_checked_for_sense", "text_sense_findings")
NOT_JUDGED = ("", "", "")


def quality_by_take(run: Run) -> dict[str, tuple[str, str, str]]:
    """The cells of `QUALITY_COLUMNS` by the uid of the take (one query)."""
    rows = TakeJudgement.objects.filter(run_take__run=run).values_list(
        "run_take__take__uid", "hard_left", "sense_checks", "sense_left"
    )
    return {
        uid: (
            "true" if hard_left == 0 else "false",
            "by rules" if checks else "no",
            str(sense_left) if checks else "",
        )
        for uid, hard_left, checks, sense_left in rows
    }


def text_totals(run: Run) -> TextTotals:
    """The sums over the texts of a run (six queries)."""
    judged = TakeJudgement.objects.filter(run_take__run=run).aggregate(
        **_QUALITY,
        clean_count=Count("pk", filter=Q(status=JudgedStatus.OK)),
        repaired_count=Count("pk", filter=Q(changed_words__gt=0)),
        hard_left=Sum("hard_left", default=0),
        soft_left=Sum("soft_left", default=0),
    )
    written = TakeRewrite.objects.filter(run_take__run=run).aggregate(
        written_count=Count("pk"), broken_count=Count("pk", filter=~Q(problems=[]))
    )
    quality = _quality(run, judged)
    return TextTotals(
        **written,
        **{name: value for name, value in judged.items() if name not in _QUALITY},
        judged_count=quality.judged_count,
        quality=quality,
        codes=finding_counts(run),
        published_count=PublishedTrace.objects.filter(run_take__run=run).count(),
        withheld_count=withheld_takes(run).count() if Stage.PUBLISH in run.stages else 0,
    )


def finding_codes(run: Run) -> tuple[list[str], list[str]]:
    """The codes of findings before repairs, and of those after (one query)."""
    rows = (
        JudgeFinding.objects.filter(judgement__run_take__run=run)
        .order_by("code")
        .values_list("code", "is_left")
        .distinct()
    )
    codes: tuple[list[str], list[str]] = ([], [])
    for code, is_left in rows:
        codes[is_left].append(code)
    return codes


def takes_with_finding(run: Run, code: str, *, is_left: bool) -> Q:
    findings = JudgeFinding.objects.filter(judgement__run_take__run=run, code=code, is_left=is_left)
    return Q(pk__in=findings.order_by().values("judgement__run_take"))


def finding_counts(run: Run) -> tuple[CodeCount, ...]:
    """The findings of a run by code, hard and frequent ones first (one query)."""
    rows = (
        JudgeFinding.objects.filter(judgement__run_take__run=run)
        .order_by()
        .values_list("code", "severity")
        .annotate(
            found=Count("pk", filter=Q(is_left=False)), left=Count("pk", filter=Q(is_left=True))
        )
        .order_by("severity", "-found", "code")
    )
    return tuple(CodeCount(*row) for row in rows)
