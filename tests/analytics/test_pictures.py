"""Pictures as files: the numbers of their tables, no style sheets, the same bytes every time."""

import hashlib
import json
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from annotation.analytics.agreement.metric_ratings import Basis
from annotation.analytics.agreement.report import build_report
from annotation.analytics.pictures.canvas import PictureFormat, draw_picture, drawable_names
from annotation.analytics.pictures.distribution import AnswerCounts, Distribution
from annotation.analytics.pictures.drift import DriftLines, RaterDrift
from annotation.analytics.pictures.dumbbell import Change, Dumbbell
from annotation.analytics.pictures.forest import ForestMark, ForestPlot
from annotation.analytics.pictures.heat_map import HeatMap
from annotation.analytics.pictures.kinds import picture_from_dict, picture_to_dict
from annotation.analytics.pictures.paper_pictures import PaperPicture, paper_picture
from annotation.analytics.pictures.tolerance_curves import ToleranceCurve, ToleranceCurves
from annotation.analytics.raters.raters import Estimate
from annotation.analytics.tables.own_rows import OwnFigures, OwnScale
from annotation.analytics.tables.table_writers import table_csv
from annotation.engine.corpus.step_words import what_raters_saw
from annotation.engine.rubric.rubric import Metric, current_rubric
from tests.analytics.agreement.test_report import make_ratings

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
SCALE = OwnScale(videos=4, total_steps=40, mistake_steps=10, mistakes=6, corrections=2)
NASTY = 'A $x$ <b> & "数据"'


def make_forest():
    return ForestPlot(
        "Agreement",
        [
            ForestMark("Confusability", NASTY, Estimate(0.25, low=0.1, high=0.4), 40),
            ForestMark("Confusability", "EgoOops", Estimate(0.75, low=0.5, high=0.8), 1234),
            ForestMark("Confusability", "Silent", Estimate(None, reason="no event has two")),
        ],
    )


def make_heat_map(**changes):
    values = {"values": [[None, 0.5], [-0.25, None]], "lowest": 0.0, "highest": 1.0}
    return HeatMap("Pairs", "Alpha", ["anna", NASTY], ["anna", "bert"], **(values | changes))


def make_dumbbell():
    return Dumbbell(
        "Before and after",
        "guideline 1",
        "guideline 2",
        [
            Change("Confusability", 0.2, 0.5, Estimate(0.3, low=0.05, high=0.55)),
            Change("Error Validity", 0.6, 0.5, Estimate(-0.1, low=-0.3, high=0.1)),
            Change("Taxonomy Fit", None, 0.5, Estimate(None, reason="no event has two")),
        ],
    )


def make_distribution():
    return Distribution(
        "Answers",
        [
            AnswerCounts("Error Validity", NASTY, ["no", "yes"], [30, 10]),
            AnswerCounts("Error Validity", "Silent", ["no", "yes"], [0, 0]),
        ],
    )


def make_drift():
    return DriftLines(
        "Drift",
        [
            RaterDrift("anna", [0.1, None, 0.2, 0.3, 0.5], Estimate(0.4, low=0.1, high=0.7)),
            RaterDrift(NASTY, [None] * 5, Estimate(None, reason="too few")),
        ],
    )


def make_tolerances():
    return ToleranceCurves(
        "Edges",
        [
            ToleranceCurve(
                "Steps: starts",
                [
                    (0.1, Estimate(0.25, low=0.1, high=0.4)),
                    (1.0, Estimate(0.75, low=0.6, high=0.9)),
                ],
            ),
            ToleranceCurve(NASTY, [(0.1, Estimate(0.5)), (1.0, Estimate(None, reason="too few"))]),
        ],
    )


AUDITED = "Sample captaincook4d, mistakes made by rules and spliced"


def test_rows_that_would_be_cut_alike_are_told_apart_by_what_differs():
    names = [f"{AUDITED} ({words})" for words in ("round 1", "round 2")]
    marks = [ForestMark("Confusability", name, Estimate(0.5)) for name in names]

    content = draw_picture(ForestPlot("Agreement", marks), PictureFormat.SVG).decode()

    assert "(round 1)<" in content
    assert "(round 2)<" in content


@pytest.mark.parametrize("most", [16, 20, 30])
def test_cut_names_stay_different_short_and_in_their_order(most):
    rng = random.Random(most)
    for _ in range(200):
        parts = ["".join(rng.choices("ab ", k=rng.randrange(1, 30))) for _ in range(3)]
        names = list(
            dict.fromkeys(
                "x" + " ".join(f"{a}{rng.choice(parts)}{b}".split())
                for a in parts
                for b in rng.sample(["round 1", "round 2", "", parts[0]], 2)
            )
        )

        shown = drawable_names(names, most=most)

        assert len(set(shown)) == len(names)
        for name, cut in zip(names, shown, strict=True):
            assert len(cut) <= most
            assert cut == name or ("…" in cut and cut[0] == name[0])


