"""A clone asks the models of its original, so only those who may use them may clone."""

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from annotation.models import Job
from generation.engine.run_options import ClipOptions, RunOptions
from generation.engine.stages import Stage
from generation.models import Run
from generation.services.runs import clone_run, create_run
from tests.generation.tea import request_for
from tests.generation.text_endpoints import make_endpoint
from tests.generation.video_endpoints import make_video_endpoint

pytestmark = pytest.mark.django_db


def shared_run(dataset, **options):
    request = request_for(
        dataset, stages=list(Stage), options=RunOptions(**options).to_dict(), is_shared=True
    )
    return create_run(request=request, actor=dataset.owner).run


def text_model(owner, **changes):
    return make_endpoint(owner=owner, **changes).public_id


def provider(owner, **changes):
    return make_video_endpoint(owner=owner, **changes).public_id


USES = {
    "writer": lambda owner, **shared: {"writer": text_model(owner, **shared)},
    "judge": lambda owner, **shared: {"judge": text_model(owner, **shared)},
    "maker": lambda owner, **shared: {"clips": ClipOptions(maker=provider(owner, **shared))},
    "prompts": lambda owner, **shared: {"clips": ClipOptions(prompts=text_model(owner, **shared))},
}


@pytest.mark.parametrize("use", USES)
def test_models_that_are_not_shared_are_not_spent_through_a_clone(
    tea_dataset, owner, outsider, administrator, use
):
    run = shared_run(tea_dataset, **USES[use](owner))

    with pytest.raises(ValidationError, match=f"{use.capitalize()}: There is no such"):
        clone_run(run=run, seed=7, actor=outsider)

    assert (list(Run.objects.all()), Job.objects.count()) == ([run], 3)
    for actor in (owner, administrator, None):
        assert clone_run(run=run, seed=7, actor=actor).run.options == run.options


@pytest.mark.parametrize("use", USES)
def test_shared_models_are_for_clones_too(tea_dataset, owner, outsider, use):
    run = shared_run(tea_dataset, **USES[use](owner, is_shared=True))

    assert clone_run(run=run, seed=7, actor=outsider).run.owner == outsider


def test_refused_clone_says_why_on_its_page_and_over_the_api(tea_dataset, owner, outsider_client):
    run = shared_run(tea_dataset, writer=text_model(owner))
    reason = "You cannot clone Tea, seed 123. Writer: There is no such text model."

    page = outsider_client.post(reverse("run-clone", args=[run.public_id]), {"seed": 7})
    answer = outsider_client.post(
        reverse("api-run-clone", args=[run.public_id]), {"seed": 7}, "application/json"
    )

    assert (page.status_code, answer.status_code, answer.json()) == (
        400,
        400,
        {"non_field_errors": [reason]},
    )
    assert reason in page.content.decode()
    assert Run.objects.get() == run
