"""Rows of CaptainCook4D (Peddi et al., 2024), Table 2, as far as they are of the same divisions."""

from benchmarks.engine.task import PublishedRow

KEYS = ("accuracy", "precision", "recall", "f1", "auc")
BY_STEP, BY_RECORDING = "by step", "by recording"
WARNINGS = {
    BY_STEP: (
        "798 or 799 items, 249 errors; the division is a cut in time, and threshold and scale of"
        " the score were chosen on the test set"
    ),
    BY_RECORDING: (
        "671 items, 241 errors, of a division that is not among the published data splits;"
        " threshold and scale of the score were chosen on the test set"
    ),
}
# Name, then per cent of accuracy, precision, recall, F1, AUC by step and by recording.
ROWS = (
    ("Omnivore V1", (71.09, 66.07, 14.86, 24.26, 75.7), (59.76, 45.31, 58.09, 50.91, 63.03)),
    ("Omnivore V2", (69.96, 51.56, 59.84, 55.39, 73.7), (62.3, 46.55, 33.61, 39.04, 62.27)),
    ("SlowFast V1", (33.54, 31.88, 90.6, 47.16, 63.06), (60.06, 40.82, 24.9, 30.93, 56.89)),
    ("SlowFast V2", (68.09, 47.69, 24.9, 32.72, 67.18), (57.82, 41.67, 43.57, 42.6, 59.83)),
    ("X3D V1", (68.34, 48.0, 19.28, 27.51, 60.19), (54.69, 39.6, 49.79, 44.12, 54.66)),
    ("X3D V2", (67.83, 42.86, 9.64, 15.74, 61.5), (54.25, 40.78, 60.58, 48.75, 56.58)),
    ("3D-ResNet V1", (63.45, 42.9, 52.21, 47.1, 66.16), (41.88, 37.65, 94.19, 53.79, 62.42)),
    ("3D-ResNet V2", (61.58, 41.47, 56.63, 47.88, 64.5), (57.82, 43.56, 58.92, 50.09, 59.22)),
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


def published_rows(division: str) -> tuple[PublishedRow, ...]:
    """Those of one way of dividing, `BY_STEP` or `BY_RECORDING`."""
    return tuple(
        PublishedRow(
            name,
            {
                key: value / 100
                for key, value in zip(
                    KEYS, by_step if division == BY_STEP else by_recording, strict=True
                )
            },
            f"CaptainCook4D, Table 2, split {division}",
            WARNINGS[division],
        )
        for name, by_step, by_recording in ROWS
    )
