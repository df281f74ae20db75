"""Whether what the rules write is a mistake that a person could make, by blind readers.

`draw` writes texts that the rules worded (substitutions, wrong executions, inserted steps), as the
judge leaves them, from runs under profile `piev` on three published data sets and on the two
sources of `data/procedures_unlisted.toml`: for readers one shuffled line per text with its
procedure and nothing that tells source or type, and for us a key. `score` prints what two readers
said of them, by source and by type, with Cohen's kappa; intervals draw whole procedures anew.

    python -m bench.sense draw FILE.jsonl [--seed 7] [--per-source 60]
    python -m bench.sense score [FILE.key.json LABELS.A.jsonl LABELS.B.jsonl [--store FILE]]

A line: id, procedure (the reference's steps), step (1-based), reference (the step, empty where the
text is an extra step before it), text. A label: id, label. Corrections are not drawn: they are no
mistakes. Without arguments `score` reads the stored labels, which hold the sentences of our own
sources alone. A run on a few procedures repeats itself, so a text enters once per procedure and
step, and further runs (seed + 1000, ...) are drawn where one has too few.
"""

import argparse
import hashlib
import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from annotation.analytics.agreement.coefficients import Floats, kappas_of
from annotation.analytics.agreement.intervals import ALPHA_RANGE, Interval, shown_interval
from annotation.analytics.agreement.resampling import distribution, draws_of, jackknife
from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.corpus.procedure import Step, Take
from annotation.engine.taxonomy import Mod
from bench.shared_data import shared_data_folder
from generation.engine.corrections.simulation import correct_plan
from generation.engine.english.analyser import analyse
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.planner.files.representations import normal_text
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.planner.randomness import generator_for
from generation.engine.rewriting.writer import write_rewrite, written_again
from generation.engine.stages import Stage

DATA = Path(__file__).parent / "data"
OWN_PROCEDURES, STORED_LABELS = DATA / "procedures_unlisted.toml", DATA / "sense_labels.jsonl"
PUBLISHED = ("egooops", "captaincook4d", "assembly101")
LABELS = ("natural", "borderline", "no mistake", "impossible")
READERS = ("A", "B")
WORDED = frozenset({Mod.ERROR, Mod.INSERTION})
NEXT_RUN, MAX_RUNS = 1000, 12
MIN_NATURAL, MAX_SENSELESS = 0.80, 0.05
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class DrawnText:
    """One text with where it comes from; `step` is 1-based, `reference` empty for extra steps."""

    source: str
    take: str
    seed: int
    event: str
    type: str
    step: int
    procedure: tuple[str, ...]
    reference: str
    text: str

    @property
    def identifier(self) -> str:
        words = json.dumps([self.procedure, self.step, self.reference, self.text])
        return hashlib.sha256(words.encode()).hexdigest()[:10]


def main() -> int:
    """Draw texts, or print the shares; return 1 when the shares miss the goal."""
    parser = argparse.ArgumentParser(description="Measure the sense of what the rules write.")
    commands = parser.add_subparsers(dest="command")
    drawing = commands.add_parser("draw")
    drawing.add_argument("file", type=Path)
    drawing.add_argument("--seed", type=int, default=7)
    drawing.add_argument("--per-source", type=int, default=60)
    scoring = commands.add_parser("score")
    scoring.add_argument("files", type=Path, nargs="*", help="key, labels of A, labels of B")
    scoring.add_argument("--store", type=Path, help="add key and labels to this file")
    options = parser.parse_args()
    if options.command == "draw":
        return draw(options.file, options.seed, options.per_source)
    files = options.files if options.command else []
    if not files and not STORED_LABELS.exists():
        print(f"   left out: no labels in {STORED_LABELS.name}")
        return 0
    rows = labelled(*files) if files else stored_rows(STORED_LABELS)
    if files and options.store:
        store(rows, options.store)
    return score(rows)


