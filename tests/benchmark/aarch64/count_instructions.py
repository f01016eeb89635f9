#!/usr/bin/env python3
"""Counts the instructions of one inference on aarch64, in ortool and in onnxruntime, with qemu's user mode.

Usage: count_instructions.py --program BUILD/bin/ortool --sysroot FOLDER [--peer FOLDER] [--cpu NAME] MODEL...

Needs a qemu-aarch64 with plugins (Debian's qemu-user; the static one has none), gcc, and a Python with onnxruntime for
the inputs (build/peers). make_peer.sh makes the peer's folder. Both run on one thread, and what is counted is the
difference between three runs and one, so that loading and packing are left out (--runs 0,1 is faster for large models;
the peer's first run then counts). A Python process takes some ten million instructions more or less each time, so the
peer's difference is the median of several (--repeats).
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import numpy
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import made_inputs  # noqa: E402


def count(arguments, plugin, root, command, text="", environment=None):
    """Instructions of one process."""
    done = subprocess.run([arguments.qemu, "-L", root, "-cpu", arguments.cpu, "-plugin", plugin] + command,
                          input=text, capture_output=True, text=True, check=False,
                          env=dict(os.environ, **(environment or {})))
    lines = [line for line in done.stderr.splitlines() if line.startswith("instructions: ")]
    if done.returncode != 0 or not lines:
        raise RuntimeError((done.stderr.strip() or f"exit status {done.returncode}").splitlines()[0])
    return int(lines[-1].split()[1])


def one_run(arguments, counted):
    few, many = arguments.runs
    return (counted(many) - counted(few)) / (many - few)


def count_ortool(arguments, plugin, model, inputs):
    command = [arguments.program, "bench", model, "--stepped", "-q", "--threads", "1", "--inputs", inputs]
    return one_run(arguments, lambda runs: count(arguments, plugin, arguments.sysroot, command, f"run {runs}\n" if runs else ""))


def count_peer(arguments, plugin, model, inputs):
    root = arguments.peer
    environment = {"PYTHONPATH": os.path.join(root, "site-packages"), "PYTHONHOME": os.path.join(root, "usr"),
                   "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    command = [os.path.join(root, "usr/bin/python3.11"), os.path.join(HERE, "run_onnxruntime.py"), model, inputs]
    return statistics.median(
        one_run(arguments, lambda runs: count(arguments, plugin, root, command + [str(runs)], environment=environment))
        for _ in range(arguments.repeats))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--sysroot", required=True)
    parser.add_argument("--peer", help="folder that make_peer.sh made; without it, ortool alone")
    parser.add_argument("--cpu", default="cortex-a76", help="qemu's name of the processor (default: %(default)s)")
    parser.add_argument("--qemu", default="qemu-aarch64", help="a qemu-aarch64 that knows -plugin")
    parser.add_argument("--runs", default="1,3", type=lambda text: [int(each) for each in text.split(",")],
                        help="few and many runs, whose counts are compared (default: %(default)s)")
    parser.add_argument("--repeats", default=3, type=int, help="measurements of the peer (default: %(default)s)")
    parser.add_argument("--append", help="file to which each row is added as one line of JSON")
    parser.add_argument("models", nargs="+", metavar="MODEL")
    arguments = parser.parse_args()
    ratios = []
    with tempfile.TemporaryDirectory() as work:
        plugin, inputs = os.path.join(work, "count_instructions.so"), os.path.join(work, "inputs.npz")
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, os.path.join(HERE, "count_instructions.c")], check=True)
        print(f"{'model':40} {'ortool':>14} {'onnxruntime':>14}  ratio   ({arguments.cpu})")
        for model in arguments.models:
            path = os.path.join(model, "model.onnx") if os.path.isdir(model) else model
            name = os.path.basename(os.path.dirname(path)) if os.path.isdir(model) else os.path.basename(path)
            row = {"model": name, "cpu": arguments.cpu}
            try:
                numpy.savez(inputs, **made_inputs.inputs_of(onnxruntime.InferenceSession(path), path))
                row["ortool"] = count_ortool(arguments, plugin, path, inputs)
                if arguments.peer:
                    row["onnxruntime"] = count_peer(arguments, plugin, path, inputs)
                    ratios.append(row["ortool"] / row["onnxruntime"])
                print(f"{name:40} {row['ortool']:14,.0f} {row.get('onnxruntime', math.nan):14,.0f}  "
                      f"{ratios[-1] if arguments.peer else math.nan:5.3f}", flush=True)
            except Exception as error:  # pylint: disable=broad-except # of either engine, which is the row's result
                row["error"] = str(error)
                print(f"{name:40} {error}", flush=True)
            if arguments.append:
                with open(arguments.append, "a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")


if __name__ == "__main__":
    main()
