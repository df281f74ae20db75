"""Judge the rewrites of a file against their plans, and repair them."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from generation.engine.rewrite_files import (
    check_takes_are_planned,
    making_of,
    read_rewrite_file,
    summary_of,
    write_report,
)
from generation.engine.run_options import NO_MODEL
from generation.management.outputs import Checkpoint, add_output_options, refuse_overwriting
from generation.management.planning import refusals
from generation.management.plans import add_plan_input, plans_called
from generation.services.file_writing import UnknownModelError, judged_entry, model_called


class Command(BaseCommand):
    help = "Judge rewrites: judge PLAN REWRITE --model none|ENDPOINT --out F [--report F.csv]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_plan_input(parser)
        parser.add_argument("rewrite", type=Path, help="output of a writer or judge (JSON)")
        parser.add_argument(
            "--model", default=NO_MODEL, help=f"{NO_MODEL}, or the name of a text endpoint"
        )
        parser.add_argument("--report", type=Path, help="findings that are left, as CSV")
        add_output_options(parser)

    def handle(self, *args: object, **options: Any) -> None:
        out, report = options["out"], options["report"]
        refuse_overwriting([out, report], force=options["force"])
        try:
            model = model_called(options["model"], word=NO_MODEL)
        except UnknownModelError as error:
            raise CommandError(str(error)) from error
        with refusals():
            found = plans_called(options)
            takes = read_rewrite_file(options["rewrite"])
            plans = {plan.take_uid: plan for plan in found.plans}
            check_takes_are_planned(takes, plans, file=options["rewrite"].name)
        meta = {"model": model.name, "plan": found.name, "rewrite": options["rewrite"].name}
        checkpoint = Checkpoint(out, {**meta, "fingerprint": found.fingerprint, "takes": takes})
        entries = checkpoint.work(
            {uid: (plans[uid], take) for uid, take in takes.items()},
            lambda pair: judged_entry(*pair, model=model),
            thread_count=model.thread_count,
        )
        rows = [row for entry in entries.values() for row in entry.pop("report")]
        if report is not None:
            write_report(rows, report)
        checkpoint.close({"meta": making_of(**meta), "takes": entries})
        self._tell(summary_of(entries), options)

    def _tell(self, counts: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(counts))
            return
        self.stdout.write(
            f"{options['out']}: {counts['takes']} takes, {counts['ok']} ok; findings left: "
            f"{counts['hard']} hard, {counts['soft']} soft"
        )
        for code, count in counts["codes"].items():
            self.stdout.write(f"  {count:>5}  {code}")
