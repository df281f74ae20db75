import math

import pytest

from annotation.analytics.sample_size import needed_units


# Krippendorff's table for two coders at 5%, a quarter of the rarer value.
@pytest.mark.parametrize(("least_alpha", "published"), [(0.8, 139), (0.667, 81)])
def test_published_numbers_of_units_come_out(least_alpha, published):
    assert math.ceil(needed_units(least_alpha=least_alpha, rarest_share=0.25, z=1.645)) == published


def test_more_raters_need_more_codings():
    two = needed_units(least_alpha=0.8, rarest_share=0.5, z=1.645)

    assert needed_units(least_alpha=0.8, rarest_share=0.5, z=1.645, rater_count=5) == 2.5 * two


@pytest.mark.parametrize("change", [{"least_alpha": 1.0}, {"rarest_share": 0.0}])
def test_impossible_aims_are_refused(change):
    with pytest.raises(ValueError, match="expected more than 0 and less than 1"):
        needed_units(**({"least_alpha": 0.8, "rarest_share": 0.5, "z": 1.645} | change))
