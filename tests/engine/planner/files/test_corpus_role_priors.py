import csv

import pytest

from generation.engine.planner.files.corpus_role_priors import role_priors_of, with_role_priors
from generation.engine.planner.profiles import PIEV


def test_role_priors_skip_what_cannot_be_read():
    assert role_priors_of(["", "GET(Agent: you, Object: cup)", "no predicate"]) == {
        "GET": {"Agent": 0.5, "Object": 0.5}
    }


def test_profile_with_role_priors_keeps_everything_else():
    changed = with_role_priors(PIEV, {"GET": {"Object": 0.5}})

    assert changed.wrong_execution.role_priors == {"GET": {"Object": 0.5}}
    assert with_role_priors(changed, PIEV.wrong_execution.role_priors) == PIEV


@pytest.mark.shared_data
def test_role_priors_of_the_vocabulary_equal_the_published_table(shared_data, published_input):
    path = shared_data / "piev" / "semantic_roles_by_predicate.csv"
    with path.open() as handle:
        published = {
            (row["predicate"], row["role"]): float(row["share_in_predicate"])
            for row in csv.DictReader(handle)
        }
    ours = {
        (predicate, role): share
        for predicate, roles in role_priors_of(
            published_input.representations.vocabulary_semreps()
        ).items()
        for role, share in roles.items()
    }

    differing = {
        predicate
        for predicate, role in published.keys() | ours.keys()
        if abs(published.get((predicate, role), 0) - ours.get((predicate, role), 0)) > 1e-6
    }
    # Two published strings are unbalanced so that the table gives a role to the other clause.
    assert differing <= {"BACKPEDAL", "DRY_OFF", "MOVE", "WIPE"}
