"""No task tells the truth by the words, the order or the gaps that it shows, on real data too."""

import json
from dataclasses import replace

import numpy as np
import pytest

from annotation.engine.corpus.procedure import Event, NativeLabel, Step, Take
from annotation.engine.taxonomy import EventKind, Mod
from benchmarks.engine.happenings import (
    OWN_WORDS,
    PICTURES,
    WRITTEN_WORDS,
    happenings,
    watched_recordings,
)
from benchmarks.engine.material import Material, Recording, is_mistake
from benchmarks.engine.registry import tasks
from benchmarks.engine.word_rules import BY_ORDER, BY_WORDS, are_out_of_order
from tests.benchmarks.tasks.material import (
    TEA,
    TRACE,
    defaults,
    figures,
    published_material,
    read,
    row,
    sample_material,
)

OF_DATASETS = {task.name: task for task in tasks().values() if task.source == "dataset"}
# Their items list steps in words.
IN_WORDS = ("step_mistakes", "speak_or_stay_silent", "describe_mistake")
SHOWS_MISTAKES = (*IN_WORDS, "mistake_intervals")
PLANTED = "⟦what went wrong⟧"
every_task = pytest.mark.parametrize("task", OF_DATASETS.values(), ids=lambda task: task.name)


def published(name):
    return pytest.param(name, marks=pytest.mark.shared_data)


every_material = pytest.mark.parametrize(
    "name", ["tea", "sample", *map(published, ("egooops", "captaincook4d", "assembly101"))]
)


@pytest.fixture
def material(name, request):
    own = {"tea": lambda: TEA, "sample": sample_material}
    if name in own:
        return own[name]()
    return published_material(request.getfixturevalue("shared_data"), name)


def items_of(task, material, **settings):
    return list(task.items(material, {**defaults(task), **settings}, 0))


def with_traces(material, changed):
    """The same material with the rows of every trace changed, or dropped where that is None."""

    def with_rows(recording):
        if recording.trace is None:
            return recording
        rows = tuple(filter(None, map(changed, recording.trace.steps)))
        return replace(recording, trace=replace(recording.trace, steps=rows))

    return replace(material, recordings=tuple(map(with_rows, material.recordings)))


def planted(step):
    """A row whose own words and labels tell what it is."""
    mark = f"{PLANTED} {step.mod} {step.event_id}"
    labels = tuple(replace(label, note=mark) for label in step.labels)
    return replace(step, text=mark if step.text else "", labels=labels)


def prompts_of(task, items):
    return [task.prompt(item, ()).text for item in items]


@every_task
@every_material
def test_what_a_row_says_is_in_no_prompt(task, material, name):
    leaky = with_traces(material, planted)

    items = items_of(task, leaky)

    assert not any(PLANTED in json.dumps([item.payload, item.question]) for item in items)
    assert prompts_of(task, items) == prompts_of(task, items_of(task, material))


@pytest.mark.parametrize("name", [*map(published, ("egooops", "captaincook4d", "assembly101"))])
@pytest.mark.parametrize("task", IN_WORDS)
def test_every_word_shown_of_a_step_is_a_written_one(task, material, name):
    for item in items_of(OF_DATASETS[task], material):
        payload = item.payload
        listed = [*payload.get("before", ()), *payload.get("done", ())]
        assert {*listed, payload.get("step", payload["procedure"][0])} <= {*payload["procedure"]}


@pytest.mark.parametrize("task", IN_WORDS)
@every_material
def test_step_without_a_written_one_leaves_no_trace_where_words_are_shown(task, material, name):
    """No number of a list, no moment and no gap between moments shows that it was done."""
    kept = with_traces(material, lambda step: None if step.reference_index is None else step)

    before, after = (items_of(OF_DATASETS[task], one) for one in (material, kept))

    if task == "describe_mistake":
        # A mistake that is such a step is asked about, as what the pictures show.
        keys = {item.key for item in after}
        before = [item for item in before if item.key in keys]
    assert prompts_of(OF_DATASETS[task], before) == prompts_of(OF_DATASETS[task], after)


@pytest.mark.parametrize("name", [*map(published, ("egooops", "captaincook4d"))])
@pytest.mark.parametrize(
    ("task", "measure", "of_own_words"),
    [("step_mistakes", "f1", 0.7), ("speak_or_stay_silent", "g_mean_f1", 0.7)],
)
def test_rule_of_words_is_at_chance_and_finds_mistakes_in_the_rows_own_words(
    task, material, name, measure, of_own_words
):
    def figure_of(shown):
        items = items_of(OF_DATASETS[task], material, shown=shown)
        baselines = OF_DATASETS[task].baselines(items, np.random.default_rng(1))
        values = {one.name: one.values for one in baselines}
        return {
            rule: figures(OF_DATASETS[task], items, read(*values[rule]))[measure]
            for rule in (BY_WORDS, BY_ORDER)
        }

    assert figure_of(WRITTEN_WORDS)[BY_WORDS] == 0
    assert figure_of(WRITTEN_WORDS)[BY_ORDER] > 0
    assert figure_of(OWN_WORDS)[BY_WORDS] > of_own_words