@pytest.mark.parametrize("sign", ["\ufeff", "\u200b", "\u202e", "\u00ad"])
def test_signs_that_show_nothing_stop_no_picture(sign):
    marks = [ForestMark("Confusability", f"{sign}An{sign}na", Estimate(0.5))]

    for format_ in (PictureFormat.PDF, PictureFormat.SVG):
        assert draw_picture(ForestPlot("Agreement", marks), format_)


PICTURES = {
    "forest": make_forest,
    "heat map": make_heat_map,
    "dumbbell": make_dumbbell,
    "distribution": make_distribution,
    "drift": make_drift,
    "tolerances": make_tolerances,
}
every_picture = pytest.mark.parametrize("make", PICTURES.values(), ids=PICTURES)


def svg_of(picture):
    return ET.fromstring(draw_picture(picture, PictureFormat.SVG))  # noqa: S314 - our own


def texts_of(picture):
    return [element.text for element in svg_of(picture).iter(f"{SVG}text")]


@every_picture
def test_picture_is_told_in_words_and_has_no_style_sheet_nor_script(make):
    picture = make()

    root = svg_of(picture)

    words = {tag: root.find(f"{SVG}{tag}") for tag in ("title", "desc")}
    assert {tag: element.text for tag, element in words.items()} == {
        "title": picture.title,
        "desc": picture.alt,
    }
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == " ".join(item.get("id") for item in words.values())
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "defs", "g", "path", "use", "text", "clipPath", "rect"}
    assert not [name for element in root.iter() for name in element.attrib if name == "style"]
    assert not [name for element in root.iter() for name in element.attrib if name[:2] == "on"]
    # Nothing is fetched from anywhere.
    assert all(element.get(LINK, "#").startswith("#") for element in root.iter())


@every_picture
def test_picture_is_the_same_file_each_time(make):
    first = draw_picture(make(), PictureFormat.SVG)

    assert draw_picture(make(), PictureFormat.SVG) == first


@every_picture
def test_picture_that_was_stored_is_drawn_as_it_was(make):
    stored = json.loads(json.dumps(picture_to_dict(make())))

    again = draw_picture(picture_from_dict(stored), PictureFormat.SVG)

    assert again == draw_picture(make(), PictureFormat.SVG)


def test_picture_is_the_same_file_in_another_process():
    script = (
        "import hashlib\n"
        "from annotation.analytics.pictures.canvas import PictureFormat, draw_picture\n"
        "from tests.analytics.test_pictures import make_forest\n"
        "for form in PictureFormat:\n"
        "    print(hashlib.sha256(draw_picture(make_forest(), form)).hexdigest())\n"
    )

    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    own = [hashlib.sha256(draw_picture(make_forest(), form)).hexdigest() for form in PictureFormat]
    assert run.stdout.decode().split() == own


@every_picture
def test_pdf_holds_its_fonts_and_no_date(make):
    content = draw_picture(make(), PictureFormat.PDF)

    assert content.startswith(b"%PDF-")
    assert b"/CreationDate" not in content
    fonts = set(re.findall(rb"/Subtype /(Type3|Type0|CIDFontType2|TrueType|Type1)\b", content))
    assert fonts == {b"Type0", b"CIDFontType2"}


def test_names_stand_in_the_picture_as_they_are():
    for make in (make_forest, make_heat_map, make_distribution, make_drift):
        assert NASTY in texts_of(make()), make.__name__


def test_forest_plot_puts_each_alpha_where_the_axis_says():
    root = svg_of(make_forest())

    places = {}
    for element in root.iter(f"{SVG}text"):
        if element.text in ("0.0", "0.5", "1.0"):
            places[float(element.text)] = float(element.get("x"))
    ticks = {
        use
        for group in root.iter(f"{SVG}g")
        if re.match("[xy]tick", group.get("id", ""))
        for use in group.iter(f"{SVG}use")
    }
    marks = [float(use.get("x")) for use in root.iter(f"{SVG}use") if use not in ticks]
    alphas = [(x - places[0.0]) / (places[1.0] - places[0.0]) for x in marks]
    assert alphas == pytest.approx([0.25, 0.75], abs=1e-4)


def test_forest_plot_says_n_and_what_is_undefined():
    texts = texts_of(make_forest())

    assert {"40", "1,234", "–", "undefined"} <= set(texts)


def test_table_of_a_forest_plot_has_every_value_and_reason():
    assert table_csv(make_forest().table()).splitlines()[1:] == [
        'Confusability,"A $x$ <b> & ""数据""",0.25,0.1,0.4,40,',
        "Confusability,EgoOops,0.75,0.5,0.8,1234,",
        "Confusability,Silent,,,,,α [95% interval]: no event has two.",
    ]


