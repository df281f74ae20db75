"""The pages of what a run wrote: for whom, what they show, what they cost."""

import csv
import io

import pytest
from django.urls import reverse

from annotation.models import Job, JobStatus, Role
from generation.engine.judging.check import sense_checks
from generation.engine.run_options import RunOptions
from generation.models import JudgeFinding, Run, TakeJudgement, TakeRewrite, TakeVideo, TextCall
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.annotation.conftest import client_of
from tests.factories import UserFactory
from tests.generation.tea import TEA_STEPS, request_for

TAKE_PAGES = ["take-text", "take-calls"]


def work_on(run):
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])


@pytest.fixture
def written_run(full_run):
    work_on(full_run)
    return full_run


@pytest.mark.parametrize("name", TAKE_PAGES)
def test_take_is_shown_to_those_who_see_the_run(
    written_run, owner_client, outsider_client, annotator_client, administrator_client, name
):
    address = reverse(name, args=[written_run.public_id, 0])

    clients = (owner_client, administrator_client, outsider_client, annotator_client)

    assert [client.get(address).status_code for client in clients] == [200, 200, 404, 403]


@pytest.mark.parametrize("name", TAKE_PAGES)
def test_take_that_is_not_there_is_404(written_run, owner_client, name):
    assert owner_client.get(reverse(name, args=[written_run.public_id, 99])).status_code == 404


def test_text_is_shown_beside_its_original_with_its_trace(written_run, owner_client):
    row = written_run.run_takes.exclude(plan__error_count=0).first()

    answer = owner_client.get(reverse("take-text", args=[written_run.public_id, row.position]))

    page = answer.content.decode()
    shown = answer.context["text"].final.rows
    final = row.judgement.document["final_steps"]
    assert [
        "".join(run.text for run in line.table.trace_words)
        for line in shown
        if line.table.trace_words
    ] == final
    assert reverse("trace-detail", args=[row.published_trace.trace.public_id]) in page
    assert "written by rules" in page
    types = {line.table.event.proposed_type for line in shown if line.table.kind == "mistake"}
    assert types
    assert all(f"{error_type.words} <span" in page for error_type in types)


def test_findings_stand_at_their_rows_before_and_after_the_judge(written_run, owner_client):
    row = written_run.run_takes.first()
    judgement = row.judgement
    texts = judgement.document["final_steps"]
    TakeRewrite.objects.filter(run_take=row).update(
        document={**row.rewrite.document, "final_steps": [texts[0] + " now", *texts[1:]]}
    )
    TakeJudgement.objects.filter(pk=judgement.pk).update(
        changed_words=1,
        status="judged_with_findings",
        attempts=[
            {"number": 1, "kind": "rule", "name": "restore_text", "outcome": "adopted",
             "hard_before": 1, "soft_before": 1, "hard_after": 0, "soft_after": 1,
             "detail": "NOT_VERBATIM at 0"},
        ],
    )  # fmt: skip
    JudgeFinding.objects.create(
        judgement=judgement, is_left=False, code="NOT_VERBATIM", severity="hard", position=0,
        detail="the text differs",
    )  # fmt: skip
    JudgeFinding.objects.create(
        judgement=judgement, is_left=True, code="ALREADY_ON", severity="soft", detail="of the whole"
    )

    answer = owner_client.get(reverse("take-text", args=[written_run.public_id, row.position]))

    text = answer.context["text"]
    written = [[item.code for item in line.findings] for line in text.written.rows]
    assert written[0] == ["NOT_VERBATIM"]
    assert not any(written[1:])
    assert [item.code for item in text.final.general] == ["ALREADY_ON"]
    page = answer.content.decode()
    assert "1 finding left" in page
    assert "restore_text" in page
    assert "1 before repairs, 1 left; the judge changed 1 word" in " ".join(page.split())


