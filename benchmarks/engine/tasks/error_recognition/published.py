"""Rows of CaptainCook4D (Peddi et al., 2024), Tables 2 and 11, of the divisions S and R."""

from benchmarks.engine.published_splits import ERROR_RECOGNITION, PublishedSplit
from benchmarks.engine.task import PublishedRow

KEYS = ("accuracy", "precision", "recall", "f1", "auc")
BY_STEP, BY_RECORDING = "by step", "by recording"
TUNED = "threshold and scale of the score were chosen on the test set"
ITEMS = {
    BY_STEP: "798 or 799 items, 249 errors, of a cut in time",
    BY_RECORDING: "671 items, 241 errors",
}
EARLY = "; the accuracy of “nothing is an error” is within 3 points of every such row"
# In these columns, S, R, early S and early R.
COLUMNS = ((BY_STEP, False), (BY_RECORDING, False), (BY_STEP, True), (BY_RECORDING, True))
# Name, then per cent of accuracy, precision, recall, F1 and AUC in each column.
ROWS = (
    (
        "Omnivore V1", (71.09, 66.07, 14.86, 24.26, 75.7), (59.76, 45.31, 58.09, 50.91, 63.03),
        (69.59, 75.0, 3.61, 6.9, 72.9), (64.08, 50.0, 2.07, 3.98, 64.73),
    ),
    (
        "Omnivore V2", (69.96, 51.56, 59.84, 55.39, 73.7), (62.3, 46.55, 33.61, 39.04, 62.27),
        (69.21, 50.0, 1.2, 2.34, 73.48), (64.08, 50.0, 0.41, 0.82, 65.43),
    ),
    (
        "SlowFast V1", (33.54, 31.88, 90.6, 47.16, 63.06), (60.06, 40.82, 24.9, 30.93, 56.89),
        (67.96, 47.15, 23.29, 31.18, 67.23), (63.79, 33.33, 0.83, 1.62, 53.11),
    ),
    (
        "SlowFast V2", (68.09, 47.69, 24.9, 32.72, 67.18), (57.82, 41.67, 43.57, 42.6, 59.83),
        (69.09, 50.0, 1.6, 3.1, 62.72), (63.93, 42.86, 1.24, 2.42, 53.38),
    ),
    (
        "X3D V1", (68.34, 48.0, 19.28, 27.51, 60.19), (54.69, 39.6, 49.79, 44.12, 54.66),
        (65.96, 41.73, 23.29, 29.9, 59.27), (63.34, 46.27, 12.86, 20.13, 55.24),
    ),
    (
        "X3D V2", (67.83, 42.86, 9.64, 15.74, 61.5), (54.25, 40.78, 60.58, 48.75, 56.58),
        (68.71, 45.45, 2.01, 3.85, 56.5), (63.64, 28.57, 0.83, 1.61, 56.84),
    ),
    (
        "3D-ResNet V1", (63.45, 42.9, 52.21, 47.1, 66.16), (41.88, 37.65, 94.19, 53.79, 62.42),
        (68.46, 47.89, 13.65, 21.25, 63.79), (63.19, 43.75, 8.71, 14.53, 53.47),
    ),
    (
        "3D-ResNet V2", (61.58, 41.47, 56.63, 47.88, 64.5), (57.82, 43.56, 58.92, 50.09, 59.22),
        (68.84, 50.0, 0.4, 0.8, 60.76), (63.04, 37.04, 4.15, 7.46, 54.73),
    ),
    (
        "ImageBind V3, video", (62.78, 38.46, 32.13, 35.01, 57.03),
        (37.56, 36.14, 96.27, 52.55, 54.1),
    ),
    (
        "ImageBind V3, audio", (43.86, 32.26, 72.69, 44.69, 52.23),
        (39.05, 35.67, 89.72, 50.54, 54.8),
    ),
    (
        "ImageBind V3, video and audio", (63.28, 40.76, 38.96, 39.84, 53.87),
        (54.25, 40.98, 62.24, 49.42, 55.25),
    ),
    (
        "ImageBind V3, with text", (68.79, 42.76, 41.96, 42.36, 61.1),
        (64.08, 44.15, 58.01, 50.13, 58.35),
    ),
    (
        "ImageBind V3, with text and depth", (69.4, 50.75, 48.96, 49.84, 70.41),
        (63.87, 49.57, 64.4, 56.02, 65.23),
    ),
)  # fmt: skip
# What else has to be said of a row in a column; counted: no table of whole numbers prints as those.
NO_WHOLE = "; no whole numbers of these items give this row"
REMARKS = {
    ("SlowFast V1", 0): NO_WHOLE,
    ("ImageBind V3, with text", 0): NO_WHOLE,
    ("ImageBind V3, with text and depth", 0): NO_WHOLE,
    ("ImageBind V3, audio", 1): NO_WHOLE,
    ("ImageBind V3, with text", 1): NO_WHOLE,
    ("ImageBind V3, with text and depth", 1): f"{NO_WHOLE}; Table 10 prints the AUC 65.25",
    ("Omnivore V2", 0): "; Table 10 prints the AUC 75.7",
    ("Omnivore V2", 2): NO_WHOLE,
    ("SlowFast V2", 2): NO_WHOLE,
}


def published_rows(
    division: str, split: PublishedSplit | None, *, is_early: bool
) -> tuple[PublishedRow, ...]:
    """Those of the same division; of recordings there are figures of one alone."""
    is_theirs = split is not None and (split.family, split.name) == (
        ERROR_RECOGNITION, "recordings",
    )  # fmt: skip
    if (division, is_early) not in COLUMNS or (division == BY_RECORDING and not is_theirs):
        return ()
    column = COLUMNS.index((division, is_early))
    source = f"CaptainCook4D, Table {11 if is_early else 2}, split {'SRSR'[column]}"
    return tuple(
        PublishedRow(
            name,
            {key: value / 100 for key, value in zip(KEYS, found[column], strict=True)},
            source,
            f"{ITEMS[division]}; {TUNED}{EARLY if is_early else ''}"
            + REMARKS.get((name, column), ""),
        )
        for name, *found in ROWS
        if column < len(found)
    )
