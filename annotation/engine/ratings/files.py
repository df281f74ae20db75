"""Files of ratings of both kinds: long tables, and workbooks that raters filled in."""

import csv
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from annotation.engine.corpus.formats.errors import FormatError, Problem, fault_of_file
from annotation.engine.corpus.formats.folders import files_in
from annotation.engine.corpus.formats.reading import read_bytes
from annotation.engine.corpus.formats.template import SUFFIXES
from annotation.engine.corpus.formats.template_sheets import template_start
from annotation.engine.ratings.table import RatingTable, TableDefaults, find_repeats, read_table
from annotation.engine.ratings.workbook import read_rating_workbook

EVERY_FILE = ""
HEADER_BYTES = 1 << 16


def named_raters(words: str) -> dict[str, str]:
    """The rater of every file, or of each one, from lines such as `anna` or `book1.xlsx=anna`.

    >>> named_raters("book 1.xlsx = anna\\nbook 2.xlsx = ben"), named_raters("anna")
    ({'book 1.xlsx': 'anna', 'book 2.xlsx': 'ben'}, {'': 'anna'})
    """
    raters = {}
    for line in words.splitlines():
        file, _, name = line.rpartition("=")
        if name.strip():
            raters[file.strip()] = name.strip()
    return raters


def read_rating_files(
    paths: Sequence[Path], *, raters: Mapping[str, str], defaults: TableDefaults, now: datetime
) -> tuple[RatingTable, ...]:
    """The tables of files, and of every file of folders.

    `raters` names who filled in which workbook (`named_raters`). A long table names its raters
    itself. The data set of `defaults` takes precedence over column A of a workbook. Raises
    `FormatError` with the problems of all files.
    """
    files: list[Path] = []
    for path in paths:
        files += files_in(path) if path.is_dir() else [path]
    tables: list[RatingTable] = []
    problems: list[Problem] = []
    for name in sorted(set(raters) - {EVERY_FILE} - {item.name for item in files}):
        expected = "one of " + ", ".join(item.name for item in files)
        problems.append(Problem(name, "", "", "a rater is named for it", expected))
    for file in files:
        try:
            tables += _read_file(file, raters, defaults, now)
        except FormatError as error:
            problems += error.problems
    # Of one table it is known already.
    problems = problems or (find_repeats(tables) if len(tables) > 1 else [])
    if problems:
        raise FormatError(problems)
    return tuple(
        replace(table, rows=tuple((line, defaults.complete(row)) for line, row in table.rows))
        for table in tables
    )


def _read_file(
    file: Path, raters: Mapping[str, str], defaults: TableDefaults, now: datetime
) -> Sequence[RatingTable]:
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        sentence = f"{file.name} is neither a table (.csv) nor a workbook (.xlsx)."
        raise fault_of_file(file.name, suffix, "a file .csv or .xlsx", sentence=sentence)
    if suffix == ".csv":
        content = read_bytes(file)
        # A table begins with other columns than the annotators' workbook.
        start = content[:HEADER_BYTES].decode("utf-8-sig", errors="replace")
        header: list[str] = []
        with suppress(csv.Error):
            header = next(csv.reader(start.splitlines(keepends=True)), [])
        if template_start(header) is None:
            return [read_table(content, file=file.name, now=now)]
    tables = read_rating_workbook(file, rater=raters.get(file.name, raters.get(EVERY_FILE, "")))
    if not defaults.dataset:
        return tables
    return [
        replace(
            table,
            is_dataset_named=True,
            rows=tuple((line, replace(row, dataset=defaults.dataset)) for line, row in table.rows),
        )
        for table in tables
    ]
