import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from annotation.engine.corpus.formats import piev
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Event, NativeLabel, Step, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from tests.engine.corpus.formats.bad_input import assert_reads_or_refuses, spoiled


def _plan_step(index, text):
    return {
        "index": index,
        "start_time": float(index),
        "end_time": index + 0.5,
        "step_description": text,
        "step_unique_id": 70 + index,
        "is_essential": index != 1,
        "semantic_representation": f"DO(Object: thing_{index})",
        "taxonomy_path": ["Tea", "Prepare", text],
    }


def _plan():
    texts = ["Get a cup", "Rinse it", "Boil water", "Pour it", "Stir"]
    take = {
        "take_name": "lab_tea_1",
        "scenario": "Making Tea",
        "steps": [_plan_step(index, text) for index, text in enumerate(texts)],
        "errors": [
            {"event_id": "E01", "step_index": 0, "type": "wrong_execution"},
            {"event_id": "E02", "step_index": 1, "type": "deletion"},
            {"event_id": "E03", "step_index": 3, "type": "transposition"},
        ],
        "corrections": [{"correction_id": "u-1_corr_0", "targets_error_id": "E01"}],
    }
    return {"meta": {}, "takes": {"u-1": take}}


def _row(old, new, mod, etype=None, eid=None, cid=None, **more):
    return {"old": old, "new": new, "mod": mod, "etype": etype, "eid": eid, "cid": cid, **more}


def _output():
    rewrite = {
        "final_steps": [
            "Get a bowl",
            "Put the bowl back and get a cup",
            "Pour it",
            "Boil water again",
            "Wipe the table",
            "Stir the bowl",
        ],
        "meta": [
            _row(0, 0, "e", "wrong_execution", "E01"),
            _row("", 1, "c", "correction", None, "u-1_corr_0"),
            _row(1, "", "d", "deletion", "E02"),
            _row(3, 2, "ms", "transposition", "E03"),
            _row(2, 3, "mt", "transposition", "E03"),
            _row("", 4, "i", "insertion", repair_reason="PUT_BACK_ON_SURFACE"),
            _row(4, 5, "a", None, "E_UNKNOWN", repair_reason="MOVE_OBJECT"),
        ],
    }
    take = {"take_uid": "u-1", "take_name": "lab_tea_1", "status": "ok", "rewrite": rewrite}
    return {"takes": {"u-1": take}}


def _freeform():
    rewrite = {
        "final_steps": ["Get a cup", "Boil milk", "Pour it", "Wipe up", "Stir", "Drop it"],
        "meta": [
            [0, "u", None, None],
            [2, "s", "E01", None],
            [3, "we", "E01", None],
            [3, "c", None, "C01"],
            [4, "u", None, None],
            [4, "i", "E03", None],
        ],
        "del": [[1, "E02"]],
    }
    take = {"take_name": "lab_tea_1", "status": "ok", "n_input_steps": 5, "rewrite": rewrite}
    meta = {"model_backend": "openai", "temperature": 0.6, "seed": 0}
    return {"meta": meta, "takes": {"u-1": take}}


def _write(folder: Path, **documents: object) -> Path:
    for stem, document in documents.items():
        (folder / f"{stem}.json").write_text(json.dumps(document))
    return folder


def test_read_plan_makes_takes(tmp_path):
    reading = piev.read(_write(tmp_path, my_error_plan=_plan()) / "my_error_plan.json")

    take = reading.takes[0]
    assert (take.uid, take.name, take.scenario) == ("u-1", "lab_tea_1", "Making Tea")
    assert take.video_stem == "lab_tea_1"
    assert take.steps[1] == Step(
        "Rinse it", "71", 1.0, 1.5, False, "DO(Object: thing_1)", ("Tea", "Prepare", "Rinse it")
    )


