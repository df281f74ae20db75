import pytest

from generation.backends.video.providers.exceptions import SettingsError
from generation.backends.video.providers.registry import provider, providers


def test_every_adapter_is_found_by_the_name_of_its_file():
    assert sorted(providers()) == ["kling", "runway", "seedance", "sora", "veo"]
    assert {name: found.name for name, found in providers().items()} == {
        name: type(found).__module__.rpartition(".")[2] for name, found in providers().items()
    }


def test_unknown_provider_is_refused_with_those_there_are():
    with pytest.raises(SettingsError, match="is 'vhs'; expected one of kling, runway, seedance"):
        provider("vhs")


@pytest.mark.parametrize("name", ["kling", "runway", "seedance", "sora", "veo"])
def test_limits_of_a_provider_agree_with_each_other(name):
    limits = provider(name).limits

    offered = limits.clips.offered_s
    assert (offered[0], offered[-1]) == (limits.clips.min_s, limits.clips.max_s)
    assert set(limits.last_offered_s) <= set(offered)
    assert all(length_s == int(length_s) for length_s in offered)
    assert not limits.status.waiting & (limits.status.done | limits.status.failed)
