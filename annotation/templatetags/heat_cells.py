"""Cells of tables of every two people, and rows of every rule: templates loop slowly."""

from collections.abc import Iterable

from django import template
from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString

from annotation.models import ScreeningState
from annotation.selectors.figures.audit_plans import Meeter
from annotation.selectors.figures.rater_pages import PairCell
from annotation.selectors.ratings.screening import FoundResult

register = template.Library()
SAME_PERSON = '<td class="heat"><span class="visually-hidden">same person</span></td>'


@register.simple_tag
def count_cells(counts: Iterable[int | None]) -> SafeString:
    """A row of counts; None is where a person meets themselves."""
    return _row('<td class="heat">{}</td>', [None if item is None else (item,) for item in counts])


@register.simple_tag
def meeter_rows(meeters: Iterable[Meeter]) -> SafeString:
    """A row for each rater: how many others, and the fewest and most traces shared with one."""
    return format_html_join(
        "",
        '<tr><th scope="row">{}</th><td class="number">{}</td><td class="number">{}</td>'
        '<td class="number">{}</td></tr>',
        ((item.name, item.others, item.fewest, item.most) for item in meeters),
    )


@register.simple_tag
def pair_cells(cells: Iterable[PairCell]) -> SafeString:
    """A row of the heat map of pairs: alpha, and how much both rated."""
    return _row(
        '<td class="heat heat-{}"><b>{}</b><span class="small">{}</span></td>',
        [
            None if cell.is_self else (cell.shade, _decimals(cell.alpha), cell.units)
            for cell in cells
        ],
    )


@register.simple_tag
def drift_dots(points: Iterable[tuple[float, float]]) -> SafeString:
    """The dots of a line of bias by fifths; its points are numbers."""
    return SafeString("".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in points))


@register.simple_tag
def result_rows(results: Iterable[tuple[str, str, FoundResult]]) -> SafeString:
    """A row for every rule and rater: the rater's name, words for the rule, and what it found."""
    labels = dict(ScreeningState.choices)
    # Names, words and reasons are escaped here; what else there is are labels and numbers of ours.
    rows = [
        f'<tr><th scope="row" class="nowrap">{escape(name)}</th><td>{escape(words)}</td>'
        f'<td>{labels[item.state]}</td><td class="number">{_decimals(item.value)}</td>'
        f'<td class="number">{_decimals(item.threshold)}</td><td>{escape(item.reason)}</td></tr>'
        for name, words, item in results
    ]
    return SafeString("".join(rows))


def _decimals(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _row(cell: str, filled_with: list[tuple[object, ...] | None]) -> SafeString:
    """A row of such cells; formatted as one, which takes half the time of each for itself.

    They are filled with numbers and names of shades: nothing that has to be escaped.
    """
    shape = "".join(SAME_PERSON if values is None else cell for values in filled_with)
    return SafeString(shape.format(*(value for values in filled_with for value in values or ())))
