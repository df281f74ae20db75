"""The yardstick of added texts, and the writer held to it with one seed."""

from bench import added_texts
from bench.added_texts import AddedText, own_share, procedure_of, repeat_share, write_one

WASH = procedure_of("wash", "Wash a car", ["rinse the car", "scrub the hood with the sponge"])


def added(*texts):
    return [AddedText(WASH, "car care", text, None) for text in texts]


def test_own_share_counts_texts_with_a_thing_of_their_procedure():
    found = added("Drop the sponges.", "Drop a coin", "Lean on the hood", "Rinse the phone")

    assert own_share(found) == 0.5


def test_repeat_share_counts_every_text_that_reads_like_another():
    found = added("Drop the sponge.", "drop the sponge", "Drop a coin", "Lean on the hood")

    assert repeat_share(found) == 0.5


def test_procedures_are_of_many_domains_and_each_is_read():
    procedures = added_texts.read_procedures()

    assert len(procedures) >= 60
    assert len({domain for domain, _ in procedures}) >= 12
    assert all(step.semrep for _, procedure in procedures for step in procedure.steps)


def test_writer_adds_what_the_procedures_have_in_hand():
    found, invalid = [], []
    for domain, procedure in added_texts.read_procedures():
        is_valid, texts = write_one(procedure, domain, seed=11)
        found += texts
        invalid += [] if is_valid else [procedure.scenario]

    assert invalid == []
    assert own_share(found) >= added_texts.MIN_OWN_SHARE
    assert repeat_share(found) <= added_texts.MAX_REPEAT_SHARE
