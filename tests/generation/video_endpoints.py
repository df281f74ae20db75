"""Providers of clips for tests: endpoints, and fake servers that play them."""

from decimal import Decimal

from generation.models import VideoEndpoint
from generation.services.calls.keys import encrypted
from tests.fakes.video_provider_server import API_KEY, FORMS, SECRET_KEY

PRICE = Decimal("0.1")


def make_video_endpoint(base_url="http://127.0.0.1:9", provider="seedance", **changes):
    """Store an endpoint: 10 cents per second, four jobs at once."""
    pair = f"{API_KEY}:{SECRET_KEY}" if provider == "kling" else API_KEY
    fields = {
        "name": "Clips",
        "base_url": base_url,
        "provider": provider,
        "model_name": FORMS[provider].model,
        "encrypted_key": encrypted(pair),
        "concurrency": 4,
        "price_per_second": PRICE,
        **FORMS[provider].endpoint,
    }
    return VideoEndpoint.objects.create(**{**fields, **changes})
