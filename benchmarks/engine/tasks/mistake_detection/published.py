"""Rows of EgoOops, Tables 4 and 5: per cent mAP over mistakes and corrections."""

from benchmarks.engine.task import PublishedRow

WARNING = (
    "the paper's five folds are not published, and how segments of no step count is not said; all"
    " corrections are such segments, so who gives one segment per step cannot pass 34.1"
)
NUMBERED = "; step ids are counted through by time, after as many segments are kept as there are"
# Name, then mAP at 0.1, 0.2 and 0.3 and their mean, or the mean alone, and what else to say.
ROWS: tuple[tuple[str, tuple[float, ...], str], ...] = (
    ("ActionFormer", (1.8, 0.1, 0.1, 0.7), NUMBERED),
    ("StepFormer++ with MLP", (2.6, 2.5, 2.5, 2.5), ""),
    ("StepFormer++ with MLP, without text", (0.3,), ""),
    ("MLP on true segments", (34.7,), "; true segments leak most mistakes"),
    ("MLP on true segments, without text", (4.7,), "; true segments leak most mistakes"),
)
KEYS = ("map_0.1", "map_0.2", "map_0.3", "map")


def _row(name: str, values: tuple[float, ...], more: str) -> PublishedRow:
    figures = {key: value / 100 for key, value in zip(KEYS[-len(values) :], values, strict=True)}
    source = "EgoOops, Table 5" if "without text" in name else "EgoOops, Table 4"
    return PublishedRow(name, figures, source, WARNING + more)


PUBLISHED = tuple(_row(*row) for row in ROWS)
