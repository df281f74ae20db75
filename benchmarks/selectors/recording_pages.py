"""One recording of an item set: what is right and what everybody says of it, on one clock."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.models import User
from benchmarks.engine.charts import ChartPiece, piece
from benchmarks.engine.task import LEVEL, AnswerStatus, Claim, Task
from benchmarks.models import Answer, Assessment, Item, ItemSet, ParticipantKind
from benchmarks.selectors.assessments import answers_to_items
from benchmarks.selectors.item_sets import engine_item, may_see_truth, readable_assessments

# Of one participant on the timeline, the surest; and participants on a page.
SHOWN_CLAIMS, SHOWN_PARTICIPANTS = 60, 40
# Of one participant at one step.
CLAIMS_ON_STEP = 3
# So many different claims are told one by one, more of them counted by their labels.
TOLD_CLAIMS, TOLD_LABELS = 3, 4


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """What the truth or a participant says of the recording, drawn, in short and in full.

    `public_id` is that of the assessment, "" for the truth. Where not all claims are drawn, `kept`
    says which are: the "surest", without scores the "longest". `right` says how many items were
    answered right, of those that were answered. `on_steps` are the surest claims that name a step,
    by its id.
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


# An answer to one item in words; whether it is right, None where no single answer is the right one.
Said = tuple[str, bool | None]


@dataclass(frozen=True, slots=True)
class RecordingClaims:
    """All of a recording: a row per participant, and a line per item with an answer of each.

    `left_out` participants are not shown.
    """

    rows: list[ClaimRow]
    participants: list[Assessment]
    lines: list[tuple[Item, str, list[Said]]]
    left_out: int
    sees_truth: bool


def claims_on(
    user: User,
    item_set: ItemSet,
    task: Task,
    items: Sequence[Item],
    *,
    length_s: float,
    step_numbers: Mapping[str, str],
) -> RecordingClaims:
    """The truth and all answers that the user may read (a few queries for all participants).

    Claims whose label is the id of a step say its number; `step_numbers` are those of the graph. Of
    an item that was asked more than once the first answer stands.
    """
    sees_truth = may_see_truth(user, item_set)
    everybody = [row for row in readable_assessments(user, item_set) if row.frozen_at or row.job_id]
    everybody.sort(key=lambda row: row.kind == ParticipantKind.BASELINE)
    shown = everybody[:SHOWN_PARTICIPANTS]
    known = {item.pk: engine_item(item) for item in items}
    first = _first_answers(shown, known)

    def claims_of(item: Item, value: Mapping[str, object] | None) -> list[Claim]:
        return [] if value is None else list(task.claims(known[item.pk], value))

    def words_of(item: Item, value: Mapping[str, object] | None) -> str:
        return in_words(_with_numbers(claims_of(item, value), step_numbers))

    lines: list[tuple[Item, str, list[Said]]] = [
        (item, words_of(item, item.truth) if sees_truth else "", []) for item in items
    ]
    true = [one for item in items if sees_truth for one in claims_of(item, item.truth)]
    rows = [_row(("Truth", "truth", ""), true, length_s, step_numbers)] if sees_truth else []
    for assessment in shown:
        # Who said nothing has answered; who was not read has not.
        every, column, is_read = [], [], False
        for item, _, said in lines:
            answer = first.get((assessment.pk, item.pk))
            value = answer.value if answer else None
            every += claims_of(item, value)
            if answer is None or answer.status != AnswerStatus.READ:
                said.append((answer.get_status_display() if answer else "–", None))
            else:
                is_read = True
                is_right = task.is_right(known[item.pk], value or {}) if sees_truth else None
                said.append((words_of(item, value), is_right))
            column.append(said[-1])
        about = assessment.name, assessment.get_kind_display().lower(), assessment.public_id
        row = _row(about, every, length_s, step_numbers, _right_in_words(column))
        rows.append(row if is_read else replace(row, words="no answer"))
    return RecordingClaims(rows, shown, lines, len(everybody) - len(shown), sees_truth)