@pytest.mark.parametrize("name", [*map(published, ("egooops", "captaincook4d"))])
def test_word_rule_finds_nothing_in_descriptions_and_the_rows_of_whole_recordings(material, name):
    describing, intervals = OF_DATASETS["describe_mistake"], OF_DATASETS["mistake_intervals"]

    def by_words(task, **settings):
        items = items_of(task, material, **settings)
        baselines = task.baselines(items, np.random.default_rng(1))
        return items, {one.name: one.values for one in baselines}

    items, values = by_words(describing)
    assert {value["text"] for value in values[BY_WORDS]} == {"Nothing."}
    assert BY_WORDS not in by_words(intervals)[1]
    items, values = by_words(intervals, shown=OWN_WORDS)
    assert figures(intervals, items, read(*values[BY_WORDS]))["map"] > 0.3


@pytest.mark.parametrize(
    ("name", "count", "in_words", "recordings", "in_time"),
    [
        pytest.param("egooops", 88, 60, 50, 50, marks=pytest.mark.shared_data),
        pytest.param("captaincook4d", 1683, 1683, 384, 378, marks=pytest.mark.shared_data),
        pytest.param("assembly101", 707, 216, 328, 328, marks=pytest.mark.shared_data),
    ],
)
def test_all_tasks_mean_the_same_by_a_mistake_and_have_the_recordings_without_one(
    material, name, count, in_words, recordings, in_time
):
    asked = items_of(OF_DATASETS["step_mistakes"], material, shown=PICTURES)
    in_steps = {(one.recording, one.start_s, one.moment_s) for one in asked if is_yes(one)}
    segments = items_of(OF_DATASETS["mistake_classes"], material)
    in_segments = {
        (one.recording, one.start_s, one.moment_s)
        for one in segments
        if one.truth["answer"] == "mistake"
    }
    whole = items_of(OF_DATASETS["mistake_intervals"], material)
    of_whole = {one.recording for one in whole}
    in_intervals = {
        (one.recording, row["start_s"], row["end_s"])
        for one in whole
        for row in one.truth["intervals"]
        if row["label"] == "mistake"
    }

    assert in_steps == in_segments
    assert in_intervals == {one for one in in_segments if one[0] in of_whole}
    assert sum(map(is_yes, asked)) == count
    assert sum(map(is_yes, items_of(OF_DATASETS["step_mistakes"], material))) == in_words
    assert len({one.recording for one in asked}) == recordings
    assert len(of_whole) == in_time


def is_yes(item):
    return item.truth["answer"] == "yes"


@pytest.mark.shared_data
def test_label_derived_from_the_order_makes_no_mistake_in_any_task(shared_data):
    material = published_material(shared_data, "egooops")
    derived = {
        (recording.key, step.start_s)
        for recording in material.recordings
        if recording.trace is not None
        for step in recording.trace.steps
        if step.mod is Mod.ERROR and all(label.is_derived for label in step.labels)
    }
    asked = items_of(OF_DATASETS["step_mistakes"], material)

    assert len(derived) == 26
    assert not any(is_yes(one) for one in asked if (one.recording, one.start_s) in derived)
    for task in ("describe_mistake", "zero_shot_errors", "error_recognition", "mistake_classes"):
        for one in items_of(OF_DATASETS[task], material):
            is_mistake = one.truth.get("answer") in ("yes", "mistake", "error")
            is_of_one = task == "describe_mistake" or is_mistake
            assert not (is_of_one and (one.recording, one.start_s) in derived)


def test_both_steps_that_changed_places_are_mistakes_and_what_follows_from_one_is_not():
    marked = {step.mod: is_mistake(step) for step in TRACE.steps}
    moved = [is_mistake(row(mod, "Pour", 1)) for mod in (Mod.MOVED_SOURCE, Mod.MOVED_TARGET)]

    assert marked == {
        Mod.UNCHANGED: False, Mod.DELETION: True, Mod.ERROR: True,
        Mod.CORRECTION: False, Mod.CASCADE: False,
    }  # fmt: skip
    assert moved == [True, True]
    labels = (NativeLabel("wrong_execution", "why"),)
    assert not is_mistake(replace(row(Mod.CASCADE, "Pour", 1), labels=labels))


