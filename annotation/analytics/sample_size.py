"""How many units to rate, in the form that is published for yes/no questions.

It knows no clusters: events of one trace count as independent, which they are not. Source: D. A.
Bloch and H. C. Kraemer (1989), eq. 3.7, as K. Krippendorff tabulates it.
"""


def needed_units(
    *, least_alpha: float, rarest_share: float, z: float, rater_count: int = 2
) -> float:
    """The units that it takes to show an alpha above `least_alpha`.

    `rarest_share` is the share of the rarer answer, `z` the quantile of the one-sided error (1.645
    for 5%). Two raters, alpha .8, a quarter of yes, 5%: 139 units, as published.

    >>> round(needed_units(least_alpha=0.8, rarest_share=0.25, z=1.645), 2)
    138.55

    Raises ValueError for an alpha or a share that is not between 0 and 1.
    """
    for name, value in (("least_alpha", least_alpha), ("rarest_share", rarest_share)):
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value}; expected more than 0 and less than 1")
    spread = (1 + least_alpha) * (3 - least_alpha)
    spread /= 4 * (1 - least_alpha) * rarest_share * (1 - rarest_share)
    return rater_count * z**2 * (spread - least_alpha)
