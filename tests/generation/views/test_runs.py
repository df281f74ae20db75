"""The pages of runs, as owner, annotator and outsider, and their exports read back."""

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django.asserts import assertContains

from annotation.models import Job, JobStatus, Step
from generation.engine.planner.files.plan_files import plans_from
from generation.engine.planner.files.plan_json import plan_from_dict
from generation.engine.results.plan_table import COLUMNS
from generation.engine.run_options import RunOptions
from generation.models import Run, TakePlan
from generation.selectors.texts.rewrites import QUALITY_COLUMNS
from generation.services.run_work import work_on_takes
from generation.services.runs import cancel_run, create_run
from generation.views.plans import READ_COLUMN
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory
from tests.generation.tea import request_for
from tests.generation.text_endpoints import make_endpoint


def work_on(run):
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])


@pytest.fixture
def worked_run(tea_run):
    work_on(tea_run)
    return tea_run


def fields_for(dataset, **changes):
    fields = {
        "dataset": dataset.public_id,
        "profile": "piev",
        "seed": "123",
        "stages": ["plan", "correct"],
    }
    return {**fields, **changes}


SECTION_PAGES = [("runs", "get"), ("run-launch", "get"), ("run-size", "post")]
RUN_PAGES = [
    *[(name, "get") for name in ("run-detail", "run-progress", "run-takes", "run-distributions")],
    *[(name, "get") for name in ("run-plans-json", "run-plans-csv")],
    *[(name, "post") for name in ("run-cancel", "run-resume", "run-retry", "run-clone")],
]


@pytest.mark.parametrize(("name", "method"), SECTION_PAGES)
def test_section_is_closed_to_annotators(annotator_client, name, method):
    assert getattr(annotator_client, method)(reverse(name)).status_code == 403


@pytest.mark.parametrize(("name", "method"), RUN_PAGES)
def test_run_is_found_by_its_owner_and_administrators_only(
    worked_run, owner_client, outsider_client, annotator_client, administrator_client, name, method
):
    address = reverse(name, args=[worked_run.public_id])
    clients = (owner_client, administrator_client, outsider_client, annotator_client)

    answers = [getattr(client, method)(address, {"seed": 7}).status_code for client in clients]

    expected = 200 if method == "get" else 302
    assert answers == [expected, expected, 404, 403]


def test_plan_page_is_found_by_its_owner_only(worked_run, owner_client, outsider_client):
    address = reverse("take-plan", args=[worked_run.public_id, 0])

    assert owner_client.get(address).status_code == 200
    assert outsider_client.get(address).status_code == 404
    assert owner_client.get(reverse("take-plan", args=[worked_run.public_id, 9])).status_code == 404


def test_delete_by_button_waits_until_the_run_is_done(owner_client, tea_run):
    address = reverse("run-delete", args=[tea_run.public_id])

    early = owner_client.post(address, follow=True).content.decode()
    work_on(tea_run)
    late = owner_client.post(address, follow=True).content.decode()

    assert "3 takes of Tea, seed 123 are not finished; cancel the run first." in early
    assert "Deleted: Tea, seed 123 and its plans." in late
    assert Run.objects.count() == 0


STOPS = [
    (
        "budget_spent",
        "The budget is $0.01, $0.0000 of it is spent or on its way.",
        ["The budget is $0.01, ", '<a href="#budget">Raise the budget</a>'],
    ),
    (
        "not_allowed",
        "Its owner may not use Big any more.",
        ["Its owner may not use Big", "press Resume", "/resume/"],
    ),
]


@pytest.mark.parametrize(("reason", "words", "told"), STOPS)
def test_stopped_run_says_so_in_its_first_line_with_what_to_do(
    owner_client, tea_run, reason, words, told
):
    Run.objects.update(options={"budget_usd": 0.01})
    Job.objects.update(status=JobStatus.DONE)
    Job.objects.filter(run_take__position=2).update(status=JobStatus.FAILED)
    tea_run.run_takes.filter(position=2).update(stop_reason=reason, stop_words=words)

    page = owner_client.get(reverse("run-detail", args=[tea_run.public_id])).content.decode()
    listed = owner_client.get(reverse("runs")).content.decode()
    seen = owner_client.get(f"/api/v1/runs/{tea_run.public_id}/").json()["stopped_because"]

    line = page[page.index('class="run-line"') : page.index('class="table stages"')]
    assert '<span class="state failed">stopped</span>' in line
    assert '<span class="state failed">stopped</span>' in listed
    assert [text in page[: page.index("table stages")] for text in told] == [True] * len(told)
    assert seen == words


