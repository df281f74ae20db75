"""Reading and printing representations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.engine.semrep import Argument, SemRep, SemRepError, Term, parse
from generation.engine.semrep.parser import MAX_DEPTH
from generation.engine.semrep.tree import Joint, Parentheses

ROLES = st.sampled_from(["Agent", "Object", "Location", "Instead_of", "Step1"])
WORDS = st.sampled_from(["cup", "in", "of", "sugar_2", "1-2_minutes"])
PREDICATES = st.sampled_from(["GET", "TURN_ON", "RE-POUR", "WHILE"])
JOINERS = st.sampled_from([" & ", "; ", " ; ", " AND "])


def values_around(values):
    arguments = st.builds(Argument, st.none() | ROLES, values)
    groups = st.lists(arguments, min_size=1, max_size=2).map(tuple).map(Parentheses)
    terms = st.builds(Term, WORDS | PREDICATES, st.lists(groups, max_size=2).map(tuple))
    return terms | st.builds(lambda a, b, joiner: Joint((a, b), (joiner,)), terms, terms, JOINERS)


VALUES = st.recursive(st.builds(Term, WORDS), values_around, max_leaves=8)
CLAUSES = st.builds(
    lambda predicate, value: Term(predicate, (Parentheses((Argument("Object", value),)),)),
    PREDICATES,
    VALUES,
)
TREES = st.builds(
    SemRep, CLAUSES, st.lists(st.builds(Argument, ROLES, VALUES), max_size=2).map(tuple)
)


def is_balanced(text):
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def test_parse_builds_the_tree_of_a_nested_clause():
    tree = parse("ADD(Agent: you, Object: salt, Destination: to(cup(Location: on(shelf))))").tree

    shelf = Term("on", (Parentheses((Argument(None, Term("shelf")),)),))
    cup = Term("cup", (Parentheses((Argument("Location", shelf),)),))
    assert tree.predicate == "ADD"
    assert tree.arguments == (
        Argument("Agent", Term("you")),
        Argument("Object", Term("salt")),
        Argument("Destination", Term("to", (Parentheses((Argument(None, cup),)),))),
    )


def test_parse_reads_an_embedded_clause_as_a_predicate():
    tree = parse("HUM(Agent: you, Temporal: WHILE(STIR(Agent: you, Object: tea)))").tree

    temporal = tree.argument("Temporal")

    assert (temporal.word, temporal.is_clause) == ("WHILE", True)
    assert [term.word for term in tree.terms() if term.is_clause] == ["HUM", "WHILE", "STIR"]


@pytest.mark.parametrize(
    "text",
    [
        "STOP(Agent: you) & GET(Agent: you, Object: cup)",
        "STOP(Agent: you); GET(Agent: you, Object: cup)",
        "STOP(Agent: you) ; GET(Agent: you, Object: cup )",
        "STOP(Agent: you) AND GET(Agent: you, Object: cup)",
        "STOP(Agent: you), GET(Agent: you, Object: cup)",
    ],
)
def test_parse_keeps_every_clause_of_a_joined_text(text):
    tree, warnings = parse(text)

    assert [clause.word for clause in tree.clauses] == ["STOP", "GET"]
    assert str(tree) == text
    assert warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "READ(Agent: you, Path: from(start) to(finish))",
        "ADD(Agent: you, Object: cut(carrots)(Origin: from(board)), Coobject: bowl)",
        "WIPE(Result: (USE(Object: force) & DAMAGE(Object: chain)))",
        "DO(Steps: [STOP(Agent: you), REDO(Agent: you)])",
        "DO(Steps: [STOP(Agent: you), REDO(Agent: you) ])",
        "TURN(Agent: you, Object: knob), RESULT: FALL(Object: heat)",
        "WAIT(Agent: you, Duration: for(1-2_minutes))",
    ],
)
def test_parse_and_print_are_inverse_on_rare_forms(text):
    assert (str(parse(text).tree), parse(text).warnings) == (text, ())


def test_parse_closes_what_is_left_open_and_names_the_text():
    tree, warnings = parse("GET(Agent: you, Origin: from(shelf)")

    assert str(tree) == "GET(Agent: you, Origin: from(shelf))"
    assert warnings == (
        "1 closing parenthesis missing at the end in 'GET(Agent: you, Origin: from(shelf)'",
    )


def test_parse_passes_over_what_closes_nothing_and_goes_on():
    tree, warnings = parse("TOSS(Object: salad)), STIR(Object: tea)")

    assert str(tree) == "TOSS(Object: salad), STIR(Object: tea)"
    assert warnings == (
        "')' at character 20 belongs to nothing in 'TOSS(Object: salad)), STIR(Object: tea)'",
    )


def test_parse_warns_of_a_missing_value():
    tree, warnings = parse("GET(Agent: you, Object: )")

    assert tree.argument("Object") == Term("")
    assert warnings == ("a value is missing before ')' in 'GET(Agent: you, Object: )'",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("  ", "is empty"),
        ("get(Object: cup)", "does not start with a predicate in upper case"),
        ("()", "does not start with a predicate in upper case"),
        ("A(Object: cup)", "does not start with a predicate in upper case"),
        ("GET" + "(a" * (MAX_DEPTH + 1), f"nests deeper than {MAX_DEPTH}"),
    ],
)
def test_parse_refuses_what_holds_no_representation(text, reason):
    with pytest.raises(SemRepError, match=reason):
        parse(text)


@given(TREES)
def test_parse_reads_back_any_printed_tree(tree):
    assert parse(str(tree)) == (tree, ())


@given(st.text(alphabet="AGET(),:&; []cup_", max_size=60))
def test_parse_never_fails_in_another_way_than_its_own(text):
    try:
        tree, _ = parse(text)
    except SemRepError:
        return

    assert parse(str(tree)).tree.predicate == tree.predicate


@pytest.mark.shared_data
def test_parse_prints_back_every_balanced_published_string(published_strings):
    balanced = [text for text in published_strings if is_balanced(text)]

    assert len(balanced) == 1264
    assert [(str(parse(text).tree), parse(text).warnings) for text in balanced] == [
        (text, ()) for text in balanced
    ]


@pytest.mark.shared_data
def test_parse_mends_each_unbalanced_published_string_with_one_warning(published_strings):
    unbalanced = [text for text in published_strings if not is_balanced(text)]

    assert len(unbalanced) == 37
    for text in unbalanced:
        tree, warnings = parse(text)
        assert len(warnings) == 1
        assert repr(text) in warnings[0]
        assert parse(str(tree)) == (tree, ())
        assert str(tree).rstrip(")") == text.rstrip(")")
