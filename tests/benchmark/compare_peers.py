#!/usr/bin/env python3
"""Times models in ortool and in onnxruntime, in one interleaved run, and prints the ratios.

Each round gives every runtime a block of runs on the same inputs with the same number of threads, in an order
shuffled by a printed seed; a block's figure is the median of its runs, a model's figure the median over the rounds.
The ratio is onnxruntime's time divided by ortool's: above 1, ortool is faster.
usage: compare_peers.py PROGRAM MODELS_FOLDER [--threads 1,2] [--rounds 5] [--only NAME,NAME]
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

BLOCK_SECONDS = 0.2


def read_inputs(folder, session):
    """The folder's input files by the names they hold, or else by position."""
    inputs = {}
    types = {value.name: value for value in session.get_inputs()}
    for index, value in enumerate(session.get_inputs()):
        with open(os.path.join(folder, f"input_{index}.pb"), "rb") as file:
            data = file.read()
        if value.type.startswith("seq"):
            inputs[value.name] = numpy_helper.to_list(onnx.SequenceProto.FromString(data))
            continue
        tensor = onnx.TensorProto.FromString(data)
        name = tensor.name if tensor.name in types else value.name
        array = numpy_helper.to_array(tensor)
        inputs[name] = array.reshape(()) if not types[name].shape and array.size == 1 else array
    return inputs


class Peer:
    """onnxruntime on the cpu with all of its graph optimisations."""

    def __init__(self, model, folder, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.inputs = read_inputs(folder, self.session)
        self.session.run(None, self.inputs)

    def block(self):
        samples, end = [], time.perf_counter() + BLOCK_SECONDS
        while len(samples) < 3 or time.perf_counter() < end:
            begin = time.perf_counter()
            self.session.run(None, self.inputs)
            samples.append(time.perf_counter() - begin)
        return 1e3 * statistics.median(samples)


class Ortool:
    """The program's own median over the runs of a process, the first run left out."""

    def __init__(self, program, model, folder, threads):
        self.command = [program, "run", model, "--input-dir", folder, "--threads", str(threads), "--json"]
        self.repeats = max(4, min(20000, int(1e3 * BLOCK_SECONDS / max(self.measure(4), 1e-3))))

    def measure(self, repeats):
        done = subprocess.run(self.command + ["--repeat", str(repeats)], capture_output=True, check=False)
        report = json.loads(done.stdout)
        if done.returncode != 0:
            raise RuntimeError(report["errors"][0]["message"])
        return report["timing"]["run_ms"]

    def block(self):
        return self.measure(self.repeats)


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    only = set(filter(None, arguments.only.split(",")))
    threads = [int(count) for count in arguments.threads.split(",")]
    order = random.Random(arguments.seed)
    print(f"onnxruntime {onnxruntime.__version__}, seed {arguments.seed}, {arguments.rounds} rounds; ms are medians")
    heads = [f"{count} thr: ortool, ort, ratio" for count in threads]
    print(f"{'model':40} " + "  ".join(f"{head:>28}" for head in heads) + "   ortool 1 thr / 2 thr")
    ratios = {count: [] for count in threads}
    is_good = True
    for name in sorted(os.listdir(arguments.models)):
        model = os.path.join(arguments.models, name, "model.onnx")
        folder = os.path.join(arguments.models, name, "test_data_set_0")
        if not os.path.isdir(folder) or (only and name not in only):
            continue
        try:
            variants = {}
            for count in threads:
                variants["ortool", count] = Ortool(arguments.program, model, folder, count)
                variants["ort", count] = Peer(model, folder, count)
            samples = {key: [] for key in variants}
            for _ in range(arguments.rounds):
                keys = list(variants)
                order.shuffle(keys)
                for key in keys:
                    samples[key].append(variants[key].block())
        except Exception as error:  # one model that fails must not end the comparison
            print(f"{name:40} {error}")
            is_good = False
            continue
        best = {key: statistics.median(values) for key, values in samples.items()}
        cells = []
        for count in threads:
            ratio = best["ort", count] / best["ortool", count]
            ratios[count].append(ratio)
            cells.append(f"{best['ortool', count]:9.3f} {best['ort', count]:9.3f} {ratio:8.2f}")
        gain = best["ortool", threads[0]] / best["ortool", threads[-1]]
        print(f"{name:40} " + "  ".join(f"{cell:>28}" for cell in cells) + f"  {gain:8.2f}", flush=True)
    for count in threads:
        print(f"{count} thread(s): geometric mean {geometric_mean(ratios[count]):.2f}, "
              f"lowest {min(ratios[count], default=float('nan')):.2f}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
