#!/usr/bin/env python3
"""Writes the models of ONNX's backend tests for other opsets, and compares what they compute, bit for bit.

Usage: sweep_opsets.py PROGRAM --debian FOLDER --newer FOLDER --work FOLDER [--only TEXT]

`ortool optimize --level none --opset N --verify 1` runs original and result on the test's own data. A conversion gives
the same bits or is refused (exit code 5); onnx's checker, where this Python has one, accepts what was written. Each model
goes to the newest opset that onnx has a checker for; with ORTOOL_ALL_OPSETS in the environment to every one from 7 on, and
to the newest that ortool knows. Exit status: 0 as expected, 1 not, 77 no tests here.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_conformance  # noqa: E402

try:
    import onnx
except ImportError:
    onnx = None

_OLDEST, _USUAL, _NEWEST = 7, 26, 28
_SLICE = 4  # one model in so many, unless all opsets are asked for


def targets():
    if "ORTOOL_ALL_OPSETS" in os.environ:
        return list(range(_OLDEST, _NEWEST + 1))
    return [_USUAL]


def check_file(path, original):
    """What onnx's checker says of the result, where it takes the original."""
    if onnx is None:
        return None
    try:
        onnx.checker.check_model(path)
        return None
    except Exception as error:  # the checker raises many kinds
        try:
            onnx.checker.check_model(original)
        except Exception:
            return None
        words = str(error)
        # It knows no opset newer than itself.
        return None if "opset" in words and "version" in words else words.splitlines()[0][:200]


def convert(program, test, opset, folder):
    """(verdict, words)"""
    model = os.path.join(test.folder, "model.onnx")
    output = os.path.join(folder, f"{test.group}-{test.name}-{opset}.onnx")
    done = subprocess.run([program, "optimize", model, "-o", output, "--level", "none", "--opset", str(opset),
                           "--verify", "1", "--json", "-q", "--threads", "1", "--timeout", "100"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return "wrong", f"exit code {done.returncode}, no document"
    error = document["errors"][0] if document["errors"] else {"id": "", "message": ""}
    if done.returncode == 5:
        is_blocked = (error["id"] or "").startswith("opset.")
        return ("refused" if is_blocked else "not run"), error["message"]
    if done.returncode != 0:
        if not _runs(program, model):
            return "not run", error["message"]
        return "wrong", error["message"] or str(document["verification"]["reason"])
    if document["verification"]["passed"] is None:
        return "not run", document["verification"]["reason"]
    problem = check_file(output, model)
    os.remove(output)
    return ("wrong", f"onnx's checker: {problem}") if problem else ("same", "")


def _runs(program, model):
    """Whether the original can be verified at all."""
    done = subprocess.run([program, "optimize", model, "--dry-run", "--level", "none", "--verify", "1", "-q"],
                          capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--debian", required=True)
    parser.add_argument("--newer", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    tests = [test for test in run_conformance.collect(arguments) if arguments.only in test.key]
    if not tests:
        print("skipped: there are no backend tests here")
        return 77
    if "ORTOOL_ALL_OPSETS" not in os.environ and not arguments.only:
        tests = [test for index, test in enumerate(tests) if index % _SLICE == 0]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [(test, opset, pool.submit(convert, arguments.program, test, opset, folder))
                    for test in tests for opset in targets()]
            for test, opset, job in jobs:
                verdict, words = job.result()
                counts[verdict] += 1
                if verdict == "wrong":
                    print(f"{test.key} to opset {opset}: {words}", flush=True)
    print(f"{len(tests)} models, " + ", ".join(f"{counts[name]} {name}" for name in sorted(counts)))
    return 1 if counts["wrong"] or not counts["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
