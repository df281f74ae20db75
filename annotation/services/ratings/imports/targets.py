"""What the rows of rating tables are about: the traces and events that they name."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from annotation.engine.corpus.formats.errors import FormatError, Problem, problem
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.corpus.procedure import ReadingWarning
from annotation.engine.csv_cells import is_missing, whole_number
from annotation.engine.ratings.table import RatingRow, RatingTable, find_repeats
from annotation.engine.taxonomy import Mod
from annotation.models import Dataset, Event, Trace, TraceStep, User
from annotation.selectors.corpus.corpus import visible_datasets

NOT_A_WORD = re.compile(r"\W+")
BATCH_IDS = 1000


@dataclass(frozen=True, slots=True)
class Target:
    """One row of a table with the ids of this site, and what it is about.

    `event` is the key of the event, None for the whole trace.
    """

    table: RatingTable
    line: int
    row: RatingRow
    trace: Trace
    event: int | None

    def problem(self, name: str, value: object, expected: str) -> Problem:
        return _problem(self.table, self.line, name, value, expected)


def _problem(table: RatingTable, line: int, name: str, value: object, expected: str) -> Problem:
    return problem(
        file=table.file, place=table.place(line), field=name, value=value, expected=expected
    )


def find_targets(
    tables: Sequence[RatingTable], *, user: User | None
) -> tuple[list[Target], list[ReadingWarning]]:
    """The rows with what they are about, and what was concluded about their data sets.

    Only what `user` may see is looked at; None is the command line, which sees everything. Raises
    `FormatError` with every row that names an unknown data set, trace, take or event.
    """
    datasets = _Datasets.visible_to(user)
    warnings: list[ReadingWarning] = []
    problems: list[Problem] = []
    named_datasets: list[tuple[RatingTable, dict[str, str]]] = []
    for table in tables:
        names, more, wrong = datasets.of_table(table)
        named_datasets.append((table, names))
        warnings += more
        problems += wrong
    corpus = _Corpus.of({name for _, names in named_datasets for name in names.values()})
    corpus.read_words(
        (names[row.dataset], row.trace)
        for table, names in named_datasets
        if table.is_workbook
        for _, row in table.rows
        if row.dataset in names
    )
    targets: list[Target] = []
    for table, names in named_datasets:
        for line, row in table.rows:
            if row.dataset not in names:
                continue  # reported already
            local = replace(row, dataset=names[row.dataset])
            trace = corpus.traces.get((local.dataset, local.trace))
            fault = corpus.fault_of(local, trace)
            if fault is not None:
                problems.append(_problem(table, line, *fault))
            if fault is not None or trace is None:
                continue
            event_id = corpus.event_of(local, trace)
            take = "" if is_missing(local.take) and local.take != trace.take.uid else local.take
            local = replace(local, event=event_id, take=take)
            event = corpus.events[trace.pk][event_id] if event_id else None
            targets.append(Target(table, line, local, trace, event))
    # The same answer may come in two spellings, or under two data sets.
    problems = problems or find_repeats(_local_tables(tables, targets))
    if problems:
        raise FormatError(problems)
    return targets, warnings


def _local_tables(
    tables: Sequence[RatingTable], targets: Iterable[Target]
) -> Iterable[RatingTable]:
    rows: defaultdict[int, list[tuple[int, RatingRow]]] = defaultdict(list)
    for item in targets:
        rows[id(item.table)].append((item.line, item.row))
    return (replace(table, rows=tuple(rows[id(table)])) for table in tables)


@dataclass(frozen=True, slots=True)
class _Datasets:
    """The data sets that the user may see, by name."""

    by_name: Mapping[str, int]

    @classmethod
    def visible_to(cls, user: User | None) -> "_Datasets":
        found = Dataset.objects.all() if user is None else visible_datasets(user)
        return cls(dict(found.values_list("name", "pk")))

    def of_table(
        self, table: RatingTable
    ) -> tuple[dict[str, str], list[ReadingWarning], list[Problem]]:
        """The data set's name on this site for each name in the table, "" included.

        Column A of a workbook names the data freely. Then, and where there is no name, it is the
        one data set that has the traces.
        """
        # By data set, the first line of each trace.
        lines_by_dataset: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for line, row in table.rows:
            lines_by_dataset[row.dataset].setdefault(row.trace, line)
        names: dict[str, str] = {}
        warnings: list[ReadingWarning] = []
        problems: list[Problem] = []
        for dataset, lines in lines_by_dataset.items():
            if dataset in self.by_name:
                names[dataset] = dataset
                continue
            is_name = table.is_dataset_named or not table.is_workbook
            if is_name and not is_missing(dataset):
                expected = "a data set that was imported before"
                problems += [
                    _problem(table, at, "dataset", dataset, expected)
                    for at, row in table.rows
                    if row.dataset == dataset
                ]
                continue
            holders = self._holders(lines)
            if len(holders) == 1:
                [names[dataset]] = holders
                message = f"read as ratings of {holders[0]}, the only data set with these traces"
                warnings.append(ReadingWarning(table.file, message))
            elif holders:
                expected = f"one of {', '.join(holders)}: name it, as all of them have these traces"
                line = next(iter(lines.values()))
                problems.append(_problem(table, line, "dataset", dataset, expected))
            else:
                expected = "a trace of a data set that was imported before"
                if table.is_workbook:
                    expected += " (a workbook is one itself: import it as a data set first)"
                problems += [
                    _problem(table, at, "trace", uid, expected) for uid, at in lines.items()
                ]
        return names, warnings, problems

    def _holders(self, uids: Collection[str]) -> list[str]:
        """The data sets that have all of these traces, or where none has, any of them."""
        counts: dict[str, int] = defaultdict(int)
        ordered = sorted(uids)
        names = {key: name for name, key in self.by_name.items()}
        for start in range(0, len(ordered), BATCH_IDS):
            traces = Trace.objects.filter(uid__in=ordered[start : start + BATCH_IDS]).order_by()
            for dataset in traces.values_list("dataset_id", flat=True):
                if dataset in names:
                    counts[names[dataset]] += 1
        return sorted(name for name, count in counts.items() if count == len(uids)) or sorted(
            counts
        )


@dataclass(frozen=True, slots=True)
class _Corpus:
    """The traces of some data sets, their events, and the words of these."""

    traces: Mapping[tuple[str, str], Trace]
    events: Mapping[int, Mapping[str, int]]
    words: dict[int, "_EventWords"] = field(default_factory=dict)

    @classmethod
    def of(cls, names: set[str]) -> "_Corpus":
        traces = Trace.objects.filter(dataset__name__in=names).select_related(
            "take__dataset", "dataset"
        )
        events: defaultdict[int, dict[str, int]] = defaultdict(dict)
        rows = Event.objects.filter(trace__dataset__name__in=names)
        for trace_id, event_id, key in rows.values_list("trace_id", "event_id", "pk"):
            events[trace_id][event_id] = key
        return cls({(trace.dataset.name, trace.uid): trace for trace in traces}, events)

    def fault_of(self, row: RatingRow, trace: Trace | None) -> tuple[str, str, str] | None:
        """The first value of a row that does not exist here: column, value, expectation."""
        if trace is None:
            return "trace", row.trace, f"a trace of {row.dataset}"
        if row.take not in {"", trace.take.uid} and not is_missing(row.take):
            return "take", row.take, f"{trace.take.uid!r}, the take of trace {row.trace!r}"
        if not row.event or self.event_of(row, trace):
            return None
        words = self.words[trace.pk] if row.words else None
        if words and row.event in self.events[trace.pk]:
            expected = (
                f"{words.of_event(row.event)}, as event {row.event} of trace {row.trace!r} says"
            )
            return "Procedure with mistake", " / ".join(row.words or ()), expected
        return "event", row.event, f"an event of trace {row.trace!r}"

    def event_of(self, row: RatingRow, trace: Trace) -> str:
        """The event's id on this site, "" for none.

        A program that took an id for a number wrote "3.0" for "3". A workbook has the step's
        number, by which a data set that numbers its events otherwise would give another event: so
        its words have to be those of the event.
        """
        events = self.events[trace.pk]
        number = whole_number(row.event)
        event = row.event
        if event not in events and number is not None:
            event = str(number)
        if row.words is not None and row.event:
            return self.words[trace.pk].event_of(event, row.words)
        return event if event in events else ""

    def read_words(self, names: Iterable[tuple[str, str]]) -> None:
        """Read which words the events of these traces have; they are (data set, trace)."""
        traces = {self.traces[name].pk: self.traces[name] for name in names if name in self.traces}
        steps: defaultdict[int, list[_EventStep]] = defaultdict(list)
        ordered = sorted(traces)
        for start in range(0, len(ordered), BATCH_IDS):
            trace_steps = TraceStep.objects.filter(
                trace__in=ordered[start : start + BATCH_IDS], event__isnull=False
            ).exclude(mod=Mod.CASCADE)
            for trace_id, event, mod, step_id, text, reference in trace_steps.order_by(
                "trace", "index"
            ).values_list("trace_id", "event_id", "mod", "step_id", "text", "reference_step__text"):
                steps[trace_id].append(_EventStep(event, mod, step_id, text, reference))
        for key, trace in traces.items():
            self.words[key] = _EventWords.of(trace, self.events[key], steps[key])


class _EventStep(NamedTuple):
    """A step of a trace that an event touches; `event` is its key."""

    event: int
    mod: str
    step_id: str
    text: str
    reference: str | None


@dataclass(frozen=True, slots=True)
class _EventWords:
    """The events of one trace by the steps that they touch, as (without, with the mistake)."""

    events: Mapping[str, int]
    by_step_id: Mapping[str, set[str]]
    rows: Mapping[str, list[tuple[str | None, str | None]]]

    @classmethod
    def of(
        cls, trace: Trace, events: Mapping[str, int], steps: Iterable[_EventStep]
    ) -> "_EventWords":
        shown_text = shown_text_of(trace.take.dataset.format)
        ids = {key: event_id for event_id, key in events.items()}
        by_step_id: defaultdict[str, set[str]] = defaultdict(set)
        rows: defaultdict[str, list[tuple[str | None, str | None]]] = defaultdict(list)
        for step in steps:
            event_id = ids[step.event]
            by_step_id[step.step_id].add(event_id)
            # What a deleted step's cell says beside the correct one is up to who made the sheet.
            if step.mod == Mod.DELETION:
                rows[event_id] += [(step.reference, None), (shown_text(step.reference or ""), None)]
            else:
                rows[event_id] += [(None, step.text), (None, shown_text(step.text))]
        return cls(events, by_step_id, rows)

    def event_of(self, step_id: str, words: tuple[str, str]) -> str:
        if self._fits(step_id, words):
            return step_id
        fitting = [item for item in self.by_step_id.get(step_id, ()) if self._fits(item, words)]
        return fitting[0] if len(fitting) == 1 else ""

    def _fits(self, event_id: str, words: tuple[str, str]) -> bool:
        if event_id not in self.events:
            return False
        rows = self.rows.get(event_id)
        if not rows:
            return True  # ratings came without their corpus: there are only ids
        plain = tuple(map(_plain, words))
        return any(
            (correct is not None and _plain(correct) == plain[0])
            or (performed is not None and _plain(performed) == plain[1])
            for correct, performed in rows
        )

    def of_event(self, event_id: str) -> str:
        correct, performed = self.rows[event_id][0]
        return repr(performed if performed is not None else correct)


def _plain(text: str) -> str:
    """The words alone: blanks, capitals and punctuation make no difference."""
    return NOT_A_WORD.sub(" ", text.casefold()).strip() or text.strip()
