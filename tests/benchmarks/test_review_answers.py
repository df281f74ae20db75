"""What people of a review answered before they saw the right answers stands as a row."""

import json

import pytest

from annotation.models import Role
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.rounds import close_round
from benchmarks.engine.questions.samples import QuestionSettings
from benchmarks.models import ParticipantKind
from benchmarks.selectors.judging import answers_for
from benchmarks.selectors.questions import current_questions
from benchmarks.selectors.tables import table_of
from benchmarks.services.answering import start_answering
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.item_sets import start_deleting
from benchmarks.services.judging import judge_assessment
from benchmarks.services.people.judging import draw_sample
from benchmarks.services.questions.reviewing import ReviewRequest, finish_review, start_review
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.asked import model, read_again
from tests.benchmarks.made import figures_of, frozen_set
from tests.benchmarks.questions.made import questions_frozen, questions_made
from tests.factories import UserFactory
from texts.models import TextVerdict
from texts.services.rounds import open_text_round
from texts.services.verdicts import SentVerdict, answer_blind, give_verdict

pytestmark = pytest.mark.django_db(transaction=True)
REWORDED, ANSWER_EDITED, DISPUTED = 0, 1, 2


def sent_of(own, place, number):
    """What is said of a question: two are edited, about one the first two differ."""
    item = own.item
    if number == REWORDED:
        return SentVerdict("edit", text="Did I do it well?", answer=item.answer)
    if number == ANSWER_EDITED:
        return SentVerdict("edit", text=item.text, answer="Yes, I did it quite well.")
    if number == DISPUTED and place == 2:
        return SentVerdict("reject", reasons=("gives_away",))
    return SentVerdict("accept")


@pytest.fixture
def readers():
    return [UserFactory(username=name) for name in ("reader-ann", "reader-ben", "reader-cem")]


def reviewed(dataset, owner, readers, *, is_blind_first=True):
    """A frozen question set after a review by two people and one who decides."""
    made = questions_made(dataset, owner, settings=QuestionSettings(pairs=2))
    request = ReviewRequest("Review", is_blind_first=is_blind_first)
    round_ = start_review(question_set=made, request=request, actor=owner)
    add_raters(campaign=round_.campaign, raters=readers, actor=owner)
    open_text_round(planned=round_, actor=owner)
    numbers = {pk: n for n, pk in enumerate(round_.text_items.values_list("pk", flat=True))}
    # The third place comes with the verdicts on the other two.
    for place in (1, 2, 3):
        rows = TextVerdict.objects.filter(round=round_, place=place)
        for own in rows.select_related("item", "person"):
            if is_blind_first:
                words = f"{own.item.answer} Place {place}."
                answer_blind(public_id=own.public_id, answer=words, actor=own.person)
            sent = sent_of(own, place, numbers[own.item_id])
            give_verdict(public_id=own.public_id, sent=sent, actor=own.person)
    close_round(closing=round_, actor=owner)
    made.refresh_from_db()
    finish_review(question_set=made, actor=owner)
    made.refresh_from_db()
    return questions_frozen(made, owner)


def items_of(question_set, owner, **changes):
    fields = {"source": question_set.public_id, "settings": {"pairs": "all"}, **changes}
    return frozen_set(question_set.dataset, owner, "error_questions", **fields)


def row_of(item_set):
    return item_set.assessments.get(kind=ParticipantKind.REVIEW)


def notes_of(item_set):
    return " ".join(
        note for row in table_of(item_set).rows() if row.key == row_of(item_set).public_id
        for note in row.label.notes
    )  # fmt: skip


def test_answers_before_the_answer_was_shown_stand_as_a_row_that_names_nobody(
    sample, owner, readers, owner_client
):
    made = items_of(reviewed(sample, owner, readers), owner)

    own = row_of(made)
    answers = list(own.answers.values_list("item__truth__text", "repeat", "value__text"))
    # Those of who decided are left out, as are both to the question that has other words now.
    assert len(answers) == 2 * (made.item_count - 1)
    edited = "Yes, I did it quite well."
    assert all(
        said == f"{truth} Place {repeat + 1}." for truth, repeat, said in answers if truth != edited
    )
    assert [repeat for truth, repeat, _ in answers if truth == edited] == [0, 1]
    assert (own.settings["people"], own.settings["reworded"]) == (3, 2)
    assert (own.counts["read"], own.counts["missing"]) == (len(answers), 2)
    assert figures_of(own)["token_f1"][0] > 0.7
    assert figures_of(own)["avg_sim"][0] is None
    notes = notes_of(made)
    assert f"{len(answers)} answers of 3 people in the review" in notes
    assert "2 left out" in notes
    assert "not graded by a judge yet" in notes
    page = owner_client.get(f"/benchmarks/sets/{made.public_id}/").content.decode()
    assert "People, before they saw the answer" in page
    assert "People who reviewed the questions" in page
    page += owner_client.get(f"/benchmarks/assessments/{own.public_id}/").content.decode()
    assert "Place 2." in page
    assert not any(reader.username in page for reader in readers)


