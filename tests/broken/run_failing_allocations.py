#!/usr/bin/env python3
# Failing allocations, one at a time from the first one in main(): always a clean exit, never a crash.
"""Usage: run_failing_allocations.py PROGRAM LIBRARY TESTDATA_BROKEN [--each N] [--random N] [--seed S]

LIBRARY, built from fail_allocations.cpp, is preloaded. In each command the first N allocations fail one at a time, then
N more at random places; each once alone and once with all later allocations. The program must end with exit code 6
and a line on standard error that says so, or succeed if it can do without the memory.
"""
import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
parser = argparse.ArgumentParser()
parser.add_argument("program", type=os.path.abspath)
parser.add_argument("library", type=os.path.abspath)
parser.add_argument("testdata")
parser.add_argument("--each", type=int, default=50)
parser.add_argument("--random", type=int, default=15)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
options = parser.parse_args()
sys.path.insert(0, options.testdata)
from onnx_bytes import graph, model, node, tensor, value

COMMANDS = [
    ["run", "model.onnx", "--threads", "2"],
    ["run", "model.onnx", "--json", "--output-dir", "out"],
    ["inspect", "model.onnx", "--check"],
    ["optimize", "model.onnx", "-o", "optimized.onnx", "--force"],
    ["quantize", "model.onnx", "-o", "quantized.onnx", "--allow-random-calibration", "--force"],
    ["bench", "model.onnx", "--duration", "0.01"],
    ["run", "missing.onnx"],
]


def start(words, folder, **variables):
    environment = {**os.environ, "LD_PRELOAD": options.library, **variables}
    return subprocess.run([options.program, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=120)


def try_one(words, folder, number, later, usual):
    variables = {"FAIL_ALLOCATION": str(number)}
    if later:
        variables["FAIL_ALL_LATER"] = "1"
    report = os.path.join(folder, f"reached-{number}-{later}")
    ended = start(words, folder, FAIL_REPORT=report, **variables)
    has_failed = True
    if os.path.exists(report):
        with open(report) as file:
            has_failed = int(file.read()) >= number
        os.remove(report)
    is_told = ended.returncode == 6 and "error:" in ended.stderr and "memory" in ended.stderr
    is_done = ended.returncode == usual and not (later and has_failed)
    if is_told or is_done:
        return None
    return f"{' '.join(words)}: allocation {number}{' and later ones' if later else ''}: ended with {ended.returncode}: {ended.stderr[-300:]}"


def main():
    print(f"seed {options.seed}")
    chooser = random.Random(options.seed)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        weights = tensor("w", [4, 3], raw=bytes(48))
        nodes = [node("MatMul", ["x", "w"], ["a"]), node("Relu", ["a"], ["y"])]
        with open(os.path.join(folder, "model.onnx"), "wb") as file:
            file.write(model(graph(nodes, [value("x", (2, 4))], [value("y", (2, 3))], [weights]), opset=17))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for words in COMMANDS:
                report = os.path.join(folder, "count")
                usual = start(words, folder, FAIL_REPORT=report)
                with open(report) as file:
                    count = int(file.read())
                numbers = list(range(1, min(options.each, count) + 1))
                numbers += [chooser.randint(1, count) for _ in range(options.random)]
                cases = [(words, folder, number, later, usual.returncode) for number in numbers for later in (False, True)]
                found = [failure for failure in pool.map(lambda case: try_one(*case), cases) if failure]
                print(f"{' '.join(words)}: {usual.returncode}, {count} allocations, {len(cases)} runs, {len(found)} wrong", flush=True)
                failures += found
    for failure in failures[:40]:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
