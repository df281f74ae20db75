"""One recording of an item set: the truth and all answers on a common timeline."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from benchmarks.engine.charts import ChartPiece, piece
from benchmarks.engine.claims import LEVEL, Claim
from benchmarks.engine.task import AnswerStatus
from benchmarks.models import Answer, Assessment, Item, ParticipantKind
from benchmarks.selectors.assessments import answers_to_items
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.selectors.readers import Reader

# The most claims of one participant on the timeline, and the most participants on a page.
SHOWN_CLAIMS, SHOWN_PARTICIPANTS = 60, 40
# The most claims of one participant at one step.
CLAIMS_ON_STEP = 3
# Up to this many claims are listed one by one; more are counted by label, up to this many labels.
TOLD_CLAIMS, TOLD_LABELS = 3, 4


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """What the truth or a participant says about the recording: drawn, in short and in full.

    `public_id` is that of the assessment, "" for the truth. Where not all claims are drawn, `kept`
    says which are: the "surest", or without scores the "longest". `right` is how many of the
    answered items are right, in words. `on_steps` are the surest claims for each step by its id.
    """

    name: str
    kind: str
    public_id: str
    pieces: list[ChartPiece]
    words: str
    claims: list[Claim]
    kept: str
    on_steps: dict[str, list[Claim]]
    right: str = ""


# An answer to one item in words, and whether it is right; None where it is neither.
ShownAnswer = tuple[str, bool | None]


@dataclass(frozen=True, slots=True)
class RecordingClaims:
    """All answers about a recording: a row per participant, and a line per item with all answers.

    `left_out` is the number of participants that are not shown.
    """

    rows: list[ClaimRow]
    participants: list[Assessment]
    lines: list[tuple[Item, str, list[ShownAnswer]]]
    left_out: int
    sees_truth: bool


def claims_on(
    reader: Reader,
    assessments: Sequence[Assessment],
    items: Sequence[Item],
    *,
    length_s: float,
    step_numbers: Mapping[str, str],
    answers_to: Mapping[int, Sequence[Answer]] | None = None,
) -> RecordingClaims:
    """The truth and the answers of those of the reader's assessments that are shown.

    Where a claim's label is a step id, its number in the task graph is shown (`step_numbers`). Of
    repeated answers to an item only the first is used. The answers are read, a few queries for all
    participants, unless the page has read them for itself (`answers_to`).
    """
    sees_truth, task = reader.sees_truth, task_of(reader.item_set)
    everybody = [row for row in assessments if row.frozen_at or row.job_id]
    everybody.sort(key=lambda row: row.kind == ParticipantKind.BASELINE)
    shown, left_out = everybody[:SHOWN_PARTICIPANTS], len(everybody[SHOWN_PARTICIPANTS:])
    if answers_to is None:
        answers_to = answers_to_items(shown, [item.pk for item in items])
    first: dict[tuple[int, int], Answer] = {}
    for stored in chain.from_iterable(answers_to.values()):
        first.setdefault((stored.assessment_id, stored.item_id), stored)
    engine_items = {item.pk: engine_item(item) for item in items}

    def claims_of(item: Item, value: Mapping[str, object] | None) -> list[Claim]:
        return [] if value is None else list(task.claims(engine_items[item.pk], value))

    def words_of(item: Item, value: Mapping[str, object] | None) -> str:
        return in_words(_with_numbers(claims_of(item, value), step_numbers))

    def in_line(item: Item, answer: Answer | None) -> ShownAnswer:
        # An empty answer is an answer, but one that was not read is not.
        if answer is None or answer.status != AnswerStatus.READ:
            return (answer.get_status_display() if answer else "–", None)
        is_right = task.is_right(engine_items[item.pk], answer.value or {}) if sees_truth else None
        return words_of(item, answer.value), is_right

    true = [claim for item in items if sees_truth for claim in claims_of(item, item.truth)]
    rows = [_row(("Truth", "truth", ""), true, length_s, step_numbers)] if sees_truth else []
    columns = []
    for assessment in shown:
        answers = [(item, first.get((assessment.pk, item.pk))) for item in items]
        claims = [claim for item, one in answers if one for claim in claims_of(item, one.value)]
        columns.append([in_line(item, answer) for item, answer in answers])
        about = assessment.name, assessment.get_kind_display().lower(), assessment.public_id
        row = _row(about, claims, length_s, step_numbers, _right_in_words(columns[-1]))
        is_read = any(one and one.status == AnswerStatus.READ for _, one in answers)
        rows.append(row if is_read else replace(row, words="no answer"))
    lines = [
        (item, words_of(item, item.truth) if sees_truth else "", [column[n] for column in columns])
        for n, item in enumerate(items)
    ]
    return RecordingClaims(rows, shown, lines, left_out, sees_truth)


def visible_part_row(item: Item, length_s: float) -> ClaimRow:
    """The part of the recording that participants may see for an item."""
    start_s, moment_s = item.start_s or 0.0, item.moment_s or 0.0
    claim = Claim(start_s, moment_s, f"{start_s:.1f}–{moment_s:.1f} s")
    pieces = [replace(part, kind="asked") for part in claim_pieces([claim], length_s)]
    return ClaimRow("Asked", "shown", "", pieces, claim.label, [claim], "", {})


def _right_in_words(answers: Sequence[ShownAnswer]) -> str:
    judged = [is_right for _, is_right in answers if is_right is not None]
    if len(answers) == 1 and judged:
        return "right" if judged[0] else "wrong"
    return f"{sum(judged)} of {len(judged)} right" if judged else ""


def _row(
    about: tuple[str, str, str],
    claims: Sequence[Claim],
    length_s: float,
    step_numbers: Mapping[str, str],
    right: str = "",
) -> ClaimRow:
    has_scores = any(claim.score is not None for claim in claims)
    surest = sorted(claims, key=lambda claim: (-(claim.score or 0.0), claim.start_s - claim.end_s))
    on_steps: dict[str, list[Claim]] = {}
    for claim in surest:
        if claim.label in step_numbers:
            shown = on_steps.setdefault(claim.label, [])
            if len(shown) < CLAIMS_ON_STEP:
                shown.append(claim)
    named = _with_numbers(surest, step_numbers)
    drawn = sorted(named[:SHOWN_CLAIMS], key=lambda claim: (claim.start_s, claim.end_s))
    # Drawn last, and so on top: claims that something is wrong.
    above = sorted(drawn, key=lambda claim: bool(claim.kind))
    name, kind, public_id = about
    return ClaimRow(
        name, kind, public_id, claim_pieces(above, length_s), in_words(named), drawn,
        ("surest" if has_scores else "longest") if len(claims) > len(drawn) else "",
        on_steps, right,
    )  # fmt: skip


def _with_numbers(claims: Sequence[Claim], step_numbers: Mapping[str, str]) -> list[Claim]:
    return [
        replace(claim, label=f"step {step_numbers[claim.label]}")
        if claim.label in step_numbers
        else claim
        for claim in claims
    ]


def claim_pieces(claims: Sequence[Claim], length_s: float) -> list[ChartPiece]:
    """Bars of claims: tall for mistakes and corrections, by their level for levels, else low."""
    drawn = []
    for claim in claims:
        height = 10.0 if claim.kind else 3.0
        if claim.kind == LEVEL:
            height = max(0.5, 10 * (claim.score or 0.0))
        place = {"top": f"{10 - height if claim.kind else 3.5:.2f}", "height": f"{height:.2f}"}
        kind = claim.kind or "plain"
        drawn.append(piece(claim.start_s, claim.end_s, length_s, claim.label, kind, **place))
    return drawn


def in_words(claims: Sequence[Claim]) -> str:
    """A few claims one by one, many as counts of their labels.

    >>> in_words([Claim(0, 1, "yes", score=0.8)])
    'yes (score 0.8)'
    >>> in_words([Claim(n, n + 1, "yes" if n else "no") for n in range(5)])
    'yes ×4, no'
    """
    if claims and all(claim.kind == LEVEL for claim in claims):
        peak = max(claims, key=lambda claim: claim.score or 0.0)
        if peak.score == min(claim.score or 0.0 for claim in claims):
            return "the same throughout"
        return f"highest at {peak.start_s:.0f}–{peak.end_s:.0f} s"
    distinct = list(dict.fromkeys((claim.label, claim.score) for claim in claims))
    if len(distinct) <= TOLD_CLAIMS and len(claims) <= TOLD_CLAIMS:
        return "; ".join(
            label if score is None else f"{label} (score {score:.3g})" for label, score in distinct
        )
    counts = Counter(claim.label for claim in claims).most_common()
    words = [label if count == 1 else f"{label} ×{count}" for label, count in counts[:TOLD_LABELS]]
    if rest := sum(count for _, count in counts[TOLD_LABELS:]):
        words.append(f"and {rest:,} more")
    return ", ".join(words)
