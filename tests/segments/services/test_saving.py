import random
import threading

import pytest
from django.db import connection
from django.db.models import Count
from django.test.utils import CaptureQueriesContext

from segments.engine.model import GestureError
from segments.engine.model import Segmentation as SegmentationValue
from segments.engine.scheme import scheme
from segments.models import SegmentEvent
from segments.selectors.history import state_at
from segments.selectors.rounds import causes_of
from segments.selectors.saving import StandingAnswer, stored_segments
from segments.services.errors import GestureConflictError, InvalidGestureError
from segments.services.saving import SentCheck, SentGesture, save_checks
from segments.services.segmentations import begin
from tests.segments.gestures import Edge, Hands
from tests.segments.segmenting import MADE_AT, insert, make_segmentation, piece, put, save, sent

pytestmark = pytest.mark.django_db


def test_a_gesture_is_stored_with_its_log_its_segments_and_its_head():
    own = make_segmentation()

    saved = save(own, insert(1, "a", 0, 2.5, step_id="1"))

    own.refresh_from_db()
    made = piece("a", 0, 2.5, step_id="1")
    assert (saved.saved, saved.head, saved.segments, saved.status) == ((1,), 1, (made,), "open")
    assert stored_segments(own.pk) == {"a": made}
    assert own.head == 1
    [event] = SegmentEvent.objects.all()
    assert (event.head, event.name, event.before, event.after) == (1, "draw", None, made.to_dict())


def test_the_moment_that_was_marked_stays_in_the_log():
    own = make_segmentation()
    data = {**insert(1, "a", 0, 2.5).data, "raw_time_s": 2.7}

    save(own, SentGesture(1, MADE_AT, data))

    [event] = SegmentEvent.objects.all()
    assert (event.raw_time_s, event.made_at) == (2.7, MADE_AT)


@pytest.mark.parametrize(("name", "seed"), [("egooops", 1), ("partition", 2), ("captaincook4d", 3)])
def test_the_log_gives_the_segments_of_random_gestures(name, seed):
    """What is stored is what the engine has, and what a replay of the log gives, at every head."""
    rng = random.Random(seed)
    found = scheme(name)
    if name == "partition":
        proposals = [piece("p0", 0, 5.0, step_id="1"), piece("p1", 5.0, 10.0, step_id="2")]
    else:
        proposals = [piece("p0", 1.0, 2.0, step_id="1")]
    own = make_segmentation(proposals=proposals, scheme=name)
    save_first = save(own, put(1, "p0", 1, step_id="3"))
    state = SegmentationValue(stored_segments(own.pk), 10.0, 25.0, save_first.head)
    states = {state.head: state.segments}
    number = 1
    for _ in range(60):
        hands = Hands(state, found, lambda: f"k{rng.randrange(10**9)}")
        gesture = random_gesture(rng, hands)
        if gesture is None:
            continue
        number += 1
        result = save(own, sent(number, gesture))
        state = state.apply(gesture)
        states[state.head] = state.segments
        assert result.head == state.head
    own.refresh_from_db()

    assert number > 20
    assert stored_segments(own.pk) == dict(state.segments)
    assert {head: dict(state_at(own, head).segments) for head in states} == {
        head: dict(segments) for head, segments in states.items()
    }


def random_gesture(rng, hands):
    """Return one gesture that can be made of the segments, or None."""
    steps = hands.state.timed("steps")
    key = rng.choice(steps).key if steps else ""
    start_s = round(rng.uniform(0, 9), 2)
    acts = [
        lambda: hands.draw("steps", start_s, start_s + 1, step_id="2"),
        lambda: hands.move_edge(key, rng.choice(list(Edge)), rng.uniform(0, 10)),
        lambda: hands.split(key, rng.uniform(0, 10)),
        lambda: hands.join(key, key),
        lambda: hands.delete(key),
        lambda: hands.label(key, step_id=rng.choice("123")),
        lambda: hands.write(key, rng.choice(["stir", "pour", "heiß, 水"])),
        lambda: hands.flag(key, "look again"),
        lambda: hands.missing("steps", rng.choice("123")),
    ]
    try:
        return rng.choice(acts)()
    except GestureError:
        return None


# Gestures that are sent again


def test_a_gesture_that_is_sent_twice_counts_once():
    own = make_segmentation()
    first = save(own, insert(1, "a", 0, 2))

    again = save(own, insert(1, "a", 0, 2), put(2, "a", 1, step_id="1"))

    assert (again.saved, again.head) == ((1, 2), 2)
    assert again.segments == (piece("a", 0, 2, step_id="1", revision=2),)
    assert first.saved == (1,)
    assert SegmentEvent.objects.count() == 2


