"""Judge the rewrites of a file against their plans, and repair them."""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from annotation.management.command import CommandWithoutPages
from generation.engine.results.rewrite_files import (
    check_takes_are_planned,
    is_freeform,
    output_meta,
    read_rewrite_file,
    summary_lines,
    summary_of,
    write_report,
)
from generation.engine.run_options import NO_MODEL
from generation.management.long_work import LongWork
from generation.management.outputs import (
    Checkpoint,
    add_budget_option,
    add_output_options,
    refuse_overwriting,
)
from generation.management.planning import refusals
from generation.management.plans import add_plan_input, plans_to_judge, procedures_named
from generation.services.texts.file_writing import (
    judged_entry,
    judged_freeform_entry,
    model_named,
)


class Command(CommandWithoutPages):
    help = (
        "Judge rewrites: judge PLAN REWRITE --model none|ENDPOINT --out F [--report"
        " F.csv]. A freeform output has no plan: PLAN is then any file with its source"
        " steps."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_plan_input(parser)
        parser.add_argument(
            "rewrite", type=Path, help="output of a writer, judge or freeform model (JSON)"
        )
        parser.add_argument(
            "--model", default=NO_MODEL, help=f"{NO_MODEL}, or the name of a text endpoint"
        )
        parser.add_argument("--report", type=Path, help="the remaining findings, as CSV")
        parser.add_argument(
            "--run", help="id of a run of the data set, to judge by the plans that it stored"
        )
        add_budget_option(parser)
        add_output_options(parser)

    def handle(self, *args: object, **options: Any) -> None:
        out, report = options["out"], options["report"]
        refuse_overwriting([out, report], force=options["force"])
        at_work = LongWork("judge", "takes", self.stderr, options["budget"])
        with refusals():
            model = model_named(options["model"], word=NO_MODEL, budget=at_work.budget)
            takes = read_rewrite_file(options["rewrite"])
            items: Mapping[str, Any]
            judge: Callable[..., dict[str, Any]]
            if is_freeform(takes.values()):
                # There is no plan, so PLAN only has to contain the steps.
                judge, name, fingerprint = judged_freeform_entry, str(options["plan"]), ""
                items = {item.take_uid: item for item in procedures_named(options["plan"])}
            else:
                chosen = plans_to_judge(options, takes)
                judge, name, fingerprint = judged_entry, chosen.name, chosen.fingerprint
                items = {plan.take_uid: plan for plan in chosen.plans}
            check_takes_are_planned(takes, items, file=options["rewrite"].name)
        meta = {"model": model.name, "plan": name, "rewrite": options["rewrite"].name}
        checkpoint = Checkpoint(out, {**meta, "fingerprint": fingerprint, "takes": takes})
        entries = checkpoint.work(
            {uid: (items[uid], take) for uid, take in takes.items()},
            lambda pair: judge(*pair, model=model),
            at_work=at_work,
            thread_count=model.thread_count,
        )
        rows = [row for entry in entries.values() for row in entry.pop("report")]
        if report is not None:
            write_report(rows, report)
        checkpoint.close({"meta": output_meta(**meta), "takes": entries})
        counts = summary_of(entries)
        first, *others = summary_lines(counts)
        lines = "\n".join([f"{out}: {first}", *others])
        self.stdout.write(json.dumps(counts) if options["json"] else lines)
