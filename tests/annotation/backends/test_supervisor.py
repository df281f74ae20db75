"""Parts that end are started again, with what they left behind gone, for as long as it takes."""

import os
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from threading import Timer

import pytest

from annotation.backends.supervisor import Program, pause_before_restart_s, supervise

LIMIT_S = 120
TICK_S = 0.02
STAYS = "import time; time.sleep(600)"
FAILS = "import sys; sys.exit(3)"
# Starts a child that outlives it, and writes down both.
WITH_CHILD = f"""
import os, pathlib, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "{STAYS}"])
with pathlib.Path(sys.argv[1]).open("a") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}\\n")
child.wait()
"""


@pytest.fixture
def start():
    """Start parts of a few lines of Python; take them down after the test."""
    with ExitStack() as stack:

        def start_part(name, source, *arguments, program=sys.executable):
            command = [program, "-c", source, *map(str, arguments)]
            part = Program(name, command, folder=Path.cwd(), environment=os.environ)
            part.lines = []
            part.start(part.lines.append)
            stack.callback(part.wait_or_kill, part.lines.append)
            stack.callback(part.terminate)
            return part

        yield start_part


def wait(*, until, meanwhile=lambda: None):
    deadline = time.monotonic() + LIMIT_S
    while not until():
        assert time.monotonic() < deadline
        meanwhile()
        time.sleep(TICK_S)


def look_after(part, *, until):
    wait(until=until, meanwhile=lambda: part.check(part.lines.append))


