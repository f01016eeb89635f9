#!/usr/bin/env python3
"""Measures error rates of the regression gate of `ortool bench`: equal models must pass, a planted slowdown must fail.

Makes a model of 40 equal matrix products, and one with two more, which takes 5 % longer. Runs
`bench MODEL --reference MODEL` repeatedly with each and counts the exit codes. Equal models are checked against
--threshold, slower ones against --planted-threshold, which must be below the planted slowdown: with a threshold of
5 % a slowdown of 5 % passes or fails by chance.
usage: gate_truth.py PROGRAM [--equal 200] [--planted 100] [--threshold 5%] [--planted-threshold 2.5%] [--threads 1]
exit 0: at most 1 % of the equal runs fail, at least 95 % of the planted slowdowns are found, each run within 60 s.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

from wire import field

FLOAT = 1
ROWS, WIDTH, NODES, MORE_NODES = 32, 256, 40, 42
MOST_SECONDS = 60


def value_info(name, sizes):
    shape = b"".join(field(1, field(1, size)) for size in sizes)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, shape)))


def write_chain(path, count):
    """x [ROWS, WIDTH] through `count` products, each with its own weights, that keep its size."""
    source = random.Random(1)
    graph = b""
    for index in range(count):
        graph += field(1, field(1, f"x{index}") + field(1, f"w{index}") + field(2, f"x{index + 1}") + field(4, "MatMul"))
    graph += field(2, "chain")
    for index in range(count):
        weights = struct.pack(f"<{WIDTH * WIDTH}f", *(source.gauss(0, WIDTH ** -0.5) for _ in range(WIDTH * WIDTH)))
        graph += field(5, field(1, WIDTH) + field(1, WIDTH) + field(2, FLOAT) + field(8, f"w{index}") + field(9, weights))
    graph += field(11, value_info("x0", [ROWS, WIDTH])) + field(12, value_info(f"x{count}", [ROWS, WIDTH]))
    with open(path, "wb") as file:
        file.write(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


class Gate:
    """Runs bench on one pair of models and records its results."""

    def __init__(self, program, model, reference, threshold, threads):
        self.command = [program, "bench", model, "--reference", reference, "--max-regression", threshold, "--threads",
                        str(threads), "--range", "x0=-1:1", "-q", "--json"]
        self.codes, self.ratios, self.significant, self.seconds = [], [], 0, []

    def run(self):
        begin = time.monotonic()
        done = subprocess.run(self.command, capture_output=True, check=False)
        self.seconds.append(time.monotonic() - begin)
        report = json.loads(done.stdout)
        if done.returncode not in (0, 1, 3):
            raise SystemExit(report["errors"][0]["message"])
        self.codes.append(done.returncode)
        self.ratios.append(report["gate"][0]["ratio"])
        self.significant += report["comparison"][0]["significant"]

    def share(self, code):
        return self.codes.count(code) / max(1, len(self.codes))

    def tell(self, what):
        ratios, count = sorted(self.ratios), len(self.codes)
        print(f"{what}: {count} runs: {self.codes.count(0)} pass, {self.codes.count(1)} regressed, "
              f"{self.codes.count(3)} inconclusive; {self.significant} with a significant difference; ratios "
              f"{ratios[0]:.4f} to {ratios[-1]:.4f}, median {ratios[count // 2]:.4f}; "
              f"{max(self.seconds):.1f} s at most, {sum(self.seconds) / count:.1f} s on average", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--equal", type=int, default=200)
    parser.add_argument("--planted", type=int, default=100)
    parser.add_argument("--threshold", default="5%")
    parser.add_argument("--planted-threshold", default="2.5%")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, count in (("chain", NODES), ("same", NODES), ("longer", MORE_NODES)):
            paths[name] = os.path.join(folder, name + ".onnx")
            write_chain(paths[name], count)
        equal = Gate(arguments.program, paths["same"], paths["chain"], arguments.threshold, arguments.threads)
        planted = Gate(arguments.program, paths["longer"], paths["chain"], arguments.planted_threshold, arguments.threads)
        left = {"equal": arguments.equal, "planted": arguments.planted}
        while any(left.values()):
            for gate, name, what in ((equal, "equal", f"equal models at {arguments.threshold}"),
                                     (planted, "planted", f"{100 * (MORE_NODES / NODES - 1):.0f} % slower at "
                                                          f"{arguments.planted_threshold}")):
                if left[name] == 0:
                    continue
                gate.run()
                left[name] -= 1
                if left[name] % 20 == 0:
                    gate.tell(what)
    is_good = equal.share(1) <= 0.01 and (not planted.codes or planted.share(1) >= 0.95)
    return 0 if is_good and max(equal.seconds + planted.seconds) <= MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
