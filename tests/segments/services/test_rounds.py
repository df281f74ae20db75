"""Rounds of segments: planned, opened, closed, and who gets what."""

import pytest
from django.core.exceptions import ValidationError

from annotation.models import AuditEntry, Phase, Take
from annotation.services.campaigns.campaigns import add_raters, close_campaign, remove_rater
from annotation.services.campaigns.rounds import ProtocolError, close_round
from segments.models import PublishedAs, Segment, SegmentationStatus, SegmentSource, Stage
from segments.selectors.rounds import task_words
from segments.services.recordings import Chosen
from segments.services.rounds import (
    NewSegmentRound,
    give_out_again,
    open_segment_round,
    plan_segment_round,
)
from segments.services.segmentations import begin, submit
from tests.factories import (
    EventFactory,
    StepFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
    VideoFactory,
)
from tests.segments.campaigns import (
    audit_and_correction,
    audited,
    corrected,
    opened,
    segment_campaign,
)
from tests.segments.segmenting import insert, save

pytestmark = pytest.mark.django_db
AUDIT = {"stage": Stage.AUDIT, "scheme": "partition"}
LABEL = {"stage": Stage.LABEL, "scheme": "egooops"}


def people_of(made):
    return sorted(made.segmentations.values_list("recording__take__uid", "person__username"))


def labelled(own, *, step_ids=("s0", "s1"), label=""):
    """Draw the steps of a recording and submit."""
    times = {"s0": (0.0, 4.0), "s1": (5.0, 9.0)}
    begin(public_id=own.public_id, actor=own.person)
    content = {"label": label, "text": "use cup but should use pot"} if label else {}
    for number, step_id in enumerate(step_ids, 1):
        save(
            own, insert(number, f"{own.pk}-{step_id}", *times[step_id], step_id=step_id, **content)
        )
    submit(public_id=own.public_id, actor=own.person)


def test_a_round_of_labels_gives_each_recording_to_k_people_in_seeded_order(owner):
    campaign, _ = segment_campaign(owner, has_times=False)

    made, result = opened(campaign, owner, **LABEL, overlap=2)

    assert (result.added_count, result.short_trace_count) == (6, 0)
    assert made.guideline.is_frozen
    assert made.guideline.text["scheme"] == "egooops"
    given = sorted(made.segmentations.values_list("person__username", "position"))
    assert given == [(name, place) for name in ("ann", "ben") for place in range(3)]
    assert list(made.recordings.values_list("proposals", "published_as")) == [([], "reference")] * 3
    actions = AuditEntry.objects.filter(action__startswith="round.").order_by("pk")
    assert [(row.action, row.detail.get("recordings")) for row in actions] == [
        ("round.plan", 3), ("round.open", 3),
    ]  # fmt: skip


def test_the_same_seed_draws_one_in_so_many_of_every_scenario(owner):
    campaign, _ = segment_campaign(owner, takes=24, scenarios=("tea", "toast"), has_times=False)
    drawn = []
    for _ in range(2):
        chosen = Chosen(one_in=10)
        planned, _ = plan_segment_round(
            campaign=campaign, new=NewSegmentRound(**LABEL, chosen=chosen, seed=5), actor=owner
        )
        drawn.append(sorted(planned.recordings.values_list("take__scenario", flat=True)))

    # Twelve of each: one in ten, and one of those that are left over.
    assert drawn == [["tea", "tea", "toast", "toast"]] * 2


def test_recordings_without_a_video_are_left_out_and_counted(owner):
    campaign, _ = segment_campaign(owner)
    Take.objects.filter(uid="take-1").update(video=None)
    new = NewSegmentRound(**LABEL)

    planned, left_out = plan_segment_round(campaign=campaign, new=new, actor=owner)

    assert planned.recordings.count() == 2
    assert left_out == ("1 recording without a linked video was left out.",)
    Take.objects.update(video=None)
    with pytest.raises(ValidationError, match="None of 3 recordings has a linked video"):
        plan_segment_round(campaign=campaign, new=new, actor=owner)


