"""What is begun with a data set while somebody deletes it is refused in words."""

import pytest
from django.core.exceptions import ValidationError

from annotation.models import Job, Role
from annotation.services.corpus.datasets import delete_dataset
from benchmarks.services.item_sets import ItemSetRequest, start_making
from benchmarks.services.questions.sets import QuestionSetRequest, start_questions
from generation.services.runs import create_run
from tests.at_once import WITH_TWO_WRITERS, raised_after
from tests.factories import DatasetFactory, UserFactory
from tests.generation.tea import add_take, request_for

pytestmark = WITH_TWO_WRITERS
GONE = "One of these data sets was deleted just now."


def an_item_set(dataset, owner):
    start_making(request=ItemSetRequest("Steps", "step_mistakes", dataset.public_id), actor=owner)


def questions(dataset, owner):
    start_questions(request=QuestionSetRequest("Steps", dataset.public_id), actor=owner)


def a_run(dataset, owner):
    create_run(request=request_for(dataset), actor=owner)


@pytest.mark.parametrize(
    ("begin", "words"),
    [(an_item_set, GONE), (questions, "You have no data set"), (a_run, GONE)],
)
def test_nothing_is_begun_with_a_data_set_that_is_deleted_at_the_same_moment(begin, words):
    owner = UserFactory(role=Role.RESEARCHER)
    dataset = DatasetFactory(owner=owner)
    add_take(dataset, "tea")

    refused = raised_after(
        lambda: delete_dataset(dataset=dataset, actor=owner), lambda: begin(dataset, owner)
    )

    assert isinstance(refused, ValidationError)
    assert words in refused.messages[0]
    assert not Job.objects.exists()
