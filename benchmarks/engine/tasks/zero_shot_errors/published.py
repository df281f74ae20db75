"""Rows of CaptainCook4D (Peddi et al., 2024), Tables 7 and 8: zero-shot, over all 5,700 rows."""

from benchmarks.engine.task import PublishedRow

OWN_WORDS = (
    "other questions, which a text model wrote; the published scripts join labels to questions by"
    " position and pool precision, recall and F1 by a formula that leaves out steps with a 0"
)
ALL = "over all 5,700 rows, of which 34.5% are errors, with the steps that were left out"
OTHER_ROWS = "; here only timed rows are asked about"
CANNOT_BE = "; its F1 cannot be: precision and recall give 0.7"
# Name, then per cent of accuracy, precision, recall and F1 with one and with seven questions.
TABLE_7 = (
    ("Video-LLaVA", (64.3, 34.2, 3.9, 6.7), (52.85, 36.3, 49.3, 41.8)),
    ("TimeChat", (65.0, 51.11, 1.15, 2.26), (43.5, 34.38, 69.7, 46.1)),
)
# Category, then precision, recall, F1 and accuracy of Video-LLaVA and of TimeChat.
TABLE_8 = {
    "order": ((16.3, 35.3, 22.3, 65.5), (17.2, 6.25, 9.2, 82.6)),
    "preparation": ((7.7, 12.3, 9.5, 84.2), (7.1, 50.1, 12.4, 52.2)),
    "measurement": ((0.0, 0.0, 0.0, 93.7), (6.1, 44.2, 10.7, 57.1)),
    "technique": ((11.1, 0.4, 0.7, 90.9), (2.4, 0.4, 0.6, 89.9)),
    "missing": ((5.1, 3.9, 4.4, 91.7), (2.2, 0.4, 12.4, 94.3)),
    "temperature": ((0.5, 4.6, 0.9, 89.4), (0.6, 6.2, 1.2, 88.4)),
    "timing": ((6.6, 0.6, 1.1, 96.8), (3.0, 17.6, 5.1, 80.5)),
}


def published_rows(*, is_by_category: bool, is_all: bool) -> tuple[PublishedRow, ...]:
    """Those of one way of asking; Table 8 stands in the breakdown by category."""
    warning = f"{ALL}{'' if is_all else OTHER_ROWS}; {OWN_WORDS}"

    def row(
        name: str, keys: tuple[str, ...], values: tuple[float, ...], table: int, category: str = ""
    ) -> PublishedRow:
        shares = {key: value / 100 for key, value in zip(keys, values, strict=True)}
        is_wrong = (name, category) == ("TimeChat", "missing")
        return PublishedRow(
            name,
            shares,
            f"CaptainCook4D, Table {table}",
            warning + (CANNOT_BE if is_wrong else ""),
            group=("category", category) if category else ("", ""),
        )

    whole = [
        row(name, ("accuracy", "precision", "recall", "f1"), seven if is_by_category else one, 7)
        for name, one, seven in TABLE_7
    ]
    by_category = [
        row(name, ("precision", "recall", "f1", "accuracy"), values, 8, category)
        for category, of_models in TABLE_8.items()
        for (name, _, _), values in zip(TABLE_7, of_models, strict=True)
    ]
    return (*whole, *(by_category if is_by_category else ()))
