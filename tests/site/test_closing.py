"""What is saved while a round closes is stored before its end, in rounds of every kind."""

import pytest
from django.db import connection, transaction

from annotation.engine.rubric.rubric import Metric
from annotation.models import ConsentText, RatingEvent
from annotation.services.campaigns.campaigns import close_campaign
from annotation.services.campaigns.rounds import close_round
from segments.models import SegmentEvent
from segments.services.segmentations import begin, return_to_author, submit
from tests.annotation import rating_changes
from tests.at_once import LIMIT_S, WITH_TWO_WRITERS, in_thread, wait_for, waiting_count
from tests.factories import (
    SegmentationFactory,
    SegmentRecordingFactory,
    SegmentRoundFactory,
    UserFactory,
)
from tests.segments import segmenting
from tests.texts.reading_rounds import places, text_round
from texts.models import TextVerdict
from texts.services.verdicts import SentVerdict, give_verdict

pytestmark = WITH_TWO_WRITERS
# A save reads the consent texts after it has seen that its round is open.
AFTER_THE_LOOK = f"LOCK TABLE {ConsentText._meta.db_table} IN ACCESS EXCLUSIVE MODE"


def rating():
    own = rating_changes.make_assignment()
    change = rating_changes.change(1, Metric.HUMAN_PLAUSIBILITY, "4")
    return (
        own.round,
        lambda: rating_changes.save(own, change),
        lambda: RatingEvent.objects.values_list("received_at", flat=True),
        AFTER_THE_LOOK,
    )


def gesture():
    own = segmenting.make_segmentation()
    return (
        own.round,
        lambda: segmenting.save(own, segmenting.insert(1, "a", 0, 2)),
        lambda: SegmentEvent.objects.values_list("received_at", flat=True),
        AFTER_THE_LOOK,
    )


def returned():
    """What a reviewer gets again when the author submits, while the reviewer's round closes."""
    pieces = [segmenting.piece("a", 0, 10, step_id="1")]
    author = segmenting.make_segmentation(scheme="partition", proposals=pieces, steps=("1", "2"))
    begin(public_id=author.public_id, actor=author.person)
    submit(public_id=author.public_id, actor=author.person)
    recording = SegmentRecordingFactory(
        round=SegmentRoundFactory(
            campaign=author.round.campaign, scheme="partition", stage="review"
        ).round,
        take=author.recording.take,
        source_segmentation=author,
        proposals=[piece.to_dict() for piece in pieces],
    )
    review = SegmentationFactory(recording=recording)
    begin(public_id=review.public_id, actor=review.person)
    return_to_author(public_id=review.public_id, note="Again", actor=review.person)
    segmenting.save(author, segmenting.put(1, "a", 1, step_id="2"))
    return (
        review.round,
        lambda: submit(public_id=author.public_id, actor=author.person),
        lambda: SegmentEvent.objects.filter(segmentation=review, head=2).values_list(
            "received_at", flat=True
        ),
        f"SELECT 1 FROM {review._meta.db_table} WHERE id = {review.pk} FOR UPDATE",  # noqa: S608 (names and keys of the test's own)
    )


def verdict():
    round_, _ = text_round(UserFactory())
    own = places(round_, key="q0")[1]
    return (
        round_,
        lambda: give_verdict(public_id=own.public_id, sent=SentVerdict("accept"), actor=own.person),
        lambda: TextVerdict.objects.exclude(verdict="").values_list("given_at", flat=True),
        AFTER_THE_LOOK,
    )


CLOSERS = {
    "the round": lambda round_: close_round(closing=round_, actor=None),
    "the campaign": lambda round_: close_campaign(campaign=round_.campaign, actor=None),
}


@pytest.mark.parametrize("closer", CLOSERS)
@pytest.mark.parametrize("kind", [rating, gesture, verdict, returned])
def test_what_was_let_in_is_stored_before_its_round_closes(kind, closer):
    round_, save, moments, stop = kind()
    ends = {"save": [], "close": []}

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(stop)
        threads = [in_thread(save, ends["save"])]
        wait_for(lambda: waiting_count() == 1)
        threads.append(in_thread(lambda: CLOSERS[closer](round_), ends["close"]))
        wait_for(lambda: waiting_count() == 2 or ends["close"])
    for thread in threads:
        thread.join(LIMIT_S)

    assert ends == {"save": [None], "close": [None]}
    round_.refresh_from_db()
    [moment] = moments()
    assert moment <= round_.closed_at
