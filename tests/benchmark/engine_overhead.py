#!/usr/bin/env python3
# Measures engine time per node outside kernels, and peak memory relative to weights and arena, from ortool's reports.
"""Usage: engine_overhead.py build/release/bin/ortool MODEL_FOLDER...

Engine time is the duration of the profiled run minus the durations of its kernels, divided by the number of
kernels that ran; the minimum of 15 profiled processes is shown (each profiles the last of 20 runs). Peak memory is
the peak resident size of the process minus that of a process that only prints the version.
"""

import json
import os
import subprocess
import sys
import tempfile


def peak_kilobytes(arguments):
    """Peak resident size of a child process, from wait4."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(arguments[0], arguments)
    _, _, usage = os.wait4(pid, 0)
    return usage.ru_maxrss


def overhead_microseconds(program, folder):
    """Microseconds per node outside kernels, and the number of kernels that ran."""
    best, count = None, 0
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "trace.json")
        for _ in range(15):
            subprocess.run([program, "run", folder, "--random", "--iterations", "20", "--trace", trace, "-q"],
                           check=True, capture_output=True)
            with open(trace, encoding="utf-8") as file:
                events = json.load(file)
            events = events.get("traceEvents", events) if isinstance(events, dict) else events
            runs = [e for e in events if e["name"] == "model_run"]
            kernels = [e for e in events if e["name"].endswith("_kernel_time")]
            kernels = [e for e in kernels if e["ts"] >= runs[-1]["ts"]]
            outside = (runs[-1]["dur"] - sum(e["dur"] for e in kernels)) / len(kernels)
            best = outside if best is None else min(best, outside)
            count = len(kernels)
    return best, count


def main():
    program, folders = os.path.abspath(sys.argv[1]), sys.argv[2:]
    base = peak_kilobytes([program, "--version"]) * 1024
    print(f"{'model':30} {'kernels':>7} {'us a node':>9} {'weights MB':>10} {'arena MB':>9} {'peak MB':>8} {'peak/(weights+arena)':>20}")
    for folder in folders:
        outside, count = overhead_microseconds(program, folder)
        peak = peak_kilobytes([program, "run", folder, "--random", "-q"]) * 1024 - base
        report = json.loads(subprocess.run([program, "run", folder, "--random", "--json"],
                                           check=True, capture_output=True).stdout)
        memory = report["memory"]
        total = memory["weight_bytes"] + memory["arena_bytes"]
        print(f"{os.path.basename(folder.rstrip('/')):30} {count:7} {outside:9.2f} {memory['weight_bytes'] / 1e6:10.2f} "
              f"{memory['arena_bytes'] / 1e6:9.2f} {peak / 1e6:8.2f} {peak / total:20.2f}")


if __name__ == "__main__":
    main()
