# Graphs whose shapes and indices depend on run-time operands, valid and invalid: invalid ones are never accepted.
"""usage: check_operands.py PROGRAM [--count N] [--seed N] [--levels none,basic,extended,all] [--onnxruntime] [--jobs N]
                         [--keep DIR]

Each graph runs at every given level. If the operands are invalid by the standard, the program must refuse them (exit 2,
5 or 6), otherwise give numpy's result; where the standard is silent, all levels must agree. With --onnxruntime, graphs
that onnxruntime refuses must be refused as well, and outputs must agree. Prints the seed; exit 1: a graph failed.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading

try:
    import numpy as np
    import onnx
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import index_cases
import onnxruntime_worker
import operand_case
import operand_graph
import size_cases
import view_cases

_REFUSALS = (2, 5, 6)
_MOST_BYTES = 3 << 30
# Errors of onnxruntime for graphs that the standard allows: it takes symbolic sizes for missing, does not reflect
# twice, crop to nothing or resize to nothing, and limits sizes of empty results.
_KNOWN_LIMITS = ["Number of elements of input 'sizes' (0)", "Pad reflect", "zero effective input extent",
                 "exceeds the supported maximum", "Dimension product overflow", "Scale value should be greater than 0",
                 "array is too big", "SafeIntOnOverflow() Integer overflow"]
_FAMILIES = view_cases.CASES + size_cases.CASES + index_cases.CASES


def run_program(program, level, folder, names, has_inputs):
    """The exit code, and the outputs or the message."""
    out = os.path.join(folder, f"out_{level}")
    command = [program, "run", os.path.join(folder, "model.onnx"), "--optimize", level, "--output-dir", out,
               "--output-format", "npz", "--max-memory", "60MB", "--timeout", "60", "-q"]
    if has_inputs:
        command += ["--inputs", os.path.join(folder, "in.npz")]
    # A program that ignores --max-memory fails; the address sanitizer reserves terabytes of address space.
    if "asan" not in program:
        command = ["prlimit", f"--as={_MOST_BYTES}"] + command
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode != 0:
        return result.returncode, result.stderr.decode(errors="replace").strip()
    try:
        with np.load(os.path.join(out, "outputs.npz")) as stored:
            return 0, [stored[name] for name in names]
    except ValueError:
        # Empty, and longer along an axis than numpy allows.
        return 0, []


def run_onnxruntime(worker, folder, model, feeds):
    """The outputs, or the message."""
    try:
        [outputs] = worker.run(os.path.join(folder, "model.onnx"), [feeds])
    except onnxruntime_worker.PeerError as error:
        return str(error)
    return [outputs[value.name] for value in model.graph.output]


def difference(found, expected, case, rtol):
    """The difference, or an empty string."""
    if len(found) != len(expected):
        return f"{len(found)} outputs can be read (expected {len(expected)})"
    for i, (mine, other) in enumerate(zip(found, expected)):
        if mine.shape != other.shape:
            return f"output {i} has the shape {mine.shape} (expected {other.shape})"
        if case.shape_only:
            continue
        if not np.allclose(mine.astype(np.float64), other.astype(np.float64), rtol=rtol, atol=rtol, equal_nan=True):
            return f"output {i} is {mine.reshape(-1)[:8]} (expected {other.reshape(-1)[:8]})"
    return ""


def judge(case, expected, results):
    """The problem with the results of all levels, or an empty string."""
    for level, (code, found) in results.items():
        if code not in (0,) + _REFUSALS:
            return f"at level {level}: exit {code}: {found}"
        if code == 0 and (expected == "refused" or (expected == "refused where read" and level == "none")):
            return f"at level {level}: accepted, and gave {[(each.shape, each.reshape(-1)[:8]) for each in found]}"
        if isinstance(expected, list):
            if code != 0:
                return f"at level {level}: refused: {found}"
            wrong = difference(found, expected, case, case.tolerance)
            if wrong:
                return f"at level {level}: {wrong}"
    levels = list(results) if expected != "refused where read" else []
    for level in levels[1:]:
        (first, mine), (code, other) = results[levels[0]], results[level]
        if (first == 0) != (code == 0):
            return f"exit {first} at level {levels[0]}, but {code} at level {level}: {mine} / {other}"
        wrong = difference(other, mine, case, 1e-5) if first == 0 else ""
        if wrong:
            return f"levels {levels[0]} and {level} differ: {wrong}"
    return ""


def judge_peer(case, expected, results, theirs):
    """The same against onnxruntime's results."""
    for level, (code, found) in results.items():
        if expected == "refused where read" and level != "none":
            continue
        if isinstance(theirs, str):
            if code == 0 and not any(known in theirs for known in _KNOWN_LIMITS):
                return f"at level {level}: accepted, but onnxruntime says: {theirs[:300]}"
        elif code == 0:
            wrong = difference(found, theirs, case, max(case.tolerance, 1e-4))
            if wrong:
                return f"at level {level}, against onnxruntime: {wrong}"
    return ""


class Checker:
    """Checks graphs, several at a time, with one onnxruntime worker per thread."""

    def __init__(self, options):
        self.options = options
        self._local = threading.local()
        self._workers = []

    def check(self, index):
        """The counted outcomes, and the problem with graph `index`, or an empty string."""
        draw = operand_case.Draw(self.options.seed * 1000003 + index)
        family = _FAMILIES[index % len(_FAMILIES)]
        case = family(draw, draw.chance(0.75))
        model, feeds, expected = operand_graph.build(case, draw)
        counts = []
        with tempfile.TemporaryDirectory() as folder:
            onnx.save(model, os.path.join(folder, "model.onnx"))
            np.savez(os.path.join(folder, "in.npz"), **feeds)
            results = {level: run_program(self.options.program, level, folder, [value.name for value in model.graph.output],
                                          bool(feeds)) for level in self.options.levels.split(",")}
            problem = judge(case, expected, results)
            if self.options.onnxruntime and case.has_peer and not problem:
                theirs = run_onnxruntime(self._worker(), folder, model, feeds)
                counts.append("onnxruntime refused" if isinstance(theirs, str) else "onnxruntime accepted")
                problem = judge_peer(case, expected, results, theirs)
            code = next(iter(results.values()))[0]
            verdict = expected if isinstance(expected, str) else "right"
            counts.append(f"{verdict}: {'accepted' if code == 0 else f'exit {code}'}")
            if problem and self.options.keep:
                shutil.copytree(folder, os.path.join(self.options.keep, f"graph_{index}"), dirs_exist_ok=True)
        if problem:
            values = {name: f"{array.dtype}{list(array.shape)} {array.reshape(-1)[:12].tolist()}"
                      for name, array in feeds.items()}
            problem = f"graph {index} ({case.op_type}): {problem}\n  fed {values}\n  {operand_graph.describe(model)}\n"
        return counts, problem

    def close(self):
        for worker in self._workers:
            worker.close()

    def _worker(self):
        if not hasattr(self._local, "worker"):
            self._local.worker = onnxruntime_worker.OnnxRuntimeWorker()
            self._workers.append(self._local.worker)
        return self._local.worker


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--levels", default="none,basic,all")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--onnxruntime", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.count} graphs")
    totals, failures = collections.Counter(), 0
    checker = Checker(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as threads:
        for counts, problem in threads.map(checker.check, range(options.count)):
            totals.update(counts)
            if problem:
                failures += 1
                print(problem, flush=True)
    checker.close()
    for what, count in sorted(totals.items()):
        print(f"{count:6} {what}")
    print(f"{failures} of {options.count} graphs failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
