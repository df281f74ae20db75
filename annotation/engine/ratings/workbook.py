"""Ratings as raters type them: the annotators' workbook, one file per rater, or a column of names.

Every sheet with the template's columns is read. The first row of each video holds only the rating
of the whole video (column O), every other row those of its step (F to N). An empty cell is no
answer, whatever the skip rules would say. `RatingRow.words` keeps the words of the step, so that
its event is found by more than a number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, FormatError, Problem
from annotation.engine.corpus.formats.template import split_videos, step_ids
from annotation.engine.corpus.formats.template_sheets import (
    COLUMN_COUNT,
    FIRST_RATING_COLUMN,
    Sheet,
    SheetRow,
    read_workbook,
)
from annotation.engine.corpus.procedure import ReadingWarning, WarningList
from annotation.engine.csv_cells import whole_number
from annotation.engine.ratings.columns import (
    YES_OR_NO,
    CellError,
    read_confidence,
    read_username,
    yes_or_no,
)
from annotation.engine.ratings.table import RatingRow, RatingTable
from annotation.engine.rubric.rubric import (
    Metric,
    RatingValueError,
    Scale,
    check_value,
    current_rubric,
)

# Columns F to O, by how their headers begin; None is the confidence of the column before.
RATING_COLUMNS: tuple[tuple[Metric | None, tuple[str, ...]], ...] = (
    (Metric.ERROR_VALIDITY, ("error validity",)),
    (Metric.HUMAN_PLAUSIBILITY, ("text plausibility", "human plausibility")),
    (Metric.CONFUSABILITY, ("confusability",)),
    (Metric.PROCEDURE_LOGIC, ("procedure logic",)),
    (None, ("procedure logic (", "confidence", "annotator confidence")),
    (Metric.SEQUENCE_CONSISTENCY, ("sequence consistency",)),
    (Metric.STATE_CHANGE_COHERENCE, ("state-change", "state change")),
    (Metric.TAXONOMY_FIT, ("taxonomy fit",)),
    (Metric.VIDEO_PLAUSIBILITY, ("video plausibility",)),
    (Metric.TEXT_VIDEO_GROUNDING, ("text–video", "text-video", "text video")),
)
RATER_HEADERS = frozenset({"rater", "annotator", "rater id", "annotator id", "annotator_id"})


@dataclass(frozen=True, slots=True)
class _Cell:
    """A rating cell that is not empty: where it is, and the metric of its column."""

    row: SheetRow
    column: int
    text: str

    @property
    def metric(self) -> Metric | None:
        return RATING_COLUMNS[self.column][0]


def read_rating_workbook(path: Path, *, rater: str = "") -> tuple[RatingTable, ...]:
    """The ratings of a workbook .xlsx or .csv, a table for each sheet with the template's columns.

    A column Rater names the rater of each row (filled down). Else all is by `rater`, and without
    one by the title of its sheet where there are several, or by the file's name. Raises
    `FormatError` with every fault.
    """
    workbook = read_workbook(path)
    notes = [
        *workbook.warnings,
        *(ReadingWarning(path.name, f"sheet {name!r} left out: no ratings in it")
          for name in workbook.others),
    ]  # fmt: skip
    problems: list[Problem] = []
    tables = []
    for sheet in workbook.sheets:
        named = rater or (sheet.name if len(workbook.sheets) > 1 else path.stem)
        try:
            table = _SheetReader(path.name, sheet).read(named, is_rater_named=bool(rater))
        except FormatError as error:
            place = f"sheet {sheet.name}" if sheet.name else ""
            problems.extend(
                replace(item, place=", ".join(filter(None, (place, item.place))))
                for item in error.problems
            )
            continue
        tables.append(replace(table, warnings=(*notes, *table.warnings)))
        notes = []
    if problems:
        raise FormatError(problems)
    return tuple(tables)


class _SheetReader:
    """Reads one sheet and keeps what it finds wrong with it."""

    def __init__(self, file: str, sheet: Sheet) -> None:
        self.file = file
        self.sheet = sheet
        self.faults = Faults(file)
        self.warnings = WarningList()
        self.where = f"{file}, sheet {sheet.name}" if sheet.name else file

    def read(self, default_rater: str, *, is_rater_named: bool) -> RatingTable:
        """The answers of the sheet; `is_rater_named` says that somebody named `default_rater`."""
        self._check_headers()
        rows: list[tuple[int, RatingRow]] = []
        for rater, own in self._rows_by_rater(default_rater, is_rater_named=is_rater_named):
            rows += self._answers(rater, own)
        self.faults.raise_if_any()
        unsure = sum(
            row.metric is Metric.PROCEDURE_LOGIC and row.confidence is None for _, row in rows
        )
        if unsure:
            message = f"{unsure} answers to Procedure Logic have no confidence (column J)"
            self.warnings.add(self.where, message)
        if not rows:
            self.warnings.add(self.where, "no ratings in columns F to O")
        return RatingTable(
            self.file,
            tuple(rows),
            sheet=self.sheet.name,
            is_workbook=True,
            warnings=self.warnings.as_tuple(),
        )

    def _check_headers(self) -> None:
        """Refuse a sheet whose columns F to O are others, or in another order."""
        headers = [*self.sheet.headers, *[""] * COLUMN_COUNT]
        for number, (_, beginnings) in enumerate(RATING_COLUMNS, start=FIRST_RATING_COLUMN):
            found = " ".join(headers[number].casefold().split())
            if not found.startswith(beginnings):
                expected = f"{beginnings[0].capitalize()}, as in the template"
                field = f"column {chr(ord('A') + number)}"
                self.faults.add("row 1", field, headers[number], expected)
        self.faults.raise_if_any()

    def _rows_by_rater(
        self, default_rater: str, *, is_rater_named: bool
    ) -> Iterable[tuple[str, Sequence[SheetRow]]]:
        """Each rater with their rows; the names are checked where they are read."""
        more = self.sheet.headers[COLUMN_COUNT:]
        column = next((n for n, name in enumerate(more) if name.casefold() in RATER_HEADERS), None)
        for number, name in enumerate(more):
            if number != column and any(row.more[number : number + 1] for row in self.sheet.rows):
                self.warnings.add(self.where, f"column {name!r} left out")
        if column is None:
            expected = (
                "a user name of letters, digits and @ . + - _ (from the file's name, as no other "
                "rater was named)"
            )
            try:
                read_username(default_rater)
            except CellError:
                self.faults.add("", "rater", default_rater, expected)
            return [(default_rater, self.sheet.rows)]
        rows_by_rater: dict[str, list[SheetRow]] = {}
        rater = ""
        for row in self.sheet.rows:
            name_in_row = row.more[column] if column < len(row.more) else ""
            if name_in_row and name_in_row != rater:
                rater = self._written_rater(
                    row, more[column], name_in_row, default_rater if is_rater_named else ""
                )
            if row.has_text or row.rating_count:
                if not rater:
                    self.faults.add(row.place, more[column], "", "a user name")
                rows_by_rater.setdefault(rater, []).append(row)
        return rows_by_rater.items()

    def _written_rater(self, row: SheetRow, field: str, name: str, expected_rater: str) -> str:
        if expected_rater and name != expected_rater:
            expected = f"{expected_rater!r}, the rater that was named"
            self.faults.add(row.place, field, name, expected)
        try:
            return read_username(name)
        except CellError as error:
            self.faults.add(row.place, field, name, str(error))
            return name

    def _answers(self, rater: str, rows: Sequence[SheetRow]) -> Iterable[tuple[int, RatingRow]]:
        for row in rows:
            if row.rating_count and not row.has_text:
                expected = "no ratings, as the row names no step"
                self.faults.add(row.place, "columns F to O", row.ratings, expected)
        videos = split_videos(rows, self.file, self.faults)
        if videos and not videos[0].header.video_id:
            self.warnings.add(self.where, "column B holds no ids: videos are called by their names")
        for video in videos:
            ids = step_ids(video, self.warnings)
            first = ("", *ids)
            for row, event in zip((video.header, *video.steps), first, strict=True):
                base = RatingRow(
                    dataset=row.dataset or video.header.dataset,
                    take="",
                    trace=video.uid,
                    event=event,
                    rater=rater,
                    metric=Metric.ERROR_VALIDITY,
                    value="",
                    words=(row.correct, row.performed) if row is not video.header else None,
                )
                for answer in self._answers_of(row, base, is_first=row is video.header):
                    yield row.number, answer

    def _answers_of(self, row: SheetRow, base: RatingRow, *, is_first: bool) -> Iterable[RatingRow]:
        cells = [_Cell(row, n, text) for n, text in enumerate(row.ratings) if text]
        confidence = next((cell for cell in cells if cell.metric is None), None)
        has_logic = any(cell.metric is Metric.PROCEDURE_LOGIC for cell in cells)
        if confidence and not has_logic:
            self._refuse(confidence, "nothing, as Procedure Logic is empty")
        for cell in cells:
            is_of_video = cell.metric is Metric.TEXT_VIDEO_GROUNDING
            if is_of_video is not is_first:
                self._refuse(
                    cell,
                    "nothing: the first row of a video takes column O only"
                    if is_first
                    else "nothing: column O belongs into the first row of the video",
                )
            elif cell.metric is not None:
                try:
                    sure = (
                        read_confidence(confidence.text)
                        if confidence and cell.metric is Metric.PROCEDURE_LOGIC
                        else None
                    )
                    value = stored_value(cell.metric, cell.text)
                    check_value(cell.metric, value, sure)
                except CellError as error:
                    assert confidence is not None
                    self._refuse(confidence, str(error))
                except RatingValueError as error:
                    wrong = confidence if error.field == "confidence" and confidence else cell
                    self._refuse(wrong, error.expected)
                else:
                    yield replace(base, metric=cell.metric, value=value, confidence=sure)

    def _refuse(self, cell: _Cell, expected: str) -> None:
        field = self.sheet.headers[FIRST_RATING_COLUMN + cell.column]
        self.faults.add(cell.row.place, field.strip(), cell.text, expected)


def stored_value(metric: Metric, text: str) -> str:
    """The value as it is stored, from whatever spelling; another text as it stands.

    >>> stored_value(Metric.PROCEDURE_LOGIC, "Yes"), stored_value(Metric.CONFUSABILITY, "4.0")
    ('yes', '4')
    >>> stored_value(Metric.TAXONOMY_FIT, "we"), stored_value(Metric.CONFUSABILITY, "four")
    ('WE', 'four')
    """
    definition = current_rubric().definition(metric)
    written = " ".join(text.split()).casefold()
    if definition.scale is Scale.YES_NO and written in YES_OR_NO:
        return yes_or_no(YES_OR_NO[written])
    number = whole_number(text)
    if definition.scale is Scale.LIKERT and number is not None:
        return str(number)
    known = {item.casefold(): item for item in definition.values}
    known |= {definition.shown(item).casefold(): item for item in definition.values}
    return known.get(written, text)
