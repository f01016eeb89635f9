# Diagnosis of calibration data: mistakes are reported, with and without the model's test data; correct data is not.
"""usage: check_diagnosis.py PROGRAM SHARED"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

_NORMALIZED = "scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225"
_SCALED_TWICE = "scale:1/65025,mean:0.485/0.456/0.406,std:0.229/0.224/0.225"
_LARGE = "resize:256,crop:224,"
# Model, preprocessing of the images, and the reported diagnosis (None: no diagnosis).
_CASES = [
    ("resnet8-cifar10-fp32", "scale:1", None),
    ("resnet8-cifar10-fp32", "scale:1/255", "0-1 instead of 0-255?"),
    ("resnet20-cifar10-fp32", _NORMALIZED, None),
    ("resnet20-cifar10-fp32", "scale:1", "0-255 instead of 0-1?"),
    ("resnet20-cifar10-fp32", "scale:1/255", "mean and std left out?"),
    ("resnet20-cifar10-fp32", _SCALED_TWICE, "standard deviations off: the data does not look like the training data ("),
]
# Only the model's test data reveal these.
_WITH_OWN_DATA = [
    ("mobilenetv2-imagenet-fp32", _LARGE + _NORMALIZED, None),
    ("mobilenetv2-imagenet-fp32", _LARGE + "scale:1", "0-255 instead of 0-1?"),
]


def told(program, model, pictures, recipe, folder):
    samples = 8 if recipe.startswith(_LARGE) else 40
    output = os.path.join(folder, "quantized.onnx")
    done = subprocess.run([program, "quantize", model, "-o", output, "--force", "--recipe", "fast", "--json",
                           "--calibration-data", pictures, "--samples", str(samples), "--image", f"input={recipe}"],
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode())
    return json.loads(done.stdout)["calibration"]["diagnosis"]["input_range_mismatch"]


def main():
    program, shared = sys.argv[1:]
    pictures = os.path.join(shared, "data", "cifar10-test-1000")
    if not os.path.isdir(pictures):
        print("SKIPPED: the images are not next to this tree")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        alone = os.path.join(folder, "alone.onnx")
        for name, recipe, expected in _CASES + _WITH_OWN_DATA:
            model = os.path.join(shared, "models", name, "model.onnx")
            shutil.copyfile(model, alone)
            places = [model] if (name, recipe, expected) in _WITH_OWN_DATA else [model, alone]
            for place in places:
                found = told(program, place, pictures, recipe, folder)
                is_right = found is None if expected is None else found is not None and expected in found
                print(f"{'ok' if is_right else 'WRONG'}: {name}{' alone' if place == alone else ''}, {recipe}: {found}")
                failed += 0 if is_right else 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