def test_failed_run_that_was_not_stopped_says_failed(owner_client, tea_run):
    Job.objects.update(status=JobStatus.FAILED, error="The take has no step.")

    page = owner_client.get(reverse("run-detail", args=[tea_run.public_id])).content.decode()
    seen = owner_client.get(f"/api/v1/runs/{tea_run.public_id}/").json()["stopped_because"]

    assert '<span class="state finished-with-failures">finished with failures</span>' in page
    assert (">stopped<" in page, seen) == (False, None)


@pytest.mark.parametrize("name", ["run-cancel", "run-resume", "run-retry", "run-delete"])
def test_shared_run_is_not_changed_by_others(tea_dataset, owner, outsider_client, name):
    run = create_run(request=request_for(tea_dataset, is_shared=True), actor=owner).run

    answer = outsider_client.post(reverse(name, args=[run.public_id]))

    assert answer.status_code == 404
    assert {take.job.status for take in run.run_takes.all()} == {JobStatus.QUEUED}


def test_launch_makes_the_run_and_shows_it(owner_client, tea_dataset):
    answer = owner_client.post(reverse("run-launch"), fields_for(tea_dataset))

    run = Run.objects.get()
    assert answer.url == reverse("run-detail", args=[run.public_id])
    assert (run.name, run.seed, run.profile_name) == ("Tea, seed 123", 123, "piev")
    assert run.run_takes.count() == 3


def test_launch_takes_only_the_named_takes_and_an_own_profile(owner_client, tea_dataset):
    own = SimpleUploadedFile("few.toml", b'base = "piev"\n[count]\nmax_errors = 1\n')
    fields = fields_for(tea_dataset, take_uids="tea-c\ntea-a\n", profile_file=own, name="Few")

    owner_client.post(reverse("run-launch"), fields)

    run = Run.objects.get()
    assert (run.name, run.profile_name, run.profile["count"]["max_errors"]) == ("Few", "few", 1)
    assert [take.take.uid for take in run.run_takes.all()] == ["tea-a", "tea-c"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"take_uids": "tea-a\ncoffee"}, "Not among the takes: coffee."),
        ({"seed": "-3"}, "Ensure this value is greater than or equal to 0."),
        ({"stages": ["correct"]}, "The stages are wrong: stage correct needs stage plan"),
        ({"profile": "perfect"}, "Select a valid choice. perfect is not one of the available"),
    ],
)
def test_launch_shows_faults_and_launches_no_run(owner_client, tea_dataset, changes, message):
    answer = owner_client.post(reverse("run-launch"), fields_for(tea_dataset, **changes))

    assert message in answer.content.decode()
    assert Run.objects.count() == 0


def test_launch_refuses_a_profile_with_a_negative_weight(owner_client, tea_dataset):
    own = SimpleUploadedFile("odd.toml", b"[count]\nmax_errors = -1\n")

    answer = owner_client.post(reverse("run-launch"), fields_for(tea_dataset, profile_file=own))

    assert "odd.toml: profile field count.max_errors is -1; expected" in answer.content.decode()
    assert Run.objects.count() == 0


@pytest.mark.parametrize("name", ["", " ", "n" * 65, "a\\u0000b"])
def test_launch_refuses_a_profile_whose_name_cannot_be_kept(owner_client, tea_dataset, name):
    own = SimpleUploadedFile("own.toml", f'name = "{name}"\n'.encode())

    answer = owner_client.post(reverse("run-launch"), fields_for(tea_dataset, profile_file=own))

    assertContains(answer, "own.toml: profile field name is ")
    assertContains(answer, "; expected text of 1 to 64 characters")
    assert Run.objects.count() == 0


def test_launch_takes_a_profile_of_windows_with_a_long_file_name(owner_client, tea_dataset):
    own = SimpleUploadedFile(f"{'p' * 80}.toml", b'\xef\xbb\xbfbase = "piev"\r\n')

    owner_client.post(reverse("run-launch"), fields_for(tea_dataset, profile_file=own))

    assert Run.objects.get().profile_name == "p" * 64


def test_launch_says_that_a_profile_must_be_chosen_again_after_another_fault(
    owner_client, tea_dataset
):
    own = SimpleUploadedFile("few.toml", b'base = "piev"\n[count]\nmax_errors = 1\n')
    fields = fields_for(tea_dataset, profile_file=own, seed="-3")

    answer = owner_client.post(reverse("run-launch"), fields)

    assertContains(answer, "Files are not kept: choose few.toml again.")
    assertContains(answer, "<details open><summary>A profile of your own")


def test_launch_does_not_offer_data_sets_of_others(outsider_client, tea_dataset):
    shared = DatasetFactory(name="Open", is_shared=True)
    request = fields_for(tea_dataset)

    page = outsider_client.get(reverse("run-launch")).content.decode()
    answer = outsider_client.post(reverse("run-launch"), request).content.decode()

    assert tea_dataset.public_id not in page
    assert shared.public_id not in page  # it has no take
    assert Run.objects.count() == 0
    assert tea_dataset.public_id not in answer


