#!/usr/bin/env python3
# Runs a model on its test data: every element must pass except those in known_gaps.txt, whose error is limited there.
"""Usage: run_model.py PROGRAM MODEL_FOLDER KNOWN_GAPS"""
import json
import os
import subprocess
import sys


def read_gaps(path, model):
    """{(set, output): (element, most)} of one model; each output of a set has at most one line."""
    gaps = {}
    with open(path) as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            place, output, element, most, _ = line.split(None, 4)
            name, data_set = place.split("/")
            if name != model:
                continue
            if (data_set, output) in gaps:
                sys.exit(f"{path}: two lines for {place} {output}")
            gaps[data_set, output] = (int(element), float(most))
    return gaps


def main():
    program, folder, gap_file = sys.argv[1:]
    model = os.path.basename(folder)
    if not os.path.isdir(folder):
        print(f"SKIPPED: {model} is not next to this tree")
        return 77
    done = subprocess.run([program, "run", folder, "--test", "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        print(done.stderr)
        return 1
    gaps = read_gaps(gap_file, model)
    failures = []
    report = json.loads(done.stdout)
    for data_set in report["tests"]:
        for output in data_set["outputs"]:
            where = f"{data_set['name']} {output['name']}"
            gap = gaps.pop((data_set["name"], output["name"]), None)
            if output["passed"]:
                if gap is not None:
                    failures.append(f"{where}: passes now; remove its line from known_gaps.txt")
                continue
            is_known = (gap is not None and output["mismatched"] == 1 and output["worst_index"] == gap[0]
                        and output["max_abs_error"] <= gap[1])
            if not is_known:
                failures.append(f"{where}: {output['reason']}" + (f" (known: element {gap[0]} by {gap[1]})" if gap else ""))
        print(f"{model} {data_set['name']}: {len(data_set['outputs'])} outputs compared")
    failures += [f"{data_set} {output}: listed in known_gaps.txt, but missing" for data_set, output in gaps]
    if not report["tests"]:
        failures.append("there is no test data")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
