"""What tasks are made of, read from a data set."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.engine.taxonomy import Speaker
from annotation.models import Utterance
from benchmarks.selectors.material import dataset_source

pytestmark = pytest.mark.django_db


def test_what_an_import_said_is_read_once_and_not_with_each_recording(sample):
    """It is as long as a data set has oddities: reading grew faster than the recordings."""
    with CaptureQueriesContext(connection) as asked:
        source = dataset_source(None, sample.public_id)

    assert len(source.material.recordings) > 20
    assert sum("import_warnings" in query["sql"] for query in asked) == 1


def test_what_is_said_in_a_take_and_in_a_trace_is_read(sample):
    take, trace = sample.takes.first(), sample.traces.first()
    said = {"index": 0, "who": Speaker.USER, "start_s": 1.0, "end_s": 2.0, "reason": "distraction"}
    Utterance.objects.create(take=take, text="Is it Monday?", **said)
    Utterance.objects.create(trace=trace, text="Who is calling?", **said)

    recordings = dataset_source(None, sample.public_id).material.recordings

    words = {one.key: [(spoken.text, spoken.reason) for spoken in one.said] for one in recordings}
    assert words[f"take:{take.uid}"] == [("Is it Monday?", "distraction")]
    assert words[f"trace:{trace.uid}"] == [("Who is calling?", "distraction")]
    assert sum(map(len, words.values())) == 2
