#!/usr/bin/env python3
"""Times files in onnxruntime as they are, optimized for any runtime, and optimized by `--target onnxruntime` and `--target onnx`.

usage: target_gain.py PROGRAM MODELS_FOLDER [--only PART,PART] [--rounds 5] [--least-ms 1] [--seed 1]

MODELS_FOLDER is the output of make_models.py. In each round onnxruntime, at its default level and with one thread, runs a block of
at least 0.2 s of every form, in an order shuffled by the seed; a block's time is the median of its runs in processor time. Prints
the times, and ratios to the file as it is (above 1: the form is faster) as medians over the rounds.
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import steps

_BLOCK_SECONDS = 0.2
_FORMS = {"any": (), "onnxruntime": ("--target", "onnxruntime"), "onnx": ("--target", "onnx")}


def block(session, feeds):
    samples, end = [], time.perf_counter() + _BLOCK_SECONDS
    while not samples or time.perf_counter() < end:
        begin = time.process_time()
        session.run(None, feeds)
        samples.append(1e3 * (time.process_time() - begin))
    return statistics.median(samples)


def open_forms(program, model):
    """onnxruntime's session of each form that can be written, by name."""
    sessions = {"as it is": steps.open_session(model.path)}
    for form, options in _FORMS.items():
        path = model.place(f"{form}.onnx")
        done = subprocess.run([program, "optimize", model.path, "-o", path, "--force", "-q", "--verify", "0", *options],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            sessions[form] = steps.open_session(path)
    return sessions


def measure(sessions, feeds, rounds, order):
    times = {form: [] for form in sessions}
    for session in sessions.values():
        session.run(None, feeds)
    for _ in range(rounds):
        forms = list(sessions)
        order.shuffle(forms)
        for form in forms:
            times[form].append(block(sessions[form], feeds))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least-ms", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    order = random.Random(options.seed)
    print(f"onnxruntime {steps.onnxruntime.__version__}, seed {options.seed}, {options.rounds} rounds; ms, and times as it is / form")
    print("| model | as it is | " + " | ".join(_FORMS) + " |\n|---|" + "---|" * (1 + len(_FORMS)))
    logs = {form: [] for form in _FORMS}
    for name in sorted(os.listdir(options.folder)):
        if not os.path.exists(os.path.join(options.folder, name, "model.onnx")):
            continue
        if options.only and not any(part in name for part in options.only.split(",")):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            model = steps.Model(options.program, os.path.join(options.folder, name), scratch)
            sessions = open_forms(options.program, model)
            if block(sessions["as it is"], model.feeds[0]) < options.least_ms:
                continue
            times = measure(sessions, model.feeds[0], options.rounds, order)
        cells = [f"{statistics.median(times['as it is']):.3f}"]
        for form in _FORMS:
            if form not in times:
                cells.append("not written")
                continue
            ratio = statistics.median(old / new for old, new in zip(times["as it is"], times[form]))
            logs[form].append(ratio)
            cells.append(f"{ratio:.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    for form, ratios in logs.items():
        if ratios:
            print(f"{form}: geometric mean {statistics.geometric_mean(ratios):.3f}, lowest {min(ratios):.2f}, {len(ratios)} models")


if __name__ == "__main__":
    sys.exit(main())
