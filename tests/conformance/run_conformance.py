#!/usr/bin/env python3
"""Runs ONNX's backend tests through `ortool run --test` and compares the verdicts with the list of known gaps.

A failing test that is not a known gap is a failure of this run; with the newer tests, so is a known gap that passes.
With --provider NAME,cpu it also counts the tests with nodes that the provider takes, and its reasons for the others.
Each test runs in its own process, so that crashes are detected. Exit status: 0 as expected, 1 not, 77 no tests found.
"""
import argparse
import concurrent.futures
import csv
import collections
import json
import os
import re
import subprocess
import sys
import tarfile

DEBIAN_GROUPS = ("node", "simple", "pytorch-operator", "pytorch-converted")
ANSWERS = {0: "pass", 1: "mismatch", 2: "invalid", 4: "unavailable", 5: "unsupported", 6: "memory", 124: "timeout"}


class Test:
    def __init__(self, group, name, folder, operator, is_newest):
        self.group, self.name, self.folder, self.operator, self.is_newest = group, name, folder, operator, is_newest
        self.key = f"{group}/{name}"
        self.verdict, self.note, self.peer = "", "", ""
        self.is_claimed, self.reasons = False, []


def read_manifest(folder):
    path = os.path.join(folder, "MANIFEST.tsv")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def read_peer(folder):
    """onnxruntime's published verdicts on Debian's tests, by (group, name)."""
    path = os.path.join(folder, "ort130-debian112.tsv")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["group"], row["test"]): row["ort130"] for row in csv.DictReader(file, delimiter="\t")}


def unpack(folder, target):
    """Unpacks each archive once; a newer archive replaces what is there."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".tar.xz"):
            continue
        archive = os.path.join(folder, name)
        stamp = os.path.join(target, name + ".stamp")
        if os.path.exists(stamp) and os.path.getmtime(stamp) >= os.path.getmtime(archive):
            continue
        os.makedirs(target, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(target, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(target)
        with open(stamp, "w", encoding="utf-8"):
            pass


def first_operator(name, operators):
    """The operator with the longest snake-case name that the test's name starts with."""
    words = name.removeprefix("test_").replace("_", "").lower()
    fitting = [operator for operator in operators if words.startswith(operator.split(".")[-1].lower())]
    return max(fitting, key=len) if fitting else "(other)"


def collect(arguments):
    tests, seen = [], set()
    manifest = read_manifest(arguments.newer) if os.path.isdir(arguments.newer) else []
    if manifest:
        unpack(arguments.newer, arguments.work)
    peer = read_peer(arguments.newer)
    operators = sorted({row["op"] for row in manifest if not row["op"].startswith("(")})
    for row in manifest:
        folder = os.path.join(arguments.work, row["group"], row["test"])
        tests.append(Test(row["group"], row["test"], folder, row["op"], row["group"] == "node"))
        tests[-1].peer = row["ort130"]
        seen.add((row["group"], row["test"]))
    for group in DEBIAN_GROUPS:
        base = os.path.join(arguments.debian, group)
        for name in sorted(os.listdir(base)) if os.path.isdir(base) else []:
            folder = os.path.join(base, name)
            if not os.path.exists(os.path.join(folder, "model.onnx")):
                continue
            # Tests that the newest set changed are kept as of their own release, in a separate group.
            own = f"{group}-1.12" if (group, name) in seen else group
            tests.append(Test(own, name, folder, first_operator(name, operators),
                              group == "node" and own == group))
            tests[-1].peer = peer.get((group, name), "")
    return tests


def read_gaps(path):
    """Lines of `group/test  reason`; `#` starts a comment."""
    gaps = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#", 1)[0].strip()
            if line:
                key, _, reason = line.partition(" ")
                gaps[key] = reason.strip()
    return gaps


def run(test, program, provider, timeout, environment):
    command = [program, "run", os.path.join(test.folder, "model.onnx"), "--test", "--rtol", "1e-3", "--atol",
               "1e-7", "--timeout", timeout, "--provider", provider]
    if "," in provider:
        command.append("--json")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
    text = (done.stderr + done.stdout).decode("utf-8", "replace")
    if done.returncode < 0:
        test.verdict, test.note = "crash", f"signal {-done.returncode}"
        return test
    test.verdict = ANSWERS.get(done.returncode, f"exit {done.returncode}")
    lines = [line for line in text.splitlines() if line.startswith("error") or "FAIL" in line]
    test.note = lines[0] if lines else ""
    if "," in provider:
        note_placement(test, done.stdout, provider.split(",")[0])
    return test


