"""How the figures are measured: medians of runs that take turns, peak memory in a fresh process."""

import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

BYTES_PER_KIB = 1024
PROCESS_STATUS = Path("/proc/self/status")
# Writing a 5 there forgets the peak (proc(5)).
FORGETTING = Path("/proc/self/clear_refs")


@dataclass(frozen=True, slots=True)
class Peak:
    """Peak memory of one call, in bytes: over what was there before, and of the whole process."""

    added: int
    process: int


def median_seconds(functions: Mapping[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """The median wall time of each function over `runs` rounds, in seconds.

    The functions take turns within a round, so that a busy moment of the machine hits them all. One
    round before the first is not counted: it loads libraries and warms caches.
    """
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for round_index in range(runs + 1):
        for name, function in functions.items():
            started = time.perf_counter()
            function()
            elapsed = time.perf_counter() - started
            if round_index:
                seconds[name].append(elapsed)
    return {name: statistics.median(values) for name, values in seconds.items()}


def in_fresh_process(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """What a module-level `function` returns in a new interpreter that does nothing else."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as executor:
        return executor.submit(function, *args, **kwargs).result()


def peak_of(function: Callable[[], object]) -> Peak:
    """The peak memory of one call; call it in a fresh process, for a peak never falls."""
    before = peak_memory_bytes()
    function()
    process = peak_memory_bytes()
    return Peak(added=process - before, process=process)


def peak_memory_bytes() -> int:
    """The largest resident memory that this process has had so far, in bytes.

    Linux keeps it per program image (VmHWM). `ru_maxrss`, the fallback, also counts what the parent
    held when it started this process, and is in KiB on Linux but in bytes on macOS.
    """
    if PROCESS_STATUS.exists():
        for line in PROCESS_STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * BYTES_PER_KIB
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * BYTES_PER_KIB


def forget_peak() -> None:
    """Count the peak from now on, where the system can (Linux)."""
    if FORGETTING.exists():
        FORGETTING.write_text("5")
