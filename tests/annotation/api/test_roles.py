"""Every endpoint of the schema, asked by every kind of person: each cell of the table is asserted.

The rows come from the OpenAPI schema, so an endpoint that is added without saying here who may use
it fails the first test. Every request is well formed, so that what answers is the permission.
"""

import json
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.engine.rubric.rubric import Metric
from annotation.models import Campaign, Case, CaseRater, FilingMoment, Role
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.protocol import accept_consent, file_protocol, set_consent_text
from annotation.services.ratings.gold import NewGold, mark_gold
from benchmarks.models import AgentEndpoint, FeatureSet, Item, ItemSet, QuestionSet, StepProposals
from benchmarks.services.answering import start_answering
from generation.models import TakeClip
from generation.services.runs import create_run
from segments.models import SEGMENTS
from tests.api_contract import document, operations
from tests.factories import (
    PASSWORD,
    AssignmentFactory,
    CampaignFactory,
    CampaignRaterFactory,
    DatasetFactory,
    EventFactory,
    SegmentationFactory,
    SegmentRoundFactory,
    TakeFactory,
    TraceFactory,
    UserFactory,
)
from tests.generation.tea import request_for
from tests.generation.text_endpoints import make_endpoint
from tests.generation.video_endpoints import make_video_endpoint
from tests.texts.reading_rounds import text_round
from texts.models import TextVerdict

CLIP_ID = "clip-01"
ITEM_KEY = "0123456789abcdef"
UNKNOWN = "Unknown field; expected only "
PEOPLE = ("anonymous", "stranger", "rater", "outsider", "owner", "administrator")