def is_running(process_id):
    """Return whether the process is there, and not only its last word to who started it."""
    try:
        return ") Z " not in Path(f"/proc/{process_id}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def written_ids(path):
    return [tuple(map(int, line.split())) for line in path.read_text().splitlines()]


def test_pauses_grow_while_a_part_does_not_stay_up():
    pauses = [pause_before_restart_s(ends, was_killed=False) for ends in range(9)]

    assert pauses == [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert pause_before_restart_s(10**6, was_killed=False) == 30.0


def test_a_killed_part_is_back_soon_however_often_it_was_killed():
    pauses = [pause_before_restart_s(ends, was_killed=True) for ends in range(5)]

    assert pauses == [0.0, 0.5, 1.0, 1.0, 1.0]


@pytest.fixture
def patient(monkeypatch):
    """On a busy machine Python alone takes long to start, and to be stopped again."""
    monkeypatch.setattr("annotation.backends.supervisor.STEADY_S", 600.0)


@pytest.mark.usefixtures("patient")
def test_a_part_that_cannot_stay_up_is_named_and_tried_again(start):
    part = start("worker", FAILS)

    look_after(part, until=lambda: len(part.lines) == 3)

    said = "worker ended by itself with status 3 (its last lines above say why); starting it again"
    assert part.lines == [f"{said} in 0.5 s", f"{said} in 1 s", f"{said} in 2 s"]


def test_a_part_that_the_machine_cannot_start_is_named_and_tried_again(start, tmp_path):
    program = tmp_path / "program"
    part = start("queue", STAYS, program=str(program))
    program.symlink_to(sys.executable)

    look_after(part, until=lambda: part.process is not None)

    assert part.lines == [
        f"queue cannot be started: [Errno 2] No such file or directory: '{program}'; "
        "starting it again in 0.5 s"
    ]


@pytest.mark.usefixtures("patient")
def test_a_part_that_is_killed_again_and_again_is_started_each_time(start):
    part = start("worker", STAYS)

    for kills in range(1, 4):
        os.kill(part.process.pid, signal.SIGKILL)
        look_after(part, until=lambda: len(part.lines) == kills and part.process is not None)  # noqa: B023

    assert is_running(part.process.pid)
    assert part.lines[-1] == "worker was ended by SIGKILL; starting it again in 1 s"


def test_what_a_killed_part_leaves_behind_is_ended(start, tmp_path):
    ids = tmp_path / "ids"
    ids.touch()
    part = start("web", WITH_CHILD, ids)
    look_after(part, until=lambda: len(written_ids(ids)) == 1)
    [(first, orphan)] = written_ids(ids)

    os.kill(first, signal.SIGKILL)
    look_after(part, until=lambda: len(written_ids(ids)) == 2 and not is_running(orphan))

    assert all(map(is_running, written_ids(ids)[1]))


def test_a_leftover_that_does_not_heed_is_killed(start, tmp_path, monkeypatch):
    monkeypatch.setattr("annotation.backends.supervisor.LEFTOVERS_LIMIT_S", 0.5)
    ids = tmp_path / "ids"
    ids.touch()
    deaf = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{WITH_CHILD}"
    part = start("web", deaf, ids)
    look_after(part, until=lambda: len(written_ids(ids)) == 1)
    [(first, orphan)] = written_ids(ids)

    os.kill(first, signal.SIGKILL)
    look_after(part, until=lambda: len(written_ids(ids)) == 2 and not is_running(orphan))

    assert part.leftover_groups == {}


def test_stopping_takes_down_what_the_part_started(start, tmp_path):
    ids = tmp_path / "ids"
    ids.touch()
    part = start("web", WITH_CHILD, ids)
    look_after(part, until=lambda: len(written_ids(ids)) == 1)
    [(process_id, child)] = written_ids(ids)

    part.terminate()
    part.wait_or_kill(part.lines.append)

    wait(until=lambda: not is_running(child))
    assert not is_running(process_id)


# Takes its time to end, or until it is killed.
LINGERS = """
import pathlib, signal, sys, time
def end(*_):
    time.sleep(float(sys.argv[2]))
    pathlib.Path(sys.argv[1]).write_text("ended")
    sys.exit()
signal.signal(signal.SIGTERM, end)
pathlib.Path(sys.argv[1]).write_text("started")
time.sleep(600)
"""


def stopped(start, path, *, needs_s, limit_s, meanwhile=lambda: None):
    """A part that needs so long to end, after it was stopped."""
    path.touch()
    part = start("worker", LINGERS, path, needs_s)
    part.stop_limit_s = limit_s
    wait(until=lambda: path.read_text() == "started")
    part.terminate()
    meanwhile()
    part.wait_or_kill(part.lines.append)
    return part


def test_a_part_is_waited_for_until_it_has_ended_what_is_under_way(start, tmp_path, monkeypatch):
    monkeypatch.setattr("annotation.backends.supervisor.STOP_LIMIT_S", 0.2)

    part = stopped(start, tmp_path / "word", needs_s=4, limit_s=120)

    assert (tmp_path / "word").read_text() == "ended"
    assert part.lines == [
        "worker ends what it has under way, for 119.8 s at most (Ctrl+C ends it at once)"
    ]


def test_a_part_that_takes_too_long_to_end_is_killed(start, tmp_path):
    part = stopped(start, tmp_path / "word", needs_s=600, limit_s=0.5)

    assert (tmp_path / "word").read_text() == "started"
    assert (part.process.returncode, part.lines) == (-signal.SIGKILL, [])


@pytest.fixture
def interruptible():
    """Where tests run in the background, a shell has them ignore Ctrl+C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_second_interrupt_ends_the_wait_for_a_part(start, tmp_path, interruptible):
    def interrupt_soon():
        Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()

    part = stopped(start, tmp_path / "word", needs_s=600, limit_s=600, meanwhile=interrupt_soon)

    assert part.process.returncode == -signal.SIGKILL


def test_what_others_need_is_stopped_after_them(tmp_path):
    class Interrupted(Program):
        """Looked at once all are up, it ends the watch as Ctrl+C does."""

        def check(self, report):
            if all((tmp_path / name).exists() for name in names):
                raise KeyboardInterrupt

    source = """
import pathlib, signal, sys, time
folder, name, pause_s = pathlib.Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
def end(*_):
    time.sleep(pause_s)
    with (folder / "ended").open("a") as file:
        file.write(f"{name}\\n")
    sys.exit()
signal.signal(signal.SIGTERM, end)
(folder / name).touch()
time.sleep(600)
"""
    names = {"queue": "0", "worker": "3", "web": "0"}
    parts = [
        Interrupted(
            name,
            [sys.executable, "-c", source, str(tmp_path), name, pause_s],
            folder=tmp_path,
            environment=os.environ,
            is_needed_by_others=name == "queue",
        )
        for name, pause_s in names.items()
    ]

    supervise(parts, report=pytest.fail, at_stop=lambda: None)

    assert (tmp_path / "ended").read_text().split() == ["web", "worker", "queue"]
