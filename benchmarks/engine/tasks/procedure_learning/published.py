"""Rows of CaptainCook4D, Table 15: per cent precision, recall and IoU by the released code."""

from benchmarks.engine.task import PublishedRow

WARNING = (
    "30 clusters for every recipe and the background counted as a key-step, so compare it with"
    " the columns of the released code; frames of the videos themselves, which end later than"
    " annotations do"
)
AVERAGES = {
    "Random": (7.61, 3.92, 2.22),
    "M1: TCC": (15.62, 10.85, 5.78),
    "M2: TCC and C-IDM": (15.78, 10.68, 5.82),
}
# M1, then M2.
RECIPES = {
    "Blender Banana Pancakes": ((12.65, 9.50, 5.16), (15.54, 9.96, 5.72)),
    "Coffee": ((13.68, 9.91, 5.49), (15.76, 10.25, 5.63)),
    "Mug Cake": ((16.12, 12.95, 6.87), (10.32, 8.85, 4.40)),
    "Pan Fried Tofu": ((8.86, 10.39, 3.75), (9.34, 12.44, 3.87)),
    "Pinwheels": ((13.58, 11.96, 5.92), (16.08, 13.06, 7.05)),
}


def _row(
    name: str, values: tuple[float, float, float], group: tuple[str, str] = ("", "")
) -> PublishedRow:
    keys = ("precision_code", "recall_code", "iou_code")
    figures = {key: value / 100 for key, value in zip(keys, values, strict=True)}
    source = "CaptainCook4D, Table 15" + ("" if group[0] else ", average of 24 recipes")
    return PublishedRow(name, figures, source, WARNING, group)


PUBLISHED = (
    *(_row(name, values) for name, values in AVERAGES.items()),
    *(
        _row(name, values, ("scenario", recipe))
        for recipe, rows in RECIPES.items()
        for name, values in zip(list(AVERAGES)[1:], rows, strict=True)
    ),
)