def test_recordings_of_traces_are_published_as_traces(owner):
    campaign, _ = segment_campaign(owner, takes=1)
    take = Take.objects.get()
    trace = TraceFactory(dataset=take.dataset, take=take, video=VideoFactory(dataset=take.dataset))
    new = NewSegmentRound(**LABEL, chosen=Chosen(takes_become=PublishedAs.TRACE))

    planned, _ = plan_segment_round(campaign=campaign, new=new, actor=owner)

    rows = planned.recordings.values_list("take", "trace", "published_as")
    assert sorted(rows, key=str) == sorted(
        [(take.pk, None, "trace"), (take.pk, trace.pk, "trace")], key=str
    )


def test_what_a_stage_cannot_begin_with_is_said_all_at_once(owner):
    campaign, _ = segment_campaign(owner)
    new = NewSegmentRound(
        stage=Stage.CORRECT, scheme="egooops", overlap=2, has_locked_edges=True, control_count=3
    )

    with pytest.raises(ValidationError) as refused:
        plan_segment_round(campaign=campaign, new=new, actor=owner)

    assert set(refused.value.message_dict) == {
        "scheme", "source", "overlap", "has_locked_edges", "control_count",
    }  # fmt: skip
    assert not campaign.rounds.exists()
    assert not campaign.guideline_versions.exists()


def test_labelled_again_by_others_only(owner):
    campaign, _ = segment_campaign(owner, takes=2, has_times=False)
    first, _ = opened(campaign, owner, **LABEL)
    for own in first.segmentations.all():
        labelled(own)
    before = dict(people_of(first))

    again, result = opened(campaign, owner, **LABEL)

    other = {"ann": "ben", "ben": "ann"}
    assert dict(people_of(again)) == {take: other[name] for take, name in before.items()}
    assert result.short_trace_count == 0
    _, result = opened(campaign, owner, **LABEL, overlap=2)
    assert result.short_trace_count == 2


def test_who_labels_after_another_scheme_or_has_not_begun_may_get_a_recording(owner):
    campaign, people = segment_campaign(owner, takes=1, people=("ann",))
    labels, _ = opened(campaign, owner, **LABEL)
    audit, _ = opened(campaign, owner, **AUDIT, source=SegmentSource.STEPS)

    # Nothing is begun: the recording may be labelled in a second round.
    unbegun, _ = opened(campaign, owner, **LABEL)
    for made in (labels, audit):
        begin(public_id=made.segmentations.get().public_id, actor=people["ann"])
    other_scheme, _ = opened(campaign, owner, stage=Stage.LABEL, scheme="partition")
    same_scheme, result = opened(campaign, owner, **LABEL)

    assert [people_of(made) for made in (unbegun, other_scheme)] == [[("take-0", "ann")]] * 2
    assert (people_of(same_scheme), result.short_trace_count) == ([], 1)


def test_nobody_audits_what_goes_on_from_their_own_work_however_far_back(owner):
    campaign, people = segment_campaign(owner, takes=1, people=("ann", "ben", "cem", "dora"))
    partition = {"scheme": "partition", "source": SegmentSource.ROUND}

    def following(stage, source, name):
        made, _ = opened(
            campaign, owner, **partition, stage=stage, source_round=source, people=[people[name]]
        )
        return made, made.segmentations.get()

    labels, _ = opened(
        campaign, owner, stage=Stage.LABEL, scheme="partition", people=[people["ann"]]
    )
    own = labels.segmentations.get()
    drawn = (("first", 0.0, "s0"), ("second", 5.0, "s1"))
    for number, (key, start_s, step_id) in enumerate(drawn, 1):
        save(own, insert(number, key, start_s, start_s + 5.0, step_id=step_id))
    submit(public_id=own.public_id, actor=own.person)
    audit, own = following(Stage.AUDIT, labels, "ben")
    audited(own, noes={(1, "complete")})
    correction, own = following(Stage.CORRECT, audit, "cem")
    corrected(own)

    again = {"stage": Stage.AUDIT, "source_round": correction, "control_count": 0}
    _, result = opened(
        campaign, owner, **partition, **again,
        people=[people[name] for name in ("ann", "ben", "cem")],
    )  # fmt: skip
    made, _ = opened(campaign, owner, **partition, **again)

    assert (result.added_count, result.short_trace_count) == (0, 1)
    assert people_of(made) == [("take-0", "dora")]


