#!/usr/bin/env python3
# Times models in ortool and onnxruntime in turn, in one interleaved run, and prints the ratios.
"""Usage: compare_onnxruntime.py --ortool build/release/bin/ortool [--threads 1] [--blocks 7] MODEL_FOLDER...

Needs onnxruntime and numpy from PyPI (tests/peers.sh makes the environment). A block runs one
engine for at least 0.3 s; blocks of the two engines alternate in an order shuffled by a printed seed, so
that drift of the machine hits both alike. The figure of a block is the median of its runs; the table shows
the median over blocks and the ratio ortool / onnxruntime (below 1: ortool is faster).
"""

import argparse
import glob
import json
import os
import random
import statistics
import subprocess
import time

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper


def read_inputs(folder):
    """The inputs of test_data_set_0, by name."""
    session_inputs = {}
    for path in sorted(glob.glob(os.path.join(folder, "test_data_set_0", "input_*.pb"))):
        tensor = onnx.TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        session_inputs[tensor.name] = numpy_helper.to_array(tensor)
    return session_inputs


def time_onnxruntime(session, inputs, seconds):
    """Median milliseconds of a run."""
    session.run(None, inputs)
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        session.run(None, inputs)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def time_ortool(program, folder, threads, repeat):
    """Median milliseconds of a run, as the program reports it."""
    arguments = [program, "run", folder, "--threads", str(threads), "--repeat", str(repeat), "--json"]
    for path in sorted(glob.glob(os.path.join(folder, "test_data_set_0", "input_*.pb"))):
        tensor = onnx.TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        arguments += ["--input", f"{tensor.name}={path}"]
    report = json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)
    return report["timing"]["run_ms"], report["memory"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ortool", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--blocks", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    print(f"onnxruntime {onnxruntime.__version__}, threads {options.threads}, seed {options.seed}")
    shuffle = random.Random(options.seed)
    print(f"{'model':34} {'ortool ms':>10} {'onnxruntime ms':>15} {'ratio':>7} {'blocks lo..hi':>15}")
    for folder in options.models:
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = options.threads
        settings.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            os.path.join(folder, "model.onnx"), settings, providers=["CPUExecutionProvider"])
        inputs = read_inputs(folder)
        names = {each.name for each in session.get_inputs()}
        inputs = {name: numpy.ascontiguousarray(value) for name, value in inputs.items() if name in names}
        first, _ = time_ortool(options.ortool, folder, options.threads, 3)
        repeat = max(5, int(300 / max(first, 1e-3)))
        own, peer = [], []
        for _ in range(options.blocks):
            order = ["own", "peer"]
            shuffle.shuffle(order)
            for engine in order:
                if engine == "own":
                    own.append(time_ortool(options.ortool, folder, options.threads, repeat)[0])
                else:
                    peer.append(time_onnxruntime(session, inputs, 0.3))
        ratios = sorted(a / b for a, b in zip(own, peer))
        print(f"{os.path.basename(folder.rstrip('/')):34} {statistics.median(own):10.3f} "
              f"{statistics.median(peer):15.3f} {statistics.median(ratios):7.2f} "
              f"{ratios[0]:7.2f}..{ratios[-1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
