#!/usr/bin/env python3
"""Times `ortool quantize` beside onnxruntime's quantize_static on the same samples, with the quality of both results.

Both get the shared float models, the same calibration samples as arrays of float32 and two threads, ortool with its
default recipe and with `fast`, onnxruntime with its defaults after quant_pre_process. Models with labeled images
calibrate on ten of each class, magika on every second file; models of photographs on crops of every other one; the text
recognizer on drawn lines. They are judged on other samples. The rest is calibrated on its own test data and judged on it.
s       processor time of all threads, user and system: of the whole command of ortool, of onnxruntime without the start
        of Python and its imports; the least of --repeat interleaved runs
times   ortool's seconds / onnxruntime's
dB      mean signal-to-noise ratio as in compare_quantizers.py, of all files evaluated in onnxruntime, but without
        outputs of next to no signal, less than a millionth of the mean over the samples: a text detector's map of a
        photograph without text has a sum of squares of 1e-12, and a file that gives 0 everywhere would have 100 dB there
usage: time_quantizers.py PROGRAM SHARED [--only NAME,NAME] [--repeat 1] [--recipes accurate,fast] [--keep FOLDER]
Needs tests/peers.sh --with-tools.
"""
import argparse
import contextlib
import glob
import json
import logging
import math
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy
import onnxruntime

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare_quantizers  # noqa: E402
from compare_peers import read_inputs  # noqa: E402

# Judged samples of a set, spread over it: more change the mean ratio by less than its last digit.
MOST_JUDGED = 500
# Outputs with a smaller share of the mean sum of squares over the samples are not judged.
LEAST_SIGNAL = 1e-6
LABELED = dict({name: kind for name, (kind, _) in compare_quantizers.SETS.items()}, **{
    "resnet8-large-cifar10-fp32": "cifar",
    "mnist-cnn": "raw mnist",
    "mnist-burn-bn": "mnist",
    "mnist-external-data": "mnist",
    "vit-mnist-opset13-decomposed-ln": "mnist",
})
IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
# For each model of photographs: the number of calibration samples, the picture's width and height, the order of channels,
# the mean to subtract, and the factor to divide by.
PHOTOGRAPHS = {
    "mobilenetv2-imagenet-fp32": (34, 224, 224, "RGB", [255 * m for m in IMAGENET_MEAN], [255 * s for s in IMAGENET_STD]),
    "squeezenet-imagenet-fp32": (34, 224, 224, "BGR", (103.939, 116.779, 123.68), 1),
    "mobilenetv1-vww-fp32": (34, 96, 96, "RGB", 0, 255),
    "facemesh-192": (10, 192, 192, "RGB", 0, 255),
    "fastestdet-coco": (10, 352, 352, "BGR", 0, 255),
    "ultraface-rfb320": (10, 320, 240, "RGB", 127, 128),
    "yunet-dynamic": (10, 320, 256, "BGR", 0, 1),
    "ppocrv3-det": (10, 320, 320, "RGB", [255 * m for m in IMAGENET_MEAN], [255 * s for s in IMAGENET_STD]),
    "sci-lowlight": (10, 512, 512, "RGB", 0, 255),
    "superres-espcn": (10, 224, 224, "L", 0, 255),
}
LINES = "ppocr-en-number-rec"


def crops(shared, is_calibration):
    """Crops of every other photograph: first the centers, then each of the corners."""
    from PIL import Image
    files = sorted(glob.glob(os.path.join(shared, "data", "photos", "*.[jp][pn]g"))) + \
        sorted(glob.glob(os.path.join(shared, "data", "faces", "*.jpg")))
    for corner in (None, (0, 0), (1, 1), (0, 1), (1, 0)):
        for path in files[0 if is_calibration else 1::2]:
            image = Image.open(path).convert("RGB")
            side = min(image.size) * (1.0 if corner is None else 0.6)
            left, top = ((extent - side) * (0.5 if corner is None else at)
                         for extent, at in zip(image.size, corner or (0, 0)))
            yield image.crop((round(left), round(top), round(left + side), round(top + side)))


