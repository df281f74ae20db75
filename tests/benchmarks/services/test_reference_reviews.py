"""Right words and cues of a set: reviewed as texts, and frozen as people left them."""

import pytest

from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.rounds import close_round
from benchmarks.engine.guiding.cues import Cues, checked_cues, template_cues
from benchmarks.services.item_sets import ItemSetInUseError, start_freezing
from benchmarks.services.reference_reviews import start_reference_review
from tests.benchmarks.made import frozen, made_set
from tests.factories import UserFactory
from texts.models import TextItem, TextVerdict
from texts.services.rounds import open_text_round
from texts.services.verdicts import SentVerdict, begin, give_verdict

pytestmark = pytest.mark.django_db
FULL, EMPTY = ("the cup is full", "steam rises"), ("the cup is empty", "hands hold the lid")


@pytest.mark.parametrize(
    ("complete", "incomplete", "kept"),
    [
        (FULL, EMPTY, Cues(FULL, EMPTY)),
        # One that differs in small words and endings alone is no second one.
        ((*FULL, "a full cup"), EMPTY, Cues(FULL, EMPTY)),
        (("the cup is full", "the full cups"), EMPTY, None),
        # What stands in both lists is in neither.
        ((*FULL, "the cup is empty"), (*EMPTY, "no cup"), Cues(FULL, (*EMPTY[1:], "no cup"))),
        (FULL, ("the cup is empty", "the person is about to pour"), None),
        (FULL, ("the cup is empty", "she knows it"), None),
    ],
)
def test_cues_are_visible_exclusive_and_at_least_two_of_each(complete, incomplete, kept):
    assert checked_cues(complete, incomplete) == kept


def test_cues_of_templates_pass_the_checks():
    made = template_cues("Pour the water into the cup.")

    assert checked_cues(made.complete, made.incomplete) == made


@pytest.fixture
def item_set(sample, owner):
    made = made_set(sample, owner, "guide")
    first = made.items.order_by("source_recording").first().source_recording
    made.items.exclude(source_recording=first).delete()
    return made


def decide(round_, owner, verdict_of):
    """Two people who agree on each text; `verdict_of` gives the verdict and the words."""
    people = [UserFactory() for _ in range(2)]
    add_raters(campaign=round_.campaign, raters=people, actor=owner)
    open_text_round(planned=round_, actor=owner)
    for person in people:
        for row in TextVerdict.objects.filter(round=round_, person=person):
            item = row.item
            begin(public_id=row.public_id, actor=person)
            name, text = verdict_of(item)
            more = {"text": text} if name == "edit" else {}
            reasons = ("language",) if name == "reject" else ()
            sent = SentVerdict(name, reasons=reasons, **more)
            give_verdict(public_id=row.public_id, sent=sent, actor=person)
    close_round(closing=round_, actor=owner)


def test_freeze_takes_over_what_people_left(item_set, owner):
    before = {row.key: row.truth for row in item_set.items.all()}
    content = item_set.content_hash
    round_ = start_reference_review(item_set=item_set, name="Words", actor=owner)
    texts = TextItem.objects.filter(round=round_)
    words = texts.filter(group="right words").order_by("pk")
    first_cue = texts.filter(group__endswith="that is complete").order_by("pk").first()
    edited, rejected = words[0].pk, words[1].pk
    with pytest.raises(ItemSetInUseError, match="are in review"):
        start_freezing(item_set=item_set, actor=owner)

    def verdict_of(item):
        if item.pk == edited:
            return "edit", "Fill the kettle now."
        return ("reject", "") if item.pk in {rejected, first_cue.pk} else ("accept", "")

    decide(round_, owner, verdict_of)
    item_set.refresh_from_db()
    done = frozen(item_set, owner)

    assert done.is_frozen
    assert done.content_hash != content
    after = {row.key: row.truth for row in done.items.all()}
    told = {pk: key.removesuffix("/words") for pk, key in words.values_list("pk", "source_key")}
    assert after[told[edited]]["text"] == "Fill the kettle now."
    assert after[told[rejected]]["text"] == ""
    step = first_cue.label.removeprefix("Step: ")
    for key, truth in after.items():
        plan = truth.get("plan", {})
        # One cue of two is too few: its step has none.
        assert ("cues" in plan) == (
            bool(plan) and plan["current"] != [step] and bool(plan["current"])
        )
        same = {name: value for name, value in truth.items() if name not in {"text", "plan"}}
        assert same == {name: before[key][name] for name in same}
    assert sum(truth != before[key] for key, truth in after.items()) == 2


def test_only_a_set_with_right_words_is_reviewed_and_once(item_set, sample, owner):
    other = made_set(sample, owner)
    with pytest.raises(ItemSetInUseError, match="no right words"):
        start_reference_review(item_set=other, name="Words", actor=owner)

    start_reference_review(item_set=item_set, name="Words", actor=owner)
    with pytest.raises(ItemSetInUseError, match="has a review already"):
        start_reference_review(item_set=item_set, name="Words 2", actor=owner)
