"""People as participants: they answer item by item and see no truth until they finish."""

from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.http import Http404

from annotation.models import AuditEntry, Role
from benchmarks.engine.answers.values import ValueFaultError
from benchmarks.models import ItemSet
from benchmarks.selectors.assessments import get_assessment_for_user
from benchmarks.selectors.item_sets import may_see_truth
from benchmarks.selectors.readers import may_see_answers
from benchmarks.selectors.tables import participant_note
from benchmarks.services.answering import (
    AnswersFinalError,
    answer_item,
    finish_answering,
    open_items,
    start_answering,
)
from benchmarks.services.assessments import (
    AskRequest,
    delete_assessment,
    resume_assessment,
    start_assessment,
)
from benchmarks.services.item_sets import share_item_set
from benchmarks.services.judging import name_judges
from tests.at_once import raised_after
from tests.benchmarks.asked import read_again, small_set
from tests.benchmarks.made import (
    as_csv,
    baseline_values,
    figures_of,
    made_set,
    uploaded,
)
from tests.factories import CampaignFactory, CampaignRaterFactory, UserFactory
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db

TASKS = ("step_mistakes", "mistake_intervals", "speak_or_stay_silent", "describe_mistake")


@pytest.mark.parametrize("task", TASKS)
def test_person_who_answers_like_a_baseline_scores_like_it(sample, owner, annotator, task):
    made = small_set(sample, owner, task, item_count=6)
    baseline = made.assessments.order_by("pk").first()
    values = baseline_values(made)
    own = start_answering(item_set=made, person=annotator, actor=owner)

    answered = set()
    while waiting := [item for item in open_items(own) if item.key not in answered]:
        answer_item(assessment=own, key=waiting[0].key, fields=values[waiting[0].key])
        answered.add(waiting[0].key)
    finish_answering(assessment=own)

    assert figures_of(own) == figures_of(baseline)
    assert read_again(own).counts["read"] == made.item_count


def test_nobody_sees_truth_or_answers_while_they_answer(sample, owner):
    made = small_set(sample, owner, item_count=4)
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    before = may_see_truth(owner, made), may_see_answers(owner, file)
    own = start_answering(item_set=made, person=owner, actor=owner)
    while_answering = may_see_truth(owner, made), may_see_answers(owner, file)
    own_answers = may_see_answers(owner, own)
    finish_answering(assessment=own)

    assert before == (True, True)
    assert (while_answering, own_answers) == ((False, False), True)
    assert (may_see_truth(owner, made), may_see_answers(owner, file)) == (True, True)
    assert read_again(own).settings == {"could_see_truth": True}


def test_user_without_truth_sees_other_answers_after_their_own(sample, owner):
    made = small_set(sample, owner, item_count=4)
    share_item_set(item_set=made, is_shared=True, actor=owner)
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    other = UserFactory(role=Role.RESEARCHER)

    assert not may_see_answers(other, file)
    own = start_answering(item_set=made, person=other, actor=other)
    assert not may_see_answers(other, file)
    finish_answering(assessment=own)
    assert may_see_answers(other, file)
    assert not may_see_truth(other, made)


def test_sequence_opens_item_by_item_and_earlier_answers_are_final(sample, owner, annotator):
    made = small_set(sample, owner, "speak_or_stay_silent", item_count=6)
    own = start_answering(item_set=made, person=annotator, actor=owner)
    [first] = [item for item in open_items(own) if item.sequence_position == 0][:1]
    sequence = [item for item in made.items.all() if item.sequence == first.sequence]
    later = max(sequence, key=lambda item: item.sequence_position)
    silent = {"answer": "silent", "text": ""}

    assert [item.pk for item in open_items(own) if item.sequence == first.sequence] == [first.pk]
    with pytest.raises(ValidationError, match="for you to answer now"):
        answer_item(assessment=own, key=later.key, fields=silent)
    answer_item(assessment=own, key=first.key, fields=silent)
    assert len([item for item in open_items(own) if item.sequence == first.sequence]) == 2
    with pytest.raises(AnswersFinalError, match="what comes after"):
        answer_item(assessment=own, key=first.key, fields=silent)


def test_answer_outside_sequences_can_change_until_all_are_final(sample, owner, annotator):
    made = small_set(sample, owner, item_count=3)
    own = start_answering(item_set=made, person=annotator, actor=owner)
    key = made.items.first().key

    for answer in ("yes", "no"):
        answer_item(assessment=own, key=key, fields={"answer": answer})
    with pytest.raises(ValidationError, match="expected one of yes, no"):
        answer_item(assessment=own, key=key, fields={"answer": "perhaps"})
    finish_answering(assessment=own)

    assert own.answers.get().value == {"answer": "no", "score": None}
    assert read_again(own).counts["missing"] == 2
    with pytest.raises(AnswersFinalError):
        answer_item(assessment=own, key=key, fields={"answer": "yes"})


def test_nobody_answers_before_the_freeze(sample, owner, annotator):
    with pytest.raises(ValidationError, match="not frozen"):
        start_answering(item_set=made_set(sample, owner), person=annotator, actor=owner)