def _first_answers(
    shown: Sequence[Assessment], known: Mapping[int, object]
) -> dict[tuple[int, int], Answer]:
    """The first answer to each item, by (assessment, item)."""
    answers = [one for of_item in answers_to_items(shown, known).values() for one in of_item]
    # Of the answers to one item the first is read last, and so stands.
    return {(one.assessment_id, one.item_id): one for one in reversed(answers)}


def asked_row(item: Item, length_s: float) -> ClaimRow:
    """The part of the recording that participants may see for an item."""
    start_s, moment_s = item.start_s or 0.0, item.moment_s or 0.0
    asked = Claim(start_s, moment_s, f"{start_s:.1f}–{moment_s:.1f} s")
    found = [replace(one, kind="asked") for one in claim_pieces([asked], length_s)]
    return ClaimRow("Asked", "shown", "", found, asked.label, [asked], "", {})


def _right_in_words(answers: Sequence[Said]) -> str:
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
    has_scores = any(one.score is not None for one in claims)
    surest = sorted(claims, key=lambda one: (-(one.score or 0.0), one.start_s - one.end_s))
    on_steps: dict[str, list[Claim]] = {}
    for one in surest:
        if one.label in step_numbers:
            found = on_steps.setdefault(one.label, [])
            if len(found) < CLAIMS_ON_STEP:
                found.append(one)
    named = _with_numbers(surest, step_numbers)
    drawn = sorted(named[:SHOWN_CLAIMS], key=lambda one: (one.start_s, one.end_s))
    # What says that something is wrong lies above what does not.
    above = sorted(drawn, key=lambda one: bool(one.kind))
    name, kind, public_id = about
    return ClaimRow(
        name, kind, public_id, claim_pieces(above, length_s), in_words(named), drawn,
        ("surest" if has_scores else "longest") if len(claims) > len(drawn) else "",
        on_steps, right,
    )  # fmt: skip


def _with_numbers(claims: Sequence[Claim], step_numbers: Mapping[str, str]) -> list[Claim]:
    return [
        replace(one, label=f"step {step_numbers[one.label]}") if one.label in step_numbers else one
        for one in claims
    ]


def claim_pieces(claims: Sequence[Claim], length_s: float) -> list[ChartPiece]:
    """Mistakes and corrections are high, what is neither low, and levels as high as they are."""
    drawn = []
    for one in claims:
        height = 10.0 if one.kind else 3.0
        if one.kind == LEVEL:
            height = max(0.5, 10 * (one.score or 0.0))
        place = {"top": f"{10 - height if one.kind else 3.5:.2f}", "height": f"{height:.2f}"}
        kind = one.kind or "plain"
        drawn.append(piece(one.start_s, one.end_s, length_s, one.label, kind, **place))
    return drawn


def in_words(claims: Sequence[Claim]) -> str:
    """Some claims one by one, many by how often each label is there.

    >>> in_words([Claim(0, 1, "yes", score=0.8)])
    'yes (score 0.8)'
    >>> in_words([Claim(n, n + 1, "yes" if n else "no") for n in range(5)])
    'yes ×4, no'
    """
    if claims and all(one.kind == LEVEL for one in claims):
        peak = max(claims, key=lambda one: one.score or 0.0)
        if peak.score == min(one.score or 0.0 for one in claims):
            return "the same throughout"
        return f"highest at {peak.start_s:.0f}–{peak.end_s:.0f} s"
    told = list(dict.fromkeys((one.label, one.score) for one in claims))
    if len(told) <= TOLD_CLAIMS and len(claims) <= TOLD_CLAIMS:
        return "; ".join(
            label if score is None else f"{label} (score {score:.3g})" for label, score in told
        )
    counts = Counter(one.label for one in claims).most_common()
    words = [label if count == 1 else f"{label} ×{count}" for label, count in counts[:TOLD_LABELS]]
    if rest := sum(count for _, count in counts[TOLD_LABELS:]):
        words.append(f"and {rest:,} more")
    return ", ".join(words)
