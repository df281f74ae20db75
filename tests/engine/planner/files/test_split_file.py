import pytest

from annotation.engine.corpus.formats.errors import FormatError
from generation.engine.planner.files.representations import (
    Representation,
    Representations,
    representations_from,
)
from generation.engine.planner.files.split_file import procedures_from
from generation.engine.planner.files.taxonomy_tree import taxonomies_from
from generation.engine.planner.procedure_to_plan import Block

CACHE = {
    "12": {
        "step_description": "Get a cup from the shelf",
        "semantic_representation": "GET(Agent: you, Object: cup, Origin: from(shelf))",
    },
    "x_ext_1": {
        "step_description": "Fill it",
        "semantic_representation": "FILL(Agent: you, Object: cup",
    },
}
NODES = {
    "0": {"id": 0, "name": "Tea", "parent_id": None},
    "1": {"id": 1, "name": "Prepare", "parent_id": 0},
    "2": {"id": 2, "name": "Serve", "parent_id": 0, "unique_id": 70},
    "7": {"id": 7, "name": "Get cup", "parent_id": 1, "unique_id": 70},
    "8": {"id": 8, "name": "Fill", "parent_id": 2, "unique_id": 70},
}


def segment(**changes):
    plain = {
        "start_time": 1.0,
        "end_time": 4.0,
        "step_id": 7,
        "step_unique_id": 70,
        "step_name": "Get cup",
        "step_description": "Get a cup from the shelf",
        "is_essential": True,
    }
    return {**plain, **changes}


def split_of(*segments, **changes):
    take = {"take_uid": "u-1", "take_name": "tea_1", "scenario": "Tea", "segments": list(segments)}
    return {"annotations": [{**take, **changes}]}


def read(data, **resources):
    return procedures_from(data, file="split.json", **resources)


def problems_of(data):
    with pytest.raises(FormatError) as caught:
        read(data)
    return [str(item) for item in caught.value.problems]


def test_split_file_gives_steps_in_time_order_with_meaning_and_block():
    (procedure,) = read(
        split_of(
            segment(start_time=5.0, end_time=6.0, step_id=8, step_description="fill  it"),
            segment(),
        ),
        taxonomies=taxonomies_from({"taxonomy": {"Tea": NODES}}, file="taxonomy.json"),
        representations=representations_from(CACHE, file="cache.json"),
    )

    first, second = procedure.steps
    assert (first.text, first.vocabulary_id) == ("Get a cup from the shelf", "12")
    assert first.semrep == CACHE["12"]["semantic_representation"]
    assert first.block == Block(1, "Prepare", ("Tea", "Prepare", "Get cup"))
    # The last node with unique id 70 wins there.
    assert first.shared_id_block == Block(2, "Serve", ("Tea", "Serve", "Fill"))
    assert (second.vocabulary_id, second.semrep) == (None, "FILL(Agent: you, Object: cup")
    assert [item.message for item in procedure.warnings] == [
        "semantic_representation of 1 step: unbalanced, read as far as it goes (step 1)",
    ]


def test_steps_that_start_together_keep_their_order():
    (procedure,) = read(split_of(segment(step_id=2), segment(step_id=1)))

    assert [step.step_id for step in procedure.steps] == ["2", "1"]


def test_step_without_representation_gets_one_from_the_analyser_and_a_warning():
    (procedure,) = read(split_of(segment(), segment(step_description="Open the jar")))

    assert procedure.steps[1].semrep == "OPEN(Agent: you, Object: jar)"
    assert procedure.warnings[-1].message == (
        "semantic_representation of 2 steps: none given, made by the built-in analyser (steps 0, 1)"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start_time": "1.0"},
         "start_time is '1.0'; expected seconds: a finite number, 0 or more"),
        ({"start_time": -1}, "start_time is -1; expected seconds: a finite number, 0 or more"),
        ({"end_time": float("nan")},
         "end_time is nan; expected seconds: a finite number, 0 or more"),
        ({"end_time": None}, "end_time is None; expected seconds: a finite number, 0 or more"),
        ({"end_time": 0.5}, "end_time is 0.5; expected seconds, not before start_time 1.0"),
        ({"step_description": " "}, "step_description is ' '; expected a text that is not empty"),
        ({"step_id": None}, "step_id is None; expected a whole number"),
        ({"step_id": True}, "step_id is True; expected a whole number"),
        ({"step_unique_id": "x"}, "step_unique_id is 'x'; expected a whole number"),
        ({"is_essential": "yes"}, "is_essential is 'yes'; expected true or false"),
    ],
)  # fmt: skip
def test_faulty_field_is_named_with_take_step_and_value(change, message):
    assert problems_of(split_of(segment(), segment(**change))) == [
        f"split.json, take u-1, step 1: {message}"
    ]


def test_every_fault_is_reported_at_once():
    data = split_of(segment(step_id=None, start_time=None), take_name="")

    assert [line.split(" is ")[0] for line in problems_of(data)] == [
        "split.json, take u-1, step 0: step_id",
        "split.json, take u-1, step 0: start_time",
        "split.json, take u-1: take_name",
    ]


def test_uid_that_occurs_twice_is_refused():
    data = split_of(segment())
    data["annotations"] *= 2

    assert problems_of(data) == [
        "split.json, take 1: take_uid is 'u-1'; expected a uid of its own; take 0 has this one"
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "split.json:  is []; expected an object"),
        ({}, "split.json: annotations is None; expected a list of takes"),
        ({"annotations": ["x"]}, "split.json, take 0: 'x'; expected an object"),
        (split_of("x"), "split.json, take u-1, step 0: 'x'; expected an object"),
        (split_of(segments={}), "split.json, take u-1: segments is {}; expected a list of steps"),
    ],
)
def test_file_of_another_form_is_refused(data, message):
    assert problems_of(data) == [message.replace(":  is ", ": ")]


def test_representation_that_cannot_be_read_is_refused():
    unreadable = Representation("get(cup)", "1")
    text = "Get a cup from the shelf"

    with pytest.raises(FormatError) as caught:
        read(split_of(segment()), representations=Representations({text: unreadable}, {}))

    (fault,) = caught.value.problems
    assert (fault.place, fault.field) == ("take u-1, step 0", "semantic_representation")
    assert fault.value == "'get(cup)'"


def test_role_outside_the_table_has_a_warning():
    cache = {"1": {**CACHE["12"], "semantic_representation": "GET(Agent: you, Whim: cup)"}}

    (procedure,) = read(
        split_of(segment(), segment()),
        representations=representations_from(cache, file="cache.json"),
    )

    assert procedure.warnings[-1].message == (
        "semantic_representation of 2 steps: a role outside the table of roles (steps 0, 1)"
    )


def test_overlap_missing_flag_and_single_step_have_warnings():
    (two,) = read(split_of(segment(), segment(start_time=3.0, end_time=9.0)))
    (one,) = read(split_of(segment(is_essential=None)))

    assert "start_time of 1 step: before the end of the step before (step 1)" in [
        item.message for item in two.warnings
    ]
    messages = [item.message for item in one.warnings]
    assert "is_essential of 1 step: not stated, taken for essential (step 0)" in messages
    assert "the procedure has a single step" in messages