def test_calls_are_shown_word_for_word(written_run, owner_client):
    row = written_run.run_takes.first()
    TextCall.objects.create(
        key="k", payer=written_run.payer_key, part=row.position, base_url="http://x",
        model_name="big-1", prompt_version="writer.v2",
        prompt="Write <b>it</b>", text='{"final_steps": []}', status="answered", tokens_in=1200,
    )  # fmt: skip

    page = owner_client.get(reverse("take-text", args=[written_run.public_id, row.position]))
    calls = owner_client.get(reverse("take-calls", args=[written_run.public_id, row.position]))

    assert "1 call to a model" in page.content.decode()
    shown = calls.content.decode()
    assert "Write &lt;b&gt;it&lt;/b&gt;" in shown
    assert "{&quot;final_steps&quot;: []}" in shown
    assert "1,200 tokens in" in shown


def test_take_says_why_it_has_no_video(written_run, owner_client):
    position = written_run.run_takes.exclude(plan__error_count=0).first().position

    page = owner_client.get(reverse("take-text", args=[written_run.public_id, position]))

    assert "None: No video is linked to the take." in page.content.decode()


def test_take_says_how_its_video_was_made_and_verified(written_run, owner_client):
    row = written_run.run_takes.exclude(plan__error_count=0).first()
    checks = [{"name": "frame count", "is_passed": True, "seen": "1,203 frames"}]
    TakeVideo.objects.filter(run_take=row).update(
        skipped="", maker="bridge", path="generated/a/b.mp4", splice_path="reencoded",
        clip_count=2, frame_count=1203, duration_s=40.1, seconds=3.21,
        edits={"notes": [{"row_index": 4, "message": "it now lasts 2 s"}]},
        result={
            "reasons": ["the frame rate varies"], "copied_count": 0, "encoded_count": 1203,
            "verification": {"is_passed": True, "checks": checks},
        },
    )  # fmt: skip

    answer = owner_client.get(reverse("take-text", args=[written_run.public_id, row.position]))
    run_page = owner_client.get(reverse("run-detail", args=[written_run.public_id]))

    page = " ".join(answer.content.decode().split())
    for said in (
        "40.1 s, 1,203 frames, with 2 clips (placeholder), each marked as such.",
        "Made in 3.2 s.",
        "All frames were encoded again, because the frame rate varies.",
        '<th scope="row">frame count</th><td>yes</td><td>1,203 frames</td>',
        "Row 5: it now lasts 2 s",
    ):
        assert said in page
    run_text = " ".join(run_page.content.decode().split())
    assert '<b>1</b><span class="small">40 s with 2 clips; 2 takes without one' in run_text
    assert '">40.1 s</a></td>' in run_text


def test_launch_offers_the_video_stage_but_does_not_tick_it(owner_client, tea_dataset):
    form = owner_client.get(reverse("run-launch")).content.decode()

    inputs = [part.split(">")[0] for part in form.split("<input")]
    ticked = {
        stage: any(f'value="{stage}"' in item and "checked" in item for item in inputs)
        for stage in ("judge", "video", "publish")
    }
    assert ticked == {"judge": True, "video": False, "publish": True}
    assert any('value="video"' in item for item in inputs)


def test_run_that_only_plans_says_so(tea_run, owner_client):
    work_on(tea_run)

    page = owner_client.get(reverse("take-text", args=[tea_run.public_id, 0])).content.decode()

    assert "This run only plans." in page


@pytest.mark.parametrize("is_freeform", [False, True])
def test_failed_take_links_to_its_calls(full_run, owner_client, is_freeform):
    """Also where it has no plan: a model was to make one up."""
    take = full_run.run_takes.select_related("job").first()
    if not is_freeform:
        work_on(full_run)
        TakeRewrite.objects.filter(run_take=take).delete()
    Job.objects.filter(pk=take.job_id).update(status=JobStatus.FAILED, error="no answer")
    address = reverse("take-text", args=[full_run.public_id, take.position])

    table = owner_client.get(reverse("run-takes", args=[full_run.public_id])).content.decode()
    page = owner_client.get(address).content.decode()

    assert f'href="{address}"' in table
    assert "<b>No text</b>no answer" in page