def test_the_same_number_for_another_gesture_is_refused_by_name():
    own = make_segmentation()
    save(own, insert(1, "a", 0, 2))

    with pytest.raises(InvalidGestureError) as raised:
        save(own, insert(1, "a", 0, 3))

    assert (raised.value.sequence, raised.value.field, raised.value.value) == (1, "sequence", 1)
    assert str(raised.value) == (
        "sequence is 1; expected a number that this client has not used for another gesture"
    )


def test_twice_the_same_number_in_one_request_counts_once():
    own = make_segmentation()

    saved = save(own, insert(1, "a", 0, 2), insert(1, "a", 0, 2))

    assert (saved.saved, SegmentEvent.objects.count()) == ((1,), 1)


def test_another_tab_may_use_the_same_number():
    own = make_segmentation()
    save(own, insert(1, "a", 0, 2))

    saved = save(own, insert(1, "b", 2, 3), client_id="other tab")

    assert (saved.saved, saved.head) == ((1,), 2)


# Conflicts


def test_of_a_stale_gesture_nothing_is_stored_and_all_before_it_is():
    """A cascade is whole or not at all, though only one of its segments has been changed."""
    proposals = [piece("a", 0, 2, step_id="1"), piece("b", 2, 4, step_id="2")]
    own = make_segmentation(proposals=proposals)
    begin(public_id=own.public_id, actor=own.person)
    save(own, put(1, "b", 1, step_id="3"), client_id="other tab")
    cascade = SentGesture(
        2,
        MADE_AT,
        {
            "name": "move end",
            "changes": [
                {"key": "a", "base_revision": 2, "set": {"end_s": 3}},
                {"key": "b", "base_revision": 1, "set": {"start_s": 3}},
            ],
        },
    )

    with pytest.raises(GestureConflictError) as raised:
        save(own, put(1, "a", 1, text="stir"), cascade, put(3, "a", 3, text="pour"))

    error = raised.value
    now = piece("b", 2, 4, step_id="3", revision=2)
    assert (error.saved, error.sequence, error.theirs) == ((1,), 2, (now,))
    assert [segment.key for segment in error.mine] == ["a", "b"]
    assert stored_segments(own.pk) == {
        "a": piece("a", 0, 2, step_id="1", text="stir", revision=2),
        "b": now,
    }
    own.refresh_from_db()
    assert own.head == 3
    assert list(SegmentEvent.objects.values_list("head", "client_id", "key")) == [
        (1, "site", "a"),
        (1, "site", "b"),
        (2, "other tab", "b"),
        (3, "tab", "a"),
    ]


def test_two_tabs_that_change_other_segments_do_not_meet():
    own = make_segmentation(proposals=[piece("a", 0, 2), piece("b", 2, 4)])
    begin(public_id=own.public_id, actor=own.person)

    save(own, put(1, "a", 1, step_id="1"), client_id="one")
    save(own, put(1, "b", 1, step_id="2"), client_id="two")

    assert {key: item.step_id for key, item in stored_segments(own.pk).items()} == {
        "a": "1",
        "b": "2",
    }


def test_an_invalid_gesture_leaves_nothing_of_the_request():
    own = make_segmentation()

    with pytest.raises(InvalidGestureError) as raised:
        save(own, insert(1, "a", 0, 2), insert(2, "b", 5, 4))

    error = raised.value
    assert (error.sequence, error.key, error.field, error.value) == (2, "b", "end_s", 4)
    assert str(error) == "segment b, end_s is 4; expected a time not before the start, 5"
    assert (SegmentEvent.objects.count(), stored_segments(own.pk)) == (0, {})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"key": "", "base_revision": 0, "insert": {}}, ("", "key", "")),
        ({"key": "k" * 41, "base_revision": 0, "insert": {}}, ("", "key", "k" * 41)),
        ({"key": "a", "base_revision": -1, "insert": {}}, ("a", "base_revision", -1)),
        ({"key": "a", "base_revision": 0, "set": {}}, ("a", "change", ["set"])),
        ({"key": "a", "base_revision": 0, "insert": {"when": 1}}, ("a", "field", "when")),
        (
            {"key": "a", "base_revision": 0, "insert": {"track": "sounds"}},
            ("a", "track", "sounds"),
        ),
        (
            {"key": "a", "base_revision": 0, "insert": {"track": "steps", "start_s": 10**400}},
            ("a", "start_s", 10**400),
        ),
        (
            {"key": "a", "base_revision": 0, "insert": {"track": "steps", "text": "\0"}},
            ("a", "text", "\0"),
        ),
        (
            {"key": "a", "base_revision": 0, "insert": {"track": "steps", "is_flagged": 1}},
            ("a", "is_flagged", 1),
        ),
        (7, ("", "key", 0)),
    ],
)
def test_what_cannot_be_is_named_with_its_segment_and_field(change, named):
    own = make_segmentation()
    gesture = SentGesture(1, MADE_AT, {"name": "draw", "changes": [change]})

    with pytest.raises(InvalidGestureError) as raised:
        save(own, gesture)

    error = raised.value
    assert (error.key, error.field, error.value) == named
    assert error.expected