def note_placement(test, text, provider):
    """Which nodes the first provider takes, why not the others, and by how much outputs differ, from the document."""
    try:
        document = json.loads(text)
    except ValueError:
        return
    for part in document.get("placement") or []:
        test.is_claimed = test.is_claimed or part["provider"] == provider
        reasons = {each["reason"] for each in part["reasons"] if each["reason"].startswith(provider + ": ")}
        # Reasons that differ in a name or in the vendor's own words are one.
        test.reasons += [re.split(" for [A-Z]|: ", reason.removeprefix(provider + ": "))[0] for reason in sorted(reasons)]
    for case in document.get("tests") or []:
        for output in case["outputs"]:
            if not output["passed"] and not test.note:
                test.note = f"{output['name']}: {output['reason'] or ''} max_abs_error {output['max_abs_error']}"


def print_claims(tests, provider):
    claimed = [test for test in tests if test.is_claimed]
    passed = sum(test.verdict == "pass" for test in claimed)
    print(f"{provider}: takes nodes of {len(claimed)} tests, of which {passed} pass; reasons of nodes of the others:")
    reasons = collections.Counter(reason for test in tests if not test.is_claimed for reason in set(test.reasons))
    for reason, count in reasons.most_common(20):
        print(f"  {count:5}  {reason}")


def print_counts(title, tests, key):
    groups = collections.defaultdict(list)
    for test in tests:
        groups[key(test)].append(test)
    print(title)
    for name in sorted(groups):
        passed = sum(test.verdict == "pass" for test in groups[name])
        peer = sum(test.peer == "pass" for test in groups[name])
        print(f"  {name:32} {passed:5} of {len(groups[name]):5}   (onnxruntime 1.30: {peer:5})")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--debian", required=True, help="folder with the tests of Debian's libonnx-testdata")
    parser.add_argument("--newer", required=True, help="folder with newer tests: archives and MANIFEST.tsv")
    parser.add_argument("--work", required=True, help="folder to unpack them in")
    parser.add_argument("--gaps", required=True, action="append", help="list of known gaps, or of a provider's differences")
    parser.add_argument("--isa", default="", help="highest instruction set to use")
    parser.add_argument("--provider", default="auto", help="providers to use, preferred first")
    parser.add_argument("--timeout", default="120", help="seconds that a test may take (default: 120)")
    parser.add_argument("--only", default="", help="run tests whose group/name has this text; gaps are not checked")
    parser.add_argument("--table", default="", help="file to write one line per test to: key, operator, verdict, claimed, note")
    arguments = parser.parse_args()

    tests = [test for test in collect(arguments) if arguments.only in test.key]
    if not tests:
        print("skipped: there are no backend tests here")
        return 77
    has_newer = os.path.isdir(arguments.newer)
    gaps = {key: reason for path in arguments.gaps for key, reason in read_gaps(path).items()}
    if not has_newer:
        # It is then unknown which of Debian's tests the newest set changed, so both names of a test are valid.
        gaps.update({key.replace("-1.12/", "/"): reason for key, reason in gaps.items() if "-1.12/" in key})
    environment = dict(os.environ, NO_COLOR="1")
    if arguments.isa:
        environment["ORTOOL_MAX_ISA"] = arguments.isa
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda test: run(test, arguments.program, arguments.provider, arguments.timeout, environment),
                      tests))

    if arguments.table:
        with open(arguments.table, "w", encoding="utf-8") as file:
            for test in tests:
                file.write(f"{test.key}\t{test.operator}\t{test.verdict}\t{test.is_claimed}\t{test.note}\n")
    failed = [test for test in tests if test.verdict != "pass"]
    print_counts("Passed, by operator (those with failures):",
                 [test for test in tests if test.operator in {each.operator for each in failed}],
                 lambda test: test.operator)
    print_counts("Passed, by group:", tests, lambda test: test.group)
    if "," in arguments.provider:
        print_claims(tests, arguments.provider.split(",")[0])
    newest = [test for test in tests if test.is_newest]
    print(f"newest node tests: {sum(test.verdict == 'pass' for test in newest)} of {len(newest)}")
    print(f"all: {len(tests) - len(failed)} of {len(tests)}; verdicts: "
          + ", ".join(f"{verdict} {count}" for verdict, count in
                      sorted(collections.Counter(test.verdict for test in tests).items())))

    surprises = [f"FAILED   {test.key} [{test.verdict}] {test.note}" for test in failed if test.key not in gaps]
    surprises += [f"CRASHED  {test.key}" for test in failed if test.verdict == "crash" and test.key in gaps]
    surprises += [f"PASSES   {test.key}, which is listed as a gap: {gaps[test.key]}"
                  for test in tests if has_newer and test.verdict == "pass" and test.key in gaps]
    if not arguments.only and has_newer:
        known = {test.key for test in tests}
        surprises += [f"UNKNOWN  {key} is listed as a gap, and there is no such test" for key in gaps if key not in known]
    for line in surprises:
        print(line)
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