def test_run_page_leads_to_an_audit_of_the_published_traces(written_run, owner_client):
    page = owner_client.get(reverse("run-detail", args=[written_run.public_id])).content.decode()
    dataset = Run.objects.get(pk=written_run.pk).published_dataset
    address = f"{reverse('campaign-create')}?dataset={dataset.public_id}"

    form = owner_client.get(address).content.decode()

    assert address in page
    assert f'value="{dataset.public_id}"' in form
    ticked = form.split(f'value="{dataset.public_id}"')[1].split(">")[0]
    assert "checked" in ticked


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({}, RunOptions()),
        ({"writer": "rules", "judge": "none"}, RunOptions()),
        ({"judge": "ID", "budget_usd": "1.5"}, RunOptions("rules", "ID", 1.5)),
    ],
)
def test_launch_keeps_models_and_budget(owner_client, tea_dataset, endpoint, fields, options):
    type(endpoint).objects.update(price_in=1, price_out=2)
    body = {
        "dataset": tea_dataset.public_id, "profile": "piev", "seed": "1",
        "stages": ["plan", "write", "judge"],
    }  # fmt: skip
    body |= {name: endpoint.public_id if value == "ID" else value for name, value in fields.items()}

    owner_client.post(reverse("run-launch"), body)

    stored = RunOptions.from_dict(Run.objects.get().options)
    wanted = endpoint.public_id if options.judge == "ID" else options.judge
    assert stored == RunOptions(options.writer, wanted, options.budget_usd)


def test_launch_offers_no_model_of_others_and_no_budget_without_prices(tea_dataset, endpoint):
    dataset = tea_dataset
    type(dataset).objects.update(is_shared=True)
    body = {
        "dataset": dataset.public_id, "profile": "piev", "seed": "1", "stages": ["plan", "write"],
        "writer": endpoint.public_id, "budget_usd": "1",
    }  # fmt: skip

    other = client_of(UserFactory(role=Role.RESEARCHER)).post(reverse("run-launch"), body)
    own = client_of(endpoint.owner).post(reverse("run-launch"), body)

    assert "is not one of the available choices" in other.content.decode()
    assert "A budget needs the prices of Big." in own.content.decode()
    assert not Run.objects.exists()


def test_page_of_a_run_says_valid_beside_checked_for_sense(written_run, owner_client):
    TakeJudgement.objects.filter(run_take__position=0).update(hard_left=1)
    TakeJudgement.objects.filter(run_take__position=1).update(sense_left=1)
    address = reverse("run-detail", args=[written_run.public_id])

    page = " ".join(owner_client.get(address).content.decode().split())

    assert '<span class="muted">Valid</span><b>2 of 3</b>' in page
    assert '<span class="muted">Checked for sense</span><b>3 of 3</b>' in page
    assert "by rules, which find no fault in 2" in page
    assert "Rules do not judge sense as a person does." in page
    assert all(code in page and condition in page for code, condition in sense_checks().items())


def test_page_of_a_run_does_not_say_checked_of_texts_that_no_rule_checked(
    written_run, owner_client
):
    TakeJudgement.objects.update(sense_checks=[])
    address = reverse("run-detail", args=[written_run.public_id])

    page = owner_client.get(address).content.decode()

    assert "judged before there were such checks" in page
    assert "What was checked for sense" not in page


def test_page_of_a_run_without_a_judge_says_that_nothing_was_checked(
    tea_dataset, owner, owner_client
):
    run = create_run(request=request_for(tea_dataset, stages=["plan", "write"]), actor=owner).run
    work_on(run)

    page = owner_client.get(reverse("run-detail", args=[run.public_id])).content.decode()

    assert page.count("the run has no judge") == 2


