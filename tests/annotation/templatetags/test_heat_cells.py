"""Rows of cells read as a template would write them, cell by cell."""

from django.template import engines

from annotation.models import ScreeningResult
from annotation.selectors.figures.rater_pages import PairCell

CELL_BY_CELL = (
    "{% for cell in cells %}"
    '{% if cell.is_self %}<td class="heat"><span class="visually-hidden">same person</span></td>'
    '{% else %}<td class="heat heat-{{ cell.shade }}"><b>'
    "{% if cell.alpha is None %}–{% else %}{{ cell.alpha|floatformat:2 }}{% endif %}</b>"
    '<span class="small">{{ cell.units }}</span></td>{% endif %}{% endfor %}'
)


def shown(text, **context):
    return engines["django"].from_string("{% load heat_cells %}" + text).render(context)


def test_pairs_are_written_as_one_by_one():
    cells = [
        PairCell(None, 0, "none", is_self=True),
        PairCell(None, 3, "none", is_self=False),
        PairCell(-0.1234, 12345, "0", is_self=False),
        PairCell(1.0, 1, "4", is_self=False),
    ]

    row = shown("{% pair_cells cells %}", cells=cells)

    assert row == shown(CELL_BY_CELL, cells=cells)
    assert '<td class="heat heat-0"><b>-0.12</b><span class="small">12345</span></td>' in row


def test_counts_are_written_with_nobody_meeting_themselves():
    row = shown("{% count_cells counts %}", counts=[0, None, 12345])

    assert row == (
        '<td class="heat">0</td>'
        '<td class="heat"><span class="visually-hidden">same person</span></td>'
        '<td class="heat">12345</td>'
    )


def test_somebody_alone_meets_nobody():
    alone = shown("{% count_cells counts %}", counts=[None])

    assert alone == '<td class="heat"><span class="visually-hidden">same person</span></td>'


def test_dots_of_a_line_stand_at_its_points():
    dots = shown("{% drift_dots points %}", points=((6.0, 20.0), (33.0, 6.5)))

    assert dots == '<circle cx="6.0" cy="20.0" r="3"/><circle cx="33.0" cy="6.5" r="3"/>'


def test_results_of_rules_are_rows_with_what_they_say_escaped():
    flagged = ScreeningResult(state="flagged", value=-1.234, threshold=None, reason="2 < 3.")

    rows = shown("{% result_rows results %}", results=[("<a>", "Speed", flagged)])

    assert rows == (
        '<tr><th scope="row" class="nowrap">&lt;a&gt;</th><td>Speed</td><td>Flagged</td>'
        '<td class="number">-1.23</td><td class="number">–</td><td>2 &lt; 3.</td></tr>'
    )