# anonymous, an annotator of another campaign, the rater of the assignment, a researcher who owns
# nothing of this, the owning researcher, an administrator.
RESEARCHERS_OWN_OBJECT = (401, 403, 403, 404, 200, 200)
RESEARCHERS_LIST = (401, 403, 403, 200, 200, 200)
NOT_NOW = (401, 403, 403, 404, 409, 409)
NEVER_THERE = (401, 403, 403, 404, 404, 404)
# That a campaign has gold is told to no annotator.
GOLD_OWN_OBJECT = (401, 404, 404, 404, 200, 200)
NOBODYS = (401, 404, 404, 404, 404, 404)
RATERS_OWN_ASSIGNMENT = (401, 404, 200, 404, 404, 404)
WHO_DISCUSSES = (401, 404, 200, 404, 200, 200)
WHO_DECIDES = (401, 404, 404, 404, 200, 200)
# What researchers do with what somebody else shares; all else of it they read at most.
SHARED = (
    "datasets", "campaigns", "runs", "text-endpoints", "video-endpoints", "agent-endpoints",
    "item-sets", "feature-sets",
)  # fmt: skip
SHARED_USES = {
    "POST /api/v1/question-sets/",
    "POST /api/v1/cases/{public_id}/comments/",
    "POST /api/v1/runs/",
    "POST /api/v1/runs/{public_id}/clone/",
    "POST /api/v1/item-sets/",
    "POST /api/v1/text-endpoints/{public_id}/test/",
    "POST /api/v1/video-endpoints/{public_id}/test/",
    "POST /api/v1/agent-endpoints/{public_id}/test/",
    "POST /api/v1/item-sets/{public_id}/ask/",
    "POST /api/v1/item-sets/{public_id}/ask/price/",
    "POST /api/v1/item-sets/{public_id}/train/",
    "POST /api/v1/item-sets/{public_id}/upload/",
    "POST /api/v1/item-sets/{public_id}/people/",
}
EXPECTED = {
    "POST /api/v1/token/": (200,) * 6,
    "GET /api/v1/account/": (401, 200, 200, 200, 200, 200),
    "GET /api/v1/datasets/": RESEARCHERS_LIST,
    "GET /api/v1/datasets/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/datasets/{public_id}/takes/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/datasets/{public_id}/traces/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/datasets/{public_id}/task-graphs/": RESEARCHERS_OWN_OBJECT,
    # It has no such graph: 404 is beyond the permission.
    "GET /api/v1/datasets/{public_id}/task-graphs/{number}/orders/": NEVER_THERE,
    "GET /api/v1/datasets/{public_id}/walks/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/takes/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/traces/{public_id}/": RESEARCHERS_OWN_OBJECT,
    # The uploaded file is no annotation file: 400 is beyond the permission.
    "POST /api/v1/datasets/import/": (401, 403, 403, 400, 400, 400),
    # The uploaded file is no table of ratings: 400 is beyond the permission.
    "POST /api/v1/ratings/import/": (401, 403, 403, 400, 400, 400),
    # Only administrators may name folders of the server; this one does not exist.
    "POST /api/v1/datasets/{public_id}/videos/": (401, 403, 403, 404, 403, 400),
    # The file is no video: 400 is beyond the permission.
    "POST /api/v1/datasets/{public_id}/videos/files/": (401, 403, 403, 404, 400, 400),
    "GET /api/v1/datasets/{public_id}/agreement/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/datasets/{public_id}/tables/{table}/": RESEARCHERS_OWN_OBJECT,
    # Nobody has rated, so there is nothing to draw: 404 is beyond the permission.
    "GET /api/v1/datasets/{public_id}/pictures/{picture}/": NEVER_THERE,
    "GET /api/v1/datasets/{public_id}/ingest/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/datasets/{public_id}/ingest/": RESEARCHERS_OWN_OBJECT,
    "DELETE /api/v1/datasets/{public_id}/ingest/": RESEARCHERS_OWN_OBJECT,
    # No such take: 404 is beyond the permission for the owner and administrators.
    "POST /api/v1/traces/{public_id}/reference/": (401, 403, 403, 404, 404, 404),
    "GET /api/v1/campaigns/": RESEARCHERS_LIST,
    "POST /api/v1/campaigns/": (401, 403, 403, 201, 201, 201),
    "GET /api/v1/campaigns/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/raters/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/raters/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/raters/remove/": (401, 403, 403, 404, 404, 404),
    "POST /api/v1/campaigns/{public_id}/datasets/": (401, 403, 403, 404, 400, 400),
    "POST /api/v1/campaigns/{public_id}/close/": RESEARCHERS_OWN_OBJECT,
    # The campaign is in its main round: 409 is beyond the permission.
    "POST /api/v1/campaigns/{public_id}/freeze/": NOT_NOW,
    "POST /api/v1/campaigns/{public_id}/release/": NOT_NOW,
    "GET /api/v1/campaigns/{public_id}/protocol/": RESEARCHERS_OWN_OBJECT,
    # The campaign is in its main round: 409 is beyond the permission.
    "PUT /api/v1/campaigns/{public_id}/protocol/analysis/": NOT_NOW,
    "POST /api/v1/campaigns/{public_id}/protocol/files/": NOT_NOW,
    "GET /api/v1/campaigns/{public_id}/protocol/files/{filed_id}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/protocol/files/{filed_id}/markdown/": (
        RESEARCHERS_OWN_OBJECT
    ),
    "GET /api/v1/campaigns/{public_id}/consent/": (401, 404, 200, 404, 200, 200),
    "PUT /api/v1/campaigns/{public_id}/consent/": (401, 404, 404, 404, 200, 200),
    # Only who rates in the campaign is asked.
    "POST /api/v1/campaigns/{public_id}/consent/accept/": (401, 404, 200, 404, 404, 404),
    "GET /api/v1/campaigns/{public_id}/rounds/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/rounds/": (401, 403, 403, 404, 201, 201),
    "POST /api/v1/campaigns/{public_id}/rounds/{number}/open/": NOT_NOW,
    "POST /api/v1/campaigns/{public_id}/rounds/{number}/close/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/segment-rounds/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/segment-rounds/": (401, 403, 403, 404, 201, 201),
    "GET /api/v1/campaigns/{public_id}/segment-rounds/{number}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/segment-rounds/{number}/agreement/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/segment-rounds/{number}/file/": RESEARCHERS_OWN_OBJECT,
    # Nothing is accepted: 409 is beyond the permission.
    "POST /api/v1/campaigns/{public_id}/segment-rounds/{number}/publish/": NOT_NOW,
    # The round is open already: 409 is beyond the permission.
    "POST /api/v1/campaigns/{public_id}/segment-rounds/{number}/open/": NOT_NOW,
    "POST /api/v1/campaigns/{public_id}/segment-rounds/{number}/again/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/segment-rounds/{number}/close/": RESEARCHERS_OWN_OBJECT,
    # It begins with nothing: 409 is beyond the permission.
    "POST /api/v1/campaigns/{public_id}/segment-rounds/{number}/import/": NOT_NOW,
    "GET /api/v1/campaigns/{public_id}/text-rounds/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/text-rounds/{number}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/text-rounds/{number}/settings/": RESEARCHERS_OWN_OBJECT,
    # Opened before.
    "PATCH /api/v1/campaigns/{public_id}/text-rounds/{number}/settings/": NOT_NOW,
    "POST /api/v1/campaigns/{public_id}/text-rounds/{number}/open/": NOT_NOW,
    "POST /api/v1/campaigns/{public_id}/text-rounds/{number}/close/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/text-rounds/{number}/verdicts/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/text-verdicts/": (401, 200, 200, 200, 200, 200),
    "GET /api/v1/campaigns/{public_id}/text-rounds/{number}/texts/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/text-verdicts/{public_id}/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/text-verdicts/{public_id}/answer/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/text-verdicts/{public_id}/verdict/": RATERS_OWN_ASSIGNMENT,
    "GET /api/v1/campaigns/{public_id}/guidelines/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/guidelines/": (401, 403, 403, 404, 201, 201),
    "GET /api/v1/campaigns/{public_id}/guidelines/{number}/": RESEARCHERS_OWN_OBJECT,
    # It is frozen: 409 is beyond the permission.
    "PUT /api/v1/campaigns/{public_id}/guidelines/{number}/": NOT_NOW,
    "GET /api/v1/campaigns/{public_id}/agreement/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/comparisons/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/tables/{table}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/pictures/{picture}/": NEVER_THERE,
    "GET /api/v1/campaigns/{public_id}/ratings/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/viewing/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/remarks/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/cases/": WHO_DISCUSSES,
    # No round of it is closed: 409 is beyond the permission.
    "POST /api/v1/campaigns/{public_id}/cases/draw/": NOT_NOW,
    "GET /api/v1/cases/{public_id}/": WHO_DISCUSSES,
    "POST /api/v1/cases/{public_id}/comments/": WHO_DISCUSSES,
    "POST /api/v1/cases/{public_id}/decision/": WHO_DECIDES,
    "POST /api/v1/cases/{public_id}/guideline/": WHO_DECIDES,
    "GET /api/v1/campaigns/{public_id}/hours/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/rounds/{number}/raters/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/rounds/{number}/raters/pairs/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/rounds/{number}/plan/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/rounds/{number}/screening/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/rounds/{number}/screening/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/rounds/{number}/screening/decisions/": (
        RESEARCHERS_OWN_OBJECT
    ),
    "GET /api/v1/campaigns/{public_id}/gold/": GOLD_OWN_OBJECT,
    "POST /api/v1/campaigns/{public_id}/gold/": (401, 404, 404, 404, 201, 201),
    "GET /api/v1/gold/{public_id}/": GOLD_OWN_OBJECT,
    "PUT /api/v1/gold/{public_id}/": GOLD_OWN_OBJECT,
    "POST /api/v1/gold/{public_id}/retire/": GOLD_OWN_OBJECT,
    "GET /api/v1/campaigns/{public_id}/rounds/{number}/checks/": GOLD_OWN_OBJECT,
    # The round is open, so its plan no longer changes, and nobody reads what raters agree on.
    "PATCH /api/v1/campaigns/{public_id}/rounds/{number}/checks/": (401, 404, 404, 404, 409, 409),
    "GET /api/v1/campaigns/{public_id}/rounds/{number}/consensus/": NOBODYS,
    "POST /api/v1/campaigns/{public_id}/rounds/{number}/consensus/": NOBODYS,
    "GET /api/v1/campaigns/{public_id}/qualifications/": GOLD_OWN_OBJECT,
    # The campaign has no training round: 400 is beyond the permission.
    "POST /api/v1/campaigns/{public_id}/qualifications/": (401, 404, 404, 404, 400, 400),
    "GET /api/v1/trainings/": (401, 200, 200, 200, 200, 200),
    # Nobody trains here, and the assignment is no training.
    "POST /api/v1/trainings/{public_id}/again/": NOBODYS,
    "GET /api/v1/assignments/{public_id}/feedback/": NOBODYS,
    "GET /api/v1/assignments/": (401, 200, 200, 200, 200, 200),
    "GET /api/v1/assignments/{public_id}/ratings/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/assignments/{public_id}/changes/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/assignments/{public_id}/viewing/": (401, 404, 204, 404, 404, 404),
    # Nothing is rated, so the rater is told what is missing: 409 is beyond the permission.
    "POST /api/v1/assignments/{public_id}/remarks/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/assignments/{public_id}/skip/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/assignments/{public_id}/submit/": (401, 404, 409, 404, 404, 404),
    "POST /api/v1/assignments/{public_id}/reopen/": RATERS_OWN_ASSIGNMENT,
    "GET /api/v1/segmentations/": (401, 200, 200, 200, 200, 200),
    "GET /api/v1/segmentations/{public_id}/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/segmentations/{public_id}/carry-over/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/segmentations/{public_id}/gestures/": RATERS_OWN_ASSIGNMENT,
    # The scheme asks nothing: 400 is beyond the permission.
    "POST /api/v1/segmentations/{public_id}/checks/": (401, 404, 400, 404, 404, 404),
    "POST /api/v1/segmentations/{public_id}/viewing/": (401, 404, 204, 404, 404, 404),
    "POST /api/v1/segmentations/{public_id}/submit/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/segmentations/{public_id}/reopen/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/segmentations/{public_id}/reject/": RATERS_OWN_ASSIGNMENT,
    # It is no review: 409 is beyond the permission.
    "POST /api/v1/segmentations/{public_id}/return/": (401, 404, 409, 404, 404, 404),
    "POST /api/v1/segmentations/{public_id}/accept/": (401, 404, 409, 404, 404, 404),
    "GET /api/v1/segmentations/{public_id}/history/": RATERS_OWN_ASSIGNMENT,
    # No format is named: 400 is beyond the permission.
    "GET /api/v1/segmentations/{public_id}/export/": (401, 404, 400, 404, 404, 404),
    # Nothing was done yet, so there is no first gesture.
    "GET /api/v1/segmentations/{public_id}/history/{head}/": NOBODYS,
    "GET /api/v1/runs/": RESEARCHERS_LIST,
    # The data set of the body is not the outsider's to see, so for him there is none.
    "POST /api/v1/runs/": (401, 403, 403, 400, 201, 201),
    "GET /api/v1/runs/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/runs/{public_id}/takes/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/runs/{public_id}/takes/{position}/clips/": RESEARCHERS_OWN_OBJECT,
    # This run makes no videos: 409 is beyond the permission.
    "POST /api/v1/runs/{public_id}/takes/{position}/clips/approve/": NOT_NOW,
    "POST /api/v1/runs/{public_id}/takes/{position}/clips/make/": NOT_NOW,
    "GET /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/": RESEARCHERS_OWN_OBJECT,
    "PATCH /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/": NOT_NOW,
    # Nothing was uploaded, and there is no recording to take a frame from.
    "GET /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/file/": NEVER_THERE,
    "PUT /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/file/": NOT_NOW,
    "DELETE /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/file/": NOT_NOW,
    "GET /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/first/": NEVER_THERE,
    "GET /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/last/": NEVER_THERE,
    "GET /api/v1/runs/{public_id}/plans/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/runs/{public_id}/readings/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/runs/{public_id}/rewrites/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/runs/{public_id}/findings/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/runs/{public_id}/cancel/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/runs/{public_id}/resume/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/runs/{public_id}/retry/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/runs/{public_id}/publish-withheld/": RESEARCHERS_OWN_OBJECT,
    # The run has no budget to raise: 400 is beyond the permission.
    "POST /api/v1/runs/{public_id}/budget/": (401, 403, 403, 404, 400, 400),
    "POST /api/v1/runs/{public_id}/clone/": (401, 403, 403, 404, 201, 201),
    "GET /api/v1/text-endpoints/": RESEARCHERS_LIST,
    "POST /api/v1/text-endpoints/": (401, 403, 403, 201, 201, 201),
    "GET /api/v1/text-endpoints/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "PATCH /api/v1/text-endpoints/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "DELETE /api/v1/text-endpoints/{public_id}/": (401, 403, 403, 404, 204, 204),
    # Nobody listens there: the trial says so.
    "POST /api/v1/text-endpoints/{public_id}/test/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/video-endpoints/": RESEARCHERS_LIST,
    "POST /api/v1/video-endpoints/": (401, 403, 403, 201, 201, 201),
    "GET /api/v1/video-endpoints/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "PATCH /api/v1/video-endpoints/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "DELETE /api/v1/video-endpoints/{public_id}/": (401, 403, 403, 404, 204, 204),
    "POST /api/v1/video-endpoints/{public_id}/test/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/agent-endpoints/": RESEARCHERS_LIST,
    # Administrators may name any host; nobody listens there, which its trial says.
    "POST /api/v1/agent-endpoints/": (401, 403, 403, 400, 400, 201),
    "GET /api/v1/agent-endpoints/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "PATCH /api/v1/agent-endpoints/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "DELETE /api/v1/agent-endpoints/{public_id}/": (401, 403, 403, 404, 204, 204),
    "POST /api/v1/agent-endpoints/{public_id}/test/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/rounds/{public_id}/queues/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/rounds/{public_id}/queues/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/item-sets/": RESEARCHERS_LIST,
    # The outsider has no such data set.
    "POST /api/v1/item-sets/": (401, 403, 403, 400, 201, 201),
    "GET /api/v1/item-sets/tasks/": RESEARCHERS_LIST,
    "GET /api/v1/item-sets/{public_id}/": RESEARCHERS_OWN_OBJECT,
    # Somebody is answering it: 409 is beyond the permission.
    "DELETE /api/v1/item-sets/{public_id}/": NOT_NOW,
    "POST /api/v1/item-sets/{public_id}/freeze/": (401, 403, 403, 404, 202, 202),
    # It was not audited, or is frozen: 409 is beyond the permission.
    "POST /api/v1/item-sets/{public_id}/leave-out/": NOT_NOW,
    "POST /api/v1/item-sets/{public_id}/cancel/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/item-sets/{public_id}/resume/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/item-sets/{public_id}/share/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/item-sets/{public_id}/judges/": RESEARCHERS_OWN_OBJECT,
    # Nothing of its task is judged.
    "GET /api/v1/item-sets/{public_id}/judging/": NEVER_THERE,
    "POST /api/v1/item-sets/{public_id}/judging/": NEVER_THERE,
    "POST /api/v1/item-sets/{public_id}/judging/grades/": NEVER_THERE,
    "POST /api/v1/item-sets/{public_id}/judging/finish/": NEVER_THERE,
    "GET /api/v1/item-sets/{public_id}/judges-and-people/": NEVER_THERE,
    "GET /api/v1/item-sets/{public_id}/items/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/item-sets/{public_id}/items/{key}/": RESEARCHERS_OWN_OBJECT,
    # It has no recording.
    "GET /api/v1/item-sets/{public_id}/items/{key}/pictures/{number}/": NEVER_THERE,
    "GET /api/v1/item-sets/{public_id}/download/{which}/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/item-sets/{public_id}/sizes/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/item-sets/{public_id}/table/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/item-sets/{public_id}/assessments/": RESEARCHERS_OWN_OBJECT,
    # There is no such text model: 400 is beyond the permission.
    "POST /api/v1/item-sets/{public_id}/ask/": (401, 403, 403, 404, 400, 400),
    "POST /api/v1/item-sets/{public_id}/ask/price/": (401, 403, 403, 404, 400, 400),
    # Its task learns nothing: 400 is beyond the permission.
    "POST /api/v1/item-sets/{public_id}/train/": (401, 403, 403, 404, 400, 400),
    # The uploaded file is no table of answers: 400 is beyond the permission.
    "POST /api/v1/item-sets/{public_id}/upload/": (401, 403, 403, 404, 400, 400),
    "POST /api/v1/item-sets/{public_id}/people/": (401, 403, 403, 404, 201, 201),
    "GET /api/v1/assessments/{public_id}/": RESEARCHERS_OWN_OBJECT,
    # Its figures have no interval: 409 is beyond the permission.
    "GET /api/v1/assessments/{public_id}/sizes/": NOT_NOW,
    "DELETE /api/v1/assessments/{public_id}/": (401, 403, 403, 404, 204, 204),
    "POST /api/v1/assessments/{public_id}/cancel/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/assessments/{public_id}/resume/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/assessments/{public_id}/reask/": RESEARCHERS_OWN_OBJECT,
    # Nobody has finished: 400 is beyond the permission.
    "GET /api/v1/assessments/{public_id}/judge/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/assessments/{public_id}/asked/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/assessments/{public_id}/judge/": (401, 403, 403, 404, 400, 400),
    "GET /api/v1/assessments/{public_id}/answers/": RESEARCHERS_OWN_OBJECT,
    # Nobody has finished: 409 is beyond the permission.
    "GET /api/v1/assessments/{public_id}/compare/{other_id}/": NOT_NOW,
    "GET /api/v1/assessments/{public_id}/compare/{other_id}/right/": NOT_NOW,
    "GET /api/v1/assessments/{public_id}/items/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/assessments/{public_id}/items/": RATERS_OWN_ASSIGNMENT,
    "POST /api/v1/assessments/{public_id}/finish/": RATERS_OWN_ASSIGNMENT,
    "GET /api/v1/feature-sets/": RESEARCHERS_LIST,
    # The file holds no features, and the data set has no video: 400 is beyond the permission.
    "POST /api/v1/feature-sets/": (401, 403, 403, 400, 400, 400),
    "POST /api/v1/feature-sets/make/": (401, 403, 403, 400, 400, 400),
    "GET /api/v1/feature-sets/extractors/": RESEARCHERS_LIST,
    "GET /api/v1/feature-sets/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "DELETE /api/v1/feature-sets/{public_id}/": (401, 403, 403, 404, 204, 204),
    "POST /api/v1/feature-sets/{public_id}/share/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/feature-sets/{public_id}/cancel/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/feature-sets/{public_id}/resume/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/question-sets/": RESEARCHERS_LIST,
    "POST /api/v1/question-sets/": (401, 403, 403, 400, 201, 201),
    "GET /api/v1/question-sets/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "DELETE /api/v1/question-sets/{public_id}/": (401, 403, 403, 404, 204, 204),
    "GET /api/v1/question-sets/{public_id}/questions/": RESEARCHERS_OWN_OBJECT,
    "GET /api/v1/question-sets/{public_id}/download/": RESEARCHERS_OWN_OBJECT,
    # Its questions are not made yet.
    "POST /api/v1/question-sets/{public_id}/freeze/": NOT_NOW,
    "POST /api/v1/question-sets/{public_id}/cancel/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/question-sets/{public_id}/resume/": RESEARCHERS_OWN_OBJECT,
    # Its task has no right words in its items.
    "POST /api/v1/item-sets/{public_id}/references/": NOT_NOW,
    "POST /api/v1/item-sets/{public_id}/writing/": NOT_NOW,
    "GET /api/v1/step-proposals/": RESEARCHERS_LIST,
    # The features are not finished: 400 is beyond the permission.
    "POST /api/v1/step-proposals/": (401, 403, 403, 400, 400, 400),
    "GET /api/v1/step-proposals/{public_id}/": RESEARCHERS_OWN_OBJECT,
    "DELETE /api/v1/step-proposals/{public_id}/": (401, 403, 403, 404, 204, 204),
    "GET /api/v1/step-proposals/{public_id}/recordings/": RESEARCHERS_OWN_OBJECT,
    # They are not finished.
    "POST /api/v1/step-proposals/{public_id}/audit/": NOT_NOW,
    "POST /api/v1/step-proposals/{public_id}/cancel/": RESEARCHERS_OWN_OBJECT,
    "POST /api/v1/step-proposals/{public_id}/resume/": RESEARCHERS_OWN_OBJECT,
}
BODIES = {
    "POST /api/v1/item-sets/{public_id}/references/": {"name": "Words of tea"},
    "POST /api/v1/item-sets/{public_id}/writing/": {"writer": "none"},
    "POST /api/v1/step-proposals/": {"name": "More", "features": "none"},
    "POST /api/v1/step-proposals/{public_id}/audit/": {"name": "Steps of tea"},
    "POST /api/v1/item-sets/{public_id}/judging/grades/": {"position": 1, "score": 3},
    "PATCH /api/v1/campaigns/{public_id}/text-rounds/{number}/settings/": {"margin_s": 1},
    "POST /api/v1/text-verdicts/{public_id}/answer/": {"blind_answer": "Milk"},
    "POST /api/v1/text-verdicts/{public_id}/verdict/": {"verdict": "accept", "revision": 0},
    "POST /api/v1/feature-sets/{public_id}/share/": {"is_shared": False},
    "POST /api/v1/item-sets/{public_id}/share/": {"is_shared": False},
    "POST /api/v1/item-sets/{public_id}/leave-out/": {"at_least": 1},
    "POST /api/v1/item-sets/{public_id}/judges/": {"judges": []},
    "POST /api/v1/item-sets/{public_id}/ask/": {"endpoint": "no-such-model"},
    "POST /api/v1/item-sets/{public_id}/ask/price/": {"endpoint": "no-such-model"},
    "POST /api/v1/item-sets/{public_id}/train/": {"model": "V1", "features": ["none"]},
    "POST /api/v1/assessments/{public_id}/judge/": {"judges": ["no-such-model"]},
    "POST /api/v1/assessments/{public_id}/items/": {"key": ITEM_KEY, "answer": "yes"},
    "PUT /api/v1/gold/{public_id}/": {"accepted": ["no"], "reason": "The kettle is full."},
    "PATCH /api/v1/campaigns/{public_id}/rounds/{number}/checks/": {"repeat_gap": 5},
    "POST /api/v1/campaigns/{public_id}/rounds/{number}/consensus/": {"accept": ["a:0:b"]},
    "POST /api/v1/campaigns/{public_id}/qualifications/": {
        "round": 1,
        "username": "nobody",
        "reason": "Rated the pilot",
    },
    "POST /api/v1/traces/{public_id}/reference/": {"take": "no-such-take"},
    "POST /api/v1/campaigns/": {"name": "Another audit"},
    "POST /api/v1/campaigns/{public_id}/freeze/": {"guideline": 1},
    "PUT /api/v1/campaigns/{public_id}/protocol/analysis/": {"metrics": ["confusability"]},
    "PUT /api/v1/campaigns/{public_id}/consent/": {"text": "You may stop at any time."},
    "POST /api/v1/campaigns/{public_id}/consent/accept/": {"number": 1},
    "POST /api/v1/campaigns/{public_id}/rounds/": {"phase": "main", "guideline": 1},
    "POST /api/v1/campaigns/{public_id}/segment-rounds/{number}/publish/": {"name": "New"},
    "POST /api/v1/campaigns/{public_id}/segment-rounds/": {
        "stage": "label",
        "scheme": "egooops",
        "needs_video": False,
    },
    "POST /api/v1/campaigns/{public_id}/guidelines/": {"based_on": 1},
    "PUT /api/v1/campaigns/{public_id}/guidelines/{number}/": {"text": {}},
    "POST /api/v1/cases/{public_id}/comments/": {"text": "Nothing is spilled"},
    "POST /api/v1/cases/{public_id}/decision/": {"cause": "slip"},
    "POST /api/v1/campaigns/{public_id}/raters/": {"new_usernames": ["mara"]},
    "POST /api/v1/campaigns/{public_id}/raters/remove/": {"username": "nobody"},
    "POST /api/v1/campaigns/{public_id}/datasets/": {"datasets": ["no-such-dataset"]},
    "POST /api/v1/campaigns/{public_id}/rounds/{number}/screening/decisions/": {
        "rater": "rater",
        "decision": "excluded",
        "why": "Clicked through.",
    },
    "POST /api/v1/datasets/{public_id}/videos/": {"folder": "/no/such/folder"},
    "POST /api/v1/runs/{public_id}/clone/": {"seed": 7},
    "POST /api/v1/runs/{public_id}/takes/{position}/clips/approve/": {"seen": "0"},
    "PATCH /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/": {"prompt": "A hand."},
    "POST /api/v1/text-endpoints/": {
        "name": "Another",
        "base_url": "https://api.openai.com/v1",
        "model_name": "m",
    },
    "POST /api/v1/video-endpoints/": {
        "name": "Another",
        "base_url": "https://api.dev.runwayml.com",
        "provider": "runway",
    },
    "POST /api/v1/agent-endpoints/": {"name": "Another", "base_url": "http://127.0.0.1:9"},
    "POST /api/v1/assignments/{public_id}/viewing/": {"reports": []},
    "POST /api/v1/segmentations/{public_id}/viewing/": {"reports": []},
    "POST /api/v1/segmentations/{public_id}/reject/": {"reason": "quality"},
    "POST /api/v1/segmentations/{public_id}/return/": {"note": "Look at the first step again."},
    "POST /api/v1/segmentations/{public_id}/gestures/": {
        "client_id": "tab-1",
        "gestures": [
            {
                "sequence": 1,
                "name": "draw",
                "made_at": "2026-01-01T00:00:00Z",
                "changes": [
                    {"key": "a", "base_revision": 0, "insert": {"track": "steps", "step_id": "1"}}
                ],
            }
        ],
    },
    "POST /api/v1/segmentations/{public_id}/checks/": {
        "client_id": "tab-1",
        "checks": [
            {
                "sequence": 1,
                "key": "a",
                "segment_revision": 1,
                "question": "accurate",
                "answer": True,
                "made_at": "2026-01-01T00:00:00Z",
            }
        ],
    },
    "POST /api/v1/token/": {"username": "owner", "password": PASSWORD},
    "POST /api/v1/assignments/{public_id}/remarks/": {
        "client_id": "tab",
        "remarks": [
            {
                "sequence": 1,
                "event": None,
                "kind": "comment",
                "text": "Nothing is poured",
                "base_revision": 0,
                "written_at": "2026-01-02T03:04:05Z",
            }
        ],
    },
    "POST /api/v1/assignments/{public_id}/changes/": {
        "client_id": "tab-1",
        "changes": [
            {
                "sequence": 1,
                "event": 0,
                "metric": "confusability",
                "value": "3",
                "base_revision": 0,
                "rated_at": "2026-01-01T00:00:00Z",
            }
        ],
    },
}


