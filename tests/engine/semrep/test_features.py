"""Counting, roles and entities from the tree, and their equality with the published plan."""

import pytest

from generation.engine.semrep import features, parse
from generation.engine.semrep.features import ComplexityCounts, count_complexity
from generation.engine.semrep.published import published_counts, published_fields


def features_of(text):
    return features(parse(text).tree)


def test_complexity_counts_each_part_once():
    text = "STIR(Agent: you, Object: tea, Temporal: UNTIL(BOIL(Object: tea, Location: in(pot))))"

    counts = count_complexity(parse(text).tree)

    # Predicates STIR UNTIL BOIL; five roles; STIR( UNTIL( BOIL( in( nested four deep; relations
    # are the role Temporal with a clause and the word UNTIL; tokens you tea in pot.
    assert counts == ComplexityCounts(predicates=3, roles=5, depth=4, relations=2, tokens=4)
    assert counts.complexity == features_of(text).complexity == 3 + 5 + 2 * 4 + 2 + 0.5 * 4


def test_features_give_the_first_clause_roles_as_the_plan_file_does():
    found = features_of("GET(Agent: you, Object: lid(of(jar)), Origin: from(shelf))")

    assert found.predicate == "GET"
    assert found.role_to_value == {
        "Agent": "you",
        "Object": "lid(of(jar))",
        "Origin": "from(shelf)",
    }


@pytest.mark.parametrize(
    ("value", "heads"),
    [
        ("cup", ("cup",)),
        ("in(pan)", ("pan",)),
        ("around(rim(of(cup)))", ("rim", "cup")),
        ("cup(Location: on(shelf))", ("cup", "shelf")),
        ("salt & oil", ("salt", "oil")),
        ("cut(carrots)(Origin: from(board))", ("carrots", "board")),
        ("some(of(coffee))", ("coffee",)),
        ("hands(of(her))", ("hands",)),
        ("oil(Quantity: too_much)", ("oil",)),
        ("SPREAD(Agent: oil, Destination: into(space))", ("space",)),
    ],
)
def test_entities_are_heads_and_never_role_words_pronouns_or_prepositions(value, heads):
    found = features_of(f"DO_IT(Agent: you, Object: {value})")

    assert found.entity_heads_by_role == {"Object": heads}
    assert found.object_head == heads[0]


def test_entities_come_from_every_clause_of_the_step():
    found = features_of("OPEN(Object: jar); POUR(Object: oil, Manner: gently, Temporal: now)")

    assert found.entity_heads_by_role == {"Object": ("jar", "oil")}


def test_features_of_a_step_without_object_say_so():
    found = features_of("WAIT(Agent: you)")

    assert (found.object_head, found.entity_heads_by_role) == (None, {})


@pytest.mark.shared_data
def test_published_features_equal_the_plan_for_all_1259_steps(published_steps):
    assert len(published_steps) == 1259
    for step in published_steps:
        text = step["semantic_representation"]
        predicate, role_to_value, object_value = published_fields(text)
        assert {
            "predicate": predicate,
            "roles_present": sorted(role_to_value),
            "role_to_value": role_to_value,
            "object_value": object_value,
            "complexity": published_counts(text).complexity,
        } == {key: step[key] for key in PLAN_FIELDS}


PLAN_FIELDS = ("predicate", "roles_present", "role_to_value", "object_value", "complexity")


@pytest.mark.shared_data
def test_tree_complexity_equals_the_plan_for_all_1259_steps(published_steps):
    differing = [
        step["semantic_representation"]
        for step in published_steps
        if features_of(step["semantic_representation"]).complexity != step["complexity"]
    ]

    assert differing == []


@pytest.mark.shared_data
def test_tree_counts_differ_from_the_characters_only_before_a_bracket(published_strings):
    differing = [
        text
        for text in published_strings
        if count_complexity(parse(text).tree) != published_counts(text)
    ]

    # `Result: (USE(...) & DAMAGE(...))` is a relation; the characters after the colon hide it.
    assert [text.count("Result: (USE(") for text in differing] == [1]


@pytest.mark.shared_data
def test_no_role_pronoun_or_preposition_is_an_entity_in_the_published_plan(published_steps):
    entities = set()
    for step in published_steps:
        by_role = features_of(step["semantic_representation"]).entity_heads_by_role
        entities.update(head for heads in by_role.values() for head in heads)

    assert entities.isdisjoint(
        {"location", "object", "agent", "into", "of", "from", "on", "in", "you", "her", "its"}
    )