def test_given_segments_have_steps_but_no_labels_and_no_texts(owner):
    campaign, _ = segment_campaign(owner, takes=1, has_times=False)
    first, _ = opened(campaign, owner, **LABEL)
    author = first.segmentations.get()
    labelled(author, label="working with wrong objects")
    save_note = Segment.objects.filter(segmentation=author)
    save_note.update(note="unsure", is_flagged=True)

    given, _ = opened(
        campaign,
        owner,
        **LABEL,
        source=SegmentSource.ROUND,
        source_round=first,
        has_locked_edges=True,
    )

    own = given.segmentations.get()
    assert own.person_id != author.person_id
    assert list(own.based_on.all()) == [author]
    told = [
        {name: item[name] for name in ("start_s", "step_id", "label", "text", "note", "is_flagged")}
        for item in own.recording.proposals
    ]
    nothing = {"label": "", "text": "", "note": "", "is_flagged": False}
    assert told == [
        {"start_s": 0.0, "step_id": "s0", **nothing}, {"start_s": 5.0, "step_id": "s1", **nothing},
    ]  # fmt: skip
    assert task_words(given) == "Name the given segments"


def test_the_steps_of_a_data_set_are_audited_with_their_texts(owner):
    campaign, _ = segment_campaign(owner, takes=2)
    trace = TraceFactory(
        dataset=campaign.datasets.get(),
        take=Take.objects.first(),
        video=VideoFactory(dataset=campaign.datasets.get()),
    )
    step = trace.take.steps.first()
    TraceStepFactory(trace=trace, index=0, reference_step=step, text="Boil", start_s=1, end_s=3)
    event = EventFactory(trace=trace)
    TraceStepFactory(
        trace=trace, index=1, mod="i", event=event, text="Sing", start_s=3, end_s=4,
        reference_step=None,
    )  # fmt: skip

    made, _ = opened(campaign, owner, **AUDIT, source=SegmentSource.STEPS)

    found = {
        (row.take.uid, row.trace_id): [
            (item["start_s"], item["end_s"], item["step_id"], item["text"], item["is_proposal"])
            for item in row.proposals
        ]
        for row in made.recordings.all()
    }
    whole = [
        (0.0, 5.0, "s0", "Boil the water", False),
        (5.0, 10.0, "s1", "Pour it on the leaves", False),
    ]
    assert found == {
        ("take-0", None): whole,
        ("take-1", None): whole,
        ("take-0", trace.pk): [(1, 3, "s0", "Boil", False), (3, 4, "-1", "Sing", False)],
    }


def test_steps_without_ids_go_by_their_places(owner):
    campaign, _ = segment_campaign(owner, takes=1)
    Take.objects.get().steps.update(step_id="")

    made, _ = opened(campaign, owner, **LABEL, source=SegmentSource.STEPS)

    proposals = made.recordings.get().proposals
    assert [(item["step_id"], item["is_proposal"]) for item in proposals] == [
        ("0", True), ("1", True),
    ]  # fmt: skip


@pytest.fixture
def audit_path(owner):
    return audit_and_correction(owner)