def test_read_output_makes_rows_and_events(tmp_path):
    folder = _write(tmp_path, my_error_plan=_plan(), judged=_output())

    reading = piev.read(folder / "judged.json")

    trace = reading.traces[0]
    repair = (NativeLabel("insertion", "PUT_BACK_ON_SURFACE"),)
    swap = (NativeLabel("transposition"),)
    assert (trace.uid, trace.take_uid) == ("u-1", "u-1")
    assert trace.steps == (
        TraceStep(
            Mod.ERROR, "Get a bowl", 0, "E01", "70", labels=(NativeLabel("wrong_execution"),)
        ),
        TraceStep(
            Mod.CORRECTION,
            "Put the bowl back and get a cup",
            None,
            "u-1_corr_0",
            labels=(NativeLabel("correction"),),
        ),
        TraceStep(Mod.DELETION, "", 1, "E02", "71", labels=(NativeLabel("deletion"),)),
        TraceStep(Mod.MOVED_SOURCE, "Pour it", 3, "E03", "73", labels=swap),
        TraceStep(Mod.MOVED_TARGET, "Boil water again", 2, "E03", "72", labels=swap),
        TraceStep(Mod.INSERTION, "Wipe the table", None, "repair-1", labels=repair),
        TraceStep(
            Mod.CASCADE, "Stir the bowl", 4, None, "74", labels=(NativeLabel("MOVE_OBJECT"),)
        ),
    )
    assert trace.events == (
        Event("E01", EventKind.MISTAKE, TaxonomyLabel.WRONG_EXECUTION),
        Event("u-1_corr_0", EventKind.CORRECTION, TaxonomyLabel.CORRECTION, "E01"),
        Event("E02", EventKind.MISTAKE, TaxonomyLabel.DELETION),
        Event("E03", EventKind.MISTAKE, TaxonomyLabel.TRANSPOSITION),
        Event("repair-1", EventKind.MISTAKE, TaxonomyLabel.INSERTION),
    )
    assert trace.provenance == {"file": "judged", "status": "ok"}
    assert [(item.where, item.message) for item in reading.warnings] == [
        (
            "judged.json take u-1 (lab_tea_1)",
            "cascade row of new step 5 names E_UNKNOWN, which no row makes: left open",
        )
    ]


def test_cascade_row_names_the_mistake_it_follows_from(tmp_path):
    output = _output()
    output["takes"]["u-1"]["rewrite"]["meta"][6]["eid"] = "E01"

    reading = piev.read(_write(tmp_path, my_error_plan=_plan(), judged=output))

    assert reading.traces[0].steps[6].event_id == "E01"
    assert reading.warnings == ()


def test_read_freeform_places_deletions_and_names_its_model(tmp_path):
    reading = piev.read(_write(tmp_path, my_error_plan=_plan(), freeform=_freeform()))

    trace = reading.traces[0]
    assert [(step.mod, step.reference_index, step.event_id) for step in trace.steps] == [
        (Mod.UNCHANGED, 0, None),
        (Mod.DELETION, 1, "E02"),
        (Mod.ERROR, 2, "E01"),
        (Mod.ERROR, 3, "E01"),
        (Mod.CORRECTION, None, "C01"),
        (Mod.UNCHANGED, 4, None),
        (Mod.INSERTION, None, "E03"),
    ]
    assert trace.events == (
        Event("E02", EventKind.MISTAKE, TaxonomyLabel.DELETION),
        Event("E01", EventKind.MISTAKE, None),
        Event("C01", EventKind.CORRECTION, TaxonomyLabel.CORRECTION),
        Event("E03", EventKind.MISTAKE, TaxonomyLabel.INSERTION),
    )
    assert trace.provenance == {
        "file": "freeform",
        "status": "ok",
        "model_backend": "openai",
        "temperature": "0.6",
        "seed": "0",
    }
    assert [item.message for item in reading.warnings] == [
        "rows of insertions and corrections name a source step: dropped, as they have none",
        "rows of E01 have different types: no type proposed",
    ]


def test_several_outputs_get_uids_of_their_own(tmp_path):
    folder = _write(tmp_path, my_error_plan=_plan(), judged=_output(), free=_freeform(), other=[1])

    reading = piev.read(folder)

    assert [trace.uid for trace in reading.traces] == ["u-1:free", "u-1:judged"]
    assert reading.warnings[0].where == "other.json"


def test_plan_with_corrections_is_preferred(tmp_path):
    plain = _plan()
    del plain["takes"]["u-1"]["corrections"]
    folder = _write(tmp_path, a_error_plan=plain, b_error_plan=_plan(), judged=_output())

    reading = piev.read(folder / "judged.json")

    assert reading.derived == {"errors": 3, "corrections": 1}
    assert reading.warnings[0].where == "a_error_plan.json"


def test_output_without_a_plan_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"judged.json: 'no plan'; expected a plan"):
        piev.read(_write(tmp_path, judged=_output()) / "judged.json")


def test_output_of_another_plan_is_refused(tmp_path):
    output = _output()
    output["takes"]["u-9"] = output["takes"].pop("u-1")

    with pytest.raises(FormatError, match=r"judged.json: 'u-9'; expected takes that the plan has"):
        piev.read(_write(tmp_path, my_error_plan=_plan(), judged=output))


