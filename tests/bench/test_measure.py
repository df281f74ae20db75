import os
import time

from bench.measure import in_fresh_process, median_seconds, peak_of

BLOCK_BYTES = 64_000_000


def peak_of_a_block():
    return peak_of(lambda: bytearray(os.urandom(1)) * BLOCK_BYTES)


def test_median_seconds_lets_functions_take_turns_and_ignores_the_first_round(monkeypatch):
    calls, now = [], [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def slow_at_first():
        now[0] += 2.0 if "slow" in calls else 90.0
        calls.append("slow")

    def quick():
        now[0] += 1.0
        calls.append("quick")

    seconds = median_seconds({"slow": slow_at_first, "quick": quick}, 3)

    assert calls == ["slow", "quick"] * 4
    assert seconds == {"slow": 2.0, "quick": 1.0}


def test_in_fresh_process_runs_elsewhere():
    assert in_fresh_process(os.getpid) != os.getpid()


def test_peak_of_counts_what_a_call_holds():
    peak = in_fresh_process(peak_of_a_block)

    assert 0.95 * BLOCK_BYTES < peak.added < 1.2 * BLOCK_BYTES
    assert peak.process > peak.added
