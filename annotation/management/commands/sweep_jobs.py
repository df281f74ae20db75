"""`manage.py sweep_jobs`: find jobs whose worker or message died, and queue them again."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import OperationalError, close_old_connections
from kombu.exceptions import OperationalError as BrokerError

from annotation.launch import resend_lost_jobs

PAUSE_S = settings.JOB_LEASE_SECONDS / 10


class Command(BaseCommand):
    help = "Queue jobs again whose worker died or whose message was lost. Runs until interrupted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="sweep once and end")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        if once:
            self.stdout.write(f"{resend_lost_jobs()} jobs queued again")
            return
        while True:
            self.sweep()
            time.sleep(PAUSE_S)

    def sweep(self) -> None:
        """Sweep; a database or broker that is away for a while is tried again next time."""
        close_old_connections()
        try:
            count = resend_lost_jobs()
        except (OperationalError, BrokerError) as error:
            self.stderr.write(f"sweep failed, next try in {PAUSE_S:.1f} s: {error}")
            return
        if count:
            self.stdout.write(f"{count} jobs queued again")