def with_json_body():
    """Return the operations that read a JSON body."""
    return sorted(
        name
        for name, described in operations().items()
        if "application/json" in described.get("requestBody", {}).get("content", {})
    )


def allowed_person(operation):
    """Return who gets as far as the body of an operation."""
    own = (
        "/assignments/", "/segmentations/", "/text-verdicts/",
        "POST /api/v1/assessments/{public_id}/items/",
    )  # fmt: skip
    is_raters = any(noun in operation for noun in own) or operation.endswith("/accept/")
    return "rater" if is_raters else "administrator"


@contextmanager
def undone():
    """Let what is written within leave no trace, so that the next question finds the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@dataclass
class World:
    """One data set with one rated trace, and everybody who may or may not see it."""

    clients: dict[str, APIClient]
    ids: dict[str, str]
    bodies: dict[str, dict[str, object]]

    def ask(self, person, operation, **more):
        method, path = operation.split()
        kinds = (kind for kind in ("segment-rounds", "text-rounds") if f"/{kind}/" in path)
        kind = next(kinds, path.split("/")[3])
        address = path.replace("{public_id}", self.ids.get(kind, ""))
        address = address.replace("{position}", "0").replace("{clip_id}", CLIP_ID)
        address = address.replace("{number}", "1").replace("{filed_id}", self.ids["filed"])
        address = address.replace("{table}", "3").replace("{picture}", "distribution")
        address = address.replace("{head}", "1").replace("{key}", ITEM_KEY)
        address = address.replace("{which}", "items")
        address = address.replace("{other_id}", self.ids["assessments"])
        send = getattr(self.clients[person], method.lower())
        if more:
            # Written as ASCII, so that half a character can be sent.
            body = json.dumps(self.bodies.get(operation, {}) | more)
            return send(address, body, content_type="application/json")
        if operation == "POST /api/v1/datasets/import/":
            files = [SimpleUploadedFile("metadata.json", b"[]")]
            body = {"name": "New", "format": "egooops", "files": files}
            return send(address, body, format="multipart")
        if operation == "POST /api/v1/ratings/import/":
            body = {"files": [SimpleUploadedFile("ratings.csv", b"a,b")]}
            return send(address, body, format="multipart")
        if operation.endswith("/segment-rounds/{number}/import/"):
            files = [SimpleUploadedFile("predictions.csv", b"a,b")]
            body = {"files": files, "format": "table", "source": "A model"}
            return send(address, body, format="multipart")
        if operation == "POST /api/v1/item-sets/{public_id}/upload/":
            body = {"name": "Theirs", "file": SimpleUploadedFile("answers.csv", b"a,b")}
            return send(address, body, format="multipart")
        if operation == "POST /api/v1/feature-sets/":
            files = [SimpleUploadedFile("a.npy", b"a,b")]
            body = {"name": "Theirs", "dataset": self.ids["datasets"], "files": files}
            return send(address, body, format="multipart")
        if operation == "POST /api/v1/datasets/{public_id}/videos/files/":
            files = [SimpleUploadedFile("a.mp4", b"x")]
            return send(address, {"files": files}, format="multipart")
        if method == "PUT" and "clip" in path:
            return send(address, {"clip": SimpleUploadedFile("a.mp4", b"x")}, format="multipart")
        answer = send(address, self.bodies.get(operation, {}), format="json")
        if answer.streaming:
            # Read to its end, as by a browser: then the client of the tests closes its file.
            list(answer.streaming_content)
        return answer


def run_with_a_clip(dataset, owner):
    run = create_run(request=request_for(dataset), actor=owner).run
    TakeClip.objects.create(
        run_take=run.run_takes.get(), clip_id=CLIP_ID, position=0, kind="replacement", start_s=0,
        end_s=2, before_s=0, after_s=2, duration_s=2, asked_s=2, key="k", state="upload",
        maker="manual",
    )  # fmt: skip
    return run


def answering(dataset, owner, rater):
    """Return what the rater answers: a frozen set of the owner's with one item."""
    item_set = ItemSet.objects.create(
        name="Steps", task="step_mistakes", task_version=1, dataset=dataset, source="Tea",
        owner=owner, item_count=1, made_at=timezone.now(), frozen_at=timezone.now(),
    )  # fmt: skip
    Item.objects.create(
        item_set=item_set, position=0, key=ITEM_KEY, choices=["yes", "no"], truth={"answer": "yes"}
    )
    return start_answering(item_set=item_set, person=rater, actor=owner)


