import pytest

from annotation.analytics.tables.paper_tables import scale_rates
from annotation.analytics.tables.published import Origin, published_datasets
from annotation.engine.rubric.rubric import Metric

VIDEO_METRICS = {Metric.VIDEO_PLAUSIBILITY, Metric.TEXT_VIDEO_GROUNDING}


@pytest.mark.parametrize("dataset", published_datasets(), ids=lambda item: item.name)
def test_published_rates_recompute_from_their_own_counts(dataset):
    printed = {
        "mistake_rate": dataset.scale.mistake_rate,
        "steps_per_video": dataset.scale.steps_per_video,
        "mistakes_per_video": dataset.scale.mistakes_per_video,
    }

    rates = scale_rates(dataset.scale)

    # Table 4 prints no steps per video.
    known = {name: value for name, value in printed.items() if value is not None}
    assert {name: round(rates[name], 2) for name in known} == known


def test_published_counts_and_load_are_those_of_the_paper():
    recorded = [item for item in published_datasets() if item.origin is Origin.RECORDED]
    scales = {item.name: (item.scale.mistake_steps, item.scale.total_steps) for item in recorded}

    assert scales == {
        "EgoPER": (134, 358),
        "EgoOops": (87, 302),
        "Assembly101": (166, 409),
        "CaptainCook4D": (192, 370),
    }
    assert f"{100 * 87 / 302:.2f}" == "28.81"
    # The load that the paper's sample makes: 100 videos, 579 events.
    assert sum(item.scale.videos for item in recorded) == 100
    assert sum(item.scale.mistake_steps for item in recorded) == 579


@pytest.mark.parametrize("dataset", published_datasets(), ids=lambda item: item.name)
def test_published_rows_leave_out_exactly_what_the_paper_leaves_open(dataset):
    has_video = dataset.origin is Origin.RECORDED or dataset.name == "Ego-Exo4D-GPT-5.2-PJ"
    shown = set(Metric) if has_video else set(Metric) - VIDEO_METRICS

    assert set(dataset.alpha) == shown
    assert set(dataset.aggregates) == shown - {Metric.TAXONOMY_FIT}
    assert all(0 <= value <= 1 for value in dataset.alpha.values())


def test_main_table_of_agreement_has_five_rows():
    shown = [item.name for item in published_datasets() if item.is_in_main_text]

    assert shown == ["EgoPER", "EgoOops", "Assembly101", "CaptainCook4D", "Ego-Exo4D-GPT-5.2-PJ"]
