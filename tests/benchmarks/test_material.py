"""What tasks are made of, read from a data set."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.selectors.material import dataset_source

pytestmark = pytest.mark.django_db


def test_what_an_import_said_is_read_once_and_not_with_each_recording(sample):
    """It is as long as a data set has oddities: reading grew faster than the recordings."""
    with CaptureQueriesContext(connection) as asked:
        source = dataset_source(None, sample.public_id)

    assert len(source.material.recordings) > 20
    assert sum("import_warnings" in query["sql"] for query in asked) == 1
