"""Fetched files: whole or not there, never too many, never gone while somebody reads them."""

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotation.backends.file_cache import CacheFullError, FileCache
from tests.conftest import REPOSITORY

MADE_S = 1_700_000_000.5
FETCH_AND_SLEEP = """
import sys, time
from pathlib import Path
from annotation.backends.file_cache import FileCache

def fetch(file):
    file.write(b"half")
    file.flush()
    print("fetching", flush=True)
    time.sleep(60)

with FileCache(Path(sys.argv[1]), 1000).locked_file("one", 100, fetch):
    pass
"""
HOLD = """
import sys, time
from pathlib import Path
from annotation.backends.file_cache import FileCache

cache = FileCache(Path(sys.argv[1]), 1000)
with cache.locked_file("one", 600, lambda file: file.write(bytes(600)) * 1.0):
    print("holding", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def cache(tmp_path: Path) -> FileCache:
    return FileCache(tmp_path / "cache", 1000, room_wait_s=0.3)


@pytest.fixture
def run():
    """Return what starts a program and waits for its first line; it is killed in the end."""
    processes = []

    def start(program, cache):
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(cache.folder)],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
        )
        processes.append(process)
        process.stdout.readline()
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def fetcher(content: bytes, calls: list | None = None):
    def fetch(file):
        if calls is not None:
            calls.append(len(content))
        file.write(content)
        return MADE_S

    return fetch


def put(cache: FileCache, name: str, size: int) -> None:
    with cache.locked_file(name, size, fetcher(b"x" * size)):
        pass


def names_in(cache: FileCache) -> list[str]:
    return sorted(path.name for path in cache.folder.iterdir() if path.name != ".room")


def test_file_is_fetched_once_and_read_often(cache):
    calls = []

    for _ in range(3):
        with cache.locked_file("one", 5, fetcher(b"12345", calls)) as path:
            assert path.read_bytes() == b"12345"

    assert calls == [5]


def test_file_keeps_the_time_of_its_content(cache):
    for _ in range(2):
        with cache.locked_file("one", 5, fetcher(b"12345")) as path:
            assert path.stat().st_mtime == MADE_S


def test_least_recently_used_files_make_room(cache):
    for name in ("one", "two", "three"):
        put(cache, name, 300)
    put(cache, "one", 300)

    put(cache, "four", 400)

    assert names_in(cache) == ["four", "one", "three"]


def test_file_in_use_is_never_removed(cache):
    put(cache, "old", 100)

    with cache.locked_file("one", 600, fetcher(b"1" * 600)) as path:
        with pytest.raises(CacheFullError, match="are all in use"):
            put(cache, "two", 500)

        assert path.read_bytes() == b"1" * 600

    put(cache, "two", 500)
    assert names_in(cache) == ["two"]


def test_file_waits_for_room(cache, tmp_path):
    patient = FileCache(cache.folder, 1000, room_wait_s=60)
    with ThreadPoolExecutor(1) as pool:
        with cache.locked_file("one", 600, fetcher(b"1" * 600)):
            waiting = pool.submit(put, patient, "two", 500)
            time.sleep(0.3)
            assert not waiting.done()
        waiting.result(timeout=60)

    assert names_in(cache) == ["two"]


def test_file_that_is_bigger_than_all_room_is_refused(cache):
    put(cache, "old", 900)

    with pytest.raises(CacheFullError, match=r"1,001 bytes, .* 1,000 \(setting VIDEO_CACHE_MB\)"):
        put(cache, "one", 1001)

    assert names_in(cache) == ["old"]


@pytest.mark.parametrize("count", [3, 7])
def test_file_of_another_size_is_not_taken(cache, count):
    with (
        pytest.raises(OSError, match=f"{count} bytes were fetched instead of 5"),
        cache.locked_file("one", 5, fetcher(b"x" * count)),
    ):
        pass

    assert names_in(cache) == []


def test_failed_fetch_leaves_nothing(cache):
    def fetch(file):
        file.write(b"123")
        raise ConnectionError("cut")

    with pytest.raises(ConnectionError, match="cut"), cache.locked_file("one", 5, fetch):
        pass

    assert names_in(cache) == []
    put(cache, "one", 5)
    assert names_in(cache) == ["one"]


def test_many_threads_fetch_every_file_once(cache):
    calls = []
    lock = threading.Lock()

    def use(number):
        name = f"file {number % 5}"

        def fetch(file):
            with lock:
                calls.append(name)
            time.sleep(0.02)
            file.write(name.encode() * 10)
            return MADE_S

        with cache.locked_file(name, 60, fetch) as path:
            return path.read_bytes() == name.encode() * 10

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(use, range(60)))

    assert all(results)
    assert sorted(calls) == [f"file {number}" for number in range(5)]


def test_many_threads_in_little_room_never_see_a_wrong_or_missing_file(cache):
    """Four of ten files fit at once, so files come and go all the time."""
    patient = FileCache(cache.folder, 1000, room_wait_s=60)

    def use(number):
        name = f"{number * 7 % 10}"
        with patient.locked_file(name, 240, fetcher(name.encode() * 240)) as path:
            time.sleep(0.001 * (number % 3))
            return path.read_bytes() == name.encode() * 240

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(use, range(200)))

    assert results == [True] * 200
    assert sum(path.stat().st_size for path in cache.folder.iterdir()) <= 1000


def test_file_held_by_another_process_is_not_removed(cache, run):
    process = run(HOLD, cache)

    with pytest.raises(CacheFullError):
        put(cache, "two", 500)

    process.send_signal(signal.SIGKILL)
    process.wait()
    put(cache, "two", 500)
    assert names_in(cache) == ["two"]


def test_half_of_a_killed_process_is_cleaned_up(cache, run):
    process = run(FETCH_AND_SLEEP, cache)
    assert names_in(cache) == ["one.part"]
    process.send_signal(signal.SIGKILL)
    process.wait()

    put(cache, "two", 950)

    assert names_in(cache) == ["two"]


def test_half_of_a_killed_process_is_fetched_anew(cache, run):
    process = run(FETCH_AND_SLEEP, cache)
    process.send_signal(signal.SIGKILL)
    process.wait()

    with cache.locked_file("one", 2, fetcher(b"ok")) as path:
        assert path.read_bytes() == b"ok"

    assert names_in(cache) == ["one"]


def test_half_that_is_being_fetched_is_left_alone(cache, run):
    run(FETCH_AND_SLEEP, cache)

    put(cache, "two", 800)

    assert names_in(cache) == ["one.part", "two"]
