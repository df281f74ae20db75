"""A long command that asks models: beside its progress it shows tokens and cost.

Requests under way are hung up on and their claims closed when it is stopped, so that the next
command need not wait for them.
"""

import os
import socket
import time
from decimal import Decimal

from django.core.management.base import OutputWrapper
from django.utils import timezone

from annotation.management.shown_work import ShownWork
from generation.backends.exceptions import CancelledError
from generation.models import Endpoint
from generation.selectors.calls.admission import Holder
from generation.services.texts.command_budget import CommandBudget

# Who holds an endpoint changes all the time; one line a minute is enough.
WAIT_MESSAGE_EVERY_S = 60.0


class LongWork(ShownWork):
    """The progress of one command, and what it paid."""

    stopped = CancelledError

    def __init__(
        self, name: str, things: str, stderr: OutputWrapper, budget_usd: Decimal | None = None
    ) -> None:
        super().__init__(things, stderr)
        self._shown_at_s: dict[str, float] = {}
        self.budget = CommandBudget(
            budget_usd,
            name=f"manage.py {name} (process {os.getpid()} on {socket.gethostname()})",
            check=self.check,
            hang_up=self.check,
            report_wait=self.report_wait,
        )

    def report_wait(self, endpoint: Endpoint, holder: Holder) -> None:
        """Write whom the command waits for, and until when."""
        what = f"{holder.name} is asking {endpoint.name} the same question"
        if not holder.asks_the_same:
            what = f"{endpoint.name} has no free place; the next request to end is by {holder.name}"
        now_s = time.monotonic()
        with self._lock:
            if now_s - self._shown_at_s.get(what, -WAIT_MESSAGE_EVERY_S) < WAIT_MESSAGE_EVERY_S:
                return
            self._shown_at_s[what] = now_s
        until = timezone.localtime(holder.until)
        self._write(f"Waiting: {what}, until {until:%H:%M:%S} at the latest.\n")

    def _details(self) -> list[str]:
        parts = []
        paid = self.budget.paid
        if paid.answer_count:
            parts.append(f"{paid.tokens_in:,} tokens in, {paid.tokens_out:,} out")
            if paid.unpriced_count == paid.answer_count:
                parts.append("cost unknown")
            else:
                more = " and more without a price" if paid.unpriced_count else ""
                parts.append(f"${paid.cost:.4f}{more}")
        if paid.read_cost:
            parts.append(f"answers of ${paid.read_cost:.4f} read from the record")
        return parts
