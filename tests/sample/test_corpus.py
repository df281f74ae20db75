import re
from collections import Counter

import pytest

from annotation.engine.taxonomy import MODS_WITHOUT_REFERENCE, EventKind, Mod, TaxonomyLabel
from sample.corpus import load_corpus
from sample.stage import (
    HAND,
    OFF,
    SLOTS,
    TOOL_MOTIONS,
    UNDER,
    Motion,
    load_scenes,
    opening_state,
    state_after,
)

CORPUS = load_corpus()
TAKES = {take.uid: take for take in CORPUS.takes}
SCENES = load_scenes()
# PREDICATE(Role: value, ...): an upper-case predicate, roles with a capital.
SEMREP = re.compile(r"[A-Z]+(_[A-Z]+)*\([A-Z][a-z]+: .+\)")

each_take = pytest.mark.parametrize("take", CORPUS.takes, ids=lambda take: take.name)
each_trace = pytest.mark.parametrize("trace", CORPUS.traces, ids=lambda trace: trace.name)


def _depths(semrep: str) -> list[int]:
    depths, depth = [], 0
    for character in semrep:
        depth += {"(": 1, ")": -1}.get(character, 0)
        depths.append(depth)
    return depths


def test_corpus_is_as_wide_as_promised():
    domains = {step.taxonomy_path[0] for take in CORPUS.takes for step in take.steps}

    assert len(CORPUS.takes) >= 9
    assert len({take.scenario for take in CORPUS.takes}) == len(CORPUS.takes)
    assert len(domains) >= 4
    assert 10 <= len(CORPUS.traces) <= 14
    assert {trace.take_uid for trace in CORPUS.traces} == set(TAKES)


def test_corpus_has_every_kind_of_mistake_several_times():
    mistakes = Counter(
        event.proposed_type
        for trace in CORPUS.traces
        for event in trace.events
        if event.kind is EventKind.MISTAKE
    )
    mods = Counter(step.mod for trace in CORPUS.traces for step in trace.steps)

    assert set(mistakes) == set(TaxonomyLabel) - {TaxonomyLabel.CORRECTION}
    assert min(mistakes.values()) >= 3
    assert mods[Mod.CORRECTION] >= 5
    assert mods[Mod.CASCADE] >= 5
    assert set(mods) == set(Mod)


@each_take
def test_take_steps_are_complete(take):
    assert 6 <= len(take.steps) <= 20
    assert len({step.step_id for step in take.steps}) == len(take.steps)
    for step in take.steps:
        assert step.text[0].isupper()
        assert step.text.strip(" .") == step.text
        assert step.is_essential is not None
        assert len(step.taxonomy_path) == 3


@each_take
def test_take_semreps_are_in_the_grammar(take):
    for step in take.steps:
        depths = _depths(step.semrep)

        assert SEMREP.fullmatch(step.semrep), step.semrep
        assert "Agent: you" in step.semrep
        # Balanced, and closed nowhere before the end.
        assert depths[-1] == 0
        assert min(depths[step.semrep.index("(") : -1]) >= 1


@pytest.mark.parametrize(
    "recording", [*CORPUS.takes, *CORPUS.traces], ids=lambda recording: recording.name
)
def test_recording_times_rise_and_fill_half_a_minute(recording):
    timed = [step for step in recording.steps if step.start_s is not None]
    times = [time for step in timed for time in (step.start_s, step.end_s)]

    assert times == sorted(times)
    assert len(set(times)) == len(times)
    assert 18 <= times[-1] <= 40


@each_trace
def test_trace_covers_its_take_exactly_once(trace):
    take = TAKES[trace.take_uid]
    with_reference = [step for step in trace.steps if step.mod not in MODS_WITHOUT_REFERENCE]

    assert sorted(step.reference_index for step in with_reference) == list(range(len(take.steps)))
    for step in with_reference:
        assert step.step_id == take.steps[step.reference_index].step_id


@each_trace
def test_trace_keeps_the_words_of_unchanged_and_swapped_steps(trace):
    take = TAKES[trace.take_uid]

    for step in trace.steps:
        if step.reference_index is None or step.mod is Mod.DELETION:
            continue
        is_verbatim = step.text == take.steps[step.reference_index].text
        assert is_verbatim == (step.mod in {Mod.UNCHANGED, Mod.MOVED_SOURCE, Mod.MOVED_TARGET})


