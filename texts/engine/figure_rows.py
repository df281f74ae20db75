"""Figures of a round of texts as rows of a table."""

from collections.abc import Iterator, Mapping

from annotation.analytics.agreement.intervals import Interval
from annotation.engine.csv_cells import Cell
from texts.engine.figures import FIGURES_VERSION, TextFigures

COLUMNS = ("part", "name", "title", "value", "low", "high", "hits", "count", "recordings", "reason")


def csv_rows(figures: TextFigures | None, about: Mapping[str, Cell]) -> Iterator[list[Cell]]:
    """A header, then a row for each figure, each starting with `about` and the version.

    The header alone for None: there are no figures yet.
    """
    told = {**about, "figures_version": FIGURES_VERSION}
    yield [*told, *COLUMNS]
    for row in _rows(figures) if figures else ():
        yield [*told.values(), *row]


def _rows(figures: TextFigures) -> Iterator[list[Cell]]:
    for part, share in (
        ("agreement", figures.equal),
        *(("decided", share) for share in figures.shares),
    ):
        yield [
            part, share.name, share.title, share.value, *_ends(share.interval), share.hits,
            share.count, share.interval.clusters, share.interval.reason,
        ]  # fmt: skip
    for kappa in figures.kappas:
        interval = kappa.interval
        yield [
            "agreement", kappa.name, f"Cohen's kappa, {kappa.title}", kappa.value,
            *_ends(interval), None, figures.read_twice, interval.clusters, interval.reason,
        ]  # fmt: skip
    for title, count in figures.reasons:
        yield ["reasons", "", title, None, None, None, count, None, None, ""]
    for group in figures.by_group:
        kept = group.kept
        yield ["kinds", group.name, "Texts before", None, None, None, None, group.texts, None, ""]
        yield [
            "kinds", group.name, "Kept of those decided", kept.value, *_ends(kept.interval),
            kept.hits, kept.count, kept.interval.clusters, kept.interval.reason,
        ]  # fmt: skip
    for reader in figures.by_person:
        kept_share, own_s = reader.keeping / reader.given, reader.median_seconds
        yield [
            "people", reader.name, "Verdicts that keep a text", kept_share, None, None,
            reader.keeping, reader.given, None, "",
        ]  # fmt: skip
        yield [
            "people", reader.name, "Median seconds", own_s, None, None, None, reader.given,
            None, "",
        ]  # fmt: skip
    seconds = figures.median_seconds
    yield ["seconds", "median_s", "Median", seconds, None, None, None, None, None, ""]


def _ends(interval: Interval) -> list[Cell]:
    return [interval.low, interval.high]
