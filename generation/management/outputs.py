"""Output files of commands that work take by take: not overwritten unasked, not lost half-way.

Finished takes are appended to a file beside the output, one JSON line each. When all are done the
output is written and that file removed; after an interruption the same command continues from it.
"""

import hashlib
import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import CommandError

from annotation.services.records.parallel import each_done
from generation.backends.exceptions import BudgetSpentError, CancelledError
from generation.engine.planner.files.plan_files import write_json
from generation.management.long_work import LongWork

PARTIAL_SUFFIX = ".partial.jsonl"

Item = TypeVar("Item")
Entry = dict[str, Any]


def add_output_options(parser: ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
    parser.add_argument("--json", action="store_true", help="print counts as one JSON object")


def add_budget_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--budget",
        type=_dollars,
        help=(
            "US dollars that this command may spend on models; it stops before it could"
            " cost more; run it again with a larger budget to continue"
        ),
    )


def _dollars(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal(0)
    if not amount.is_finite() or amount <= 0:
        raise ArgumentTypeError(f"{text!r} is not an amount of dollars above 0")
    return amount


def refuse_overwriting(paths: Iterable[Path | None], *, force: bool) -> None:
    """Raise CommandError if a file exists, unless `force` allows overwriting it."""
    existing = [str(path) for path in paths if path is not None and path.exists()]
    if existing and not force:
        raise CommandError(f"{', '.join(existing)} exists; add --force to overwrite it.")


class Checkpoint:
    """The finished takes of one command; `header` identifies the work: model, seed, input.

    A file with another header belongs to other work and is overwritten.
    """

    def __init__(self, out: Path, header: Mapping[str, Any]) -> None:
        self._out = out
        self._path = out.with_name(out.name + PARTIAL_SUFFIX)
        about = json.dumps(header, sort_keys=True, ensure_ascii=False)
        self._header = hashlib.sha256(about.encode()).hexdigest()
        self.finished: dict[str, Entry] = {}
        written = self._path.read_bytes() if self._path.exists() else b""
        records, self._kept_bytes = [], 0
        # An interruption may have cut off the last line; those before it count. In bytes, for texts
        # hold characters that Python takes for ends of lines, too.
        with suppress(ValueError):
            for line in written.splitlines(keepends=True):
                if line.endswith(b"\n"):
                    records.append(json.loads(line))
                    self._kept_bytes += len(line)
        if records and records[0] == {"header": self._header}:
            self.finished = {record["uid"]: record["entry"] for record in records[1:]}

    @property
    def resumed_count(self) -> int:
        return len(self.finished)

    def work(
        self,
        items: Mapping[str, Item],
        work: Callable[[Item], Entry],
        *,
        at_work: LongWork,
        thread_count: int = 1,
    ) -> dict[str, Entry]:
        """The entry of every item; those finished earlier are taken from the file."""
        at_work.begin(len(items), earlier_count=len(items.keys() & self.finished.keys()))
        waiting = {uid: item for uid, item in items.items() if uid not in self.finished}

        def checked(waiting: tuple[str, Item]) -> Entry:
            at_work.check()
            return work(waiting[1])

        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("w" if not self.finished else "a", encoding="utf-8") as file:
            if not self.finished:
                file.write(json.dumps({"header": self._header}) + "\n")
            else:
                # What follows half a line would not be found again.
                file.truncate(self._kept_bytes)
            try:
                with at_work.shown():
                    for (uid, _), entry in each_done(
                        list(waiting.items()), checked, at_once=thread_count
                    ):
                        self.finished[uid] = entry
                        line = json.dumps({"uid": uid, "entry": entry}, ensure_ascii=False)
                        file.write(line + "\n")
                        file.flush()
                        at_work.count_done()
            except CancelledError as error:
                raise at_work.stopped_error(error) from error
            except BudgetSpentError as error:
                raise CommandError(
                    f"stopped: {error}. {len(self.finished)} of {len(items)} takes are"
                    " finished; run the same command with a larger --budget to"
                    " continue."
                ) from error
        return {uid: self.finished[uid] for uid in items}

    def close(self, document: Mapping[str, Any]) -> None:
        """Write the whole output and remove the file of lines."""
        write_json(document, self._out)
        self._path.unlink(missing_ok=True)