def draw(file: Path, seed: int, per_source: int) -> int:
    """Write the texts and their key; 1 if a source has too few."""
    rng = np.random.default_rng(seed)
    drawn: list[DrawnText] = []
    for source, takes in sources().items():
        texts = texts_of(source, takes, seed, per_source)
        drawn += [texts[place] for place in rng.permutation(len(texts))[:per_source]]
    drawn = [drawn[place] for place in rng.permutation(len(drawn))]
    names = ("procedure", "step", "reference", "text")
    lines = [{"id": item.identifier, **{n: getattr(item, n) for n in names}} for item in drawn]
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    key = {item.identifier: asdict(item) for item in drawn}
    file.with_suffix(".key.json").write_text(json.dumps(key, ensure_ascii=False, indent=1))
    counts = Counter(item.source for item in drawn)
    print(f"{len(drawn)} texts: {dict(counts)}; {dict(Counter(item.type for item in drawn))}")
    return 0 if all(count == per_source for count in counts.values()) else 1


def sources() -> dict[str, list[Take]]:
    """The takes of each source, with their texts as people read them."""
    found: dict[str, list[Take]] = {}
    folder = shared_data_folder()
    for name in PUBLISHED:
        format_ = available_formats()[name]
        found[name] = [
            replace(
                take,
                steps=tuple(
                    replace(step, text=format_.shown_text(step.text)) for step in take.steps
                ),
            )
            for take in format_.read(folder / name).takes
        ]
    for take in own_takes():
        found.setdefault(take.uid.partition("-")[0], []).append(take)
    return found


def own_takes() -> Iterator[Take]:
    """Yield the procedures of our own sources; their identifiers begin with the source."""
    for number, entry in enumerate(tomllib.loads(OWN_PROCEDURES.read_text())["procedure"]):
        uid = f"{entry['source']}-{number:02d}"
        yield Take(uid, uid, entry["title"], tuple(Step(text=text) for text in entry["steps"]))


def texts_of(source: str, takes: Sequence[Take], seed: int, least: int) -> list[DrawnText]:
    """The different texts of one run, and of further runs until there are enough."""
    texts: dict[str, DrawnText] = {}
    for run_seed in range(seed, seed + NEXT_RUN * MAX_RUNS, NEXT_RUN):
        for take in takes:
            for item in worded(source, take, run_seed):
                texts.setdefault(item.identifier, item)
        if len(texts) >= least:
            break
    return list(texts.values())


def worded(source: str, take: Take, seed: int) -> Iterator[DrawnText]:
    """Yield the worded mistakes of a take, planned, written and judged as a run does it."""
    semreps = [step.semrep or str(analyse(normal_text(step.text))) for step in take.steps]
    procedure = procedure_from_take(take, semreps=semreps)
    plan = correct_plan(plan_take(procedure, profile=PIEV, seed=seed), profile=PIEV, seed=seed)
    rng = generator_for(seed, plan.take_uid, Stage.WRITE)
    written = write_rewrite(plan, rng=rng)
    judged = judge(plan, Submission(written.rewrite), others=written_again(plan, seed))
    errors = {error.event_id: error for error in plan.errors}
    texts = tuple(step.text for step in take.steps)
    for row in judged.rewrite.rows:
        if row.mod in WORDED and row.text is not None:
            error = errors[str(row.event_id)]
            is_extra = row.mod is Mod.INSERTION
            index = error.spec.places(error.step_index)[0] if is_extra else error.step_index
            yield DrawnText(
                source=source,
                take=take.uid,
                seed=seed,
                event=error.event_id,
                type=error.error_type.name,
                step=index + 1,
                procedure=texts,
                reference="" if is_extra else texts[index],
                text=row.text,
            )


Row = Mapping[str, Any]
# Words of its own, or step, first character and length.
Piece = str | tuple[int, int, int]


def labelled(key_file: Path, *label_files: Path) -> list[dict[str, Any]]:
    """What the key says of each text with the labels of every reader."""
    key = json.loads(key_file.read_text())
    rows = {name: {"id": name, **entry, "draw": key_file.name} for name, entry in key.items()}
    for reader, file in zip(READERS, label_files, strict=True):
        for line in filter(None, file.read_text().splitlines()):
            entry = json.loads(line)
            label = str(entry["label"]).replace("_", " ").lower()
            if label not in LABELS:
                raise ValueError(f"{file.name}: {entry['id']} has label {label!r}, not {LABELS}")
            rows[entry["id"]][reader] = label
    return list(rows.values())


