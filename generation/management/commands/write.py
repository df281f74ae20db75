"""Write the plans of a plan file or a data set as procedures with their mistakes."""

import json
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from generation.engine.results.rewrite_files import OK, output_meta
from generation.engine.run_options import RULES
from generation.management.long_work import LongWork
from generation.management.outputs import (
    Checkpoint,
    add_budget_option,
    add_output_options,
    refuse_overwriting,
)
from generation.management.planning import refusals
from generation.management.plans import add_plan_input, plans_named
from generation.services.texts.file_writing import model_named, written_entry


class Command(CommandWithoutPages):
    help = "Write plans out: write PLAN --model rules|ENDPOINT --out F [--seed N] [--json]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_plan_input(parser)
        parser.add_argument(
            "--model", default=RULES, help=f"{RULES}, or the name of a text endpoint"
        )
        add_budget_option(parser)
        add_output_options(parser)

    def handle(self, *args: object, **options: Any) -> None:
        out = options["out"]
        refuse_overwriting([out], force=options["force"])
        at_work = LongWork("write", "takes", self.stderr, options["budget"])
        with refusals():
            model = model_named(options["model"], word=RULES, budget=at_work.budget)
            chosen = plans_named(options)
        meta = {"model": model.name, "seed": chosen.seed, "plan": chosen.name}
        checkpoint = Checkpoint(out, {**meta, "fingerprint": chosen.fingerprint})
        if checkpoint.resumed_count:
            self.stderr.write(f"{checkpoint.resumed_count} takes were finished before.")
        entries = checkpoint.work(
            {plan.take_uid: plan for plan in chosen.plans},
            partial(
                written_entry, model=model, seed=chosen.seed, keeps_plan=chosen.is_planned_here
            ),
            at_work=at_work,
            thread_count=model.thread_count,
        )
        checkpoint.close({"meta": output_meta(**meta), "takes": entries})
        failed = {uid: entry for uid, entry in entries.items() if entry["status"] != OK}
        for uid, entry in failed.items():
            self.stderr.write(f"take {uid} was not written: {entry['error']}")
        counts = {"takes": len(entries), "ok": len(entries) - len(failed)}
        if options["json"]:
            self.stdout.write(json.dumps(counts))
        else:
            self.stdout.write(f"{options['out']}: {counts['takes']} takes, {counts['ok']} written")
        if entries and len(failed) == len(entries):
            raise CommandError("no take was written")
