#!/usr/bin/env python3
"""Quantizes models by `ortool quantize` and by onnxruntime's quantize_static, and compares the results.

Both get the same samples and their default settings; onnxruntime's model goes through its quant_pre_process first. All
files, including the float one, are evaluated in onnxruntime, and ortool's also in ortool. Models with a labeled set
calibrate on ten samples of each class in name order (magika: on every second sample) and are evaluated on all others:
agreement   the share of samples with the float model's class; flips are counted as right only before and only after
p           McNemar's exact test of these flips
SQNR        10 log10(sum of squares / sum of squared differences) of each output of each sample, capped at 100 dB, and
            averaged
All other float models of the folder calibrate on their own test data and are evaluated on it, by SQNR only, together
with the number of products (Conv, MatMul, Gemm and recurrent nodes) with 8-bit weights and the size relative to the
float file. ortool may be lower only where onnxruntime leaves more products in float.
usage: compare_quantizers.py PROGRAM SHARED [--only NAME,NAME] [--sets | --others] [--judge-in-ortool]
                             [-- OPTIONS FOR ortool quantize]
Needs tests/peers.sh --with-tools.
"""
import argparse
import contextlib
import glob
import io
import json
import logging
import math
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnxruntime import quantization

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
import make_sets  # noqa: E402
from check_quantize import mcnemar, ten_of_each  # noqa: E402
from compare_peers import read_inputs  # noqa: E402

MOST_DECIBELS = 100.0
BATCH = 100
# For each model with a labeled set: the set, and the minimum agreement.
SETS = {
    "resnet8-cifar10-fp32": ("cifar", 0.985),
    "resnet20-cifar10-fp32": ("normalized cifar", 0.985),
    "vit-mnist-opset17": ("mnist", 0.997),
    "mnist-pytorch-tribuo": ("raw mnist", 0.997),
    "magika-v3_3": ("magika", 1.0),
}


def pictures(shared, folder, name):
    """All images of the set as float32 [samples, channels, height, width], 0 to 255, with their labels."""
    from PIL import Image
    with open(make_sets.make_cifar(shared, folder, name), encoding="utf-8") as file:
        samples = json.load(file)["samples"]
    arrays = [numpy.asarray(Image.open(sample["inputs"][name]).convert("RGB")) for sample in samples]
    return numpy.stack(arrays).transpose(0, 3, 1, 2).astype(numpy.float32), [sample["label"] for sample in samples]


def labeled_set(shared, folder, kind, name):
    """The whole set as one array and labels, and the indices of the calibration samples."""
    if kind in ("cifar", "normalized cifar"):
        images, labels = pictures(shared, folder, name)
        if kind == "normalized cifar":
            mean = numpy.array([0.485, 0.456, 0.406], numpy.float32).reshape(1, 3, 1, 1)
            deviation = numpy.array([0.229, 0.224, 0.225], numpy.float32).reshape(1, 3, 1, 1)
            images = (images / numpy.float32(255) - mean) / deviation
        return images, numpy.array(labels), ten_of_each(labels)
    path = (make_sets.make_magika(shared, folder, name) if kind == "magika" else
            make_sets.make_mnist(shared, folder, kind == "raw mnist", name))
    with numpy.load(path) as content:
        images, labels = content[name], content["labels"]
    taken = set(range(0, len(labels), 2)) if kind == "magika" else ten_of_each(labels.tolist())
    return images, labels, taken


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run_all(session, samples):
    """The outputs of every sample, each a list of arrays."""
    return [session.run(None, sample) for sample in samples]


def in_batches(session, name, images):
    """The first output for all images, as one array."""
    parts = [session.run(None, {name: images[i:i + BATCH]})[0] for i in range(0, len(images), BATCH)]
    return numpy.concatenate(parts)


def decibels(found, expected):
    """The signal-to-noise ratio of one output; None if it cannot be compared."""
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    if expected.dtype.kind != "f" or found.shape != expected.shape or expected.size == 0:
        return None
    expected = expected.astype(numpy.float64)
    noise = float(numpy.sum((found.astype(numpy.float64) - expected)**2))
    signal = float(numpy.sum(expected**2))
    if noise == 0:
        return MOST_DECIBELS
    return min(MOST_DECIBELS, 10 * math.log10(signal / noise)) if signal > 0 else None


def mean_decibels(found, expected):
    """The mean over all outputs of all samples; None if there is nothing to compare."""
    ratios = [decibels(a, b) for one, other in zip(found, expected) for a, b in zip(one, other)]
    ratios = [ratio for ratio in ratios if ratio is not None]
    return sum(ratios) / len(ratios) if ratios else None


