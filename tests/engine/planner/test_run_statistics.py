import pytest

from generation.engine.planner.profiles import PUBLISHED
from generation.engine.planner.run_statistics import RunStatistics, run_statistics_of
from tests.engine.planner.procedures import procedure_of


def test_run_statistics_hold_the_extremes_and_count_reuse():
    short = procedure_of("OPEN(Agent: you, Object: jar)", step_s=10.0)
    long = procedure_of("GET(Agent: you, Object: cup)", "WASH(Agent: you, Object: cup)")

    found = run_statistics_of([short, long, procedure_of()], profile=PUBLISHED)

    assert found == RunStatistics(
        complexity_range=(6.0, 12.0),
        density_range=(6.0, 12.0),
        duration_range_s=(10.0, 10.0),
        reuse_by_predicate={"OPEN": (0, 1), "GET": (1, 1), "WASH": (0, 1)},
    )
    assert RunStatistics.from_dict(found.to_dict()) == found


def test_run_statistics_of_no_step_at_all_are_refused():
    with pytest.raises(ValueError, match="no step in any take"):
        run_statistics_of([procedure_of()], profile=PUBLISHED)
