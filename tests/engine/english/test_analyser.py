"""Representations made from imperative English; the sentences are ours, not the data set's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.engine.english.analyser import analyse
from generation.engine.english.clauses import MAX_SENTENCE_WORDS
from generation.engine.semrep import SemRepError, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Open the tin", "OPEN(Agent: you, Object: tin)"),
        ("Lifts the tin.", "LIFT(Agent: you, Object: tin)"),
        ("You lift the tin", "LIFT(Agent: you, Object: tin)"),
        ("3. Unbox the lamp", "UNBOX(Agent: you, Object: lamp)"),
        ("Wait", "WAIT(Agent: you)"),
    ],
)
def test_analyse_finds_the_verb_and_its_base_form(text, expected):
    assert str(analyse(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Turn on the lamp", "TURN_ON(Agent: you, Object: lamp)"),
        ("Turn the lamp on", "TURN_ON(Agent: you, Object: lamp)"),
        ("Turn the dial on the lamp", "TURN(Agent: you, Object: dial, Location: on(lamp))"),
        ("Put away the saw", "PUT_AWAY(Agent: you, Object: saw)"),
        ("Shake away old bark", "SHAKE_AWAY(Agent: you, Object: old_bark)"),
        (
            "Let dry for an hour then reattach the cap",
            "LET(Agent: you, Purpose: DRY(Agent: you, Duration: for(hour)))"
            " & REATTACH(Agent: you, Object: cap)",
        ),
        ("Let water in", "LET(Agent: you, Object: water)"),
        (
            "Put the saw back on the hook",
            "PUT_BACK(Agent: you, Object: saw, Destination: on(hook))",
        ),
        ("Stir-fry the leeks", "STIR_FRY(Agent: you, Object: leeks)"),
        ("Air dry the felt", "AIR_DRY(Agent: you, Object: felt)"),
        (
            "Drain and deep fry the leeks",
            "DRAIN(Agent: you, Object: leeks) & DEEP_FRY(Agent: you, Object: leeks)",
        ),
        ("Serve the stir fry", "SERVE(Agent: you, Object: stir_fry)"),
        ("Press down the lid", "PRESS_DOWN(Agent: you, Object: lid)"),
        ("Press down on the lid", "PRESS(Agent: you, Object: lid, Direction: down)"),
        ("Move the saw back", "MOVE(Agent: you, Object: saw, Direction: back)"),
        ("Take the cork out of the jug", "TAKE(Agent: you, Object: cork, Origin: out_of(jug))"),
    ],
)
def test_analyse_joins_a_verb_with_its_particle(text, expected):
    assert str(analyse(text)) == expected


@pytest.mark.parametrize(
    ("text", "role", "value"),
    [
        ("Take a nail from the tin", "Origin", "from(tin)"),
        ("Pour the glue into the mould", "Destination", "into(mould)"),
        ("Carry the glue to the bench", "Destination", "bench"),
        ("Lay the plank on the bench", "Destination", "on(bench)"),
        ("Saw the plank on the bench", "Location", "on(bench)"),
        ("Saw the plank with a fretsaw", "Instrument", "fretsaw"),
        ("Saw the plank using a fretsaw", "Instrument", "fretsaw"),
        ("Blend the glue with water", "Coobject", "with(water)"),
        ("Attach the hinge to the door", "Coobject", "to(door)"),
        ("Slide the saw along the line", "Path", "along(line)"),
        ("Saw the plank into quarters", "Result", "quarters"),
        ("Saw the plank slowly", "Manner", "slowly"),
        ("Carefully saw the plank", "Manner", "carefully"),
        ("Shake the can well", "Degree", "well"),
        ("Dry it for 2 to 3 hours", "Duration", "for(2_3_hours)"),
        ("Press it to close the lid", "Purpose", "CLOSE(Agent: you, Object: lid)"),
        ("Check the pipe for leaks", "Purpose", "FIND(Agent: you, Object: leaks)"),
        ("Look if the glue is dry", "Proposition", "DRY(Object: glue)"),
        (
            "Stir the glue while heating the pot",
            "Temporal",
            "WHILE(HEAT(Agent: you, Object: pot))",
        ),
        ("Wait until the glue is not wet", "Temporal", "UNTIL(NOT(WET(Object: glue)))"),
        ("Wait until the glue hardens", "Temporal", "UNTIL(HARDEN(Object: glue))"),
        ("Roast it until lightly charred", "Temporal", "UNTIL(CHARRED(Manner: lightly))"),
        ("Melt it by warming the pot", "Manner", "WARM(Agent: you, Object: pot)"),
        ("With a brush, spread the glue", "Instrument", "brush"),
        ("After sanding, wipe the plank", "Temporal", "AFTER(SAND(Agent: you))"),
    ],
)
def test_analyse_gives_a_phrase_its_role(text, role, value):
    assert str(analyse(text).argument(role)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Oil the hinge of the door", "hinge(of(door))"),
        ("Oil the door's hinge", "hinge(of(door))"),
        ("Dry her hair", "hair(of(her))"),
        ("Add some glue", "glue(Quantity: some)"),
        ("Add 2 tablespoons of glue", "glue(Quantity: 2_tablespoons)"),
        ("Add 1/2 cup flour", "flour(Quantity: 1/2_cup)"),
        ("Sand the shelf, door and legs", "shelf & door & legs"),
        ("Pour the glue and water mixture", "glue_and_water_mixture"),
        ("Stir the glue in the pot", "glue(Location: in(pot))"),
        ("Pour the glue in the pot into the mould", "glue(Location: in(pot))"),
    ],
)
def test_analyse_builds_the_object_with_what_belongs_to_it(text, value):
    assert str(analyse(text).argument("Object")) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Open the tin and stir the glue",
            "OPEN(Agent: you, Object: tin) & STIR(Agent: you, Object: glue)",
        ),
        (
            "Rinse and dry the brush",
            "RINSE(Agent: you, Object: brush) & DRY(Agent: you, Object: brush)",
        ),
        ("Mix salt and pepper", "MIX(Agent: you, Object: salt & pepper)"),
        (
            "Open the tin. Stir the glue.",
            "OPEN(Agent: you, Object: tin) & STIR(Agent: you, Object: glue)",
        ),
        ("Do not shake the tin", "NOT(SHAKE(Agent: you, Object: tin))"),
        ("Don't shake the tin", "NOT(SHAKE(Agent: you, Object: tin))"),
        ("Add-Add 1 egg (a large one)", "ADD(Agent: you, Object: egg(Quantity: 1))"),
        ("Add-1 egg", "ADD(Agent: you, Object: egg(Quantity: 1))"),
        ("4 eggs", "DO(Agent: you, Object: eggs(Quantity: 4))"),
    ],
)
def test_analyse_separates_clauses_and_reads_prefixes(text, expected):
    assert str(analyse(text)) == expected


@pytest.mark.parametrize("text", ["", "  ", "...", "and"])
def test_analyse_refuses_a_text_without_a_word(text):
    with pytest.raises(SemRepError, match="has no word"):
        analyse(text)


def test_analyse_refuses_a_sentence_that_is_too_long_to_be_a_step():
    with pytest.raises(SemRepError, match="has a sentence of 51 words; at most 50"):
        analyse("Wait. " + "Stir hot " * 25 + "tea.")


@pytest.mark.parametrize(
    "repeated", ["lid of ", "check if ", "never stir ", "to stir ", "cup 's ", "in cup ", "a and "]
)
def test_analyse_of_the_longest_sentence_still_reads_back(repeated):
    count = (MAX_SENTENCE_WORDS - 2) // len(repeated.split())
    tree = analyse("Open " + repeated * count + "it")

    assert parse(str(tree)) == (tree, ())


VOCABULARY = """
    put pour the a cup of in into to and , . with while until is not if back on 2 1/2 ' ( ) ; & -
    you her its 's over stir-fry as by for slowly well it