def test_heat_map_writes_each_number_into_its_field():
    texts = texts_of(make_heat_map())

    assert [text for text in texts if text in ("0.50", "−0.25", "–")] == ["–", "0.50", "−0.25", "–"]


def test_titles_of_sides_may_hold_what_no_font_has():
    named = make_heat_map(row_title="\t=anna", column_title="\r=bert")

    assert "=anna" in texts_of(named)
    assert any(text.startswith("=bert · ") for text in texts_of(named))


def test_heat_map_refuses_values_of_another_shape():
    with pytest.raises(ValueError, match=r"values are 1 rows of \[2\]; expected 2 rows of 2"):
        make_heat_map(values=[[1, 2]])


def test_heat_map_of_equal_numbers_is_drawn():
    picture = make_heat_map(values=[[3, 3], [3, 3]], lowest=3, highest=3, decimals=None)

    assert texts_of(picture).count("3") == 4


def test_dumbbell_says_each_change_with_its_interval():
    texts = texts_of(make_dumbbell())

    assert "+0.300 [0.050, 0.550]" in texts
    assert "−0.100 [−0.300, 0.100]" in texts
    assert "no figure" in texts
    assert {"guideline 1", "guideline 2"} <= set(texts)
    assert make_dumbbell().alt.startswith(
        "Alpha under guideline 1 and under guideline 2: higher in 1 of 2 metrics;"
        " the interval of the change leaves out 0 in 1."
    )


def test_distribution_says_shares_and_counts():
    rows = table_csv(make_distribution().table()).splitlines()[1:]

    assert [row.rsplit('"', 1)[1] for row in rows] == [",no,30,75.0,", ",yes,10,25.0,"]
    assert {"no", "yes", "40", "–"} <= set(texts_of(make_distribution()))


def test_drift_says_each_change_and_who_changes_most():
    assert {"change 0.40 [0.10, 0.70]", "no line"} <= set(texts_of(make_drift()))
    assert "anna changes most, by 0.40" in make_drift().alt


@pytest.mark.parametrize(
    "picture",
    [
        ForestPlot("T", []),
        HeatMap("T", "Alpha", [], [], [], 0, 1),
        Dumbbell("T", "1", "2", []),
        Distribution("T", []),
        DriftLines("T", []),
        ToleranceCurves("T", []),
    ],
    ids=PICTURES,
)
def test_picture_of_nothing_is_refused_and_its_words_are_not(picture):
    with pytest.raises(ValueError, match="there is nothing to draw"):
        draw_picture(picture, PictureFormat.SVG)

    assert picture.alt
    assert list(picture.table().rows()) == []


def test_pairs_of_many_raters_fit_on_a_page_as_colours_with_their_scale():
    few, many = (
        HeatMap("Pairs", "Alpha", names, names, [[0.5] * len(names)] * len(names), 0.0, 1.0)
        for names in ([f"rater{place}" for place in range(count)] for count in (30, 200))
    )

    assert texts_of(few).count("0.50") == 900
    assert "0.50" not in texts_of(many)
    # The ends of the scale, and every eighth name.
    assert {"0.0", "1.0", "rater0", "rater8"} <= set(texts_of(many))
    assert "rater1" not in texts_of(many)
    assert many.size == (8.5, 7.0)
    assert len(list(many.table().rows())) == 200


def test_data_sets_without_a_metric_are_left_blank_there():
    marks = [
        ForestMark("Confusability", "Tea", Estimate(0.5, low=0.25, high=0.75), 12),
        ForestMark("Confusability", "EgoPER*", Estimate(0.25)),
        ForestMark("Video Plausibility", "Tea", Estimate(0.5, low=0.25, high=0.75), 12),
    ]

    texts = texts_of(ForestPlot("Agreement", marks, "* as published"))

    assert "undefined" not in texts
    assert any(text.endswith("the units; * as published") for text in texts)


@pytest.mark.parametrize("words", [("arrows",), ("words",), ("elsewhere",)])
def test_the_forest_says_how_taxonomy_fit_was_worded(words):
    counts = [[0, 2, 0, 1, 0, 0], [2, 0, 0, 0, 0, 1], [0, 0, 3, 0, 0, 0]] * 5
    basis = Basis(campaign="Audit", step_words=words)
    ratings = make_ratings(Metric.TAXONOMY_FIT, counts, basis=basis)
    rows = {row.metric: row for row in build_report([ratings], resamples=100)}
    own = [OwnFigures(name="Tea", basis="round 2", rows=rows, scale=SCALE)]

    picture = paper_picture(PaperPicture.FOREST, own, rubric_=current_rubric())

    told = what_raters_saw(words)
    assert told in " ".join(texts_of(picture))
    assert told in picture.table().notes
