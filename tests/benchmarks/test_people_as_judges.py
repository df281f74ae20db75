"""People as judges: who may grade, what they see, and how their grades go with the judges'."""

import json

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from annotation.analytics.tables.table import Cell
from annotation.models import Role
from benchmarks.engine.measures.judged import band_of, stratified
from benchmarks.models import Answer, Figure, PersonGrade
from benchmarks.selectors.judging import (
    answers_for,
    judged_sample,
    judges_and_people,
    may_see_grades,
)
from benchmarks.services.people.judging import (
    GradesFinalError,
    agree_on,
    draw_sample,
    finish_grading,
    grade_answer,
)
from tests.benchmarks.asked import small_set
from tests.benchmarks.made import as_csv, baseline_values, uploaded
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(sample, owner):
    """Return a set of texts with the answers of two files, which two judges graded."""
    made = small_set(sample, owner, "describe_mistake", item_count=6)
    values = baseline_values(made)
    for number, name in enumerate(("Model one", "Model two")):
        file = uploaded(made, owner, as_csv(made, values), name=name)
        for place, answer in enumerate(file.answers.order_by("item__position")):
            score = (place + number) % 6
            answer.judged = {
                "Judge A": {"status": "read", "reason": "", "value": {"score": score}},
                "Judge B": {"status": "malformed", "reason": "?", "value": None}
                if place == 0
                else {"status": "read", "reason": "", "value": {"score": min(score + 1, 5)}},
            }
            answer.save()
    return made


@pytest.fixture
def colleague(sample):
    sample.is_shared = True
    sample.save()
    return UserFactory(role=Role.RESEARCHER)


def shared(made):
    made.is_shared = True
    made.save()
    return made


def graded(sample, person, scores):
    for position, score in enumerate(scores, start=1):
        grade_answer(sample=sample, person=person, position=position, score=score)


def test_a_sample_is_even_over_its_strata_and_the_same_again(judged, owner):
    strata = [("a",)] * 50 + [("b",)] * 3 + [("c",)] * 2

    drawn = stratified(strata, 9, 4)

    assert drawn == stratified(strata, 9, 4) != stratified(strata, 9, 5)
    counts = {name: sum(strata[place] == (name,) for place in drawn) for name in "abc"}
    assert counts == {"a": 4, "b": 3, "c": 2}
    sample = draw_sample(item_set=judged, size=4, seed=1, actor=owner)
    first = list(sample.answers.values_list("answer", flat=True))
    # Both participants are there, and no baseline.
    assert sample.answers.filter(answer__assessment__kind="file").count() == 4
    assert len(set(sample.answers.values_list("answer__assessment", flat=True))) == 2
    again = draw_sample(item_set=judged, size=4, seed=1, actor=owner)
    assert list(again.answers.values_list("answer", flat=True)) == first


def test_a_sample_that_somebody_grades_is_not_drawn_anew(judged, owner):
    sample = draw_sample(item_set=judged, size=3, seed=0, actor=owner)
    graded(sample, owner, [5])

    with pytest.raises(GradesFinalError, match="begun to grade"):
        draw_sample(item_set=judged, size=3, seed=1, actor=owner)
    with pytest.raises(ValidationError, match="expected 1 to"):
        draw_sample(item_set=judged, size=0, seed=1, actor=owner)


def test_the_page_has_gold_and_answer_but_no_author_and_no_grade_of_others(
    judged, owner, owner_client, colleague
):
    sample = draw_sample(item_set=judged, size=6, seed=0, actor=owner)
    shared(judged)
    graded(sample, colleague, [3])
    row = sample.answers.get(position=1).answer

    page = owner_client.get(f"/benchmarks/sets/{judged.public_id}/judging/").content.decode()

    assert row.item.truth["text"][:30].split("“")[0] in page
    for hidden in ("Model one", "Model two", "Judge A", "person:1"):
        assert hidden not in page
    address = f"/api/v1/item-sets/{judged.public_id}/judging/"
    sent = json.dumps(owner_client.get(address).json())
    for hidden in ("Model one", "Model two", "Judge A", "person:1"):
        assert hidden not in sent


def test_nobody_is_asked_to_grade_before_anybody_has_answered(sample, owner, owner_client):
    made = small_set(sample, owner, "describe_mistake", item_count=4)
    address = f"/benchmarks/sets/{made.public_id}/"

    assert "Grade answers yourself" not in owner_client.get(address).content.decode()
    uploaded(made, owner, as_csv(made, baseline_values(made)))

    assert "Grade answers yourself" in owner_client.get(address).content.decode()


