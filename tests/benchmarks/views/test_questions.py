"""The pages and endpoints of question sets."""

import pytest
from django.urls import reverse

from annotation.models import JobStatus
from benchmarks.models import QuestionSet, QuestionState
from benchmarks.services.questions.work import work_on_question_sets
from tests.benchmarks.questions.made import questions_frozen, questions_made

pytestmark = pytest.mark.django_db


@pytest.fixture
def question_set(sample, owner):
    return questions_made(sample, owner)


def test_set_is_made_from_the_form_read_and_frozen(sample, owner, owner_client):
    form = {
        "name": "Kitchen", "source": sample.public_id, "seed": 0, "pairs": 2, "writer": "",
        "correct": "as many as there are mistakes", "untimed": "left out",
    }  # fmt: skip
    response = owner_client.post(reverse("question-set-new"), form)

    made = QuestionSet.objects.get()
    page = reverse("question-set", args=[made.public_id])
    assert response["Location"] == page
    assert "Waiting for a worker" in owner_client.get(page).content.decode()
    work_on_question_sets(job_ids=[made.job_id])
    shown = owner_client.get(page).content.decode()
    question = made.questions.order_by("position").first()
    assert question.question in shown
    assert "What the words tell" in shown
    assert "detect yes" in shown
    owner_client.post(reverse("question-set-freeze", args=[made.public_id]))
    work_on_question_sets(job_ids=[made.job_id])
    shown = owner_client.get(page).content.decode()
    made.refresh_from_db()
    assert made.content_hash in shown
    form = owner_client.get(reverse("item-set-new", args=["error_questions"])).content.decode()
    assert f'value="{made.public_id}"' in form
    assert "frozen" in owner_client.get(reverse("item-sets")).content.decode()


def test_what_is_wrong_with_the_form_is_said(sample, owner_client):
    form = {"name": "", "source": "none", "seed": -1, "pairs": 9, "correct": "x", "untimed": "x"}

    shown = owner_client.post(reverse("question-set-new"), form).content.decode()

    assert shown.count("errorlist") >= 6
    assert not QuestionSet.objects.exists()


def test_questions_that_failed_a_check_are_shown_with_it(question_set, owner_client):
    row = question_set.questions.order_by("position").first()
    row.state, row.fault = QuestionState.FAILED, "the question names no thing of the step"
    row.save()

    page = reverse("question-set", args=[question_set.public_id])
    shown = owner_client.get(f"{page}?questions.state=failed").content.decode()

    assert "the question names no thing of the step" in shown
    assert "stay out: 1 here" in shown


def test_outsiders_and_raters_find_nothing(question_set, outsider_client, annotator_client):
    names = ("question-set", "question-set-progress")
    for name in names:
        address = reverse(name, args=[question_set.public_id])
        assert outsider_client.get(address).status_code == 404
        assert annotator_client.get(address).status_code == 403
    for action in ("freeze", "cancel", "resume", "delete"):
        address = reverse(f"question-set-{action}", args=[question_set.public_id])
        assert outsider_client.post(address).status_code == 404
    question = question_set.questions.first().question
    shown = outsider_client.get(reverse("question-sets")).content.decode()
    assert question_set.name not in shown
    assert question not in shown


def test_lists_take_the_same_queries_for_one_and_for_three(
    sample, owner, owner_client, django_assert_num_queries
):
    questions_made(sample, owner)
    addresses = {reverse("question-sets"): 5, "/api/v1/question-sets/": 4}
    for address, count in addresses.items():
        with django_assert_num_queries(count):
            assert owner_client.get(address).status_code == 200
    for _ in range(2):
        questions_made(sample, owner)
    for address, count in addresses.items():
        with django_assert_num_queries(count):
            assert owner_client.get(address).status_code == 200


def test_progress_is_loaded_anew_until_the_job_has_ended(question_set, owner_client):
    progress = reverse("question-set-progress", args=[question_set.public_id])
    assert owner_client.get(progress)["HX-Refresh"] == "true"
    job = question_set.job
    job.status, job.done_count, job.total_count = JobStatus.QUEUED, 30, 60
    job.save()

    shown = owner_client.get(progress).content.decode()

    assert "30 of 60" in shown
    owner_client.post(reverse("question-set-cancel", args=[question_set.public_id]))
    job.refresh_from_db()
    assert job.status == JobStatus.CANCELLED
    owner_client.post(reverse("question-set-resume", args=[question_set.public_id]))
    job.refresh_from_db()
    assert job.status == JobStatus.QUEUED


def test_api_makes_lists_freezes_and_deletes(sample, owner, owner_client):
    sent = {"name": "Over the API", "dataset": sample.public_id, "pairs": 1}
    made = owner_client.post("/api/v1/question-sets/", sent, content_type="application/json")
    assert made.status_code == 201
    one = f"/api/v1/question-sets/{made.json()['public_id']}/"
    assert made.json()["state"] == "being made"
    refused = owner_client.post(f"{one}freeze/")
    assert refused.status_code == 409
    question_set = QuestionSet.objects.get()
    work_on_question_sets(job_ids=[question_set.job_id])

    questions = owner_client.get(f"{one}questions/").json()
    assert questions["count"] == owner_client.get(one).json()["question_count"]
    assert set(questions["results"][0]["about"]) == {"goal", "procedure", "step", "note"}
    assert owner_client.post(f"{one}freeze/").json() == {"jobs": 1}
    work_on_question_sets(job_ids=[question_set.job_id])
    assert owner_client.get(one).json()["state"] == "frozen"
    assert owner_client.delete(one).status_code == 204
    assert owner_client.get(one).status_code == 404


def test_delete_from_the_page(sample, owner, owner_client):
    frozen = questions_frozen(questions_made(sample, owner), owner)

    response = owner_client.post(reverse("question-set-delete", args=[frozen.public_id]))

    assert response["Location"] == reverse("question-sets")
    assert not QuestionSet.objects.exists()
