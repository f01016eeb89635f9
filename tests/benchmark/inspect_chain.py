#!/usr/bin/env python3
# Measures time and memory of inspect on chains of nodes: neither may grow faster than the chain.
"""Usage: inspect_chain.py PROGRAM   (exit 1: too slow, or growing faster than the chain)

Writes chains of 10,000, 50,000 and 200,000 Relu nodes in ONNX's file format and inspects them as text and as JSON, three
times each, and takes the best time. CPU time per node may triple, because long chains do not fit in the caches.
"""
import os
import subprocess
import sys
import tempfile
import time

from wire import field

LENGTHS = (10_000, 50_000, 200_000)
MOST_SECONDS = 5.0
MOST_BYTES = 256e6


def value_info(name):
    batch = field(1, field(2, b"batch"))
    size = field(1, field(1, 16))
    tensor = field(1, 1) + field(2, batch + size)
    return field(1, name) + field(2, field(1, tensor))


def chain(length):
    graph = bytearray()
    for i in range(length):
        node = field(1, b"v%d" % i) + field(2, b"v%d" % (i + 1)) + field(4, b"Relu")
        graph += field(1, node)
    graph += field(2, b"chain") + field(11, value_info(b"v0")) + field(12, value_info(b"v%d" % length))
    return field(1, 8) + field(7, bytes(graph)) + field(8, field(1, b"") + field(2, 17))


def measure(program, path, options):
    """Seconds, CPU seconds and peak resident bytes of one process."""
    start = time.perf_counter()
    process = subprocess.Popen([program, "inspect", path, *options], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{program} inspect {path} failed")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    program = sys.argv[1]
    is_right = True
    print("| nodes | form | seconds | processor seconds | µs a node | peak MB | bytes a node |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for options in ([], ["--json"]):
            rates = []
            for length in LENGTHS:
                path = os.path.join(folder, f"chain{length}.onnx")
                if not os.path.exists(path):
                    with open(path, "wb") as file:
                        file.write(chain(length))
                runs = [measure(program, path, options) for _ in range(3)]
                seconds, busy = min(run[0] for run in runs), min(run[1] for run in runs)
                peak = max(run[2] for run in runs)
                rates.append(busy / length)
                print(f"| {length} | {'json' if options else 'text'} | {seconds:.2f} | {busy:.2f} | "
                      f"{busy / length * 1e6:.1f} | {peak / 1e6:.0f} | {peak / length:.0f} |")
            is_right = is_right and seconds <= MOST_SECONDS and peak <= MOST_BYTES and rates[-1] <= 3 * rates[0]
    print("within limits" if is_right else "WRONG: too slow, too large or growing too fast")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