def photographs(shared, name, input_name):
    count, width, height, order, mean, deviation = PHOTOGRAPHS[name]

    def prepared(image):
        array = numpy.asarray(image.resize((width, height)).convert("L" if order == "L" else "RGB"), numpy.float32)
        array = array[..., None] if order == "L" else (array[..., ::-1] if order == "BGR" else array)
        array = (array - numpy.array(mean, numpy.float32)) / numpy.array(deviation, numpy.float32)
        return {input_name: numpy.ascontiguousarray(array.transpose(2, 0, 1)[None], numpy.float32)}

    calibration = [prepared(image) for image, _ in zip(crops(shared, True), range(count))]
    return calibration, [prepared(image) for image in crops(shared, False)]


def lines(input_name):
    """Drawn lines of letters and digits, 24 for calibration and 40 others."""
    from PIL import Image, ImageDraw, ImageFont
    choose = numpy.random.default_rng(7)
    letters = list("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,-:/")

    def drawn():
        text = "".join(choose.choice(letters, int(choose.integers(6, 20))))
        font = ImageFont.load_default(int(choose.integers(18, 26)))
        ground, ink = int(choose.integers(170, 256)), int(choose.integers(0, 90))
        image = Image.new("RGB", (320, 32), (ground, ground, ground))
        ImageDraw.Draw(image).text((6, 2), text, (ink, ink, ink), font=font)
        array = numpy.asarray(image, numpy.float32) + choose.normal(0, 6, (32, 320, 3)).astype(numpy.float32)
        return {input_name: numpy.ascontiguousarray(((array / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None], numpy.float32)}

    samples = [drawn() for _ in range(64)]
    return samples[:24], samples[24:]


def samples_of(shared, model, session, folder):
    """The calibration samples, and those to judge by."""
    name, entries = os.path.basename(os.path.dirname(model)), session.get_inputs()
    first = entries[0].name
    if name in LABELED:
        images, labels, taken = compare_quantizers.labeled_set(shared, folder, LABELED[name], first)
        others = sorted(set(range(len(labels))) - taken)
        others = others[::max(1, math.ceil(len(others) / MOST_JUDGED))]
        return [[{first: images[i:i + 1]} for i in part] for part in (sorted(taken), others)]
    if name in PHOTOGRAPHS:
        return photographs(shared, name, first)
    if name == LINES:
        return lines(first)
    names = [(entry.name, entry.type, entry.shape) for entry in entries]
    own = [read_inputs(data, names)
           for data in sorted(glob.glob(os.path.join(os.path.dirname(model), "test_data_set_*")))]
    return own, own


def mean_decibels(found, expected):
    """The mean over all outputs with a signal; None if there is nothing to compare."""
    ratios = []
    for output in range(len(expected[0])):
        pairs = [(one[output], other[output]) for one, other in zip(found, expected)]
        squares = [float(numpy.sum(numpy.asarray(other, numpy.float64)**2)) if numpy.asarray(other).dtype.kind == "f" else 0
                   for _, other in pairs]
        least = LEAST_SIGNAL * sum(squares) / len(squares)
        ratios += [compare_quantizers.decibels(one, other) for (one, other), square in zip(pairs, squares) if square > least]
    ratios = [ratio for ratio in ratios if ratio is not None]
    return sum(ratios) / len(ratios) if ratios else None


def write_samples(samples, folder):
    listed = []
    for index, sample in enumerate(samples):
        inputs = {}
        for number, (name, array) in enumerate(sample.items()):
            inputs[name] = os.path.join(folder, f"calibrate_{index}_{number}.npy")
            numpy.save(inputs[name], array)
        listed.append({"inputs": inputs})
    path = os.path.join(folder, "manifest.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"samples": listed}, file)
    return path


def quantize_by_onnxruntime(model, manifest, folder):
    """In a process of its own: prints the seconds, or the reason of a failure."""
    logging.disable(logging.CRITICAL)
    onnxruntime.set_default_logger_severity(4)
    with open(manifest, encoding="utf-8") as file:
        samples = [{name: numpy.load(path) for name, path in sample["inputs"].items()}
                   for sample in json.load(file)["samples"]]
    begin = time.process_time()
    _, reason = compare_quantizers.by_onnxruntime(model, samples, folder)
    print(json.dumps({"seconds": time.process_time() - begin, "reason": reason}))


class Tool:
    """A quantizer with its fastest run."""

    def __init__(self, name, command, output):
        self.name, self.command, self.output = name, command, output
        self.seconds, self.reason = math.inf, None

    def run(self, folder):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(self.command, capture_output=True, check=False, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if self.name == "onnxruntime":
            told = json.loads(done.stdout.decode().strip().split("\n")[-1]) if done.returncode == 0 else {}
            seconds, self.reason = told.get("seconds"), told.get("reason", done.stderr.decode()[-90:])
        elif done.returncode != 0:
            self.reason = done.stderr.decode().split("\n")[0][:90]
        if self.reason is None:
            self.seconds = min(self.seconds, seconds)


def compare(arguments, model, folder):
    """The cells of a row."""
    floats = compare_quantizers.session_of(model)
    calibration, judged = samples_of(arguments.shared, model, floats, folder)
    manifest = write_samples(calibration, folder)
    expected = compare_quantizers.run_all(floats, judged)
    peer = Tool("onnxruntime", [sys.executable, os.path.abspath(__file__), "--onnxruntime", model, manifest, folder],
                os.path.join(folder, "onnxruntime.onnx"))
    tools = [peer]
    for recipe in arguments.recipes:
        path = os.path.join(folder, recipe + ".onnx")
        tools.append(Tool(recipe, [arguments.program, "quantize", model, "-o", path, "--force", "--calibration-data",
                                   manifest, "--recipe", recipe, "--threads", "2", "-q"], path))
    for _ in range(arguments.repeat):
        for tool in tools:
            tool.run(folder)
    cells = [str(len(calibration)) + (f", {len(judged)}" if judged is not calibration else "")]
    for tool in tools:
        if tool.reason is not None:
            cells.extend([tool.reason, ""] + ([] if tool is peer else [""]))
            continue
        found = compare_quantizers.run_all(compare_quantizers.session_of(tool.output), judged)
        ratio = mean_decibels(found, expected)
        cells.append(f"{tool.seconds:.2f}")
        if tool is not peer:
            cells.append(f"{tool.seconds / peer.seconds:.1f}" if peer.reason is None else "")
        cells.append(f"{ratio:.1f}" if ratio is not None else "")
        if arguments.keep:
            os.replace(tool.output, os.path.join(arguments.keep, f"{os.path.basename(os.path.dirname(model))}.{tool.name}.onnx"))
    return cells


def main():
    if sys.argv[1:2] == ["--onnxruntime"]:
        quantize_by_onnxruntime(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("shared", type=os.path.abspath)
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--recipes", type=lambda text: text.split(","), default=["accurate", "fast"])
    parser.add_argument("--keep", type=os.path.abspath)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    onnxruntime.set_default_logger_severity(4)
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
    only = [name for name in arguments.only.split(",") if name]
    columns = ["model", "samples, judged", "onnxruntime s", "dB"]
    for recipe in arguments.recipes:
        columns.extend([f"{recipe} s", "times", "dB"])
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    for model in sorted(glob.glob(os.path.join(arguments.shared, "models", "*", "model.onnx"))):
        name = os.path.basename(os.path.dirname(model))
        if (only and name not in only) or not compare_quantizers.is_float_model(model):
            continue
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            print("| " + " | ".join([name] + compare(arguments, model, folder)) + " |", flush=True)


if __name__ == "__main__":
    main()