def test_grades_by_page_stay_until_they_are_final_and_open_the_table(judged, owner, owner_client):
    sample = draw_sample(item_set=judged, size=2, seed=0, actor=owner)
    page = f"/benchmarks/sets/{judged.public_id}/judging/"
    table = f"/benchmarks/sets/{judged.public_id}/judges-and-people/"
    owner_client.post(page, {"position": 1, "score": 2})
    assert owner_client.get(table).status_code == 404
    owner_client.post(page, {"position": 1, "score": 4})
    owner_client.post(page, {"position": 2, "score": 9})

    assert list(PersonGrade.objects.values_list("sampled__position", "score")) == [(1, 4)]
    owner_client.post(f"{page}finish/")
    owner_client.post(page, {"position": 1, "score": 0})

    assert list(PersonGrade.objects.values_list("sampled__position", "score")) == [(1, 4)]
    assert "Between judges" in owner_client.get(table).content.decode()
    assert owner_client.get(f"{table}csv/").status_code == 200
    assert sample.judges.get().finished_at is not None


def test_who_may_not_see_the_truth_may_not_grade(judged, owner):
    draw_sample(item_set=judged, size=2, seed=0, actor=owner)
    other = UserFactory(role=Role.RESEARCHER)
    client = Client()
    client.force_login(other)
    for address in ("judging/", "judges-and-people/"):
        assert client.get(f"/benchmarks/sets/{judged.public_id}/{address}").status_code == 404
    shared(judged)
    for path in ("judging/", "judges-and-people/"):
        assert client.get(f"/benchmarks/sets/{judged.public_id}/{path}").status_code == 404
        assert client.get(f"/api/v1/item-sets/{judged.public_id}/{path}").status_code == 404
    for path, body in (("judging/", {}), ("judging/grades/", {"position": 1, "score": 1})):
        address = f"/api/v1/item-sets/{judged.public_id}/{path}"
        assert client.post(address, body, content_type="application/json").status_code == 404
    assert not PersonGrade.objects.exists()


def test_nobody_grades_answers_of_their_own(judged, owner, colleague):
    answer = Answer.objects.filter(assessment__name="Model one").first()
    answer.assessment.person = colleague
    answer.assessment.save()
    sample = draw_sample(item_set=judged, size=12, seed=0, actor=owner)

    assert len(answers_for(sample, owner)) == 12
    assert {row.answer.assessment.name for row in answers_for(sample, colleague)} == {"Model two"}
    own = sample.answers.filter(answer__assessment=answer.assessment).first()
    with pytest.raises(ValidationError, match="no answer"):
        grade_answer(sample=sample, person=colleague, position=own.position, score=5)


def test_the_table_has_pairs_consensus_and_judges_and_says_what_is_to_discuss(judged, owner):
    people = [owner, *(UserFactory(role=Role.RESEARCHER) for _ in range(2))]
    sample = draw_sample(item_set=judged, size=5, seed=0, actor=owner)
    for person, scores in zip(
        people, ([5, 4, 1, 0, 2], [5, 3, 1, 0, 3], [4, 2, 1, 1, 3]), strict=True
    ):
        graded(sample, person, scores)
        finish_grading(sample=sample, person=person)

    found = judged_sample(sample)
    assert [row.position for row in found.to_discuss] == [2]
    table = judges_and_people(judged, sample)
    rows = {str(row.label.value): row.cells for row in table.rows()}
    assert rows["Cohen's kappa"]["person:1 person:2"].value == pytest.approx(0.48 / 0.88)
    pairs = [cell.value for key, cell in rows["Cohen's kappa"].items() if key != "all"]
    assert rows["Cohen's kappa"]["all"].value == pytest.approx(sum(pairs) / 3)
    assert rows["Fleiss' kappa"]["all"].value is not None
    assert {"Consensus and Judge A", "Consensus and mean of judges"} <= set(rows)
    agree_on(sample=sample, position=2, score=3, actor=owner)
    assert judged_sample(sample).to_discuss == []


@pytest.mark.parametrize(("form", "status"), [("latex", 200), ("markdown", 200), ("docx", 400)])
def test_the_table_comes_in_the_formats_of_all_tables(judged, owner, owner_client, form, status):
    draw_sample(item_set=judged, size=3, seed=0, actor=owner)
    address = f"/api/v1/item-sets/{judged.public_id}/judges-and-people/"

    assert owner_client.get(address, {"form": form}).status_code == status


def test_the_table_is_there_before_anybody_has_graded(judged, owner, owner_client):
    sample = draw_sample(item_set=judged, size=3, seed=0, actor=owner)

    table = owner_client.get(f"/api/v1/item-sets/{judged.public_id}/judges-and-people/")

    assert table.status_code == 200
    cells = {str(row.label.value): row.cells for row in judges_and_people(judged, sample).rows()}
    with_judge = cells["Consensus and Judge A"]["cohen_quadratic"]
    assert with_judge == Cell(None, notes=("Undefined: nothing has both grades.",))


