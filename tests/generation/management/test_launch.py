"""`manage.py launch`: a run as the page and the API launch it."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Role
from generation.engine.prompting.clip_prompt import View
from generation.engine.run_options import ClipOptions, RunOptions
from generation.engine.stages import Stage
from generation.models import Run
from tests.factories import UserFactory
from tests.generation.video_endpoints import make_video_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher(tea_dataset, owner):
    return owner.username


def launch(*arguments):
    out = StringIO()
    call_command("launch", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_launch_takes_every_choice_and_prints_the_run(tea_dataset, researcher, endpoint, owner):
    provider = make_video_endpoint(name="Studio", owner=owner)
    said = launch(
        "Tea", "--owner", researcher, "--seed", 7, "--takes", "tea-a", "tea-c", "--name", "By word",
        "--share", "--judge", "Big", "--clips", "Studio", "--prompts", endpoint.public_id,
        "--camera", "fixed", "--cross-fade", 0.25, "--review-prompts", "--no-caption", "--no-mark",
        "--json",
    )  # fmt: skip

    run = Run.objects.get()
    clips = ClipOptions(
        provider.public_id, endpoint.public_id, View.FIXED, False, False, 0.25, True
    )
    assert json.loads(said) == {"id": run.public_id, "takes": 2}
    assert (run.name, run.owner, run.seed, run.is_shared) == ("By word", owner, 7, True)
    assert run.stages == [str(stage) for stage in Stage]
    assert run.options == RunOptions(judge=endpoint.public_id, clips=clips).to_dict()


def test_launch_without_options_is_the_default_run(researcher):
    said = launch("Tea", "--owner", researcher, "--seed", 7, "--stages", "plan", "write")

    run = Run.objects.get()
    assert said == f"Run {run.public_id}, Tea, seed 7: 3 takes queued.\n"
    assert (run.profile_name, run.options) == ("piev", RunOptions().to_dict())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--clips", "manual", "--review-prompts"], "review_prompts: With clips made by hand"),
        (["--owner", "nobody"], "There is no researcher 'nobody'."),
        (["--takes", "tea-x"], "Tea has no takes tea-x."),
        (["--clips", "Studio"], "There is no model 'Studio'; expected one of bridge, manual."),
        (["--cross-fade", "2"], "cross_fade_s: Expected 0 to 1 s."),
        (["--budget", "1", "--judge", "Big"], "budget_usd: A budget needs the prices of Big."),
        (["--budget", "0"], "argument --budget: 0; expected at least 0.01"),
        (["--stages", "video"], "The stages are wrong: stage video needs stage write"),
        (["--seed", "-1"], "The seed is -1; expected 0 to"),
        (["--profile", "none.toml"], "none.toml"),
    ],
)
def test_launch_refuses_impossible_options_and_launches_no_run(
    researcher, endpoint, arguments, reason
):
    with pytest.raises(CommandError) as refused:
        launch("Tea", "--owner", researcher, "--seed", 7, *arguments)

    assert reason in str(refused.value)
    assert not Run.objects.exists()


def test_launch_cannot_use_data_sets_and_models_of_others(tea_dataset, endpoint):
    other = UserFactory(role=Role.RESEARCHER)
    type(tea_dataset).objects.update(is_shared=True)

    with pytest.raises(CommandError, match="There is no model 'Big'"):
        launch("Tea", "--owner", other.username, "--seed", 1, "--judge", "Big")
    type(tea_dataset).objects.update(is_shared=False)
    with pytest.raises(CommandError, match="sees no data set 'Tea'"):
        launch("Tea", "--owner", other.username, "--seed", 1)
