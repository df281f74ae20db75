"""Material of tests: the sample corpus, and one small recording written out by hand."""

from dataclasses import replace
from functools import cache

from annotation.engine.corpus.formats import assembly101, captaincook4d, egooops
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.corpus.procedure import Event, Step, Take, Trace, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.task import Answered, AnswerStatus
from sample.corpus import load_corpus


def sample_material():
    corpus = load_corpus()
    takes = {take.uid: take for take in corpus.takes}
    return Material(
        "Everyday procedures",
        tuple(
            Recording(f"trace:{trace.uid}", takes[trace.take_uid], trace, generator="by hand")
            for trace in corpus.traces
        ),
    )


TAKE = Take(
    "tea", "Tea", "Make tea",
    (Step("Boil water"), Step("Warm the pot"), Step("Add tea"), Step("Pour water")),
)  # fmt: skip


def row(mod, text, index, start_s=None, end_s=None, event=None):
    return TraceStep(mod, text, index, event, start_s=start_s, end_s=end_s)


# Warming the pot is left out, coffee is added instead of tea and tipped out again.
TRACE = Trace(
    "tea-a", "Tea a", "tea",
    (
        row(Mod.UNCHANGED, "Boil water", 0, 0.0, 4.0),
        row(Mod.DELETION, "", 1, event="E1"),
        row(Mod.ERROR, "Add coffee", 2, 4.0, 6.0, "E2"),
        row(Mod.CORRECTION, "Tip out the coffee and add tea", None, 6.0, 10.0, "C1"),
        row(Mod.CASCADE, "Pour water on the rest", 3, 10.0, 12.0, "E2"),
    ),
    (
        Event("E1", EventKind.MISTAKE, TaxonomyLabel.DELETION),
        Event("E2", EventKind.MISTAKE, TaxonomyLabel.SUBSTITUTION),
        Event("C1", EventKind.CORRECTION, TaxonomyLabel.CORRECTION, "E2"),
    ),
)  # fmt: skip
TEA = Material("Tea", (Recording("trace:tea-a", TAKE, TRACE, duration_s=12.0),))


# All recordings of the sample with mistakes in them are left out by default.
OTHERWISE = {"procedure_learning": {"recordings": "all recordings"}}


def defaults(task):
    settings = {setting.name: setting.default for setting in task.settings}
    return settings | OTHERWISE.get(task.name, {})


def read(*values):
    """Answers that were read, None for one that was not."""
    return [
        Answered(AnswerStatus.MALFORMED if value is None else AnswerStatus.READ, value)
        for value in values
    ]


def figures(task, items, answers):
    """The figures of all recordings together, rounded."""
    tally = task.tally(items, answers)
    whole = tally.sums.sum(axis=0, keepdims=True)
    return {key: round(float(figure(whole)[0]), 6) for key, figure in tally.figures.items()}


READERS = {"egooops": egooops, "captaincook4d": captaincook4d, "assembly101": assembly101}


@cache
def published_material(folder, name):
    """A published data set, its texts as a site shows them."""
    reading = READERS[name].read(folder / name)
    shown = shown_text_of(name)

    def as_shown(content):
        return replace(
            content, steps=tuple(replace(step, text=shown(step.text)) for step in content.steps)
        )

    takes = {take.uid: as_shown(take) for take in reading.takes}
    traces = map(as_shown, reading.traces)
    return Material(
        name,
        (
            *(Recording(f"take:{uid}", take) for uid, take in takes.items()),
            *(Recording(f"trace:{trace.uid}", takes[trace.take_uid], trace) for trace in traces),
        ),
        {"format": name},
    )