@pytest.mark.parametrize(
    ("row", "field", "value", "reason"),
    [
        (0, "old", 5, "meta names source step 5, but the take has 5 steps"),
        (0, "new", 1, "the new indices of meta are not 0, 1, 2... in order"),
        (2, "old", "", "meta has a deletion that names no source step"),
        (
            2,
            "mod",
            "u",
            "meta has 7 rows that are no deletions, but final_steps has 6 texts",
        ),
    ],
)
def test_take_whose_rows_do_not_fit_is_left_out(tmp_path, row, field, value, reason):
    output = _output()
    output["takes"]["u-1"]["rewrite"]["meta"][row][field] = value

    reading = piev.read(_write(tmp_path, my_error_plan=_plan(), judged=output))

    assert reading.traces == ()
    assert [item.message for item in reading.warnings] == [f"left out: {reason}"]


def test_rows_that_name_no_or_foreign_events_are_reported(tmp_path):
    output = _output()
    rows = output["takes"]["u-1"]["rewrite"]["meta"]
    rows[0]["eid"] = "e01"
    rows[2]["eid"] = None
    rows[6].update(mod="u", eid=None)

    reading = piev.read(_write(tmp_path, my_error_plan=_plan(), judged=output))

    assert [event.event_id for event in reading.traces[0].events] == [
        "e01",
        "u-1_corr_0",
        "unnamed-1",
        "E03",
        "repair-1",
    ]
    assert reading.traces[0].events[1].target_event_id is None
    assert [item.message for item in reading.warnings] == [
        "row of new step 5 is marked unchanged but its text differs",
        "row d for new step None names no event: called unnamed-1",
        "planned events without a row: E01, E02",
        "event ids that the plan does not have: e01",
    ]


def test_steps_that_vanish_or_repeat_are_reported(tmp_path):
    output = _output()
    output["takes"]["u-1"]["rewrite"]["meta"][6]["old"] = 0

    reading = piev.read(_write(tmp_path, my_error_plan=_plan(), judged=output))

    assert [item.message for item in reading.warnings][:2] == [
        "source steps without a row or a deletion: 4",
        "source steps with several rows: 0",
    ]


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda take: take["steps"][1].update(index=7), "steps[1]: index is 7; expected 1"),
        (lambda take: take["steps"][1].update(start_time="x"), "start_time is 'x'; expected a fin"),
        (lambda take: take["steps"][1].update(end_time=0.0), "end_time is 0.0; expected a time"),
        (lambda take: take["errors"][0].update(type="slip"), "type is 'slip'; expected deletion"),
        (lambda take: take["errors"][0].update(step_index=5), "expected a step from 0 to 4"),
        (lambda take: take["errors"][1].update(event_id="E01"), "expected each event_id once"),
        (lambda take: take["corrections"][0].update(targets_error_id="E9"), "an error of this"),
        (lambda take: take.update(steps=3), "takes.u-1.steps: 3; expected a list"),
    ],
)
def test_wrong_plan_is_refused_with_its_place(tmp_path, change, shown):
    plan = _plan()
    plan["takes"]["u-2"] = _plan()["takes"]["u-1"]
    change(plan["takes"]["u-1"])

    with pytest.raises(FormatError) as caught:
        piev.read(_write(tmp_path, my_error_plan=plan))

    assert str(caught.value).startswith("my_error_plan.json, takes.u-1")
    assert shown in str(caught.value)


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        ([["u"]], "an array of 4: source_idx, mod, error_id, correction_id"),
        ([[0, "d", None, None]], "mod is 'd'; expected u or we or s"),
        ([[0.5, "u", None, None]], "source_idx is 0.5; expected a step index"),
    ],
)
def test_wrong_freeform_rows_are_refused(tmp_path, document, shown):
    output = _freeform()
    output["takes"]["u-1"]["rewrite"]["meta"] = document

    with pytest.raises(FormatError) as caught:
        piev.read(_write(tmp_path, my_error_plan=_plan(), free=output))

    assert shown in str(caught.value)


SPOILING = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@SPOILING
@given(document=spoiled(_plan()))
def test_spoiled_plan_is_read_or_refused(tmp_path, document):
    folder = _write(tmp_path, judged=_output())
    assert_reads_or_refuses(piev.read, document, folder / "my_error_plan.json", at=folder)


@SPOILING
@given(document=spoiled(_output()))
def test_spoiled_output_is_read_or_refused(tmp_path, document):
    folder = _write(tmp_path, my_error_plan=_plan())
    assert_reads_or_refuses(piev.read, document, folder / "judged.json", at=folder)


@SPOILING
@given(document=spoiled(_freeform()))
def test_spoiled_freeform_output_is_read_or_refused(tmp_path, document):
    folder = _write(tmp_path, my_error_plan=_plan())
    assert_reads_or_refuses(piev.read, document, folder / "free.json", at=folder)
