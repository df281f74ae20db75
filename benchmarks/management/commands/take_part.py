"""Take part: serve a configured text model as an agent."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from benchmarks.management.serving import add_address, answered, require_extra, serve
from generation.backends.text.model import TextRequest
from generation.models import TextEndpoint
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker


class Command(CommandWithoutPages):
    """Every question goes to the model once; asked again, its recorded answer is sent."""

    help = "Serve a text model as an agent (protocol A2A, 1.0 and 0.3)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("endpoint", help="name or id of a text model")
        add_address(parser, port=9019)

    def handle(self, *args: Any, **options: Any) -> None:
        require_extra()
        named = options["endpoint"]
        rows = TextEndpoint.objects
        endpoint = rows.filter(name=named).first() or rows.filter(public_id=named).first()
        if endpoint is None:
            raise CommandError(f"there is no text model {named!r}")
        # Only this process needs it, and it needs the extra.
        from benchmarks.backends.a2a.participant import (  # noqa: PLC0415
            participant_app,
            participant_card,
        )

        payer = Payer(key=f"agent:{endpoint.public_id}", name=f"the agent {endpoint.name}")

        def answer(request: TextRequest) -> str:
            return answered(TextAsker(endpoint, payer), request)

        def app_at(url: str) -> Any:
            card = participant_card(
                name=endpoint.name,
                version=endpoint.model_name,
                url=url,
                takes_pictures=endpoint.supports_images,
            )
            return participant_app(card, answer)

        serve(app_at, options, self.stdout.write)