def test_grades_that_are_not_final_count_for_nothing(judged, owner, colleague):
    sample = draw_sample(item_set=judged, size=3, seed=0, actor=owner)
    graded(sample, owner, [5, 4, 3])
    graded(sample, colleague, [1, 1, 1])
    finish_grading(sample=sample, person=owner)

    assert list(judged_sample(sample).people) == ["person:1"]
    assert may_see_grades(sample, owner)
    assert not may_see_grades(sample, colleague)


def test_grades_of_people_lie_beside_the_judges_and_change_no_figure(
    judged, owner, owner_client, colleague
):
    shared(judged)
    sample = draw_sample(item_set=judged, size=12, seed=0, actor=owner)
    before = list(Figure.objects.order_by("pk").values_list("measure", "value"))
    graded(sample, colleague, [3] * 12)
    key = sample.answers.first().answer.item.key
    address = f"/api/v1/item-sets/{judged.public_id}/items/{key}/"
    judges = [one["judged"] for one in owner_client.get(address).json()["answers"]]
    assert not any("person:1" in one for one in judges)
    finish_grading(sample=sample, person=colleague)

    judges = [one["judged"] for one in owner_client.get(address).json()["answers"]]
    assert {"status": "read", "reason": "", "value": {"score": 3}} in [
        one.get("person:1") for one in judges
    ]
    page = owner_client.get(f"/benchmarks/sets/{judged.public_id}/items/{key}/").content.decode()
    assert "person:1" in page
    assert list(Figure.objects.order_by("pk").values_list("measure", "value")) == before
    # Who has begun to grade sees no other grade until the end.
    graded(sample, owner, [1])
    judges = [one["judged"] for one in owner_client.get(address).json()["answers"]]
    assert judges
    assert not any(judges)


def test_over_the_api(judged, owner_client):
    address = f"/api/v1/item-sets/{judged.public_id}/judging/"
    assert owner_client.get(address).status_code == 404
    drawn = owner_client.post(address, {"size": 2}, content_type="application/json")
    assert (drawn.status_code, len(drawn.json()["answers"])) == (201, 2)
    grade = {"position": 1, "score": 5}
    done = owner_client.post(f"{address}grades/", grade, content_type="application/json")
    assert (done.status_code, done.json()) == (200, grade)
    refused = owner_client.post(
        f"{address}grades/", {"position": 1, "score": 6}, content_type="application/json"
    )
    assert refused.status_code == 400
    assert owner_client.get(address).json()["judge"] == "person:1"
    assert owner_client.post(f"{address}finish/").json()["is_final"]
    again = owner_client.post(f"{address}grades/", grade, content_type="application/json")
    assert again.status_code == 409
    table = owner_client.get(f"/api/v1/item-sets/{judged.public_id}/judges-and-people/")
    assert table.json()["title"].startswith("Judges and people")


def test_grades_fall_into_thirds_of_the_scale():
    assert [band_of([]), band_of([0, 1]), band_of([3]), band_of([4, 4])] == [
        "not graded", "0-1", "2-3", "4-5",
    ]  # fmt: skip


def test_people_grade_right_interrupts_of_an_assistant_by_a_rubric_of_their_own(
    sample, owner, owner_client
):
    made = small_set(sample, owner, "guide", item_count=40)
    always = baseline_values(made, 1)
    values = {key: {**value, "text": "Go on."} for key, value in always.items()}
    file = uploaded(made, owner, as_csv(made, values), name="Says go on")
    due = made.items.filter(truth__answer="interrupt")
    for answer in file.answers.filter(item__in=due):
        grades = {"relevance": 4, "specificity": 2, "actionability": 4, "conciseness": 5}
        judged_as = {"status": "read", "reason": "", "value": {**grades, "reason": ""}}
        answer.judged = {"Judge A": judged_as}
        answer.save()

    drawn = draw_sample(item_set=made, size=2000, seed=0, actor=owner)

    # Neither silences nor interrupts where silence is right.
    assert drawn.answers.count() == due.exclude(truth__text="").count()
    page = owner_client.get(reverse("item-set-judging", args=[made.public_id])).content.decode()
    assert "Conciseness: it is short enough to be heard at work, some 10 to 20 words." in page
    assert "A number from 1 to 5" in page
    assert "says nothing" not in page
    with pytest.raises(ValidationError, match="It is 0; expected 1 to 5"):
        grade_answer(sample=drawn, person=owner, position=1, score=0)
    graded(drawn, owner, [3] * drawn.answers.count())
    finish_grading(sample=drawn, person=owner)
    [row] = judges_and_people(made, drawn).groups[1].rows
    # The mean of 4, 2, 4 and 5 is 3.75, and people say 3.
    assert (row.label.value, row.cells["bias"].value) == ("Consensus and Judge A", 0.75)
