# Accuracy of real models on whole data sets, compared with other runtimes and the authors' figures.
"""usage: check_accuracy.py PROGRAM SHARED MODEL [PRECISION]

With PRECISION products are computed in it, and all outputs are compared with those in float32."""
import json
import os
import subprocess
import sys
import tempfile

import make_sets

_IMAGENET = "input=scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225"
_CIFAR = lambda shared, folder: make_sets.make_cifar(shared, folder, "input")
# For each model: the kind of set, options, the number of samples, and how many of them are correct.
_MODELS = {
    "vit-mnist-opset17": (lambda shared, folder: make_sets.make_mnist(shared, folder, False, "input"), [], 10000, 9721),
    "mnist-pytorch-tribuo": (lambda shared, folder: make_sets.make_mnist(shared, folder, True, "input_image"), [],
                             10000, 9904),
    "resnet8-cifar10-fp32": (_CIFAR, [], 1000, 751),
    "resnet8-large-cifar10-fp32": (_CIFAR, [], 1000, 797),
    "resnet20-cifar10-fp32": (_CIFAR, ["--image", _IMAGENET], 1000, 804),
    "magika-v3_3": (lambda shared, folder: make_sets.make_magika(shared, folder, "bytes"), [], 76, 76),
}


def main():
    program, shared, model, *precision = sys.argv[1:]
    folder = os.path.join(shared, "models", model)
    if not os.path.isdir(folder) or not os.path.isdir(os.path.join(shared, "data")):
        print(f"SKIPPED: {model} or its data is not next to this tree")
        return 77
    make, options, samples, right = _MODELS[model]
    if precision:
        options = [*options, "--precision", precision[0], "--compare", "precision=float32", "--min-cosine", "0.999"]
    with tempfile.TemporaryDirectory() as scratch:
        data = make(shared, scratch)
        done = subprocess.run([program, "run", folder, "--data", data, "--metric", "top1", "--json", *options],
                              capture_output=True, check=False)
    print(done.stderr.decode())
    if precision and done.returncode == 4:
        print(f"SKIPPED: this processor does not multiply {precision[0]}")
        return 77
    document = json.loads(done.stdout)
    dataset = document["dataset"]
    print(json.dumps(dataset)[:2000])
    found = dataset["value"] * dataset["samples"]
    is_near = abs(found - right) <= max(0.001 * samples, 0.5 if right < samples else 0)
    low, high = dataset["ci"]
    is_right = (done.returncode == 0 and dataset["samples"] == samples and not dataset["failed"] and is_near
                and low <= dataset["value"] <= high)
    print(f"{found:.0f} of {samples} are right (expected {right}): {'as expected' if is_right else 'DIFFERENT'}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
