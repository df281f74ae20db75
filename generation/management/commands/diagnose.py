"""List the faults of the takes of a freeform output, one line of figures per take."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from generation.engine.results.rewrite_files import read_rewrite_file, write_table
from generation.engine.rewriting.freeform.diagnostics import COLUMNS, diagnose
from generation.management.outputs import add_output_options, refuse_overwriting
from generation.management.planning import refusals
from generation.management.plans import procedures_named


class Command(CommandWithoutPages):
    help = "Check a freeform output: diagnose FREEFORM --out F.csv [--input SPLIT]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("freeform", type=Path, help="freeform output (JSON)")
        parser.add_argument(
            "--input",
            type=Path,
            help=(
                "split file, plan file or data set with the source steps, if the output"
                " does not have them"
            ),
        )
        add_output_options(parser)

    def handle(self, *args: object, **options: Any) -> None:
        refuse_overwriting([options["out"]], force=options["force"])
        with refusals():
            takes = read_rewrite_file(options["freeform"])
            sources: dict[str, Sequence[str]] = {
                uid: take["input_steps"] for uid, take in takes.items() if "input_steps" in take
            }
            if options["input"] is not None:
                for item in procedures_named(options["input"]):
                    sources[item.take_uid] = [step.text for step in item.steps]
            missing = [uid for uid in takes if uid not in sources]
            if missing:
                where = "--input" if options["input"] else "the output"
                raise CommandError(
                    f"{where} lacks the source steps of {len(missing)} takes, the first is"
                    f" {missing[0]}; name a file that has them with --input"
                )
            rows = diagnose(takes, sources)
            write_table(COLUMNS, rows, options["out"])
        sums = {
            "takes": len(rows),
            "ok": sum(bool(row["schema_ok"]) for row in rows),
            **{
                name: sum(int(row[name]) for row in rows)
                for name in ("u_not_verbatim", "e_no_change", "deleted_src_still_used")
            },
        }
        line = f"{options['out']}: {sums['takes']} takes, {sums['ok']} keep the contract"
        self.stdout.write(json.dumps(sums) if options["json"] else line)