def case_to_discuss(owner, rater):
    """Return a case of the rater, in a round of the owner that is closed."""
    pilot = CampaignFactory(owner=owner, closed_at=timezone.now())
    trace = TraceFactory(dataset=DatasetFactory(owner=owner))
    AssignmentFactory(campaign=pilot, rater=rater, trace=trace)
    case = Case.objects.create(
        round=pilot.rounds.get(), trace=trace, event=EventFactory(trace=trace),
        metric="error_validity",
    )  # fmt: skip
    CaseRater.objects.create(case=case, rater=rater, place=0)
    return case


@pytest.fixture
def world(db):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    dataset = DatasetFactory(owner=owner)
    take = TakeFactory(dataset=dataset)
    trace = TraceFactory(dataset=dataset, take=take)
    EventFactory(trace=trace, index=0)
    campaign = CampaignFactory(owner=owner)
    campaign.datasets.add(dataset)
    rater = UserFactory(username="rater")
    assignment = AssignmentFactory(campaign=campaign, rater=rater, trace=trace)
    labels = SegmentRoundFactory(
        campaign=Campaign.objects.create(name="Labels", kind=SEGMENTS, owner=owner)
    )
    labels.round.campaign.datasets.add(dataset)
    segmentation = SegmentationFactory(recording__round=labels.round, person=rater)
    accounts = {
        "stranger": AssignmentFactory().rater,
        "rater": rater,
        "outsider": UserFactory(role=Role.RESEARCHER),
        "owner": owner,
        "administrator": UserFactory(role=Role.ADMINISTRATOR),
    }
    clients = {"anonymous": APIClient()}
    for person, account in accounts.items():
        clients[person] = APIClient()
        clients[person].force_authenticate(account)
    ids = {
        "datasets": dataset.public_id,
        "takes": take.public_id,
        "traces": trace.public_id,
        "assignments": assignment.public_id,
        "segmentations": segmentation.public_id,
        "segment-rounds": segmentation.round.campaign.public_id,
        "campaigns": campaign.public_id,
        "rounds": campaign.rounds.first().public_id,
        "cases": case_to_discuss(owner, rater).public_id,
        "text-endpoints": make_endpoint(owner=owner).public_id,
        "video-endpoints": make_video_endpoint(owner=owner).public_id,
        "agent-endpoints": AgentEndpoint.objects.create(
            name="Agent", base_url="http://127.0.0.1:9", model_name="Agent 1", owner=owner
        ).public_id,
        "runs": run_with_a_clip(dataset, owner).public_id,
        "filed": file_protocol(
            campaign=campaign, moment=FilingMoment.BEFORE_MAIN, actor=owner
        ).public_id,
    }
    accept_consent(
        text=set_consent_text(campaign=campaign, text="Agreed?", actor=owner), rater=rater
    )
    gold = NewGold(0, Metric.PROCEDURE_LOGIC, ["yes"], reason="The kettle stays empty.")
    ids["trainings"] = "none"
    assessment = answering(dataset, owner, rater)
    ids |= {"assessments": assessment.public_id, "item-sets": assessment.item_set.public_id}
    features = FeatureSet.objects.create(dataset=dataset, owner=owner, name="Features", width=1)
    ids["feature-sets"] = features.public_id
    asked = QuestionSet.objects.create(dataset=dataset, owner=owner, name="Questions", source="Tea")
    ids["question-sets"] = asked.public_id
    ids["step-proposals"] = StepProposals.objects.create(
        dataset=dataset, owner=owner, name="Steps", features=features, features_name="Features"
    ).public_id
    reading, _ = text_round(owner, texts=1, people=())
    add_raters(campaign=reading.campaign, raters=[rater], actor=owner)
    ids["text-rounds"] = reading.campaign.public_id
    ids["text-verdicts"] = TextVerdict.objects.get(person=rater).public_id
    ids["gold"] = mark_gold(campaign=campaign, trace=trace, new=gold, actor=owner).public_id
    launch = {
        "POST /api/v1/runs/": {"dataset": dataset.public_id, "seed": 7},
        "POST /api/v1/item-sets/": {
            "name": "Steps again",
            "task": "step_mistakes",
            "source": dataset.public_id,
        },
        "POST /api/v1/question-sets/": {"name": "More", "dataset": dataset.public_id},
        "POST /api/v1/feature-sets/make/": {
            "dataset": dataset.public_id,
            "name": "Plain",
            "extractor": "colour-and-motion",
        },
        "POST /api/v1/campaigns/{public_id}/gold/": {
            "trace": trace.public_id,
            "event": 0,
            "metric": "taxonomy_fit",
            "accepted": ["D"],
            "reason": "The step is left out.",
        },
    }
    return World(clients=clients, ids=ids, bodies={**BODIES, **launch})


