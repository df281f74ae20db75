"""What the commands that serve over A2A share: their options, and the server."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandError
from django.db import close_old_connections

from benchmarks.backends.a2a.cards import MISSING, is_installed
from generation.backends.text.exceptions import UnusableAnswerError
from generation.backends.text.model import TextRequest
from generation.services.texts.asker import TextAsker


def add_address(parser: ArgumentParser, port: int) -> None:
    """The options with which AgentBeats starts any agent."""
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=port)
    parser.add_argument(
        "--card-url", default="", help="the address in its card, if another leads here"
    )


def require_extra() -> None:
    if not is_installed():
        raise CommandError(MISSING)


def serve(
    app_at: Callable[[str], Any], options: dict[str, Any], tell: Callable[[str], Any]
) -> None:
    """Serve an application, made for the address in its card, until the process is stopped."""
    import uvicorn  # noqa: PLC0415 - of the extra

    host, port = options["host"], options["port"]
    url = options["card_url"] or f"http://{host}:{port}"
    tell(f"Serving at http://{host}:{port}, with {url} in the card.")
    # Streams end when the server stops; clients subscribe again.
    config = uvicorn.Config(
        app_at(url), host=host, port=port, log_level="warning", timeout_graceful_shutdown=1
    )
    uvicorn.Server(config).run()


def answered(asker: TextAsker, request: TextRequest) -> str:
    """A model's answer in a thread of the server, also one that does not fit the schema."""
    close_old_connections()
    try:
        images = request.images if asker.endpoint.supports_images else ()
        return asker.ask(replace(request, images=images)).text
    except UnusableAnswerError as error:
        return error.answer.text
    finally:
        close_old_connections()