def test_size_is_shown_before_the_launch(owner_client, tea_dataset):
    page = owner_client.post(reverse("run-size"), fields_for(tea_dataset)).content.decode()

    assert "<b>3</b> takes · <b>30</b> steps" in page
    assert "30 steps have no semantic representation" in page
    assert Run.objects.count() == 0


def test_progress_asks_again_until_the_run_is_finished(owner_client, tea_run):
    address = reverse("run-progress", args=[tea_run.public_id])

    before = owner_client.get(address, {"seen": "3-0-0-0-0-0"})
    work_on(tea_run)
    after = owner_client.get(address, {"seen": "3-0-0-0-0-0"})

    assert 'data-hx-trigger="every 1s"' in before.content.decode()
    assert "HX-Trigger" not in before.headers
    assert 'data-hx-trigger="every 1s"' not in after.content.decode()
    assert after.headers["HX-Trigger"] == "run-rested"


def test_progress_says_that_takes_moved_while_others_are_at_work(owner_client, tea_run):
    address = reverse("run-progress", args=[tea_run.public_id])
    work_on_takes(job_ids=[tea_run.run_takes.first().job_id])

    moved = owner_client.get(address, {"seen": "3-0-0-0-0-0"})
    still = owner_client.get(address, {"seen": "2-0-0-1-0-0"})

    assert moved.headers["HX-Trigger"] == "run-moved"
    assert "?seen=2-0-0-1-0-0" in moved.content.decode()
    assert "HX-Trigger" not in still.headers


def test_failed_take_is_shown_with_its_reason(owner_client, tea_run):
    Step.objects.filter(take__uid="tea-b", index=4).update(semrep="((")
    work_on(tea_run)

    page = owner_client.get(reverse("run-detail", args=[tea_run.public_id])).content.decode()

    assert "take tea-b, step 4: semrep is &#x27;((&#x27;; expected PREDICATE(" in page
    assert "Retry failed" in page


def test_cancel_resume_and_retry_by_button(owner_client, tea_run):
    addresses = [
        reverse(name, args=[tea_run.public_id])
        for name in ("run-cancel", "run-resume", "run-retry")
    ]

    pages = [owner_client.post(address, follow=True).content.decode() for address in addresses]

    assert "Cancelled: 3 takes will not be worked on." in pages[0]
    assert "Resumed: 3 takes queued again." in pages[1]
    assert "Trying again: 0 takes that had failed." in pages[2]


def test_clone_by_button(owner_client, tea_run):
    address = reverse("run-clone", args=[tea_run.public_id])

    page = owner_client.post(address, {"seed": "7"}, follow=True).content.decode()

    assert "Tea, seed 7" in page
    assert Run.objects.get(seed=7).cloned_from == tea_run


def test_refused_seed_comes_back_with_what_is_wrong(owner_client, tea_run):
    page = owner_client.post(reverse("run-clone", args=[tea_run.public_id]), {"seed": "-7"})

    assertContains(page, 'value="-7"', status_code=400)
    assertContains(page, "greater than or equal to 0", status_code=400)


def test_plan_page_draws_the_plan_and_shows_its_decisions(owner_client, worked_run):
    plan = plan_from_dict("tea-a", TakePlan.objects.get(run_take__position=0).document)

    page = owner_client.get(reverse("take-plan", args=[worked_run.public_id, 0])).content.decode()

    assert f"Mistake E01 at step {plan.errors[0].step_index + 1}:" in page
    assert '<th scope="row">error type</th>' in page
    assert "[Step 01 / 10] (phase_1)" in page
    assert 'style="' not in page
    assert "<script>" not in page


def test_plan_page_shows_another_seed_beside_it(owner_client, worked_run):
    address = reverse("take-plan", args=[worked_run.public_id, 0])

    page = owner_client.get(address, {"seed": "999"}).content.decode()

    assert ("Seed 123" in page, "Seed 999" in page, "not stored" in page) == (True, True, True)
    assert TakePlan.objects.count() == 3


def test_plan_page_before_there_is_a_plan(owner_client, tea_run):
    page = owner_client.get(reverse("take-plan", args=[tea_run.public_id, 0])).content.decode()

    assert "No plan yet" in page


def test_json_export_is_a_published_plan_file(owner_client, worked_run):
    answer = owner_client.get(reverse("run-plans-json", args=[worked_run.public_id]))

    read = plans_from(json.loads(b"".join(answer.streaming_content)), file="export.json")
    documents = TakePlan.objects.order_by("run_take__position").values_list("document", flat=True)
    uids = ("tea-a", "tea-b", "tea-c")
    assert read.plans == tuple(map(plan_from_dict, uids, documents))
    assert (read.meta["seed"], read.meta["profile"]["name"]) == (123, "piev")
    assert read.meta["corrections_meta"]["stats"]["n_takes"] == 3
    assert answer.headers["Content-Disposition"] == 'attachment; filename="tea-seed-123-plans.json"'