def test_every_operation_of_the_schema_has_a_row(db):
    """A new endpoint says in EXPECTED who may use it, and in BODIES what is sent to it."""
    assert set(operations()) == set(EXPECTED)


def test_a_field_that_nobody_knows_is_named(world):
    """What reads a body is derived from `Body` in `api/records/bodies.py`, which sees to this."""
    answers = {}
    for operation in with_json_body():
        with undone():
            answer = world.ask(allowed_person(operation), operation, no_such_field=1)
        said = answer.json().get("no_such_field", [answer.content])[0]
        answers[operation] = (answer.status_code, said[: len(UNKNOWN)])

    assert answers == dict.fromkeys(with_json_body(), (400, UNKNOWN))


def test_a_field_that_nobody_knows_is_named_as_deep_as_it_lies(world):
    operation = "POST /api/v1/assignments/{public_id}/changes/"
    change = world.bodies[operation]["changes"][0] | {"sure": 3}

    answer = world.ask("rater", operation, changes=[change])

    assert (answer.status_code, list(answer.json()["changes"]["0"])) == (400, ["sure"])


def test_half_a_character_is_refused_under_the_name_of_its_field(world):
    schemas = document()["components"]["schemas"]
    expected, answers = {}, {}
    for operation in with_json_body():
        contents = operations()[operation]["requestBody"]["content"]
        fields = schemas[contents["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]]
        halves = dict.fromkeys(fields["properties"], "\ud83d")
        expected[operation] = (400, set(halves), True)
        with undone():
            answer = world.ask(allowed_person(operation), operation, **halves)
        is_told = "lone surrogate" in answer.content.decode()
        answers[operation] = (answer.status_code, set(answer.json()), is_told)

    assert answers == expected


@pytest.mark.parametrize("person", PEOPLE)
def test_operations_answer_each_person_as_expected(world, person):
    answers = {}
    for operation in EXPECTED:
        with undone():
            answers[operation] = world.ask(person, operation).status_code

    assert answers == {name: answer[PEOPLE.index(person)] for name, answer in EXPECTED.items()}


def test_what_is_shared_is_changed_by_nobody_else(world):
    """Researchers read what others share, and use some of it; else it answers as if not there."""
    for model in apps.get_models():
        if any(field.name == "is_shared" for field in model._meta.fields):
            model.objects.update(is_shared=True)
    opened = set()
    for operation in EXPECTED:
        with undone():
            answer = world.ask("outsider", operation)
        if answer.status_code != EXPECTED[operation][PEOPLE.index("outsider")]:
            opened.add(operation)

    assert {operation for operation in opened if not operation.startswith("GET ")} == SHARED_USES
    assert {f"GET /api/v1/{of}/{{public_id}}/" for of in SHARED} < opened


# What changes nothing: the work has not begun, so there is nothing to reopen or to carry over, and
# who was not shown its page has no proof of having watched.
WITHOUT_EFFECT = {
    "POST /api/v1/assignments/{public_id}/reopen/": 200,
    "POST /api/v1/assignments/{public_id}/viewing/": 204,
    "POST /api/v1/segmentations/{public_id}/carry-over/": 200,
    "POST /api/v1/segmentations/{public_id}/reopen/": 200,
    "POST /api/v1/segmentations/{public_id}/viewing/": 204,
}


def rows_of_raters():
    """How many rows there are of all that raters and labellers store."""
    return [
        model.objects.count()
        for model in apps.get_models()
        if model.__name__
        in {"AuditEntry", "RatingEvent", "Viewing", "SegmentEvent", "SegmentViewing"}
    ]


def test_nothing_is_stored_before_the_consent_text_is_accepted(world):
    asked = [
        name
        for name, answers in EXPECTED.items()
        if name.startswith(("POST /api/v1/assignments/", "POST /api/v1/segmentations/"))
        and answers[PEOPLE.index("rater")] != 404
    ]
    for campaign in Campaign.objects.all():
        set_consent_text(campaign=campaign, text="Agreed once more?", actor=campaign.owner)
    before = rows_of_raters()

    answers = {}
    for operation in asked:
        with undone():
            answer = world.ask("rater", operation)
            is_consent = b"accept the consent text" in answer.content
            answers[operation] = "consent" if is_consent else answer.status_code
            assert rows_of_raters() == before

    assert answers == dict.fromkeys(asked, "consent") | WITHOUT_EFFECT


# What a data set of an open campaign is known by.
OF_HIDDEN_DATA = ("datasets", "takes", "traces", "runs")


def test_who_rates_gets_at_nothing_that_belongs_to_the_data(world):
    """Neither the data sets nor the runs over them, whoever owns these."""
    campaign = Campaign.objects.get(public_id=world.ids["campaigns"])
    CampaignRaterFactory(campaign=campaign, rater=campaign.owner)
    asked = [
        name
        for name, answers in EXPECTED.items()
        if name.split("/")[3] in OF_HIDDEN_DATA
        and "{public_id}" in name
        and answers[PEOPLE.index("owner")] != 403
    ]

    answers = {}
    for operation in asked:
        with undone():
            answers[operation] = world.ask("owner", operation).status_code

    lists = [world.ask("owner", f"GET /api/v1/{of}/").content for of in ("datasets", "runs")]
    assert answers == dict.fromkeys(asked, 403)
    assert [campaign.datasets.get().name.encode() in listed for listed in lists] == [False, False]


def token_for(client, credentials):
    return client.post("/api/v1/token/", credentials, content_type="application/json")


def test_a_token_opens_the_api_and_nothing_else_does(world, client):
    asked = token_for(client, {"username": "owner", "password": PASSWORD})
    token = asked.json()["token"]

    with_token = client.get("/api/v1/account/", headers={"Authorization": f"Token {token}"})
    with_another = client.get("/api/v1/account/", headers={"Authorization": "Token 123"})

    assert with_token.json() == {"username": "owner", "role": "researcher"}
    assert with_another.status_code == 401


def test_a_name_that_no_account_can_have_gets_no_token(world, client):
    asked = token_for(client, {"username": "a" * 151, "password": "guess"})

    assert asked.status_code == 400
    assert asked.json() == {"username": ["Ensure this field has no more than 150 characters."]}


def test_a_wrong_password_gets_no_token(world, client):
    asked = token_for(client, {"username": "owner", "password": "guess"})

    assert (asked.status_code, "token" in asked.json()) == (400, False)
