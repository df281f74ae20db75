"""Figures of a round of texts as rows of a table."""

from collections.abc import Iterator, Mapping

from annotation.analytics.agreement.intervals import Interval
from annotation.engine.csv_cells import Cell
from texts.engine.figures import FIGURES_VERSION, Share, TextFigures
from texts.engine.medians import Median

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
        *(("reasons", share) for share in figures.reasons),
    ):
        yield _share_row(part, share.name, share)
    for kappa in figures.kappas:
        interval = kappa.interval
        yield [
            "agreement", kappa.name, f"Cohen's kappa, {kappa.title}", kappa.value,
            *_ends(interval), None, figures.read_twice, interval.clusters, interval.reason,
        ]  # fmt: skip
    for group in figures.by_group:
        for share in (group.before, group.kept, group.after):
            yield _share_row("kinds", group.name, share)
    for reader in figures.by_person:
        kept_share = reader.keeping / reader.given
        yield [
            "people", reader.name, "Verdicts that keep a text", kept_share, None, None,
            reader.keeping, reader.given, None, "",
        ]  # fmt: skip
        yield _median_row("people", reader.name, "Median seconds", reader.seconds, reader.given)
    yield _median_row("seconds", "median_s", "Median", figures.seconds, None)


def _median_row(part: str, name: str, title: str, found: Median, count: int | None) -> list[Cell]:
    interval = found.interval
    return [
        part, name, title, found.value, *_ends(interval), None, count, interval.clusters,
        interval.reason,
    ]  # fmt: skip


def _share_row(part: str, name: str, share: Share) -> list[Cell]:
    return [
        part, name, share.title, share.value, *_ends(share.interval), share.hits, share.count,
        share.interval.clusters, share.interval.reason,
    ]  # fmt: skip


def _ends(interval: Interval) -> list[Cell]:
    return [interval.low, interval.high]
