"""What `agreement --tables` prints: tables of the paper with your own rows below."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.analytics.agreement.report import ReportRow
from annotation.analytics.tables.example_cases import example_table
from annotation.analytics.tables.paper_tables import PaperTable, paper_table
from annotation.analytics.tables.table_writers import TableFormat, write_table
from annotation.models import Assignment, Round
from annotation.selectors.figures.example_cases import example_cases
from annotation.selectors.figures.paper import own_figures, texts_of, with_texts
from annotation.selectors.figures.rated_traces import scales_of
from annotation.selectors.figures.report import ReportScope


def add_table_arguments(parser: ArgumentParser) -> None:
    keys = ",".join(PaperTable)
    parser.add_argument(
        "--tables",
        type=_table_keys,
        metavar=keys,
        help=f"tables of the PIE-V paper with your rows below the published ones: {keys};"
        " without --dataset and --campaign the published values alone",
    )
    parser.add_argument(
        "--format",
        choices=[TableFormat.CSV, TableFormat.LATEX, TableFormat.MARKDOWN],
        default=TableFormat.MARKDOWN,
        help="how --tables prints them",
    )
    parser.add_argument(
        "--intervals", action="store_true", help="have LaTeX and Markdown print intervals, too"
    )
    parser.add_argument(
        "--incomplete",
        action="store_true",
        help="have --tables print your figures of too few answers or raters, too",
    )


def _table_keys(text: str) -> list[PaperTable]:
    keys = [key.strip().upper() for key in text.split(",")]
    for key in keys:
        if key not in set(PaperTable):
            raise ArgumentTypeError(f"there is no table {key!r}; expected {','.join(PaperTable)}")
    return [PaperTable(key) for key in keys]


def tables_text(
    options: Mapping[str, Any], rows: Iterable[ReportRow] = (), scopes: Sequence[ReportScope] = ()
) -> str:
    """The tables that the options name, with blank lines between them.

    `rows` are your own figures, `scopes` what they are of: data sets in the same rounds.
    """
    rounds = scopes[0].rounds if scopes else Round.objects.none()
    assignments = Assignment.objects.none()
    for scope in scopes:
        assignments = assignments | scope.assignments(scope.rounds)
    own = own_figures(rows, scales_of(rows, assignments))
    rubric, guideline = texts_of(with_texts(rounds).last())
    datasets = [scope.dataset.pk for scope in scopes]
    tables = (
        example_table(example_cases(datasets, rounds))
        if key is PaperTable.EXAMPLES
        else paper_table(
            key,
            own,
            rubric_=rubric,
            guideline=guideline,
            shows_intervals=options["intervals"],
            has_incomplete=options["incomplete"],
        )
        for key in options["tables"]
    )
    return "\n".join(write_table(table, TableFormat(options["format"])) for table in tables)
