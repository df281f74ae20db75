"""Let a text model write procedures with mistakes of its own choice: no plan, the baseline."""

import json
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from generation.engine.rewrite_files import OK, making_of
from generation.management.outputs import Checkpoint, add_output_options, refuse_overwriting
from generation.management.planning import refusals
from generation.management.plans import procedures_called
from generation.services.file_writing import UnknownModelError, freeform_entry, model_called


class Command(BaseCommand):
    help = "Write freely, without a plan: freeform INPUT --model ENDPOINT --out F."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "input", type=Path, help="split file or plan file (JSON), or name of a data set"
        )
        parser.add_argument("--model", required=True, help="name of a text endpoint")
        add_output_options(parser)

    def handle(self, *args: object, **options: Any) -> None:
        out = options["out"]
        refuse_overwriting([out], force=options["force"])
        try:
            model = model_called(options["model"], word=None)
        except UnknownModelError as error:
            raise CommandError(str(error)) from error
        assert model.endpoint is not None  # noqa: S101 - no word stands for no endpoint here
        with refusals():
            procedures = procedures_called(options["input"])
        meta = {"created_with": "freeform", "model": model.name, "input": str(options["input"])}
        texts = {item.take_uid: [step.text for step in item.steps] for item in procedures}
        checkpoint = Checkpoint(out, {**meta, "steps": texts})
        entries = checkpoint.work(
            {item.take_uid: item for item in procedures},
            partial(freeform_entry, endpoint=model.endpoint),
            thread_count=model.thread_count,
        )
        checkpoint.close({"meta": making_of(**meta), "takes": entries})
        ok_count = sum(entry["status"] == OK for entry in entries.values())
        for uid, entry in entries.items():
            if entry["status"] != OK:
                self.stderr.write(f"take {uid} was not written: {entry['error']}")
        counts = {"takes": len(entries), "ok": ok_count}
        told = f"{out}: {len(entries)} takes, {ok_count} written"
        self.stdout.write(json.dumps(counts) if options["json"] else told)
        if entries and not ok_count:
            raise CommandError("no take was written")
