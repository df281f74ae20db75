"""Let a text model write procedures with mistakes of its own choice: no plan, the baseline."""

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from generation.engine.results.rewrite_files import (
    INVALID,
    OK,
    output_meta,
    summary_lines,
    summary_of,
    write_report,
)
from generation.engine.run_options import NO_MODEL, RULES
from generation.management.long_work import LongWork
from generation.management.outputs import (
    Checkpoint,
    add_budget_option,
    add_output_options,
    refuse_overwriting,
)
from generation.management.planning import refusals
from generation.management.plans import procedures_named
from generation.services.texts.file_writing import freeform_entry, model_named


class Command(CommandWithoutPages):
    help = (
        "Write without a plan: freeform INPUT --model ENDPOINT --out F "
        "[--judge none|rules|ENDPOINT]."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "input", type=Path, help="split file or plan file (JSON), or name of a data set"
        )
        parser.add_argument("--model", required=True, help="name of a text endpoint")
        parser.add_argument(
            "--judge",
            default=NO_MODEL,
            help=f"{NO_MODEL} (keep the text as written), {RULES} (judge and repair by rules), or "
            "the name of a text endpoint that repairs what the rules leave",
        )
        parser.add_argument("--report", type=Path, help="the remaining findings, as CSV")
        add_budget_option(parser)
        add_output_options(parser)

    def handle(self, *args: object, **options: Any) -> None:
        out, report = options["out"], options["report"]
        refuse_overwriting([out, report], force=options["force"])
        at_work = LongWork("freeform", "takes", self.stderr, options["budget"])
        judge = None
        with refusals():
            model = model_named(options["model"], word=None, budget=at_work.budget)
            if options["judge"] != NO_MODEL:
                judge = model_named(options["judge"], word=RULES, budget=at_work.budget)
            procedures = procedures_named(options["input"])
        meta = {
            "created_with": "freeform",
            "model": model.name,
            "judge": options["judge"],
            "input": str(options["input"]),
        }
        texts = {item.take_uid: [step.text for step in item.steps] for item in procedures}
        checkpoint = Checkpoint(out, {**meta, "steps": texts})
        entries = checkpoint.work(
            {item.take_uid: item for item in procedures},
            partial(freeform_entry, model=model, judge=judge),
            at_work=at_work,
            thread_count=model.thread_count,
        )
        judged = {uid: entry["judged"] for uid, entry in entries.items() if "judged" in entry}
        rows = [row for entry in judged.values() for row in entry.pop("report")]
        if report is not None:
            write_report(rows, report)
        checkpoint.close({"meta": output_meta(**meta), "takes": entries})
        self._print_counts(entries, judged, options)

    def _print_counts(
        self, entries: Mapping[str, Any], judged: Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        statuses = Counter(entry["status"] for entry in entries.values())
        for uid, entry in entries.items():
            if entry["status"] == INVALID:
                self.stderr.write(f"take {uid} breaks the contract: {entry['error']}")
            elif entry["status"] != OK:
                self.stderr.write(f"take {uid} was not written: {entry['error']}")
        counts: dict[str, Any] = {
            "takes": len(entries),
            "ok": statuses[OK],
            "invalid": statuses[INVALID],
        }
        written_count = statuses[OK] + statuses[INVALID]
        lines = [f"{options['out']}: {len(entries)} takes, {written_count} written"]
        if statuses[INVALID]:
            lines[0] += f", {statuses[INVALID]} of them break the contract"
        if judged:
            counts["judged"] = summary_of(judged)
            first, *others = summary_lines(counts["judged"])
            lines += [f"judged by {options['judge']}: {first}", *others]
        self.stdout.write(json.dumps(counts) if options["json"] else "\n".join(lines))
        if entries and not written_count:
            raise CommandError("no take was written")
