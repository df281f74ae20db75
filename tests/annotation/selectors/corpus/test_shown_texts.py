"""Texts of CaptainCook4D are shown and written out without their prefix, and stored with it."""

import pytest
from django.urls import reverse

from annotation.models import Step, TraceStep
from annotation.services.corpus.imports import ImportTarget, import_reading
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.annotation.conftest import client_of
from tests.annotation.readings import make_reading, make_take
from tests.factories import AssignmentFactory
from tests.generation.tea import request_for

pytestmark = pytest.mark.django_db
TEXTS = ("Measure and add-Measure and add 2 tbsp flour to the bowl", "Add-1 egg to the bowl",
         "Mix-Mix the bowl with a fork", "Pour-Pour the batter into the pan")  # fmt: skip
SHOWN = ("Measure and add 2 tbsp flour to the bowl", "Add 1 egg to the bowl",
         "Mix the bowl with a fork", "Pour the batter into the pan")  # fmt: skip


@pytest.fixture
def dataset(owner):
    take = make_take("pancake", TEXTS)
    target = ImportTarget("Pancakes", "captaincook4d", owner=owner)
    import_reading(make_reading(takes=(take,), traces=()), target=target)
    return owner.datasets.get()


def test_run_writes_plain_texts_and_the_audit_shows_them_on_both_sides(dataset, owner):
    request = request_for(dataset, stages=["plan", "correct", "write", "judge", "publish"])
    run = create_run(request=request, actor=owner).run
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])
    run.refresh_from_db()
    trace = run.published_dataset.traces.get()

    unchanged = TraceStep.objects.filter(trace=trace, mod="u").values_list("text", flat=True)
    assignment = AssignmentFactory(trace=trace)
    pages = [
        client_of(assignment.rater).get(reverse("audit", args=[assignment.public_id])),
        client_of(owner).get(reverse("trace-detail", args=[trace.public_id])),
        client_of(owner).get(reverse("take-detail", args=[trace.take.public_id])),
        client_of(owner).get(reverse("take-text", args=[run.public_id, 0])),
        client_of(owner).get(reverse("take-plan", args=[run.public_id, 0])),
    ]

    assert unchanged
    assert set(unchanged) <= set(SHOWN)
    assert tuple(Step.objects.order_by("index").values_list("text", flat=True)) == TEXTS
    for page in pages:
        assert "Mix-Mix" not in page.content.decode()
        assert page.status_code == 200
    assert SHOWN[0] in pages[0].content.decode()
