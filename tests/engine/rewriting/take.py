"""One short take for the tests of error and correction types, and how to write it."""

import numpy as np

from generation.engine.rewriting.added_steps import extra_steps
from generation.engine.rewriting.writer import write_rewrite
from tests.engine.rewriting.plans import plan_of

EGG = [
    ("Get a bowl from the cabinet", "GET(Object: bowl, Origin: from(cabinet))"),
    ("Get an egg from the fridge", "GET(Object: egg, Origin: from(fridge))"),
    ("Crack the egg into the bowl", "CRACK(Object: egg, Destination: into(bowl))"),
    ("Get a fork from the drawer", "GET(Object: fork, Origin: from(drawer))"),
    ("Whisk the egg with the fork", "WHISK(Object: egg, Instrument: with(fork))"),
    ("Wipe the table with a cloth", "WIPE(Object: table, Instrument: with(cloth))"),
]


def rows_of(errors, corrections=(), *, seed=0, steps=EGG):
    """Return the rows of the take with these events."""
    plan = plan_of(steps, errors, corrections)
    return write_rewrite(plan, rng=np.random.default_rng(seed)).rewrite.rows


def correction_text(errors, correction, *, seed=0, steps=EGG):
    """Return the text of the only correction."""
    rows = rows_of(errors, [correction], seed=seed, steps=steps)
    (text,) = [row.text for row in rows if row.correction_id is not None]
    return text


def extra_steps_at(scene, index):
    """All that could be done too much before a step."""
    found = (added for form in extra_steps(scene, index) for added in form())
    return list({added.text: added for added in found}.values())
