"""Workbooks of the annotation template, made from its layout and filled in as raters do."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import openpyxl
from openpyxl.utils.cell import column_index_from_string
from openpyxl.worksheet.datavalidation import DataValidation

HEADERS = (
    "Dataset",
    "Video with mistake ID ",
    "Step ID",
    "Correct Procedure",
    "Procedure with mistake",
    "Error Validity",
    "Text Plausibility",
    "Confusability / Difficulty to Notice",
    "Procedure Logic",
    "Procedure Logic (Annotator Confidence)",
    "Sequence Consistency Score",
    "State-Change Coherence",
    "Taxonomy Fit (Error Type)",
    "Video Plausibility",
    "Text–Video Grounding Consistency (episode-level)",
)
# Two videos: the first row of each names them, three steps to rate are in the first, one in the
# second.
ROWS = (
    ("Tea", "v-1", 0, "clean", "spoiled"),
    ("Tea", "v-1", 0, "Get a cup", "Get a cup"),
    ("Tea", "v-1", 1, "Boil water", "Boil milk"),
    ("Tea", "v-1", 2, "Rinse it", "Deleted rinse it"),
    ("Tea", "v-1", 3, None, "Wipe the table"),
    ("Tea", "v-2", 0, "clean 2", "spoiled 2"),
    ("Tea", "v-2", 0, "Stir", "Shake"),
)
EVENT_LINES = {("v-1", "1"): 4, ("v-1", "2"): 5, ("v-1", "3"): 6, ("v-2", "0"): 8}
VIDEO_LINES = {"v-1": 2, "v-2": 7}
Cells = Mapping[int, Mapping[str, object]]


def write_book(
    path: Path, cells: Cells, *, rows: Sequence = ROWS, headers: Sequence[str] = HEADERS
) -> Path:
    """A workbook with drop-downs on the rows to rate; `cells` are by line and column letter."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Ratings"
    for row in (headers, *rows):
        sheet.append(row)
    for column, lines in (("F", EVENT_LINES.values()), ("O", VIDEO_LINES.values())):
        menu = DataValidation(type="list", formula1='"No,Yes"' if column == "F" else '"1,2,3,4,5"')
        for line in lines:
            menu.add(f"{column}{line}")
        sheet.add_data_validation(menu)
    for line, values in cells.items():
        for column, value in values.items():
            sheet[f"{column}{line}"] = value
    book.save(path)
    return path


def write_csv(path: Path, cells: Cells) -> Path:
    lines = [list(HEADERS)]
    for number, row in enumerate(ROWS, start=2):
        filled = [*row, *[None] * (len(HEADERS) - len(row))]
        for column, value in cells.get(number, {}).items():
            filled[column_index_from_string(column) - 1] = value
        lines.append(filled)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    return path