class Reader(quantization.CalibrationDataReader):
    def __init__(self, samples):
        self._samples = iter(samples)

    def get_next(self):
        return next(self._samples, None)


def by_onnxruntime(model, samples, folder):
    """The path of the quantized model and None, or None and the reason."""
    prepared, path = os.path.join(folder, "prepared.onnx"), os.path.join(folder, "onnxruntime.onnx")
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                quantization.quant_pre_process(model, prepared)
            except Exception:  # pylint: disable=broad-except
                quantization.quant_pre_process(model, prepared, skip_symbolic_shape=True)
            quantization.quantize_static(prepared, path, Reader(samples))
            session_of(path)
    except Exception as error:  # pylint: disable=broad-except
        return None, (str(error) or type(error).__name__).split("\n")[0][:90]
    return path, None


def by_ortool(program, model, samples, folder, options):
    data = os.path.join(folder, "manifest.json")
    listed = []
    for index, sample in enumerate(samples):
        inputs = {}
        for number, (name, array) in enumerate(sample.items()):
            inputs[name] = os.path.join(folder, f"calibrate_{index}_{number}.npy")
            numpy.save(inputs[name], array)
        listed.append({"inputs": inputs})
    with open(data, "w", encoding="utf-8") as file:
        json.dump({"samples": listed}, file)
    path = os.path.join(folder, "ortool.onnx")
    done = subprocess.run([program, "quantize", model, "-o", path, "--force", "--calibration-data", data, *options],
                          capture_output=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.decode().split("\n")[0][:90]
    try:
        session_of(path)
    except Exception as error:  # pylint: disable=broad-except
        return None, "onnxruntime: " + str(error).split("\n", maxsplit=1)[0][:120]
    return path, None


def classes_in_ortool(program, path, name, images, labels, folder):
    data, lines = os.path.join(folder, "judge.npz"), os.path.join(folder, "lines.jsonl")
    numpy.savez(data, **{name: images, "labels": labels})
    subprocess.run([program, "run", path, "--data", data, "--metric", "top1", "--save-outputs", lines],
                   stdout=subprocess.DEVNULL, check=True)
    with open(lines, encoding="utf-8") as file:
        return numpy.array([numpy.argmax(json.loads(line)["outputs"][0]["data"]) for line in file])


def compare_set(arguments, model, folder):
    """Prints one row per tool; returns whether ortool meets the requirement."""
    kind, least = SETS[os.path.basename(os.path.dirname(model))]
    floats = session_of(model)
    name = floats.get_inputs()[0].name
    images, labels, taken = labeled_set(arguments.shared, folder, kind, name)
    others = sorted(set(range(len(labels))) - taken)
    samples = [{name: images[i:i + 1]} for i in sorted(taken)]
    judged, right = images[others], labels[others]
    expected = in_batches(floats, name, judged)
    classes = expected.argmax(1)
    rows, ratios, is_good = [], {}, True
    for tool, (path, reason) in (("ortool", by_ortool(arguments.program, model, samples, folder, arguments.options)),
                                 ("onnxruntime", by_onnxruntime(model, samples, folder))):
        if path is None:
            rows.append([tool, reason])
            is_good = is_good and tool != "ortool"
            continue
        found = in_batches(session_of(path), name, judged)
        same = float((found.argmax(1) == classes).mean())
        lost = int(((classes == right) & (found.argmax(1) != right)).sum())
        gained = int(((classes != right) & (found.argmax(1) == right)).sum())
        chance = mcnemar(lost, gained)
        ratios[tool] = mean_decibels([[row] for row in found], [[row] for row in expected])
        rows.append([tool, f"{100 * same:.2f} %", int((found.argmax(1) != classes).sum()), lost, gained, f"{chance:.3f}",
                     f"{100 * float((classes == right).mean()):.2f} %",
                     f"{100 * float((found.argmax(1) == right).mean()):.2f} %", f"{ratios[tool]:.1f}"])
        if tool == "ortool":
            is_good = same >= least and not (lost > gained and chance < 0.05)
            if arguments.judge_in_ortool:
                ours = classes_in_ortool(arguments.program, path, name, judged, right, folder)
                rows.append(["ortool, run by ortool", f"{100 * float((ours == classes).mean()):.2f} %",
                             int((ours != classes).sum()), int(((classes == right) & (ours != right)).sum()),
                             int(((classes != right) & (ours == right)).sum()), "", "",
                             f"{100 * float((ours == right).mean()):.2f} %", ""])
    is_good = is_good and ratios.get("ortool", 0) >= ratios.get("onnxruntime", -math.inf)
    return rows, len(others), is_good


def compare_own_data(arguments, model, folder):
    """Both tools' SQNR, or why there is none; returns whether ortool's is no lower."""
    session, whole = session_of(model), os.path.getsize(model)
    names = [(entry.name, entry.type, entry.shape) for entry in session.get_inputs()]
    samples = [read_inputs(data, names) for data in sorted(glob.glob(os.path.join(os.path.dirname(model), "test_data_set_*")))]
    expected = run_all(session, samples)
    told, ratios, counts = [], [], []
    for path, reason in (by_ortool(arguments.program, model, samples, folder, arguments.options),
                         by_onnxruntime(model, samples, folder)):
        ratio = mean_decibels(run_all(session_of(path), samples), expected) if path is not None else None
        ratios.append(ratio)
        counts.append(quantized_products(path) if path is not None else 0)
        told.append(reason or (f"{ratio:.1f}" if ratio is not None else "nothing to compare"))
        told.append(f"{counts[-1]}, {os.path.getsize(path) / whole:.2f}" if path is not None else "")
    is_good = ratios[1] is None or counts[1] < counts[0] or (ratios[0] is not None and ratios[0] >= ratios[1])
    return told, len(samples), is_good


def quantized_products(path):
    """The number of nodes in all graphs that multiply by weights stored in 8 bits."""
    def count(graph, outer):
        levels = {tensor.name for tensor in graph.initializer if tensor.data_type in (2, 3)} | outer
        floats = {node.output[0] for node in graph.node if node.op_type == "DequantizeLinear" and node.input[0] in levels}
        moved = {node.output[0] for node in graph.node if node.op_type == "Transpose" and node.input[0] in floats}
        found = 0
        for node in graph.node:
            if node.op_type in ("Conv", "ConvTranspose", "MatMul", "Gemm", "LSTM", "GRU", "RNN"):
                found += any(name in floats | moved for name in node.input[:2])
            found += sum(count(attribute.g, levels) for attribute in node.attribute if attribute.HasField("g"))
        return found
    return count(onnx.load(path, load_external_data=False).graph, set())


def is_float_model(path):
    model = onnx.load(path, load_external_data=False)
    kinds = {node.op_type for node in model.graph.node}
    products = {"Conv", "ConvTranspose", "MatMul", "Gemm", "LSTM", "Loop", "If"}
    return "QuantizeLinear" not in kinds and "DynamicQuantizeLinear" not in kinds and bool(kinds & products)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shared")
    parser.add_argument("--only", default="")
    parser.add_argument("--sets", action="store_true")
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--judge-in-ortool", action="store_true")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:split])
    arguments.options = sys.argv[split + 1:]
    logging.disable(logging.CRITICAL)
    onnxruntime.set_default_logger_severity(4)
    only = [name for name in arguments.only.split(",") if name]
    is_good = True
    models = sorted(glob.glob(os.path.join(arguments.shared, "models", "*", "model.onnx")))
    chosen = {os.path.basename(os.path.dirname(path)): path for path in models}
    chosen = {name: path for name, path in chosen.items() if not only or name in only}

    arguments.program, arguments.shared = os.path.abspath(arguments.program), os.path.abspath(arguments.shared)
    chosen = {name: os.path.abspath(path) for name, path in chosen.items()}

    def in_folder(name, compare):
        # onnxruntime leaves files in its working directory.
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            return compare(arguments, chosen[name], folder)

    if not arguments.others:
        print("| model | tool | agreement | flips | right before only | right after only | p | accuracy before | after | SQNR dB |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for name in (name for name in SETS if name in chosen):
            rows, count, is_model_good = in_folder(name, compare_set)
            is_good = is_good and is_model_good
            for index, row in enumerate(rows):
                print("| " + (f"{name} ({count})" if index == 0 else "") + " | " + " | ".join(str(cell) for cell in row) + " |",
                      flush=True)
    if not arguments.sets:
        print("\n| model | samples | ortool dB | products, size | onnxruntime dB | products, size | |")
        print("|---|---|---|---|---|---|---|")
        for name in (name for name in chosen if name not in SETS and is_float_model(chosen[name])):
            told, count, is_model_good = in_folder(name, compare_own_data)
            is_good = is_good and is_model_good
            print(f"| {name} | {count} | " + " | ".join(told) + f" | {'' if is_model_good else 'LOWER'} |", flush=True)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
