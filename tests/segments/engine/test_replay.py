"""Random gestures: the log replayed is the state, undoing all is the start, and a tape agrees.

`Tape` is an independent, slow way to do the same: a strip of tenths of a second on which each cell
carries the key of the segment that lies there.
"""

import random
from dataclasses import replace

import pytest

from segments.engine.faults import FaultKind, faults
from segments.engine.model import (
    ConflictError,
    GestureError,
    Segment,
    Segmentation,
    gesture_from_dict,
    replay,
)
from tests.segments.engine.hands import hands_on, spans_of, state_of
from tests.segments.gestures import Edge, inverse

CELLS = 300


class Tape:
    """Cells of 0.1 s; None where nothing lies. Every segment is one run of cells."""

    def __init__(self, is_partition):
        self.cells = [None] * CELLS
        self.is_partition = is_partition

    def cells_of(self, key):
        return [place for place, there in enumerate(self.cells) if there == key]

    def spans(self):
        keys = {there for there in self.cells if there is not None}
        return {key: (min(self.cells_of(key)), max(self.cells_of(key)) + 1) for key in keys}

    def draw(self, key, start, end):
        for place in range(start, min(end, CELLS)):
            if self.cells[place] is not None:
                return
            self.cells[place] = key

    def delete(self, key):
        own = self.cells_of(key)
        before = self.cells[own[0] - 1] if own[0] else None
        behind = self.cells[own[-1] + 1] if own[-1] + 1 < CELLS else None
        heir = (before or behind) if self.is_partition else None
        self.cells = [heir if there == key else there for there in self.cells]

    def split(self, key, at, new_key):
        for place in self.cells_of(key):
            if place >= at:
                self.cells[place] = new_key

    def join(self, key):
        last = self.cells_of(key)[-1]
        following = next((there for there in self.cells[last + 1 :] if there), None)
        end = self.cells_of(following)[-1]
        for place in range(last, end + 1):
            self.cells[place] = key

    def end_to(self, key, at, shares):
        """One cell at a time, so that nothing can be jumped over."""
        while self.cells_of(key)[-1] + 1 < at:
            place = self.cells_of(key)[-1] + 1
            there = self.cells[place]
            is_touching = self.touching == there and there is not None
            if there is not None and not (is_touching and shares and len(self.cells_of(there)) > 1):
                return
            self.cells[place] = key
        while self.cells_of(key)[-1] + 1 > max(at, self.cells_of(key)[0] + 1):
            place = self.cells_of(key)[-1]
            self.cells[place] = self.touching if shares else None

    def move_end(self, key, at, shares):
        place = self.cells_of(key)[-1] + 1
        self.touching = self.cells[place] if place < CELLS else None
        self.end_to(key, at, shares or self.is_partition)

    def move_start(self, key, at, shares):
        """The tape read backwards."""
        self.cells.reverse()
        self.move_end(key, CELLS - at, shares)
        self.cells.reverse()


def random_step(rng, hands, tape):
    """One random act on both, and the gesture; None where the product refuses it."""
    keys = sorted(tape.spans())
    act = rng.choice(["draw", "draw", "start", "end", "end", "split", "join", "delete"])
    if act != "draw" and not keys:
        return None
    key = rng.choice(keys) if keys else ""
    at, shares = rng.randrange(CELLS), rng.random() < 0.7
    hands = replace(hands, shares_edges=shares)
    try:
        if act == "draw":
            wanted = at + rng.randrange(60)
            gesture = hands.draw("steps", at / 10, wanted / 10)
            made = gesture.changes[0].after
            tape.draw(made.key, at, wanted)
        elif act == "start":
            gesture = hands.move_edge(key, Edge.START, at / 10)
            tape.move_start(key, at, shares)
        elif act == "end":
            gesture = hands.move_edge(key, Edge.END, at / 10)
            tape.move_end(key, at, shares)
        elif act == "split":
            gesture = hands.split(key, at / 10)
            tape.split(key, at, gesture.changes[1].key)
        elif act == "join":
            gesture = hands.join(key, key)
            tape.join(key)
        else:
            gesture = hands.delete(key)
            tape.delete(key)
    except GestureError:
        return None
    return gesture


@pytest.mark.parametrize("geometry", ["gaps", "partition"])
@pytest.mark.parametrize("seed", range(20))
def test_random_gestures_agree_with_tape_and_with_their_log(geometry, seed):
    rng = random.Random(seed)
    hands = hands_on(state_of(duration_s=CELLS / 10), geometry)
    tape, log, states = Tape(geometry == "partition"), [], [hands.state]

    for _ in range(120):
        gesture = random_step(rng, hands, tape)
        if gesture is None:
            continue
        hands = replace(hands, state=hands.state.apply(gesture))
        log.append(gesture)
        states.append(hands.state)
        cells = {
            key: (round(start * 10), round(end * 10))
            for key, (start, end) in spans_of(hands.state).items()
        }
        assert cells == tape.spans(), gesture
        kinds = {fault.kind for fault in faults(hands.state, hands.scheme)}
        assert FaultKind.OVERLAP not in kinds

    assert len(log) > 30
    assert replay(log, states[0]) == hands.state
    middle = len(log) // 2
    assert replay(log, states[0], head=middle) == states[middle]
    undone = hands.state
    for gesture in reversed(log):
        undone = undone.apply(gesture_now(undone, inverse(gesture)))
    assert list(undone) == []
    fullest = max(states, key=lambda state: len(list(state)))
    restored = replace(hands, state=undone).restore(fullest)
    assert contents(undone.apply(restored)) == contents(fullest)


