import os
import time

from bench.measure import in_fresh_process, median_seconds, peak_of

BLOCK_BYTES = 64_000_000


def peak_of_a_block():
    return peak_of(lambda: bytearray(os.urandom(1)) * BLOCK_BYTES)


def test_median_seconds_lets_functions_take_turns_and_ignores_the_first_round():
    calls = []

    def slow_at_first():
        time.sleep(0.2 if "slow" not in calls else 0)
        calls.append("slow")

    seconds = median_seconds({"slow": slow_at_first, "quick": lambda: calls.append("quick")}, 3)

    assert calls == ["slow", "quick"] * 4
    assert 0 < seconds["slow"] < 0.1
    assert list(seconds) == ["slow", "quick"]


def test_in_fresh_process_runs_elsewhere():
    assert in_fresh_process(os.getpid) != os.getpid()


def test_peak_of_counts_what_a_call_holds():
    peak = in_fresh_process(peak_of_a_block)

    assert 0.95 * BLOCK_BYTES < peak.added < 1.2 * BLOCK_BYTES
    assert peak.process > peak.added