def store(rows: Iterable[Row], file: Path) -> None:
    """Append rows without their procedures, and without sentences of published data sets.

    Of those `pieces` says which characters of which step a text has, and what it has of its own.
    """
    with file.open("a", encoding="utf-8") as stream:
        for row in rows:
            kept = dict(row)
            procedure = kept.pop("procedure")
            if kept["source"] in PUBLISHED:
                del kept["reference"]
                kept["pieces"] = pieces_of(kept.pop("text"), procedure)
            stream.write(json.dumps(kept, ensure_ascii=False) + "\n")


def pieces_of(text: str, procedure: Sequence[str]) -> list[Piece]:
    """The text as runs of its procedure's words, the longest first met, and words of its own."""
    pieces: list[Piece] = []
    words = re.findall(r"\S+\s*", text)
    while words:
        for count in range(len(words), 0, -1):
            run = "".join(words[:count])
            step = next((n for n, it in enumerate(procedure) if run in it), None)
            if step is not None:
                pieces.append((step, procedure[step].index(run), len(run)))
                break
        else:
            count = 1
            pieces.append(words[0])
        words = words[count:]
    return pieces


def worded_text(row: Row, procedure: Sequence[str]) -> str:
    """The text of a stored row."""
    if "text" in row:
        return row["text"]
    pieces = row["pieces"]
    return "".join(
        it if isinstance(it, str) else procedure[it[0]][it[1] : it[1] + it[2]] for it in pieces
    )


def stored_rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines() if line.startswith("{")]


def score(rows: Sequence[Row]) -> int:
    """Print shares by draw, source and type and the agreement; 1 if the last draw misses."""
    by_draw: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if all(reader in row for reader in READERS):
            by_draw[str(row["draw"])].append(row)
    is_met = True
    for name, drawn in by_draw.items():
        print(f"{name}: {len(drawn)} texts of {len({row['take'] for row in drawn})} procedures")
        for field in ("source", "type"):
            for value in sorted({str(row[field]) for row in drawn}):
                print_shares(f"{value}", [row for row in drawn if row[field] == value])
        print_shares("all", drawn)
        print_agreement(drawn)
        by_source = [[r for r in drawn if r["source"] == s] for s in {r["source"] for r in drawn}]
        is_met = all(meets_goal(part) for part in by_source)
    return 0 if is_met else 1


def shares(rows: Sequence[Row]) -> dict[str, float]:
    """The share of each label, the two readers' labels counted alike."""
    counts = Counter(str(row[reader]) for row in rows for reader in READERS)
    return {label: counts[label] / (len(READERS) * len(rows)) for label in LABELS}


def meets_goal(rows: Sequence[Row]) -> bool:
    found = shares(rows)
    senseless = found["no mistake"] + found["impossible"]
    return found["natural"] >= MIN_NATURAL and senseless <= MAX_SENSELESS


def print_shares(name: str, rows: Sequence[Row]) -> None:
    shown = ", ".join(f"{label} {share:.0%}" for label, share in shares(rows).items())
    print(f"   {name:16} n={len(rows):3}: {shown}{'' if meets_goal(rows) else '  (goal missed)'}")


def print_agreement(rows: Sequence[Row]) -> None:
    """Print Cohen's kappa of the readers over the four labels, with an interval by procedures."""
    places = {take: place for place, take in enumerate(sorted({str(r["take"]) for r in rows}))}
    tables = np.zeros((len(places), len(LABELS), len(LABELS)))
    for row in rows:
        first, second = (LABELS.index(str(row[reader])) for reader in READERS)
        tables[places[str(row["take"])], first, second] += 1
    whole = tables.sum(axis=0)
    value = float(kappas_of(whole))
    shown = kappa_interval(tables, value)
    ends = shown.reason if shown.low is None else f"[{shown.low:.2f}, {shown.high:.2f}]"
    same = np.trace(whole) / whole.sum()
    print(f"   readers: same label {same:.0%}, Cohen's kappa {value:.2f} {ends}")


def kappa_interval(tables: Floats, value: float) -> Interval:
    """The interval of kappa over procedures, whose tables are (G, V, V)."""
    sums = tables.reshape(len(tables), -1)

    def figure(drawn: Floats) -> Floats:
        return kappas_of(drawn.reshape(-1, len(LABELS), len(LABELS)))

    rng = np.random.default_rng(0)
    over_draws = distribution(draws_of(sums), figure, rng=rng, resamples=RESAMPLES)
    return shown_interval(value, over_draws, [jackknife(sums, figure)], ALPHA_RANGE)


if __name__ == "__main__":
    sys.exit(main())