"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=30))
def test_analyse_of_any_text_prints_as_a_representation_that_reads_back(text):
    try:
        tree = analyse(text)
    except SemRepError:
        return

    assert parse(str(tree)) == (tree, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rake out the ash", "RAKE_OUT(Agent: you, Object: ash)"),
        (
            "Pack the saw close to your back",
            "PACK(Agent: you, Object: saw, Location: close_to(back))",
        ),
        (
            "Insert the hinge with the pin to the left",
            "INSERT(Agent: you, Object: hinge, Instrument: pin, Destination: left)",
        ),
        ("Oil the hinge one by one", "OIL(Agent: you, Object: hinge, Manner: one_by_one)"),
        ("Oil all the hinges", "OIL(Agent: you, Object: hinges)"),
        ("Oil at least two hinges", "OIL(Agent: you, Object: two_hinges)"),
        ("Pull out of the hinge", "PULL(Agent: you, Origin: out_of(hinge))"),
        ("Step forward a bit", "STEP(Agent: you, Direction: forward, Degree: a_bit)"),
        (
            "Lift the lid as high as it goes",
            "LIFT(Agent: you, Object: lid, Temporal: WHILE(GO(Object: it)))",
        ),
        ("Catch the first", "CATCH(Agent: you, Object: first)"),
        ("Oil hinge A and B", "OIL(Agent: you, Object: hinge & b)"),
    ],
)
def test_names_of_things_have_no_function_words(text, expected):
    assert str(analyse(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Oil the hinge the next morning", "Temporal: next_morning"),
        ("Oil the hinge at ten minutes", "Temporal: at(ten_minutes)"),
        ("Turn the screw a quarter turn", "Degree: quarter_turn"),
        ("Saw the plank 4 cm below the line", "Degree: cm(Quantity: 4)"),
        ("Hold it upright", "Manner: upright"),
        ("Give it a rub", "Coobject: rub"),
    ],
)
def test_second_phrase_without_preposition_is_no_part_of_the_first(text, expected):
    tree = analyse(text)

    assert expected in str(tree)
    assert "_the_" not in str(tree)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hand the saw to the man that asked", "HAND(Agent: you, Object: saw, Destination: man)"),
        (
            "Lay the saw that you oiled on the bench",
            "LAY(Agent: you, Object: saw, Destination: on(bench))",
        ),
        ("Find two planks thicker than your thumb", "FIND(Agent: you, Object: two_planks)"),
        (
            "Line the planks up so the glue dries",
            "LINE_UP(Agent: you, Object: planks, Purpose: DRY(Object: glue))",
        ),
        (
            "Saw where the lines cross",
            "SAW(Agent: you, Condition: WHERE(lines_cross))",
        ),
        (
            "Have a helper lift the plank",
            "HAVE(Agent: you, Object: helper, Purpose: LIFT(Agent: you, Object: plank))",
        ),
        (
            "Redo both steps in the right order: get the saw, then oil it",
            "REDO(Agent: you, Object: both_steps, Location: in(right_order))"
            " & GET(Agent: you, Object: saw) & OIL(Agent: you, Object: it)",
        ),
        ("Let the glue run", "LET(Agent: you, Object: glue, Purpose: RUN(Agent: you))"),
        (
            "Check that the glue stays wet",
            "CHECK(Agent: you, Proposition: STAY(Object: glue))",
        ),
        (
            "Lift off the lid and don't spill it",
            "LIFT_OFF(Agent: you, Object: lid) & NOT(SPILL(Agent: you, Object: it))",
        ),
    ],
)
def test_clauses_about_a_thing_are_no_part_of_its_name(text, expected):
    assert str(analyse(text)) == expected
