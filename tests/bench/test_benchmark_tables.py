"""The bench of a benchmark's tables calls what it measures as the product does, here at no size."""

from pathlib import Path

import pytest

from bench import benchmark_tables


@pytest.mark.django_db
def test_every_part_is_timed_beside_its_peer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark_tables, "RECORDINGS", 5)
    monkeypatch.setattr(benchmark_tables, "DRAWS", 20)
    monkeypatch.setattr(benchmark_tables, "SHOWS", 1)
    site = benchmark_tables.Site(40)

    parts = [site.upload(tmp_path), *site.resampling(2), site.page(3)]

    assert len(parts) == 4
    assert all(part.wall > 0 for pair in parts for part in pair)