def test_recording_without_mistakes_is_read_against_the_procedure_of_the_others():
    def take(uid, *numbers):
        steps = (Step(f"Step {n}", str(n), float(k), k + 1.0) for k, n in enumerate(numbers))
        return Take(uid, uid, "Tea", tuple(steps))

    reference, other = take("a", 1, 2, 3), take("b", 2, 1, 3)
    own = replace(TRACE, take_uid="a", steps=(row(Mod.ERROR, "Oops", 1, 0.0, 1.0, "E2"),))
    material = Material("Tea", (
        Recording("take:a", reference), Recording("take:b", other),
        Recording("take:written", Take("w", "w", "Tea", (Step("Step 1", "1"),))),
        Recording("trace:tea-a", reference, own),
    ))  # fmt: skip

    watched = watched_recordings(material)

    assert [recording.key for recording in watched] == ["take:a", "take:b", "trace:tea-a"]
    assert {tuple(recording.written["procedure"]) for recording in watched} == {
        ("Step 1", "Step 2", "Step 3")
    }
    assert [step.words for step in happenings(watched[1])] == ["Step 2", "Step 1", "Step 3"]


def test_take_that_a_trace_was_generated_from_keeps_its_own_procedure():
    other = replace(TEA.recordings[0].take, uid="other", steps=(Step("Wash up", "", 0.0, 1.0),))
    generated = replace(TEA.recordings[0], generator="by hand")
    material = replace(TEA, recordings=(Recording("take:other", other), generated))

    assert watched_recordings(material)[0].written["procedure"] == ["Wash up"]


def test_order_is_what_can_be_concluded_from_a_list():
    done = ["A", "B", "D", "C", "another", "A"]

    assert are_out_of_order(done, ["a", "b", "c", "d"]) == [
        False, False, True, True, False, True,
    ]  # fmt: skip
    assert are_out_of_order(["a", "b", "a"], ["a", "b", "a"]) == [False, False, False]


@pytest.mark.parametrize("name", [*map(published, ("egooops", "captaincook4d", "assembly101"))])
def test_every_truth_of_a_description_says_something(material, name):
    items = items_of(OF_DATASETS["describe_mistake"], material)

    for item in items:
        quoted = item.truth["text"].split("“")[1:]
        texts = [part.partition("”")[0] for part in quoted]
        assert len(texts) == len({*map(str.casefold, texts)}), item.truth
        assert item.truth["text"] != f"“{texts[0]}” was done wrongly."
    counted = OF_DATASETS["describe_mistake"].left_out(material, {})
    assert (len(items), dict(counted)) == {
        "egooops": (88, {}), "captaincook4d": (1940, {}), "assembly101": (707, {}),
    }[name]  # fmt: skip


def test_mistake_that_nothing_describes_is_left_out_and_counted():
    labels = (NativeLabel("Other"), NativeLabel("mistake"), NativeLabel("late", is_derived=True))
    steps = (
        TRACE.steps[0],
        replace(row(Mod.ERROR, "add TEA", 2, 4.0, 6.0, "E1"), labels=labels),
        replace(row(Mod.ERROR, "Pour water", 3, 6.0, 9.0, "E2"), labels=(
            NativeLabel("Timing Error", "too early"), NativeLabel("late", is_derived=True),
        )),
    )  # fmt: skip
    events = (Event("E1", EventKind.MISTAKE), Event("E2", EventKind.MISTAKE))
    trace = replace(TRACE, steps=steps, events=events)
    material = replace(TEA, recordings=(replace(TEA.recordings[0], trace=trace),))
    task = OF_DATASETS["describe_mistake"]

    (item,) = items_of(task, material)

    assert item.truth["text"] == "“Pour water” was done wrongly. Timing Error: too early."
    assert task.left_out(material, {}) == {"mistakes that nothing in the data describes": 1}


@pytest.mark.parametrize("name", [*map(published, ("egooops", "captaincook4d"))])
@pytest.mark.parametrize(
    "task",
    ["error_recognition", "mistake_classes", "mistake_detection", "anomaly", "step_mistakes"],
)
def test_no_recording_without_mistakes_shows_a_procedure_that_no_other_has(task, material, name):
    owners = {}
    for item in items_of(OF_DATASETS[task], material):
        written = json.dumps([item.payload.get("procedure"), item.payload.get("steps")])
        owners.setdefault(written, set()).add(item.recording)

    assert not any(len(own) == 1 for own in owners.values())
