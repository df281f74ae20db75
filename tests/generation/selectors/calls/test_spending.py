"""How the calls of a payer, or of one part of it, are found."""

import re

import pytest
from django.db import connection

from benchmarks.models import AgentCall
from generation.models import ClipCall, TextCall
from generation.selectors.calls.spending import paid_by

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", [TextCall, ClipCall, AgentCall])
def test_attempts_of_one_part_are_found_without_reading_the_others(kind) -> None:
    _, attempts, _ = paid_by(kind, "run:a", part=3)
    if connection.vendor == "postgresql":
        # It would read a table as small as this one from end to end.
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")

    plan = attempts.order_by().explain()

    assert "attempt_by_payer" in plan
    # Both in the condition of the index, which stands in one line.
    assert re.search(r"payer\W.*part\W", plan), plan
