"""Read the texts of a run: with their differences and findings, and what was published."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Q

from annotation.engine.corpus.procedure import Take as EngineTake
from annotation.models import Take
from annotation.selectors.corpus.corpus import as_shown, procedure_of
from annotation.selectors.corpus.pages import TraceTableRow, side_by_side
from generation.engine.planner.files.plan_json import plan_from_dict
from generation.engine.planner.plan import Plan
from generation.engine.rewriting.rewrite import rewrite_from_dict
from generation.engine.rewriting.rewrite_trace import trace_of_rewrite
from generation.models import (
    JudgeFinding,
    Run,
    RunTake,
    TakeJudgement,
    TakeRewrite,
)


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


def takes_with_finding(run: Run, code: str, *, is_left: bool) -> Q:
    findings = JudgeFinding.objects.filter(judgement__run_take__run=run, code=code, is_left=is_left)
    return Q(pk__in=findings.order_by().values("judgement__run_take"))
