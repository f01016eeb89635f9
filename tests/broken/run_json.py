#!/usr/bin/env python3
# JSON files with many keys, values and nesting levels, for every option that reads JSON: linear time, and limits.
"""Usage: run_json.py PROGRAM TESTDATA_BROKEN

CPU time is limited, since it does not depend on the load of the machine: reading a file of 4 MB in quadratic time
takes more than a minute.
"""
import os
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
from onnx_bytes import graph, model, node, value

PROGRAM = sys.argv[1]
MOST_SECONDS = 10
KEYS = 300_000
CONFIG_BYTES = 1 << 20  # accepted by --config and --image-config


def keys(count):
    return "{" + ",".join(f'"k{i:06}":0' for i in range(count)) + "}"


def read_with(option, path, onnx):
    """The command line that reads `path`."""
    return {
        "--config": ["run", onnx, "--config", path],
        "--image-config": ["run", onnx, "--image-config", path],
        "--input": ["run", onnx, "--input", f"x={path}"],
        "--data": ["run", onnx, "--data", path],
        "--calibration-data": ["quantize", onnx, "--calibration-data", path, "-o", path + ".onnx"],
        "--labels": ["run", onnx, "--data", os.path.dirname(path), "--metric", "map", "--labels", path],
        "--plan": ["quantize", onnx, "--plan", path, "--allow-random-calibration", "-o", path + ".onnx"],
        "--baseline": ["bench", onnx, "--random", "--iterations", "1", "--baseline", path],
    }[option]


def run(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, seconds, done.stderr


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        onnx = os.path.join(folder, "m.onnx")
        with open(onnx, "wb") as file:
            file.write(model(graph([node("Relu", ["x"], ["y"])], [value("x")], [value("y")])))
        path = os.path.join(folder, "d.json")

        def check(option, kind, text, code, said, *more):
            with open(path, "w") as file:
                file.write(text)
            found, seconds, error = run([*read_with(option, path, onnx), *more])
            where = f"{option} {kind}"
            if found != code or said not in error:
                failures.append(f"{where}: ended with {found} ({code} expected): {error[:300]}")
            if seconds > MOST_SECONDS:
                failures.append(f"{where}: {len(text)} bytes took {seconds:.1f} s of processor time")

        for option in ("--config", "--image-config", "--input", "--data", "--calibration-data", "--labels", "--plan",
                       "--baseline"):
            count = CONFIG_BYTES // 12 if option.endswith("config") else KEYS
            check(option, "with many keys", keys(count), 2, "")
            check(option, "with many keys inside", '{"a":[' + keys(count) + "]}", 2, "")
            check(option, "with a key twice", keys(count // 2)[:-1] + ',"k000007":1}', 2, "has the key 'k000007' twice")
            check(option, "nested deeply", '{"a":' + "[" * 200_000 + "]" * 200_000 + "}", 2, "nested too deeply")
        for option in ("--input", "--data", "--calibration-data", "--plan", "--baseline"):
            check(option, "of many values", '{"a":[' + "[]," * 1_000_000 + "0]}", 6, "reading a JSON document",
                  "--max-memory", "64MB")
        check("--input", "of many numbers", "[" + "0," * 3_000_000 + "0]", 6, "reading a JSON document",
              "--max-memory", "64MB")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
