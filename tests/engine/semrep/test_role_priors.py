"""Role priors: counted, written, read, and refused with file, row and field."""

import csv

import pytest

from generation.engine.semrep import (
    ROLE_IMPACT,
    Impact,
    RolePriors,
    RoleResourceError,
    estimate_role_priors,
    parse,
    read_role_impact,
    read_role_priors,
    unknown_roles,
)
from generation.engine.semrep.role_priors import PRIOR_COLUMNS


def trees_of(*texts):
    return [parse(text).tree for text in texts]


HEADER = ",".join(PRIOR_COLUMNS)


def write_rows(path, *lines, header=HEADER):
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def test_estimate_counts_a_nested_role_for_the_nearest_predicate():
    priors = estimate_role_priors(
        trees_of(
            "GET(Agent: you, Object: cup(Location: on(shelf)))",
            "GET(Agent: you, Temporal: WHILE(STIR(Agent: you, Object: tea)))",
        )
    )

    assert priors.counts == {
        "GET": {"Agent": 2, "Object": 1, "Location": 1, "Temporal": 1},
        "STIR": {"Agent": 1, "Object": 1},
    }
    assert priors.share("GET", "Agent", default=0.05) == 2 / 5
    assert priors.share("GET", "Manner", default=0.05) == 0.05
    assert priors.share("HUM", "Agent", default=0.05) == 0.05


def test_priors_written_as_rows_read_back_equal(tmp_path):
    priors = estimate_role_priors(
        trees_of("GET(Agent: you, Object: cup)", "GET(Agent: you)", "ADD(Object: salt)")
    )
    path = tmp_path / "priors.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, PRIOR_COLUMNS)
        writer.writeheader()
        writer.writerows(priors.to_rows())

    assert read_role_priors(path) == priors


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["GET,Agent,x,1,1.0"], "priors.csv, row 2: count is 'x'; expected a whole number above 0"),
        (["GET,Agent,-1,1,1.0"], "priors.csv, row 2: count is '-1'"),
        (["GET,,1,1,1.0"], "priors.csv, row 2: role is ''; expected a name"),
        (["GET,Agent,1"], "priors.csv, row 2: predicate_total is None; expected a value"),
        (
            ["GET,Agent,1,2,0.5", "GET,Agent,1,2,0.5"],
            "priors.csv, row 3: role is 'Agent'; expected each role once per predicate",
        ),
        (
            ["GET,Agent,1,3,0.333333"],
            "priors.csv, row 2: predicate_total is 3; expected 1, the sum of the counts of GET",
        ),
        (
            ["GET,Agent,1,2,0.5", "GET,Object,1,2,0.4"],
            "priors.csv, row 3: share_in_predicate is '0.4'; expected 0.500000",
        ),
        (["GET,Agent,1,1,nan"], "priors.csv, row 2: share_in_predicate is 'nan'"),
        ([], "priors.csv: has a header and no row"),
    ],
)
def test_read_role_priors_names_file_row_and_field(tmp_path, lines, message):
    path = write_rows(tmp_path / "priors.csv", *lines)

    with pytest.raises(RoleResourceError) as raised:
        read_role_priors(path)

    assert str(raised.value).startswith(message)


def test_read_role_priors_refuses_other_columns(tmp_path):
    path = write_rows(tmp_path / "priors.csv", "Agent,1", header="role,count")

    with pytest.raises(RoleResourceError, match=r"priors.csv, row 1: .*missing \['predicate'"):
        read_role_priors(path)


def test_read_role_impact_names_an_unknown_impact(tmp_path):
    path = write_rows(tmp_path / "roles.csv", "Agent,3,huge", header="role,count,impact")

    with pytest.raises(RoleResourceError, match=r"roles.csv, row 2: impact is 'huge'; .* medium"):
        read_role_impact(path)


def test_unknown_roles_are_named_once_in_order():
    [tree] = trees_of("GET(Agent: you, Size: big, Object: cup(Owner: you, Size: big))")

    assert unknown_roles(tree) == ("Size", "Owner")


def test_impact_of_the_roles_is_the_published_one_by_hand():
    high = {role for role, impact in ROLE_IMPACT.items() if impact is Impact.HIGH}
    medium = {role for role, impact in ROLE_IMPACT.items() if impact is Impact.MEDIUM}

    assert high == {"Agent", "Object", "Coobject"}
    assert medium == {"Location", "Destination", "Origin", "Instrument", "Purpose", "Content"}
    assert len(ROLE_IMPACT) == 21


@pytest.mark.shared_data
def test_read_role_impact_reads_the_published_table(shared_data):
    assert read_role_impact(shared_data / "piev" / "semantic_roles.csv") == ROLE_IMPACT


@pytest.mark.shared_data
def test_estimated_priors_equal_the_published_table_but_for_two_clauses(
    shared_data, published_cache
):
    published = read_role_priors(shared_data / "piev" / "semantic_roles_by_predicate.csv")
    base = [entry for key, entry in published_cache.items() if key.isdigit()]

    found = estimate_role_priors(trees_of(*(e["semantic_representation"] for e in base)))

    # In two of the 958 the table gives a Temporal that follows an embedded clause to that clause.
    assert len(base) == 958
    assert list(pairs_that_differ(published, found)) == [
        ("BACKPEDAL", "Temporal", 2, 1),
        ("DRY_OFF", "Temporal", 1, 0),
        ("MOVE", "Temporal", 0, 1),
        ("WIPE", "Temporal", 0, 1),
    ]


def pairs_that_differ(first: RolePriors, second: RolePriors):
    pairs = {
        (p, r) for priors in (first, second) for p, roles in priors.counts.items() for r in roles
    }
    for predicate, role in sorted(pairs):
        counts = [priors.counts.get(predicate, {}).get(role, 0) for priors in (first, second)]
        if counts[0] != counts[1]:
            yield predicate, role, *counts
