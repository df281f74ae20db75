"""Attacks of a researcher who may not see the truth of a shared set, over HTTP as they would go."""

import json
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Job
from benchmarks.models import Assessment
from benchmarks.services import uploads
from benchmarks.services.answering import start_answering
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.judging import judge_assessment, name_judges
from generation.models import TextCall
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import model, read_again, small_set
from tests.benchmarks.made import as_csv, baseline_values, uploaded
from tests.benchmarks.sample_answers import answer_of

pytestmark = pytest.mark.django_db(transaction=True)


def echo(body):
    """A judge whose reason is what it was sent, which holds the truth."""
    if body["model"] == "judge":
        return json.dumps({"score": 3, "reason": words_of(body)})
    return answer_of(body)


@pytest.fixture
def shared(sample, owner):
    return small_set(sample, owner, "describe_mistake", item_count=3, is_shared=True)


@pytest.fixture
def dummies(shared, outsider_client):
    """Return the attacker's own participant, whose answers are dummy texts."""
    rows = [f"{key},nothing" for key in shared.items.values_list("key", flat=True)]
    file = SimpleUploadedFile("dummies.csv", "\n".join(["key,text", *rows]).encode())
    address = f"/api/v1/item-sets/{shared.public_id}/upload/"
    sent = outsider_client.post(address, {"name": "Dummies", "file": file})
    assert sent.status_code == 201
    return Assessment.objects.get(public_id=sent.json()["public_id"])


def read_by(client, assessment):
    """All that a client reads of an assessment's answers, in one text."""
    item_set = assessment.item_set
    keys = list(item_set.items.values_list("key", flat=True))
    addresses = [
        f"/api/v1/assessments/{assessment.public_id}/answers/",
        f"/benchmarks/assessments/{assessment.public_id}/",
        *(f"/api/v1/item-sets/{item_set.public_id}/items/{key}/" for key in keys),
        *(f"/benchmarks/sets/{item_set.public_id}/items/{key}/" for key in keys),
    ]
    return "".join(client.get(address).content.decode() for address in addresses)


def test_who_may_not_see_the_truth_starts_no_judge(
    shared, dummies, outsider, outsider_client, owner
):
    page = f"/benchmarks/assessments/{dummies.public_id}"
    api = f"/api/v1/assessments/{dummies.public_id}"
    ask = f"/api/v1/item-sets/{shared.public_id}/ask/"
    with AnsweringServer(answers=echo) as server:
        own = model(server, outsider, name="Own", model_name="judge")
        open_to_all = model(server, owner, name="Open", model_name="judge", is_shared=True)
        for judge in (own, open_to_all):
            body = {"judges": [judge.public_id]}
            assert (
                outsider_client.post(f"{api}/judge/", body, "application/json").status_code == 400
            )
            outsider_client.post(f"{page}/judge/", body)
            asked = {"endpoint": own.public_id, "pictures": 0, **body}
            assert outsider_client.post(ask, asked, "application/json").status_code == 400
        assert outsider_client.get(f"{api}/judge/").json() == []
        # Judges of an assessment from before this was refused are not asked on either.
        dummies.settings = {"judges": [own.public_id], "judge_names": ["Own (judge)"]}
        dummies.save()
        row = dummies.answers.first()
        row.judged = {"Own": {"status": "failed", "reason": "", "value": None}}
        row.save()
        for command in ("resume", "reask"):
            sent = outsider_client.post(f"{api}/{command}/", {}, "application/json")
            assert sent.status_code == 400
        assert not server.asked
    assert read_again(dummies).job_id is None
    assert not TextCall.objects.exists()


def test_words_of_a_judge_are_withheld_from_who_may_not_see_the_truth(
    shared, dummies, owner, owner_client, outsider_client
):
    with AnsweringServer(answers=echo) as server:
        judge = model(server, owner, name="Open", model_name="judge", is_shared=True)
        job_ids = judge_assessment(assessment=dummies, judges=[judge.public_id], actor=owner)
        work_on_assessments(job_ids=job_ids)

    theirs, owners = (read_by(client, dummies) for client in (outsider_client, owner_client))
    # The mark that stands before the truth in what a judge is sent.
    assert "TRUTH" not in theirs
    assert "TRUTH" in owners
    answers = outsider_client.get(f"/api/v1/assessments/{dummies.public_id}/answers/").json()
    assert {json.dumps(row["judged"]) for row in answers["results"]} == {
        '{"Open": {"status": "read", "value": {"score": 3}}}'
    }


def test_judges_that_the_owner_named_are_open_to_everybody(
    shared, dummies, owner, owner_client, outsider_client
):
    naming = f"/api/v1/item-sets/{shared.public_id}/judges/"
    judging = f"/api/v1/assessments/{dummies.public_id}/judge/"
    with AnsweringServer(answers=answer_of) as server:
        judge = model(server, owner, name="Open", model_name="judge", is_shared=True)
        body = {"judges": [judge.public_id]}
        assert outsider_client.post(naming, body, "application/json").status_code == 404
        page = f"/benchmarks/sets/{shared.public_id}/judges/"
        assert outsider_client.post(page, body).status_code == 404
        assert owner_client.post(page, body).status_code == 302
        named = owner_client.post(naming, body, "application/json").json()
        listed = outsider_client.get(judging).json()
        started = outsider_client.post(judging, body, "application/json")
        work_on_assessments(job_ids=[read_again(dummies).job_id])

    assert named["judges"] == [row["endpoint"] for row in listed] == body["judges"]
    assert started.json() == {"jobs": 1}
    assert read_again(dummies).answers.filter(judged__has_key="Open").count() == 3
    owner_client.post(naming, {"judges": []}, "application/json")
    assert outsider_client.get(judging).json() == []