def test_exports_say_what_is_valid_and_checked(written_run, owner_client):
    TakeJudgement.objects.filter(run_take__position=0).update(hard_left=1, sense_left=2)

    answer = owner_client.get(reverse("run-plans-csv", args=[written_run.public_id]))
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))

    first = written_run.run_takes.get(position=0).take.uid
    told = {(row["take_uid"] == first, *list(row.values())[-4:-1]) for row in rows}
    assert told == {(True, "false", "by rules", "2"), (False, "true", "by rules", "0")}


@pytest.mark.parametrize(("name", "queries"), [("run-detail", 10), ("run-progress", 9)])
def test_pages_of_a_run_with_texts_cost_the_same_for_one_take_and_three(
    tea_dataset, owner, full_run, name, queries, django_assert_num_queries
):
    client = client_of(owner)
    request = request_for(
        tea_dataset, stages=full_run.stages, takes=tea_dataset.takes.filter(uid="tea-a")
    )
    one = create_run(request=request, actor=owner).run
    work_on(one)
    work_on(full_run)

    with django_assert_num_queries(queries):
        client.get(reverse(name, args=[one.public_id]))
    with django_assert_num_queries(queries):
        client.get(reverse(name, args=[full_run.public_id]))


def test_size_of_a_run_says_what_the_writer_would_cost(owner_client, tea_dataset, endpoint):
    type(endpoint).objects.update(price_in=1000, price_out=2000)
    body = {
        "dataset": tea_dataset.public_id, "profile": "piev", "seed": "1",
        "stages": ["plan", "write"], "writer": endpoint.public_id,
    }  # fmt: skip

    answer = owner_client.post(reverse("run-size"), body)

    writing = answer.context["writing"]
    assert writing.call_count == 3
    # Each prompt names the ten steps twice over at least, each answer once.
    letters = sum(map(len, TEA_STEPS))
    assert writing.tokens_in > 3 * letters / 4
    assert writing.tokens_out > 3 * letters / 4
    assert float(writing.price) == pytest.approx(
        (1000 * writing.tokens_in + 2000 * writing.tokens_out) / 1e6
    )
    assert f"${writing.price:.2f}" in answer.content.decode()


@pytest.mark.parametrize("changes", [{"writer": "rules"}, {"stages": ["plan"]}])
def test_run_that_asks_no_writer_has_no_price(owner_client, tea_dataset, endpoint, changes):
    body = {
        "dataset": tea_dataset.public_id, "profile": "piev", "seed": "1",
        "stages": ["plan", "write"], "writer": endpoint.public_id, **changes,
    }  # fmt: skip

    answer = owner_client.post(reverse("run-size"), body)

    assert answer.context["writing"] is None


def test_takes_of_a_run_are_found_by_what_the_judge_found(written_run, owner_client):
    takes = list(written_run.run_takes.order_by("position"))
    TakeJudgement.objects.update(hard_left=0, soft_left=0)
    JudgeFinding.objects.all().delete()
    judgement = takes[1].judgement
    for is_left in (False, True):
        JudgeFinding.objects.create(
            judgement=judgement, is_left=is_left, code="empty_step", severity="hard", detail="x"
        )
    TakeJudgement.objects.filter(pk=judgement.pk).update(hard_left=1, soft_left=2)
    address = reverse("run-takes", args=[written_run.public_id])

    def positions(**parameters):
        answer = owner_client.get(address, {f"takes-{name}": v for name, v in parameters.items()})
        return [row.position for row in answer.context["table"].page]

    assert positions(left="hard") == positions(left="empty_step") == [1]
    assert positions(found="empty_step") == [1]
    assert positions(left="none") == [0, 2]
    assert positions(sort="-findings_left")[0] == 1
    assert positions(q="tea b") == [1]
    page = owner_client.get(reverse("run-detail", args=[written_run.public_id])).content.decode()
    assert "?takes-left=empty_step#takes" in page
    assert "1 hard" in page
