# Agreement of real models, quantized with default settings on a hundred samples, with their float models.
"""usage: check_quantize.py PROGRAM SHARED MODEL

Ten samples of each class, in name order, are used for calibration, all others for validation. Prints the share of
samples with the float model's class, and McNemar's exact test of the samples that only one model classifies correctly.
Weights have 8 bits on every processor (--target-isa vnni), since ortool's sums are exact on all.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import make_sets

_IMAGENET = ["--image", "input=scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225"]
# For each model: the kind of set, the name of its input, options, and the minimum share of samples with the same class.
_MODELS = {
    "resnet8-cifar10-fp32": ("cifar", "input", [], 0.985),
    "resnet20-cifar10-fp32": ("cifar", "input", _IMAGENET, 0.985),
    "vit-mnist-opset17": ("mnist", "input", [], 0.997),
    "mnist-pytorch-tribuo": ("raw mnist", "input_image", [], 0.997),
}


def ten_of_each(labels):
    taken, counts = set(), {}
    for index, label in enumerate(labels):
        counts[label] = counts.get(label, 0) + 1
        if counts[label] <= 10:
            taken.add(index)
    return taken


def split_cifar(shared, folder, name):
    with open(make_sets.make_cifar(shared, folder, name), encoding="utf-8") as file:
        samples = json.load(file)["samples"]
    taken = ten_of_each([sample["label"] for sample in samples])
    paths = []
    for part, is_wanted in (("calibrate", True), ("judge", False)):
        paths.append(os.path.join(folder, part + ".json"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump({"samples": [s for i, s in enumerate(samples) if (i in taken) == is_wanted]}, file)
    return paths


def split_mnist(shared, folder, name, is_raw):
    import numpy
    with numpy.load(make_sets.make_mnist(shared, folder, is_raw, name)) as content:
        images, labels = content[name], content["labels"]
    taken = sorted(ten_of_each(labels.tolist()))
    others = sorted(set(range(len(labels))) - set(taken))
    paths = []
    for part, chosen in (("calibrate", taken), ("judge", others)):
        paths.append(os.path.join(folder, part + ".npz"))
        numpy.savez(paths[-1], **{name: images[chosen], "labels": labels[chosen]})
    return paths


def classes_of(program, model, data, options, folder):
    lines = os.path.join(folder, "lines.jsonl")
    subprocess.run([program, "run", model, "--data", data, "--metric", "top1", "--save-outputs", lines, *options],
                   stdout=subprocess.DEVNULL, check=True)
    result = []
    with open(lines, encoding="utf-8") as file:
        for line in file:
            sample = json.loads(line)
            scores = sample["outputs"][0]["data"]
            while isinstance(scores[0], list):
                scores = scores[0]
            result.append((max(range(len(scores)), key=scores.__getitem__), sample["scores"][0] == 1))
    return result


def mcnemar(lost, gained):
    """The exact two-sided probability of so uneven a split by chance."""
    count = lost + gained
    tail = sum(math.comb(count, k) for k in range(min(lost, gained) + 1)) / 2**count if count else 1
    return min(1.0, 2 * tail)


def main():
    program, shared, model = sys.argv[1:]
    path = os.path.join(shared, "models", model)
    if not os.path.isdir(path) or not os.path.isdir(os.path.join(shared, "data")):
        print(f"SKIPPED: {model} or its data is not next to this tree")
        return 77
    kind, name, options, least = _MODELS[model]
    with tempfile.TemporaryDirectory() as scratch:
        calibrate, judge = (split_cifar(shared, scratch, name) if kind == "cifar" else
                            split_mnist(shared, scratch, name, kind == "raw mnist"))
        quantized = os.path.join(scratch, "int8.onnx")
        done = subprocess.run([program, "quantize", path, "-o", quantized, "--calibration-data", calibrate,
                               "--target-isa", "vnni", *options], capture_output=True, check=False)
        print(done.stdout.decode(), done.stderr.decode())
        if done.returncode != 0:
            return 1
        floats = classes_of(program, path, judge, options, scratch)
        bytes_ = classes_of(program, quantized, judge, options, scratch)
    same = sum(a[0] == b[0] for a, b in zip(floats, bytes_)) / len(floats)
    lost = sum(a[1] and not b[1] for a, b in zip(floats, bytes_))
    gained = sum(b[1] and not a[1] for a, b in zip(floats, bytes_))
    chance = mcnemar(lost, gained)
    is_good = same >= least and not (lost > gained and chance < 0.05)
    print(f"{same:.4f} of {len(floats)} keep their class (at least {least}); right only before {lost}, only after {gained}, "
          f"p = {chance:.3f}: {'as expected' if is_good else 'TOO FAR'}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
