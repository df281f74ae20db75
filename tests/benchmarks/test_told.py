"""What is said only when an item is asked is in nothing that anybody downloads."""

from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError

from annotation.models import Role
from benchmarks.engine.content import written_item
from benchmarks.engine.task import Stretch
from benchmarks.engine.tasks.guide import TASK
from benchmarks.engine.tasks.guide.items import GOLD
from benchmarks.models import Item
from benchmarks.selectors.tables import participant_note
from benchmarks.services.answering import start_answering
from benchmarks.services.assessments import AskRequest, start_assessment
from benchmarks.services.item_draft import ItemDraft
from tests.benchmarks.made import as_lines, baseline_values, frozen_set, uploaded
from tests.benchmarks.tasks.material import TEA, defaults
from tests.benchmarks.test_names_tell_nothing import addresses_of, read
from tests.factories import UserFactory
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db
WORDS, SECOND = "words-that-were-right", 3.14159


@pytest.fixture
def telling(sample, owner):
    """Return a shared set whose items tell what was right before, with a mark to look for."""
    made = frozen_set(sample, owner, "guide", settings={"history": GOLD}, is_shared=True)
    sample.is_shared = False
    sample.save()
    told = {"history": [{"time_s": SECOND, "text": WORDS}]}
    Item.objects.filter(item_set=made).update(told=told, stretches=[[0.0, SECOND, 3]])
    return made


def test_no_page_file_or_endpoint_has_what_is_told(telling, owner_client, client):
    client.force_login(UserFactory(role=Role.RESEARCHER))

    for address in addresses_of(telling):
        for reader in (client, owner_client):
            text = read(reader, address)
            assert WORDS not in text, address
            assert str(SECOND) not in text, address


def test_who_may_not_see_the_truth_has_no_model_told_of_it(telling, owner):
    stranger = UserFactory(role=Role.RESEARCHER)

    with pytest.raises(ValidationError, match="which you may not see: upload answers instead"):
        start_assessment(
            item_set=telling,
            request=AskRequest(endpoint=make_endpoint(owner=stranger).public_id),
            actor=stranger,
        )
    own = AskRequest(endpoint=make_endpoint(owner=owner, name="Own").public_id)
    assert start_assessment(item_set=telling, request=own, actor=owner)


def test_files_and_people_have_their_own_history_and_it_is_said(telling, owner, annotator):
    file = uploaded(telling, owner, as_lines(baseline_values(telling)), "a.jsonl")
    person = start_answering(item_set=telling, person=annotator, actor=owner)

    assert "own history" in participant_note(file)
    assert "own history" in participant_note(person)


def test_items_that_tell_nothing_are_hashed_as_before_and_others_with_it():
    [item, *_] = TASK.items(TEA, defaults(TASK), 0)
    telling = replace(item, told={"history": []}, stretches=(Stretch(0.0, 0.0, 2),))

    assert b'"told"' not in written_item(item)
    assert b'"stretches":[[0.0,0.0,2]],"take"' in written_item(telling)
    assert b'"told":{"history":[]}' in written_item(telling)


def test_a_stretch_after_the_moment_is_refused():
    [item, *_] = TASK.items(TEA, defaults(TASK), 0)

    with ItemDraft() as draft, pytest.raises(ValueError, match="ends after its moment"):
        draft.add(replace(item, stretches=(Stretch(0.0, 0.5),)))


def test_right_history_grows_only_behind_right_interrupts():
    items = list(TASK.items(TEA, {**defaults(TASK), "history": GOLD}, 0))

    lengths = [len(item.told["history"]) for item in items]
    spoken = [item.truth["answer"] == "interrupt" for item in items]
    assert lengths == [sum(spoken[:place]) for place in range(len(items))]
    assert all(item.stretches[-1].end_s == item.moment_s for item in items)
