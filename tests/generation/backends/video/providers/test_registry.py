import pytest

from generation.backends.video.providers.exceptions import SettingsError
from generation.backends.video.providers.provider import Offer
from generation.backends.video.providers.registry import REMOVED, provider, providers
from tests.fakes.video_provider_forms import FORMS
from tests.generation.backends.video.providers.conftest import fitted


def test_every_adapter_is_found_by_the_name_of_its_file():
    assert {"kling", "openai_videos", "openrouter", "runway", "seedance"} <= set(providers())
    assert {name: found.name for name, found in providers().items()} == {
        name: type(found).__module__.rpartition(".")[2] for name, found in providers().items()
    }


def test_unknown_provider_is_refused_with_those_there_are():
    with pytest.raises(SettingsError, match=f"is 'vhs'; expected one of {', '.join(providers())}"):
        provider("vhs")


@pytest.mark.parametrize("name", REMOVED)
def test_discontinued_provider_names_another(name):
    with pytest.raises(SettingsError, match=f"{name} no longer exists: .*OpenRouter"):
        provider(name)


@pytest.mark.parametrize(
    ("name", "model", "base_url", "words"),
    [
        ("runway", "gen3a_turbo", "https://a.example", "gen3a_turbo; use veo3.1"),
        (
            "runway",
            "gen9",
            "https://a.example",
            "'gen9' is not a Runway model that PIE-V knows; expected one of gen4",
        ),
        (
            "seedance",
            "seedance-1-5-pro-251215",
            "https://a.example",
            "; use dreamina-seedance-2-0-260128",
        ),
        ("openai_videos", "m", "https://api.openai.com/v1", "shut down its video models on 24 Sep"),
        (
            "openrouter",
            "google/veo-3.1",
            "https://a.example",
            "are not known yet: check",
        ),
    ],
)
def test_model_that_cannot_be_ordered_says_what_to_do(name, model, base_url, words):
    with pytest.raises(SettingsError, match=words):
        provider(name).fitted(model, base_url, Offer())


def test_card_that_was_kept_in_another_form_is_read_anew():
    offer = Offer(card={"id": "maker/film-2", "supported_durations": [4]})

    with pytest.raises(SettingsError, match="the limits of maker/film-2 are not known yet"):
        provider("openrouter").fitted("maker/film-2", "", offer)


@pytest.mark.parametrize("name", FORMS)
def test_limits_of_a_provider_agree_with_each_other(name):
    limits = fitted(name).limits

    offered = limits.clips.offered_s
    assert (offered[0], offered[-1]) == (limits.clips.min_s, limits.clips.max_s)
    assert all(length_s == int(length_s) for length_s in offered)
    assert not limits.status.waiting & (limits.status.done | limits.status.failed)
    assert fitted(name).endable <= limits.status.waiting
