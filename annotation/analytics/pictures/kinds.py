"""The kinds of pictures, by the names under which they are stored until they are drawn."""

from dataclasses import asdict
from typing import Any, cast

from annotation.analytics.pictures.canvas import Picture
from annotation.analytics.pictures.distribution import Distribution
from annotation.analytics.pictures.drift import DriftLines
from annotation.analytics.pictures.dumbbell import Dumbbell
from annotation.analytics.pictures.forest import ForestPlot
from annotation.analytics.pictures.heat_map import HeatMap
from annotation.analytics.pictures.tolerance_curves import ToleranceCurves
from annotation.engine.stored import from_stored

KINDS: dict[str, type[Any]] = {
    "distribution": Distribution,
    "drift": DriftLines,
    "dumbbell": Dumbbell,
    "forest": ForestPlot,
    "heat_map": HeatMap,
    "tolerance_curves": ToleranceCurves,
}


def picture_to_dict(picture: Picture) -> dict[str, Any]:
    """What `picture_from_dict` makes an equal picture of."""
    [kind] = [name for name, made in KINDS.items() if type(picture) is made]
    return {"kind": kind, "picture": asdict(cast(Any, picture))}


def picture_from_dict(stored: dict[str, Any]) -> Picture:
    return cast(Picture, from_stored(KINDS[stored["kind"]], stored["picture"]))