def test_a_named_judge_that_gets_another_server_is_sent_no_truth(
    shared, dummies, owner, outsider, outsider_client, settings
):
    judging = f"/api/v1/assessments/{dummies.public_id}/judge/"
    with AnsweringServer(answers=answer_of) as server, AnsweringServer() as own:
        settings.TEXT_ENDPOINT_HOSTS = [urlsplit(own.url).netloc]
        judge = model(server, outsider, name="Theirs", model_name="judge", is_shared=True)
        name_judges(item_set=shared, judges=[judge.public_id], actor=owner)
        body = {"judges": [judge.public_id]}
        assert outsider_client.post(judging, body, "application/json").status_code == 200
        work_on_assessments(job_ids=[read_again(dummies).job_id])
        assert server.asked

        # Once more, and the server is changed before a worker comes.
        read_again(dummies).answers.update(judged={})
        assert outsider_client.post(judging, body, "application/json").status_code == 200
        api = f"/api/v1/text-endpoints/{judge.public_id}/"
        moved = outsider_client.patch(api, {"base_url": own.url}, "application/json")
        assert moved.status_code == 200, moved.content
        work_on_assessments(job_ids=[read_again(dummies).job_id])
        listed = outsider_client.get(judging).json()
        started = outsider_client.post(judging, body, "application/json")
        Job.objects.filter(pk=read_again(dummies).job_id).update(status="cancelled")
        resume = f"/api/v1/assessments/{dummies.public_id}/resume/"
        resumed = outsider_client.post(resume, {}, "application/json")

    assert listed == []
    assert (started.status_code, resumed.status_code) == (400, 400)
    assert "the owner of the set can name some" in started.content.decode()
    assert not own.asked
    assert outsider_client.get(f"/api/v1/item-sets/{shared.public_id}/").json()["judges"] == []


def test_nothing_is_resumed_asked_again_or_graded_while_answering(
    shared, dummies, owner, outsider, outsider_client
):
    with AnsweringServer(answers=answer_of) as server:
        judge = model(server, owner, name="Open", model_name="judge", is_shared=True)
        name_judges(item_set=shared, judges=[judge.public_id], actor=owner)
        asked = {"endpoint": judge.public_id, "pictures": 0}
        ask = f"/api/v1/item-sets/{shared.public_id}/ask/"
        started = outsider_client.post(ask, asked, "application/json").json()["public_id"]
        outsider_client.post(f"/api/v1/assessments/{started}/cancel/", {}, "application/json")
        run = Assessment.objects.get(public_id=started)
        run.answers.create(item=shared.items.first(), status="failed")
        # Dummies have figures already: such a person counts as one who could see what is right.
        Assessment.objects.filter(pk=dummies.pk).update(owner=owner)
        outsider_client.post(
            f"/api/v1/item-sets/{shared.public_id}/people/", {}, "application/json"
        )
        Assessment.objects.filter(pk=dummies.pk).update(owner=outsider)
        refused = [
            outsider_client.post(f"/api/v1/assessments/{pk}/{command}/", body, "application/json")
            for pk, command, body in (
                (started, "resume", {}),
                (started, "reask", {}),
                (dummies.public_id, "judge", {"judges": [judge.public_id]}),
            )
        ]
        outsider_client.post(f"/benchmarks/assessments/{started}/resume/")

    assert {one.status_code for one in refused} == {400}
    assert all("answering these items yourself" in one.content.decode() for one in refused)
    assert read_again(run).job.status == "cancelled"
    assert not server.asked


@pytest.mark.parametrize("state", ["cancelled", "queued"])
def test_who_joins_while_a_run_of_theirs_is_at_work_counts_as_informed(
    shared, owner, outsider, outsider_client, state
):
    run = uploaded(shared, outsider, as_csv(shared, baseline_values(shared)))
    run.job = Job.objects.create(kind="any", key=run.public_id, status=state)
    run.frozen_at = None
    run.save()

    own = start_answering(item_set=shared, person=outsider, actor=owner)

    assert own.settings == {"could_see_truth": state == "queued"}


def test_an_upload_that_began_before_the_answering_is_refused(
    shared, outsider, outsider_client, monkeypatch
):
    read = uploads.read_answers

    def joined_meanwhile(*args, **more):
        start_answering(item_set=shared, person=outsider, actor=outsider)
        return read(*args, **more)

    monkeypatch.setattr(uploads, "read_answers", joined_meanwhile)
    file = SimpleUploadedFile("late.csv", as_csv(shared, baseline_values(shared)).encode())
    address = f"/api/v1/item-sets/{shared.public_id}/upload/"
    sent = outsider_client.post(address, {"name": "Late", "file": file})

    assert sent.status_code == 400
    assert not Assessment.objects.filter(name="Late").exists()