def test_the_row_leads_to_its_review_and_each_question_to_what_people_answered(
    sample, owner, readers, owner_client, client
):
    questions = reviewed(sample, owner, readers)
    made = items_of(questions, owner, is_shared=True)
    campaign, own = questions.review.campaign, row_of(made)

    page, api = f"/benchmarks/assessments/{own.public_id}/", f"/api/v1/assessments/{own.public_id}/"
    assert f"/campaigns/{campaign.public_id}/" in owner_client.get(page).content.decode()
    links = [{"question_set": questions.public_id, "campaign": campaign.public_id}]
    assert owner_client.get(api).json()["reviews"] == links
    file = owner_client.get(f"/api/v1/question-sets/{questions.public_id}/download/")
    lines = b"".join(file.streaming_content).decode().splitlines()
    people = {one["question"]: one["people"] for one in map(json.loads, lines)}
    # Those of who decided are left out, and the two answers to other words than these.
    assert people.pop("Did I do it well?") == []
    rows = current_questions(questions).exclude(question="Did I do it well?")
    truths = {row.question: (row.before or row).answer for row in rows}
    assert people == {
        question: [f"{truth} Place 1.", f"{truth} Place 2."] for question, truth in truths.items()
    }
    # Another researcher may answer the set, and learns nothing of the review.
    client.force_login(UserFactory(role=Role.RESEARCHER))
    assert client.get(api).json()["reviews"] == []
    shown = client.get(page).content.decode()
    assert campaign.public_id not in shown
    assert questions.public_id not in shown


def test_they_are_graded_as_the_answers_of_a_file_are(sample, owner, readers):
    made = items_of(reviewed(sample, owner, readers), owner)
    own = row_of(made)
    grade = '{"score": 4, "reason": "By the words."}'
    with AnsweringServer(answers=lambda body: grade) as server:
        judges = [model(server, owner, name="Judge", model_name="judge").public_id]
        work_on_assessments(job_ids=judge_assessment(assessment=own, judges=judges, actor=owner))

    own = read_again(own)
    assert own.job.error == ""
    assert figures_of(own)["avg_sim"][0] == 4.0
    assert "not graded" not in notes_of(made)
    assert "judged by Judge (judge)" in notes_of(made)


def test_there_is_no_row_where_nobody_answered_first(sample, owner, readers):
    made = items_of(reviewed(sample, owner, readers, is_blind_first=False), owner)

    assert not made.assessments.filter(kind=ParticipantKind.REVIEW).exists()


def test_of_one_pair_per_step_only_the_answers_to_what_is_asked_count(sample, owner, readers):
    questions = reviewed(sample, owner, readers)
    made = items_of(questions, owner, settings={})

    assert made.item_count < questions.question_count
    own = row_of(made)
    asked = set(made.test_items.values_list("pk", flat=True))
    assert set(own.answers.values_list("item", flat=True)) <= asked
    assert own.counts["read"] + own.counts["missing"] == 2 * made.item_count
    # What the freeze itself added keeps nobody from deleting the set.
    assert start_deleting(item_set=made, actor=owner)


def test_whoever_reviewed_knew_the_answers_and_grades_none_of_the_review(sample, owner, readers):
    made = items_of(reviewed(sample, owner, readers), owner)
    other = UserFactory()
    told = {
        person: start_answering(item_set=made, person=person, actor=owner).settings
        for person in (readers[0], other)
    }

    assert [own["could_see_truth"] for own in told.values()] == [True, False]
    drawn = draw_sample(item_set=made, size=5, seed=0, actor=owner)
    assert len(answers_for(drawn, owner)) == 5
    readers[0].role = Role.RESEARCHER
    assert answers_for(drawn, readers[0]) == []