@each_trace
def test_trace_events_are_realised_as_their_type_says(trace):
    expected = {
        "D": {Mod.DELETION: 1},
        "I": {Mod.INSERTION: 1},
        "S": {Mod.ERROR: 1},
        "WE": {Mod.ERROR: 1},
        "T": {Mod.MOVED_SOURCE: 1, Mod.MOVED_TARGET: 1},
        "C": {Mod.CORRECTION: 1},
    }

    for event in trace.events:
        mods = Counter(step.mod for step in trace.steps if step.event_id == event.event_id)
        mods.pop(Mod.CASCADE, None)
        assert mods == expected[event.proposed_type], event


@each_trace
def test_trace_corrections_and_cascades_come_after_their_mistake(trace):
    first_row = {}
    for row, step in enumerate(trace.steps):
        if step.mod is not Mod.CASCADE:
            first_row.setdefault(step.event_id, row)
    targets = {event.event_id: event.target_event_id for event in trace.events}

    for row, step in enumerate(trace.steps):
        if step.mod is Mod.CASCADE:
            assert row > first_row[step.event_id]
        if step.mod is Mod.CORRECTION:
            assert row > first_row[targets[step.event_id]]


@each_trace
def test_trace_swap_reverses_the_order(trace):
    rows = {}
    for row, step in enumerate(trace.steps):
        if step.mod in {Mod.MOVED_SOURCE, Mod.MOVED_TARGET}:
            rows.setdefault(step.event_id, []).append((row, step.reference_index))

    for (_first_row, first), (_second_row, second) in rows.values():
        assert first > second


def test_video_stems_are_opaque_and_unique():
    stems = [recording.video_stem for recording in (*CORPUS.takes, *CORPUS.traces)]

    assert len(set(stems)) == len(stems)
    assert all(re.fullmatch(r"[0-9a-f]{12}", stem) for stem in stems)


@pytest.mark.parametrize("scenario", SCENES)
def test_scene_names_only_props_that_it_has(scenario):
    scene = SCENES[scenario]
    names, places = set(scene.props), {*SLOTS, OFF}

    for prop in scene.props.values():
        assert prop.at in names | set(SLOTS)
    for text, direction in scene.directions.items():
        changed = {name.removeprefix(UNDER) for name in direction.then}
        assert direction.prop in names, text
        assert changed <= names | {HAND}, text
        if direction.motion in TOOL_MOTIONS | {Motion.INTO}:
            assert direction.target in names, text
        elif direction.motion in {Motion.CARRY, Motion.DROP}:
            assert direction.target in names | places, text
        else:
            assert direction.target == "", text


def test_scenes_direct_every_step_and_nothing_else():
    directed = {(name, text) for name, scene in SCENES.items() for text in scene.directions}
    performed = {(take.scenario, step.text) for take in CORPUS.takes for step in take.steps}
    performed |= {
        (TAKES[trace.take_uid].scenario, step.text)
        for trace in CORPUS.traces
        for step in trace.steps
        if step.text
    }

    assert directed == performed


def _closing_picture(scenario, steps):
    scene = SCENES[scenario]
    state = opening_state(scene)
    for step in steps:
        if step.text:
            state = state_after(state, scene.directions[step.text])
    return state


@each_trace
def test_trace_can_be_told_from_its_take_in_the_picture(trace):
    take = TAKES[trace.take_uid]
    directions = SCENES[take.scenario].directions

    played = [directions[step.text] for step in trace.steps if step.text]
    reference = [directions[step.text] for step in take.steps]

    assert played != reference
    for step in trace.steps:
        if step.mod is Mod.ERROR:
            original = directions[take.steps[step.reference_index].text]
            assert directions[step.text] != original


def test_picture_shows_a_wrong_vessel_to_the_end():
    take = TAKES["sample-coffee"]
    trace = next(trace for trace in CORPUS.traces if trace.uid == "sample-coffee-b")

    right = _closing_picture(take.scenario, take.steps)
    wrong = _closing_picture(take.scenario, trace.steps)

    assert (right.props["mug"].at, right.props["mug"].fill != "") == ("saucer", True)
    assert (wrong.props["mug"].at, wrong.props["mug"].fill) == ("s1", "")
    assert (wrong.props["glass"].at, wrong.props["glass"].fill != "") == ("saucer", True)