def test_csv_export_has_a_row_per_event(owner_client, worked_run):
    answer = owner_client.get(reverse("run-plans-csv", args=[worked_run.public_id]))

    text = b"".join(answer.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    # As every CSV of the site: the same line ends.
    assert "\r" not in text
    documents = list(TakePlan.objects.values_list("document", flat=True))
    assert tuple(rows[0]) == (*COLUMNS, *QUALITY_COLUMNS, READ_COLUMN)
    # Nothing judged the texts of this run.
    assert {row[name] for row in rows for name in QUALITY_COLUMNS} == {""}
    assert sum(row["kind"] == "error" for row in rows) == sum(
        len(document["errors"]) for document in documents
    )
    assert sum(row["kind"] == "correction" for row in rows) == sum(
        len(document["corrections"]) for document in documents
    )


@pytest.mark.parametrize("name", ["runs", "run-takes", "run-detail"])
def test_pages_cost_the_same_queries_for_one_row_and_three(
    tea_dataset, owner, name, django_assert_num_queries
):
    client = client_of(owner)
    chosen = tea_dataset.takes.filter(uid="tea-a")
    one = create_run(request=request_for(tea_dataset, takes=chosen), actor=owner).run
    work_on(one)
    address = reverse(name, args=[] if name == "runs" else [one.public_id])
    queries = {"runs": 7, "run-takes": 5, "run-detail": 6}[name]
    with django_assert_num_queries(queries):
        client.get(address)
    three = create_run(request=request_for(tea_dataset), actor=owner).run
    create_run(request=request_for(tea_dataset), actor=owner)
    work_on(three)
    address = reverse(name, args=[] if name == "runs" else [three.public_id])

    with django_assert_num_queries(queries):
        client.get(address)


def test_budget_is_raised_by_the_owner_and_never_lowered(
    owner_client, outsider_client, tea_dataset, owner
):
    options = RunOptions(writer="gone", budget_usd=1.0).to_dict()
    run = create_run(request=request_for(tea_dataset, options=options), actor=owner).run
    cancel_run(run=run, actor=owner)
    address = reverse("run-budget", args=[run.public_id])

    page = owner_client.get(reverse("run-detail", args=[run.public_id])).content.decode()
    foreign = outsider_client.post(address, {"budget_usd": "9"}).status_code
    low, wrong = (owner_client.post(address, {"budget_usd": typed}) for typed in ("0.5", "much"))
    raised = owner_client.post(address, {"budget_usd": "2.5"}, follow=True).content.decode()

    run.refresh_from_db()
    assert ("Raise and continue" in page, foreign) == (True, 404)
    for refused, reason, typed in (
        (low, "The budget is $1.00; expected more than that.", "0.5"),
        (wrong, "Enter a number.", "much"),
    ):
        assertContains(refused, reason, status_code=400)
        assertContains(refused, f'value="{typed}"', status_code=400)
    assert "Budget raised: 3 takes queued again." in raised
    assert run.options["budget_usd"] == 2.5
    assert {take.job.status for take in run.run_takes.all()} == {JobStatus.QUEUED}


def test_run_without_a_budget_offers_no_higher_one(owner_client, tea_run):
    page = owner_client.get(reverse("run-detail", args=[tea_run.public_id])).content.decode()

    assert "Raise and continue" not in page


def test_freeform_run_is_launched_from_the_form(owner_client, tea_dataset, owner):
    model = make_endpoint(owner=owner)
    stages = ["plan", "correct", "write", "judge", "publish"]
    fields = fields_for(tea_dataset, stages=stages, is_freeform="on")

    refused = owner_client.post(reverse("run-launch"), fields).content.decode()
    size = owner_client.post(reverse("run-size"), {**fields, "writer": model.public_id})
    owner_client.post(reverse("run-launch"), {**fields, "writer": model.public_id})

    run = Run.objects.get()
    assert (
        "The rules can only write planned mistakes; writing without a plan needs a text model."
    ) in refused
    told = size.content.decode()
    assert "Writing: <b>3</b> calls" in told
    assert "time unknown" in told
    assert "retries and repairs not included" in told
    assert run.stages == ["write", "judge", "publish"]
    assert run.options["is_freeform"] is True


@pytest.mark.parametrize("name", ["run-launch", "run-scenarios", "run-size"])
def test_nul_in_the_id_of_a_data_set_is_no_error(owner_client, tea_dataset, name):
    """PostgreSQL cannot even be asked about one."""
    assert owner_client.post(reverse(name), {"dataset": "\x00x"}).status_code < 500
    assert owner_client.get(reverse("run-launch"), {"dataset": "\x00x"}).status_code == 200
