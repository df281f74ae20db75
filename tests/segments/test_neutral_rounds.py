"""Who labels or audits segments finds nothing of what kind of change a mistake is, nor whose it is.

The same recording is changed in five ways, as in `tests.annotation.test_neutral_marks`. What an
audit asks about is in sight, the names of the marked steps; the rest is the same for all five.
"""

import pytest

from annotation.models import Role
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from segments.models import SEGMENTS, SegmentCheck, SegmentRecording, SegmentSource, Stage
from segments.services.recordings import Chosen
from tests.annotation.test_neutral_marks import (
    CHANGES,
    changed_recording,
    differences,
    reached,
    telling_words,
)
from tests.factories import UserFactory
from tests.segments.campaigns import audited, opened

pytestmark = pytest.mark.django_db

DATASET, COLLEAGUE, NOTE, SOURCE = (
    "hidden-source-set", "hidden-colleague", "hidden-note", "hidden-source-of-proposals"
)  # fmt: skip
HIDDEN = (DATASET, COLLEAGUE, NOTE, SOURCE)
TRACES = Chosen(has_takes=False, needs_video=False)


@pytest.fixture
def person():
    return UserFactory(username="person")


@pytest.fixture
def colleague():
    return UserFactory(username=COLLEAGUE)


def segmented(kind: str, person, colleague) -> dict[str, list[str]]:
    """The ids of a campaign about one changed recording: an audit, labels, onsets, each of two."""
    owner = UserFactory(role=Role.RESEARCHER)
    dataset = changed_recording(kind, owner, name=f"{DATASET} {kind}")
    campaign = create_campaign(
        new=NewCampaign(f"Segments {dataset.pk}", kind=SEGMENTS), datasets=[dataset], actor=owner
    )
    add_raters(campaign=campaign, raters=[person, colleague], actor=owner)
    settings = (
        {"stage": Stage.AUDIT, "scheme": "partition", "source": SegmentSource.STEPS},
        {"stage": Stage.LABEL, "scheme": "egooops", "source": SegmentSource.STEPS},
        {"stage": Stage.LABEL, "scheme": "onset"},
    )
    rounds = [opened(campaign, owner, overlap=2, chosen=TRACES, **of)[0] for of in settings]
    audited(rounds[0].segmentations.get(person=colleague), noes={(2, "accurate")})
    SegmentCheck.objects.update(note=NOTE)
    SegmentRecording.objects.update(proposal_source=SOURCE)
    # One's own first, and the colleague's, whose addresses nobody else may open.
    own = [
        row.public_id for made in rounds for row in made.segmentations.order_by("-person__username")
    ]
    return {
        "owner": [owner],
        "campaigns": [campaign.public_id],
        "rounds": [made.public_id for made in rounds],
        "segments": own,
        "segmentations": own,
        "filed": [],
    }


def test_no_address_tells_a_labeller_or_auditor_what_kind_of_change_it_is(
    client, person, colleague
):
    worlds = {kind: segmented(kind, person, colleague) for kind in CHANGES}
    for ids in worlds.values():
        del ids["owner"]
    client.force_login(person)

    told = {kind: telling_words(client, ids) for kind, ids in worlds.items()}

    assert differences(told) == []
    assert {"segments/…/", "api/v1/segmentations/…/", "queue/…/welcome/"} <= set(told["WE"])


def test_no_address_tells_whose_marks_are_audited_or_what_others_said(client, person, colleague):
    ids = segmented("WE", person, colleague)
    (owner,) = ids.pop("owner")
    mine = set(person.segmentations.values_list("public_id", flat=True))

    client.force_login(person)
    own = list(reached(client, ids))
    client.force_login(owner)
    seen_by_owner = {word for _, text in reached(client, ids) for word in HIDDEN if word in text}

    assert [(address, word) for address, text in own for word in HIDDEN if word in text] == []
    opened_work = {address for address, _ in own if address.startswith("segments/")}
    assert opened_work == {f"segments/{one}/" for one in mine}
    # They would be found if they were there.
    assert seen_by_owner >= {DATASET, COLLEAGUE}
