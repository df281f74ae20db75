"""What the rule-based writer adds to procedures that its word lists were not made for.

The procedures are `data/procedures_elsewhere.toml`: everyday domains that the planner and the
writer have no word lists of their own for. Each is planned, written and judged with every seed. An
*added text* is the text of an inserted step or of one that stands in place of another
(substitution), as the judge leaves it.

- *own-thing share*: added texts that name a thing of their own procedure, of all added texts. A
  thing of a procedure is what one of its steps names as a concrete thing: the last word of each of
  its noun phrases, in the singular, read by the analyser from the text. To name it is to hold this
  word, in whatever number.
- *repeat share*: added texts that read like at least one other added text of the corpus, of any
  procedure and seed and whatever its case and punctuation, of all added texts.

Neither says whether a text makes sense: `--show 50` prints texts drawn at random, each below its
procedure, to be read.

    python -m bench.added_texts [--seeds 3] [--show 0]
"""

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annotation.engine.corpus.procedure import Step, Take
from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.corrections.simulation import correct_plan
from generation.engine.english.analyser import analyse, tree_of_text
from generation.engine.english.forms import singular
from generation.engine.english.words import compact_text, kin
from generation.engine.judging.judging import JudgedStatus, judge
from generation.engine.judging.reading import Submission
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import Procedure, procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.writer import write_rewrite, written_again
from generation.engine.semrep.features import features

PROCEDURES = Path(__file__).parent / "data" / "procedures_elsewhere.toml"
# Few forms that make sense repeat themselves: sense goes before variety.
MIN_OWN_SHARE, MAX_REPEAT_SHARE = 0.85, 0.30
SUBSTITUTED = ErrorType.SUBSTITUTION.name
SEED_OF_SHOWN = 50


@dataclass(frozen=True, slots=True)
class AddedText:
    """One text, with the procedure that it was added to and the step that it replaced, if any."""

    procedure: Procedure
    domain: str
    text: str
    replaced: str | None


def main() -> int:
    """Print the shares; return 1 when one misses its goal or a take is not valid."""
    parser = argparse.ArgumentParser(description="Measure what the writer adds.")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--show", type=int, default=0, help="print so many texts, drawn at random")
    options = parser.parse_args()
    procedures = read_procedures()
    added: list[AddedText] = []
    valid_count = 0
    for domain, procedure in procedures:
        for seed in range(options.seeds):
            is_valid, texts = write_one(procedure, domain, seed)
            valid_count += is_valid
            added += texts
    show(added, options.show)
    take_count = len(procedures) * options.seeds
    domain_count = len({domain for domain, _ in procedures})
    own, repeats = own_share(added), repeat_share(added)
    print(
        f"{take_count} takes of {len(procedures)} procedures in {domain_count} domains: "
        f"{valid_count} valid, {len(added)} added texts"
    )
    print(f"   name a thing of their own procedure: {own:.1%} (goal {MIN_OWN_SHARE:.0%})")
    print(f"   repeat another added text: {repeats:.1%} (goal {MAX_REPEAT_SHARE:.0%} at most)")
    is_met = own >= MIN_OWN_SHARE and repeats <= MAX_REPEAT_SHARE
    return 0 if is_met and valid_count == take_count else 1


def read_procedures(path: Path = PROCEDURES) -> list[tuple[str, Procedure]]:
    """The procedures of a file with their domains; shape: see the file's first lines."""
    return [
        (entry["domain"], procedure_of(f"elsewhere-{number}", entry["title"], entry["steps"]))
        for number, entry in enumerate(tomllib.loads(path.read_text())["procedure"])
    ]


def procedure_of(uid: str, title: str, texts: list[str]) -> Procedure:
    """A procedure whose representations the analyser makes, as in a run without a model."""
    steps = tuple(Step(text=text, semrep=str(analyse(text))) for text in texts)
    return procedure_from_take(Take(uid, uid, title, steps))


def write_one(procedure: Procedure, domain: str, seed: int) -> tuple[bool, list[AddedText]]:
    """Whether a take comes out valid, and what was added to it."""
    plan = correct_plan(plan_take(procedure, profile=PIEV, seed=seed), profile=PIEV, seed=seed)
    written = write_rewrite(plan, rng=np.random.default_rng(seed))
    judged = judge(plan, Submission(written.rewrite), others=written_again(plan, seed))
    added = [
        AddedText(
            procedure,
            domain,
            str(row.text),
            None if row.old_index is None else procedure.steps[row.old_index].text,
        )
        for row in judged.rewrite.rows
        if is_added(row)
    ]
    return judged.status is JudgedStatus.OK, added


def is_added(row: RewriteRow) -> bool:
    """Whether the row is an inserted or a substituted step."""
    return row.mod is Mod.INSERTION or (row.mod is Mod.ERROR and row.error_type == SUBSTITUTED)


def own_share(added: list[AddedText]) -> float:
    """The share of texts that name a thing of their own procedure."""
    return sum(names_own_thing(item) for item in added) / len(added)


def names_own_thing(item: AddedText) -> bool:
    words = {singular(word) for word in compact_text(item.text).split()}
    return bool(words & set(things_of(item.procedure)))


def things_of(procedure: Procedure) -> Iterator[str]:
    """Yield the last words of the things that the steps name, in the singular."""
    for step in procedure.steps:
        tree = tree_of_text(step.text)
        heads = {} if tree is None else features(tree).entity_heads_by_role
        for found in heads.values():
            yield from map(kin, found)


def repeat_share(added: list[AddedText]) -> float:
    """The share of texts that read like another one."""
    counts = Counter(compact_text(item.text) for item in added)
    return sum(count for count in counts.values() if count > 1) / len(added)


def show(added: list[AddedText], count: int) -> None:
    """Print texts drawn at random, each with its procedure."""
    drawn = np.random.default_rng(SEED_OF_SHOWN).permutation(len(added))[:count]
    for number, index in enumerate(drawn, start=1):
        item = added[index]
        steps = "; ".join(step.text.removesuffix(".") for step in item.procedure.steps)
        what = "insertion" if item.replaced is None else f"instead of {item.replaced!r}"
        print(f"{number}. [{item.procedure.scenario}: {steps}]\n   {item.text!r} ({what})")


if __name__ == "__main__":
    sys.exit(main())
