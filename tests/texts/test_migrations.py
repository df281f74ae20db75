"""What migrations do to verdicts that are kept."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.migrated import copy_tables
from tests.texts.reading_rounds import give, places, text_round
from texts.models import TextVerdict

BEFORE, AFTER = ("texts", "0002_text_round_figures"), ("texts", "0006_no_single_reason")


def moved_to(target):
    executor = MigrationExecutor(connection)
    executor.migrate([target])
    leaves = [leaf for leaf in executor.loader.graph.leaf_nodes() if leaf[0] != "texts"]
    return MigrationExecutor(connection).loader.project_state([*leaves, target]).apps


@pytest.fixture
def fresh_tables_after(transactional_db):
    yield
    copy_tables()


def test_the_one_reason_of_a_verdict_is_its_first_and_back(owner, fresh_tables_after):
    made, _ = text_round(owner)
    rejected, accepted = places(made, key="q0").values()
    give(rejected, "reject", reasons=("wrong", "language"))
    give(accepted, "accept")

    old = moved_to(BEFORE).get_model("texts", "TextVerdict").objects
    assert dict(old.exclude(verdict="").values_list("verdict", "reason")) == {
        "reject": "wrong", "accept": "",
    }  # fmt: skip
    moved_to(AFTER)

    kept = TextVerdict.objects.exclude(verdict="").values_list("verdict", "reasons")
    assert dict(kept) == {"reject": ["wrong"], "accept": []}
    made.texts.refresh_from_db()
    assert made.texts.margin_s == 2.0
