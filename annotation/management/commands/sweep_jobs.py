"""`manage.py sweep_jobs`: find jobs whose worker or message died, and queue them again."""

import logging
import time
from argparse import ArgumentParser
from socket import gethostname
from typing import Any

from django.conf import settings
from django.db import OperationalError, close_old_connections
from kombu.exceptions import OperationalError as BrokerError

from annotation.launch import launch_lacking_copies, resend_lost_jobs, send_due_jobs
from annotation.management.command import CommandWithoutPages
from annotation.management.commands.serve import leave_like_ctrl_c
from annotation.models import ProcessKind
from annotation.services.records.processes import note_process

logger = logging.getLogger(__name__)

PAUSE_S = settings.JOB_LEASE_SECONDS / 10
LONGEST_PAUSE_S = 10 * settings.JOB_LEASE_SECONDS


class Command(CommandWithoutPages):
    help = (
        "Queue jobs again whose worker died, whose message was lost or whose pause is over. Runs"
        " until interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="sweep once and end")

    is_noted = has_queued_copies = False

    def handle(self, *args: Any, once: bool, verbosity: int, **options: Any) -> None:
        if once:
            launch_lacking_copies()
            send_due_jobs()
            self.stdout.write(f"{resend_lost_jobs()} jobs queued again")
            return
        # Also as the first process of a container, to which the kernel hands no signal unasked.
        leave_like_ctrl_c()
        pause_s = PAUSE_S
        while True:
            # While no worker answers, every sweep finds the same jobs: wait longer and longer, or
            # messages would pile up without end.
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S) if self.sweep(verbosity) else PAUSE_S
            time.sleep(pause_s)

    def sweep(self, verbosity: int) -> int:
        """Sweep once; returns how many jobs were queued again, 0 if database or broker is away."""
        close_old_connections()
        try:
            note_process(kind=ProcessKind.SWEEPER, name=gethostname(), is_new=not self.is_noted)
            self.is_noted = True
            send_due_jobs()
            count = resend_lost_jobs()
            if not self.has_queued_copies:
                # Once: an update of the site starts this anew.
                launch_lacking_copies()
                self.has_queued_copies = True
        except (OperationalError, BrokerError) as error:
            logger.warning("sweep failed, next try in %.1f s: %s", PAUSE_S, error)
            return 0
        if count and verbosity:
            logger.info("%d jobs queued again", count)
        return count