def gesture_now(state, gesture):
    """The gesture made of the revisions of now, as a page does that undoes one after the other."""
    changes = tuple(
        replace(
            change,
            before=state.segments[change.key],
            after=replace(change.after, revision=state.segments[change.key].revision + 1),
        )
        for change in gesture.changes
    )
    return replace(gesture, changes=changes)


def contents(state):
    return [replace(segment, revision=0) for segment in state]


def test_undo_and_redo_follow_each_other():
    hands = hands_on(state_of((0, 10), (10, 20)))
    split = hands.split("s1", 5)
    parted = hands.state.apply(split)

    undone = parted.apply(inverse(split))
    redone = undone.apply(inverse(inverse(split)))

    assert inverse(split).name == "undo of split"
    assert contents(undone) == contents(hands.state)
    assert contents(redone) == contents(parted)
    assert redone.segments["s1"].revision == 4


def test_undo_after_somebody_else_is_refused():
    hands = hands_on(state_of((0, 10), (10, 20)))
    move = hands.move_edge("s1", Edge.END, 8)
    moved = hands.state.apply(move)
    elsewhere = moved.apply(replace(hands, state=moved).write("s2", "Pour oil"))

    with pytest.raises(ConflictError) as raised:
        elsewhere.apply(inverse(move))

    assert [segment.text for segment in raised.value.theirs] == ["Pour oil"]
    assert elsewhere.segments["s1"].end_s == 8


def test_a_gesture_is_refused_whole():
    state = state_of((0, 10), (10, 20))
    sent = {
        "name": "move end",
        "changes": [
            {"key": "s1", "base_revision": 1, "set": {"end_s": 8}},
            {"key": "s2", "base_revision": 2, "set": {"start_s": 8}},
        ],
    }

    with pytest.raises(ConflictError) as raised:
        gesture_from_dict(state, sent)

    assert [item.span for item in raised.value.mine] == [(0, 8), (8, 20)]
    assert raised.value.theirs == (state.segments["s2"],)


def test_a_browsers_gestures_insert_set_and_delete():
    state = state_of((0, 10), (10, 20))
    sent = {
        "name": "all at once",
        "raw_time_s": 30.2,
        "changes": [
            {"key": "s1", "base_revision": 1, "set": {"end_s": 8.0}},
            {"key": "s2", "base_revision": 1, "delete": True},
            {
                "key": "s3",
                "base_revision": 0,
                "insert": {"track": "steps", "start_s": 30.0, "end_s": 31.0, "step_id": "4"},
            },
        ],
    }

    done = state.apply(gesture_from_dict(state, sent))

    assert list(done) == [
        Segment("s1", "steps", 0, 8.0, "1", revision=2),
        Segment("s3", "steps", 30.0, 31.0, "4"),
    ]
    assert done.head == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": ""}, "move: key is ''; expected the key of a segment"),
        ({"key": "s1", "base_revision": "1"}, "move, s1: base_revision is '1'; expected 0 or more"),
        ({"key": "s1", "base_revision": 1}, "move, s1: nothing is to be done; expected set or"),
        ({"key": "s9", "base_revision": 0, "set": {}}, r"s9: \['set'\] .*expected insert"),
        ({"key": "s1", "base_revision": 1, "set": {"end": 4}}, "s1: field is 'end'; expected one"),
        ({"key": "s1", "base_revision": 1, "set": {"end_s": "4"}}, "end_s is '4'; expected a time"),
        ({"key": "s1", "base_revision": 1, "set": {"end_s": None}}, "end_s is None; expected a ti"),
        ({"key": "s1", "base_revision": 1, "set": {"start_s": 12}}, "end_s is 10; expected a time"),
        ({"key": "s1", "base_revision": 1, "set": {"end_s": float("nan")}}, "end_s is nan"),
        ({"key": "s1", "base_revision": 1, "set": {"text": 4}}, "text is 4; expected text"),
        ({"key": "s1", "base_revision": 1, "set": {"is_flagged": 1}}, "is_flagged is 1; expected"),
        (
            {"key": "s1", "base_revision": 1, "set": {"track": "notes"}},
            "expected 'steps' as before",
        ),
    ],
)
def test_bad_gestures_are_refused_with_their_place(change, message):
    state = state_of((0, 10), (10, 20))

    with pytest.raises(GestureError, match=message):
        state.apply(gesture_from_dict(state, {"name": "move", "changes": [change]}))


def test_a_revision_that_never_was_is_refused():
    with pytest.raises(GestureError, match="revision is 3; expected 0 to 0"):
        replay([], Segmentation(), head=3)