# At the same moment


@pytest.mark.django_db(transaction=True)
def test_tabs_at_the_same_moment_tear_no_gesture_and_store_none_twice():
    """Each tab moves edges that two segments share, and is mirrored by one that sends the same."""
    pairs = range(3)
    proposals = [piece(f"{side}{n}", 3 * n, 3 * n + 1) for n in pairs for side in ("l", "r")]
    own = make_segmentation(proposals=proposals, scheme="captaincook4d")
    errors = []

    def work(pair):
        try:
            for sequence in range(1, 11):
                save(own, cascade(sequence, f"l{pair}", f"r{pair}"), client_id=f"tab{pair}")
        except BaseException as error:  # noqa: BLE001 (a thread's error must fail the test)
            errors.append(error)
        finally:
            connection.close()

    run_together([(work, (pair,)) for pair in pairs for _ in range(2)])

    assert errors == []
    own.refresh_from_db()
    made = SegmentEvent.objects.filter(name="move")
    assert (own.head, made.count()) == (1 + 3 * 10, 2 * 3 * 10)
    heads = made.values("client_id", "client_sequence").annotate(
        rows=Count("pk"), heads=Count("head", distinct=True)
    )
    assert set(heads.values_list("rows", "heads")) == {(2, 1)}
    assert stored_segments(own.pk) == dict(state_at(own, own.head).segments)


@pytest.mark.django_db(transaction=True)
def test_of_two_tabs_that_move_one_edge_at_the_same_moment_one_hears_of_it():
    own = make_segmentation(proposals=[piece("l", 0, 1), piece("r", 1, 2)])
    begin(public_id=own.public_id, actor=own.person)
    barrier, outcomes = threading.Barrier(2), []

    def work(client_id):
        barrier.wait()
        try:
            save(own, cascade(1, "l", "r"), client_id=client_id)
            outcomes.append("saved")
        except GestureConflictError:
            outcomes.append("conflict")
        finally:
            connection.close()

    run_together([(work, ("one",)), (work, ("two",))])

    assert sorted(outcomes) == ["conflict", "saved"]
    assert SegmentEvent.objects.filter(name="move").count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_pages_that_open_it_at_the_same_moment_begin_it_once():
    own = make_segmentation(proposals=[piece("a", 0, 1)])
    begun = []

    def work():
        begun.append(begin(public_id=own.public_id, actor=own.person))
        connection.close()

    run_together([(work, ())] * 4)

    assert sorted(begun) == [False, False, False, True]
    assert SegmentEvent.objects.count() == 1


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no row locks")
def test_the_lock_of_a_save_holds_one_segmentation_and_nothing_else():
    own = make_segmentation()
    begin(public_id=own.public_id, actor=own.person)

    with CaptureQueriesContext(connection) as captured:
        save(own, insert(1, "a", 0, 2))

    [lock] = [query["sql"] for query in captured if "FOR UPDATE" in query["sql"]]
    assert "JOIN" not in lock


def cascade(revision, left, right):
    changes = [
        {"key": left, "base_revision": revision, "set": {"note": f"{revision}"}},
        {"key": right, "base_revision": revision, "set": {"note": f"{revision}"}},
    ]
    return SentGesture(revision, MADE_AT, {"name": "move", "changes": changes})


def run_together(works):
    threads = [threading.Thread(target=work, args=values) for work, values in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_who_decides_says_why_people_differed_also_of_what_is_left_out():
    own = make_segmentation(stage="adjudicate")
    save(own, insert(1, "a", 0, 2, step_id="1"), insert(2, "b", 3, 4, step_id="2"))
    save(own, put(3, "b", 1, is_deleted=True))

    def because(key, revision, cause, question="cause", first=1):
        check = SentCheck(first, MADE_AT, StandingAnswer(key, revision, question, True, cause))
        return save_checks(
            public_id=own.public_id, client_id="tab", checks=[check], actor=own.person
        )

    because("a", 1, "guideline_gap")
    because("a", 1, "slip", first=2)
    because("b", 2, "slip", first=3)

    assert causes_of(own.round) == [("Slip", 2)]
    with pytest.raises(InvalidGestureError, match="guideline_gap, ambiguous_event, slip") as bad:
        because("a", 1, "mood", first=4)
    assert (bad.value.field, bad.value.value) == ("note", "mood")
    with pytest.raises(InvalidGestureError, match="one of cause"):
        because("a", 1, "slip", question="accurate", first=5)
