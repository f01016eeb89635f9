#!/usr/bin/env python3
"""Converts the models of ONNX's backend tests to other opsets, and compares the results bitwise.

Usage: sweep_opsets.py PROGRAM --debian FOLDER --newer FOLDER --work FOLDER [--only TEXT]

`ortool optimize --level none --opset N --verify 1` runs original and result on the test's own data. A conversion gives
bitwise identical outputs or is refused (exit code 5); onnx's checker, if installed, accepts the written file. Models
are converted to the newest opset that onnx's checker knows; with ORTOOL_ALL_OPSETS in the environment to every opset
from 7 on, and to the newest that ortool knows. Exit status: 0 as expected, 1 not, 77 no tests found.
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
_SLICE = 4  # one of this many models, unless all opsets are requested


def targets():
    if "ORTOOL_ALL_OPSETS" in os.environ:
        return list(range(_OLDEST, _NEWEST + 1))
    return [_USUAL]


def check_file(path, original):
    """The error of onnx's checker for the result, if it accepts the original."""
    if onnx is None:
        return None
    try:
        onnx.checker.check_model(path)
        return None
    except Exception as error:  # the checker raises many types
        try:
            onnx.checker.check_model(original)
        except Exception:
            return None
        words = str(error)
        # It does not know newer opsets.
        return None if "opset" in words and "version" in words else words.splitlines()[0][:200]


def convert(program, test, opset, folder):
    """(verdict, message)"""
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
