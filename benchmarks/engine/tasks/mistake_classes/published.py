"""Rows of EgoOops, Table 7: per cent, exact over 88 mistakes and 7 corrections of 538 segments."""

from benchmarks.engine.task import PublishedRow

WARNING = "over the 50 recordings of EgoOops; with true segments, of which 35 belong to no step"
# Name, then precision, recall and F1 of mistakes and of corrections.
ROWS = (
    ("Uniform", (16.4, 33.3, 21.9), (1.3, 33.3, 2.5)),
    ("Trained on Assembly101", (14.8, 14.8, 14.8), (2.4, 42.9, 4.5)),
    ("Trained on CaptainCook4D", (16.5, 76.1, 27.1), ()),
    ("MLP on true segments", (35.0, 48.9, 40.8), (57.1, 57.1, 57.1)),
    ("InternVL2.5-8B", (47.6, 34.1, 39.7), (0.0, 0.0, 0.0)),
    ("Qwen2-VL-7B", (75.0, 30.7, 43.5), (2.6, 14.3, 4.4)),
)
PUBLISHED = tuple(
    PublishedRow(
        name,
        {
            f"{kind}_{figure}": value / 100
            for kind, values in (("mistake", mistakes), ("correction", corrections))
            for figure, value in zip(("precision", "recall", "f1"), values, strict=False)
        },
        "EgoOops, Table 7",
        WARNING,
    )
    for name, mistakes, corrections in ROWS
)