def test_recordings_with_a_no_are_corrected_by_somebody_else(audit_path):
    _, _, _, correction = audit_path

    assert people_of(correction) == [("take-1", "cem"), ("take-4", "cem")]
    own = correction.segmentations.first()
    [auditor] = own.based_on.all()
    assert auditor.recording.take_id == own.recording.take_id
    assert [(item["start_s"], item["end_s"]) for item in own.recording.proposals] == [
        (0.0, 5.0), (5.0, 10.0),
    ]  # fmt: skip


def test_the_second_audit_mixes_corrected_recordings_with_controls_for_a_third_person(
    audit_path, owner
):
    campaign, _, audit, correction = audit_path
    for own in correction.segmentations.all():
        corrected(own)

    again, result = opened(
        campaign, owner, **AUDIT, source=SegmentSource.ROUND, source_round=correction
    )

    assert result.short_trace_count == 0
    worked = set(people_of(audit)) | set(people_of(correction))
    assert len(people_of(again)) == 4
    assert not worked & set(people_of(again))
    recordings = list(again.recordings.order_by("take__uid"))
    controls = [row.take.uid for row in recordings if row.is_control]
    changed = [row for row in recordings if not row.is_control]
    assert [row.take.uid for row in changed] == ["take-1", "take-4"]
    assert again.segments.control_count == len(controls) == 2
    assert set(controls) <= {"take-0", "take-2", "take-3", "take-5"}
    assert {item["revision"] for row in recordings for item in row.proposals} == {1}
    # Keys that are there before and after join the two.
    by_take = {row.take.uid: row for row in audit.recordings.all()}
    for row in recordings:
        before = {item["key"] for item in by_take[row.take.uid].proposals}
        assert before <= {item["key"] for item in row.proposals}
    with pytest.raises(ProtocolError, match="opened before"):
        open_segment_round(planned=again, actor=owner)


def test_controls_do_not_lie_behind_what_was_corrected(audit_path, owner):
    """Neither rows nor queues tell by their order what is a control."""
    campaign, _, _, correction = audit_path
    for own in correction.segmentations.all():
        corrected(own)
    orders = set()
    for seed in range(12):
        planned, _ = plan_segment_round(
            campaign=campaign,
            new=NewSegmentRound(
                **AUDIT, source=SegmentSource.ROUND, source_round=correction, seed=seed
            ),
            actor=owner,
        )
        rows = planned.recordings.order_by("pk").values_list("is_control", flat=True)
        orders.add(tuple(rows))

    assert len(orders) > 3


def test_a_review_takes_in_what_is_submitted_later_and_nobody_reviews_own_work(owner):
    campaign, people = segment_campaign(owner, takes=2, has_times=False)
    labels, _ = opened(campaign, owner, **LABEL)
    first, second = labels.segmentations.order_by("pk")
    labelled(first)

    review, result = opened(
        campaign, owner, stage=Stage.REVIEW, scheme="egooops", source=SegmentSource.ROUND,
        source_round=labels,
    )  # fmt: skip
    assert result.added_count == 1
    labelled(second)
    assert give_out_again(round_=review, actor=owner).added_count == 1
    assert give_out_again(round_=review, actor=owner).added_count == 0

    for own in review.segmentations.all():
        [author] = own.based_on.all()
        assert own.person_id != author.person_id
        assert own.recording.source_segmentation_id == author.pk
        assert all(item["is_proposal"] for item in own.recording.proposals)
    assert set(people) == {"ann", "ben"}


def test_one_decides_between_those_who_both_submitted(owner):
    campaign, _ = segment_campaign(owner, takes=2, has_times=False, people=("ann", "ben", "cem"))
    people = [rater.rater for rater in campaign.raters.exclude(rater__username="cem")]
    labels, _ = opened(campaign, owner, **LABEL, overlap=2, people=people)
    both = list(labels.segmentations.filter(recording=labels.recordings.first()))
    one = labels.segmentations.exclude(recording=labels.recordings.first()).first()
    for own in [*both, one]:
        labelled(own)

    made, result = opened(
        campaign, owner, stage=Stage.ADJUDICATE, scheme="egooops", source=SegmentSource.ROUND,
        source_round=labels,
    )  # fmt: skip

    own = made.segmentations.get()
    assert own.person.username == "cem"
    assert set(own.based_on.all()) == set(both)
    assert own.recording.proposals == []
    assert result.short_trace_count == 0


