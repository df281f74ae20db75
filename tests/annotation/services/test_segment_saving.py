import random

import pytest

from annotation.engine.segments.gestures import Edge, Hands
from annotation.engine.segments.model import GestureError
from annotation.engine.segments.model import Segmentation as SegmentationValue
from annotation.engine.segments.scheme import scheme
from annotation.models import SegmentEvent
from annotation.selectors.segment_saving import stored_segments
from annotation.selectors.segmentations import state_at
from tests.annotation.segmenting import insert, make_segmentation, piece, put, save, sent

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