def test_an_assessment_deleted_meanwhile_takes_no_answer_and_is_deleted_once(
    sample, owner, annotator
):
    made = small_set(sample, owner, item_count=4)
    own = start_answering(item_set=made, person=annotator, actor=owner)
    key, fields = next(iter(baseline_values(made).items()))
    delete_assessment(assessment=read_again(own), actor=owner)

    for act in (
        lambda: answer_item(assessment=own, key=key, fields=fields),
        lambda: finish_answering(assessment=own),
        lambda: resume_assessment(assessment=own, actor=owner),
    ):
        with pytest.raises(Http404):
            act()
    delete_assessment(assessment=own, actor=owner)

    assert AuditEntry.objects.filter(action="assessment.delete").count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_of_two_who_name_judges_at_once_the_set_has_one_list(sample, owner):
    made = small_set(sample, owner, item_count=4)
    judges = [make_endpoint(owner=owner, name=name) for name in ("First", "Second")]
    naming = [
        partial(name_judges, item_set=made, judges=[judge.public_id], actor=owner)
        for judge in judges
    ]

    raised = raised_after(*naming)

    now = ItemSet.objects.get(pk=made.pk)
    assert (raised, list(now.judges.all())) == (None, [judges[1]])
    assert list(now.judge_servers) == [judges[1].public_id]


def test_a_person_answers_on_pages_and_others_do_not_find_them(
    sample, owner, annotator, annotator_client, outsider_client, owner_client
):
    made = small_set(sample, owner, item_count=2)
    owner_client.post(
        f"/benchmarks/sets/{made.public_id}/people/", {"person-username": annotator.username}
    )
    own = made.assessments.get(kind="person")
    page = f"/benchmarks/answering/{own.public_id}/"
    for item in made.items.all():
        assert annotator_client.get(page).status_code == 200
        annotator_client.post(page, {"item": item.key, "answer": "yes"})
    annotator_client.post(f"{page}finish/")

    assert own.public_id in annotator_client.get("/benchmarks/answering/").content.decode()
    assert "final" in annotator_client.get(page).content.decode()
    assert read_again(own).counts["read"] == 2
    assert outsider_client.get(page).status_code == 404
    assert owner_client.get(page).status_code == 404
    assert annotator_client.get(f"/benchmarks/sets/{made.public_id}/").status_code == 403


def test_person_who_answers_a_sequence_cannot_read_later_items(sample, owner, owner_client):
    made = small_set(sample, owner, "speak_or_stay_silent", item_count=4)
    page, api = f"/benchmarks/sets/{made.public_id}/", f"/api/v1/item-sets/{made.public_id}/"
    item = made.items.order_by("-sequence_position").first()
    addresses = [
        f"{page}items/{item.key}/", f"{page}download/items/", f"{api}items/{item.key}/",
        f"{api}download/items/",
    ]  # fmt: skip
    before = [owner_client.get(address).status_code for address in addresses]
    own = start_answering(item_set=made, person=owner, actor=owner)
    during = [owner_client.get(address).status_code for address in addresses]
    listed = owner_client.get(f"{api}items/").json()["results"]
    finish_answering(assessment=own)
    after = [owner_client.get(address).status_code for address in addresses]

    assert before == after == [200] * 4
    assert (during, listed) == ([404, 403, 404, 403], [])


def test_a_long_value_is_cut_in_the_words_of_its_fault():
    assert len(str(ValueFaultError("text", "x" * 30_000, "a short one"))) < 120


def test_person_who_answers_may_not_upload_and_earlier_uploads_are_noted(sample, owner, outsider):
    made = small_set(sample, owner, item_count=4, is_shared=True)
    file = as_csv(made, baseline_values(made))
    own = start_answering(item_set=made, person=outsider, actor=outsider)
    with pytest.raises(ValidationError, match="finish your answers first"):
        uploaded(made, outsider, file)
    with pytest.raises(ValidationError, match="finish your answers first"):
        start_assessment(item_set=made, request=AskRequest("any"), actor=outsider)
    finish_answering(assessment=own)
    uploaded(made, outsider, file)

    late = UserFactory(role=Role.RESEARCHER)
    uploaded(made, late, file)
    tried = start_answering(item_set=made, person=late, actor=late)
    finish_answering(assessment=tried)
    assert (own.settings, tried.settings) == (
        {"could_see_truth": False},
        {"could_see_truth": True},
    )
    assert "could see what is right" not in participant_note(read_again(own))
    assert "could see what is right" in participant_note(read_again(tried))


def test_own_figures_are_hidden_while_rating_the_data(sample, owner, outsider):
    made = small_set(sample, owner, item_count=4, is_shared=True)
    own = start_answering(item_set=made, person=outsider, actor=outsider)
    finish_answering(assessment=own)
    assert get_assessment_for_user(outsider, own.public_id) == own
    campaign = CampaignFactory()
    campaign.datasets.add(sample)
    CampaignRaterFactory(campaign=campaign, rater=outsider)

    with pytest.raises(Http404):
        get_assessment_for_user(outsider, own.public_id)