def test_an_onset_is_marked_by_two(owner):
    campaign, _ = segment_campaign(owner)

    made, _ = opened(campaign, owner, stage=Stage.LABEL, scheme="onset", overlap=2)

    assert made.segmentations.count() == 6
    assert task_words(made) == "Mark when each mistake begins to show"
    with pytest.raises(ValidationError, match="no track of steps that last"):
        plan_segment_round(
            campaign=campaign,
            new=NewSegmentRound(stage=Stage.LABEL, scheme="onset", source=SegmentSource.STEPS),
            actor=owner,
        )


def test_people_who_come_and_go(owner):
    campaign, people = segment_campaign(owner, takes=4, people=("ann",), has_times=False)
    made, _ = opened(campaign, owner, **LABEL, seed=3)
    begun = made.segmentations.order_by("position").first()
    begin(public_id=begun.public_id, actor=begun.person)

    ben = UserFactory(username="ben")
    add_raters(campaign=campaign, raters=[ben], actor=owner)
    assert sorted(name for _, name in people_of(made)) == ["ann", "ann", "ben", "ben"]

    remove_rater(campaign=campaign, rater=people["ann"], actor=owner)
    assert sorted(name for _, name in people_of(made)) == ["ann", "ben", "ben", "ben"]
    begun.refresh_from_db()
    assert begun.person == people["ann"]


def test_new_people_do_not_enter_a_round_of_chosen_ones(owner):
    campaign, people = segment_campaign(owner, has_times=False)
    made, _ = opened(campaign, owner, **LABEL, people=[people["ann"]])

    add_raters(campaign=campaign, raters=[UserFactory(username="cem")], actor=owner)

    assert {name for _, name in people_of(made)} == {"ann"}


def test_a_closed_round_and_a_closed_campaign_take_nothing_more(owner):
    campaign, _ = segment_campaign(owner, has_times=False)
    made, _ = opened(campaign, owner, **LABEL, phase=Phase.PILOT)
    planned, _ = plan_segment_round(campaign=campaign, new=NewSegmentRound(**LABEL), actor=owner)
    with pytest.raises(ProtocolError, match="never opened"):
        close_round(closing=planned, actor=owner)

    close_round(closing=made, actor=owner)
    assert close_round(closing=made, actor=owner).is_closed
    with pytest.raises(ProtocolError, match="not open"):
        give_out_again(round_=made, actor=owner)
    campaign.refresh_from_db()
    assert campaign.state == "draft"
    close_campaign(campaign=campaign, actor=owner)
    with pytest.raises(ProtocolError, match="is closed"):
        plan_segment_round(campaign=campaign, new=NewSegmentRound(**LABEL), actor=owner)
    assert not made.segmentations.exclude(status=SegmentationStatus.OPEN).exists()


def test_a_round_goes_on_only_from_a_stage_and_scheme_that_fits(owner):
    campaign, _ = segment_campaign(owner)
    labels, _ = opened(campaign, owner, **LABEL)
    new = NewSegmentRound(**AUDIT, source=SegmentSource.ROUND, source_round=labels)
    with pytest.raises(ValidationError, match="has another scheme"):
        plan_segment_round(campaign=campaign, new=new, actor=owner)
    StepFactory(take=Take.objects.first(), index=9)
    wrong = NewSegmentRound(
        stage=Stage.CORRECT, scheme="partition", source=SegmentSource.ROUND, source_round=labels
    )
    with pytest.raises(ValidationError, match="cannot go on from a round of the stage label"):
        plan_segment_round(campaign=campaign, new=wrong, actor=owner)
