"""Mistakes of a data set that people read: which there are, and what people said of a sample.

Only mistakes with words of their own: an omission or a changed order has none.
"""

from dataclasses import dataclass
from random import Random

from django.db.models import QuerySet

from annotation.engine.taxonomy import Mod
from annotation.models import Dataset, Round, TraceStep, User
from texts.selectors.rounds import decided_texts, rounds_of_origin

READ_MODS = (Mod.ERROR, Mod.INSERTION)


@dataclass(frozen=True, slots=True)
class ReadMistake:
    """A mistake as it is handed over; `group` is the type that was planned or labelled."""

    source_key: str
    take: int
    trace: int
    text: str
    group: str
    step_index: int | None
    start_s: float | None
    end_s: float | None


def sense_origin(dataset: Dataset) -> str:
    return f"dataset:{dataset.public_id}"


def _mistakes(dataset: Dataset) -> QuerySet[TraceStep]:
    rows = TraceStep.objects.filter(trace__dataset=dataset, mod__in=READ_MODS)
    return rows.exclude(text="")


def has_mistakes_to_read(dataset: Dataset) -> bool:
    return _mistakes(dataset).exists()


def sample_of_mistakes(dataset: Dataset, count: int, seed: int) -> list[ReadMistake]:
    """So many mistakes drawn by the seed from all of a data set, whatever the database's order."""
    keys = list(_mistakes(dataset).order_by("trace__uid", "index").values_list("pk", flat=True))
    # nosec: a sample is drawn so that it can be drawn again, and protects nothing.
    chosen = Random(seed).sample(keys, min(count, len(keys)))
    fields = (
        "pk", "trace__take_id", "trace_id", "text", "event__proposed_type",
        "reference_step__index", "start_s", "end_s",
    )  # fmt: skip
    rows = {row[0]: row for row in TraceStep.objects.filter(pk__in=chosen).values_list(*fields)}
    return [
        ReadMistake(str(pk), take, trace, text, group or "", step, start_s, end_s)
        for pk, take, trace, text, group, step, start_s, end_s in (rows[key] for key in chosen)
    ]


def sense_rounds(user: User, dataset: Dataset) -> list[Round]:
    """The opened rounds in which people read samples of a data set, the newest first."""
    rounds = rounds_of_origin(user, sense_origin(dataset))
    return [round_ for round_ in rounds if round_.opened_at]


def verdicts_on_mistakes(user: User, dataset: Dataset) -> dict[tuple[str, str], str]:
    """The decided verdict on each mistake that people read, by take uid and event id.

    Where several samples have a mistake, that of the newest counts. Two queries for each sample.
    """
    decided: dict[int, str] = {}
    for round_ in reversed(sense_rounds(user, dataset)):
        decided |= {
            int(text.source_key): text.verdict for text in decided_texts(round_) if text.verdict
        }
    if not decided:
        return {}
    rows = TraceStep.objects.filter(trace__dataset=dataset, event__isnull=False)
    rows = rows.filter(mod__in=READ_MODS).order_by("trace__uid", "index")
    keys = rows.values_list("pk", "trace__take__uid", "event__event_id")
    return {(take, event): decided[pk] for pk, take, event in keys if pk in decided}
