"""The judge's checks of sense: recall and precision on labelled texts, and false alarms.

The texts are those of `data/sense_labels.jsonl`, which says who read them and what is gold. Three
parts: `development` (procedures of the first draw whose texts the author of a check may read while
writing it), `held out` (the other half of the procedures, by seed) and `later` (draws of after the
checks, which nobody read for them). The kinds of faults are labelled in the first draw; of later
texts only what both readers call no mistake has a kind.

False alarms: every different step of five sources, as an extra step and in place of the next, in
its procedure without it; and the mistakes of CaptainCook4D that people really made. Whatever a
check says of these is wrong.

    python -m bench.sense_checks
"""

import argparse
import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.corpus.procedure import Step, Take
from annotation.engine.taxonomy import Mod
from bench.planted_faults.planting import identity_case, inserted, substituted, wrongly_done
from bench.sense import READERS, STORED_LABELS, sources, stored_rows, worded_text
from bench.shared_data import shared_data_folder
from generation.engine.english.analyser import analyse
from generation.engine.judging.case import ADDED_MODS, WRITTEN_MODS, Case, JudgedTake
from generation.engine.judging.check import all_checks
from generation.engine.planner.files.representations import normal_text
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.rewriting.rewrite import Rewrite
from generation.engine.semrep import Role

KIND_OF = {
    "NO_MISTAKE": "no mistake",
    "IMPOSSIBLE_COUNT": "count",
    "THING_NOT_AT_HAND": "thing",
    "PRONOUN_OF_NOTHING": "pronoun",
}
SENSELESS = frozenset({"no mistake", "impossible"})
PARTS = ("development", "held out", "later")
FIRST_DRAW, SEED = "before.key.json", 30
MIN_PRECISION, MAX_FALSE_ALARMS = 0.9, 0.01
PEOPLE = "captaincook4d"
Texts = tuple[str, ...]


def main() -> int:
    """Print all figures; return 1 when a check accuses too much."""
    argparse.ArgumentParser(description="Measure the checks of sense.").parse_args()
    takes = sources()
    are_precise = print_labelled(takes)
    return 0 if print_false_alarms(takes) and are_precise else 1


def print_labelled(takes: dict[str, list[Take]]) -> bool:
    """Print recall and precision of each check by part; False if one is not precise."""
    texts = {(s, take.uid): texts_of(take) for s, those in takes.items() for take in those}
    parts: dict[str, list[tuple[dict[str, Any], set[str]]]] = defaultdict(list)
    for row in stored_rows(STORED_LABELS):
        procedure = texts[row["source"], row["take"]]
        parts[part_of(row)].append((row, accusations(labelled_case(procedure, row))))
    is_precise = True
    for part in PARTS:
        rows = parts[part]
        print(f"{part}: {len(rows)} texts, {sum(is_senseless(row) for row, _ in rows)} senseless")
        for code, kind in KIND_OF.items():
            of_kind = [codes for row, codes in rows if kind in kinds_of(row)]
            accused = [row for row, codes in rows if code in codes]
            right, wrong = (sum(f(row) for row in accused) for f in (is_senseless, has_sense))
            is_precise &= right >= MIN_PRECISION * (right + wrong)
            print(
                f"   {code:19} recall {sum(code in it for it in of_kind)} of {len(of_kind)}, "
                f"right {right} of {right + wrong}, disputed {len(accused) - right - wrong}"
            )
        found = sum(bool(codes) for row, codes in rows if is_senseless(row))
        print(
            f"   any check finds {found} of {sum(is_senseless(row) for row, _ in rows)} senseless"
        )
    return is_precise


def print_false_alarms(takes: dict[str, list[Take]]) -> bool:
    """Print how many real steps and real mistakes each check accuses; False if too many."""
    groups = {f"steps of {source}": steps_as_mistakes(those) for source, those in takes.items()}
    groups[f"mistakes of {PEOPLE}"] = mistakes_of_people()
    total, alarms = 0, Counter[str]()
    for name, cases in groups.items():
        found = Counter[str]()
        count = 0
        for case in cases:
            found.update(accusations(case))
            count += 1
        total, alarms = total + count, alarms + found
        print(f"{name}: {count:,} texts, falsely accused: {dict(found) or 'none'}")
    return all(alarms[code] <= MAX_FALSE_ALARMS * total for code in KIND_OF)


def part_of(row: dict[str, Any]) -> str:
    """The part of a labelled text; a procedure is in one half of the first draw."""
    if row["draw"] != FIRST_DRAW:
        return "later"
    digest = hashlib.sha256(f"{SEED} {row['source']} {row['take']}".encode()).hexdigest()
    return PARTS[int(digest, 16) % 2]


def is_senseless(row: dict[str, Any]) -> bool:
    return all(row[reader] in SENSELESS for reader in READERS)


def has_sense(row: dict[str, Any]) -> bool:
    return not any(row[reader] in SENSELESS for reader in READERS)


def kinds_of(row: dict[str, Any]) -> list[str]:
    is_none = all(row[reader] == "no mistake" for reader in READERS)
    return list(row.get("faults", ["no mistake"] if is_none else []))


def texts_of(take: Take) -> Texts:
    return tuple(step.text for step in take.steps)


@cache
def case_of(texts: Texts) -> Case:
    """A procedure with every step as it is."""
    take = Take("take", "take", "", tuple(Step(text=text) for text in texts))
    procedure = procedure_from_take(take, semreps=[str(analyse(normal_text(it))) for it in texts])
    plan = plan_take(procedure, profile=PIEV, seed=SEED)
    return identity_case(Case(JudgedTake(plan), Rewrite(())))


def labelled_case(texts: Texts, row: dict[str, Any]) -> Case:
    """The procedure with the labelled text in its place; the end has an extra step before it."""
    case, text, position = case_of(texts), worded_text(row, texts), row["step"] - 1
    if row["type"] == "insertion":
        return inserted(case, min(position, len(texts) - 1), text)
    if row["type"] == "substitution":
        return substituted(case, position, text)
    return wrongly_done(case, position, text, (Role.OBJECT,))


def accusations(case: Case) -> set[str]:
    """The checks of sense that accuse a written row."""
    return {
        code
        for code in KIND_OF
        if any(case.rows[it.position].mod in WRITTEN_MODS for it in all_checks()[code].find(case))
    }


def steps_as_mistakes(takes: Iterable[Take]) -> Iterator[Case]:
    """Yield every step of different procedures, extra and in place of the next."""
    for texts in dict.fromkeys(texts_of(take) for take in takes):
        for place, text in enumerate(texts):
            rest = texts[:place] + texts[place + 1 :]
            at = min(place, len(rest) - 1)
            if rest:
                yield inserted(case_of(rest), at, text)
                yield substituted(case_of(rest), at, text)


def mistakes_of_people() -> Iterator[Case]:
    """Yield the steps of recordings that people did otherwise, in the words of the annotators."""
    format_ = available_formats()[PEOPLE]
    reading = format_.read(shared_data_folder() / PEOPLE)
    shown = {it.uid: tuple(map(format_.shown_text, texts_of(it))) for it in reading.takes}
    seen: set[tuple[Texts, str]] = set()
    for trace in reading.traces:
        texts = shown[trace.take_uid]
        for step in trace.steps:
            text, index = format_.shown_text(step.text), step.reference_index
            is_worded = step.labels and text and step.mod not in ADDED_MODS | {Mod.DELETION}
            if not is_worded or index is None or text in texts or (texts, text) in seen:
                continue
            seen.add((texts, text))
            yield substituted(case_of(texts), index, text)


if __name__ == "__main__":
    sys.exit(main())
