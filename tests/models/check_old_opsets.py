# Quantized models of opset 10 and earlier: onnxruntime loads the files and agrees with ortool.
"""Usage: check_old_opsets.py PROGRAM MODELS   (exit 77: nothing to check)

A model in which nothing is quantized must stay unchanged, with a warning.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

_MODELS = ["mnist-cnn", "mnist-pytorch-tribuo", "squeezenet-imagenet-fp32", "ultraface-rfb320", "byte-bidi-lstm", "fns-candy",
           "lgbm-classifier-tensor"]
# Each of its 15 consecutive normalizations amplifies a flipped rounding tie up to 16 times
# (docs/benchmarks/2026-11-22-int8-accuracy.md): outputs of its static form say nothing about a runtime.
_FORMS_OF = {"fns-candy": ["weight-only", "dynamic"]}
_NOTHING_TO_QUANTIZE = {"lgbm-classifier-tensor"}
_CONVOLUTIONS_ALONE = {"squeezenet-imagenet-fp32", "ultraface-rfb320", "fns-candy"}
_FORMS = {"static": ["--allow-random-calibration", "--samples", "2"],
          "static, a scale a tensor": ["--allow-random-calibration", "--samples", "2", "--per-tensor"],
          "weight-only": ["--mode", "weight-only"], "dynamic": ["--mode", "dynamic"]}
# Rounding ties that the runtimes round differently leave this much.
_LEAST_DECIBELS = {"weight-only": 60}
_USUAL_LEAST_DECIBELS = 25
_TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(uint8)": np.uint8}


def random_inputs(inputs):
    generator = np.random.default_rng(3)
    values = {}
    for each in inputs:
        shape = [size if isinstance(size, int) and size > 0 else 1 for size in each.shape]
        kind = _TYPES[each.type]
        values[each.name] = (generator.random(shape).astype(kind) if kind == np.float32
                             else generator.integers(0, 10, shape).astype(kind))
    return values


def run_ortool(program, path, values, folder):
    """Outputs in order; inputs are passed by position, since names may contain any characters."""
    for i, value in enumerate(values.values()):
        np.save(os.path.join(folder, f"input_{i}.npy"), value)
    out = os.path.join(folder, "out")
    subprocess.run([program, "run", path, "--input-dir", folder, "--output-dir", out, "--output-format", "npy", "-q"],
                   check=True, capture_output=True)
    found = []
    while os.path.exists(os.path.join(out, f"output_{len(found)}.npy")):
        found.append(np.load(os.path.join(out, f"output_{len(found)}.npy")))
    for i in range(len(found)):
        os.remove(os.path.join(out, f"output_{i}.npy"))
    return found


def decibels(expected, found):
    noise = np.sum((expected.astype(np.float64) - found.astype(np.float64)) ** 2)
    return 10 * np.log10(np.sum(expected.astype(np.float64) ** 2) / noise) if noise > 0 else np.inf


def check(program, name, path, form, folder):
    out = os.path.join(folder, "quantized.onnx")
    done = subprocess.run([program, "quantize", path, "-o", out, "--force", "--json", "-q", *_FORMS[form]],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [f"exit code {done.returncode}: {done.stderr or done.stdout}"]
    told = json.loads(done.stdout)
    before, after = (next(each.version for each in onnx.load(file).opset_import if each.domain in ("", "ai.onnx"))
                     for file in (path, out))
    problems = []
    if name in _NOTHING_TO_QUANTIZE or (form == "dynamic" and name in _CONVOLUTIONS_ALONE):
        same_nodes = onnx.load(out).graph.node == onnx.load(path).graph.node
        if told["quantized_nodes"] > 0 or after != before or told["preparation"]["rewrites"] > 0 or not same_nodes:
            problems.append(f"the model changed needlessly, from opset {before} to {after}")
        if any("becomes" in each for each in told["notes"]):
            problems.append(f"reports a change that was not made: {told['notes']}")
        if not any("written unchanged" in each for each in told["warnings"]):
            problems.append(f"no warning that nothing is quantized: {told['warnings']}")
    elif form.startswith("static") and told["quantized_nodes"] == 0:
        problems.append("nothing is quantized")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(out, options, providers=["CPUExecutionProvider"])
    values = random_inputs(session.get_inputs())
    ratios = []
    for expected, found in zip(session.run(None, values), run_ortool(program, out, values, folder), strict=True):
        if expected.dtype.kind == "f":
            ratios.append(decibels(expected, found))
        elif not np.array_equal(expected, found):
            problems.append("an integer output differs")
    print(f"{name} {form}: opset {before} -> {after}, {told['quantized_nodes']} nodes, "
          f"{min(ratios, default=np.inf):.1f} dB", flush=True)
    if min(ratios, default=np.inf) < _LEAST_DECIBELS.get(form, _USUAL_LEAST_DECIBELS):
        problems.append(f"{min(ratios):.1f} dB against onnxruntime")
    return problems


def main():
    program, models = sys.argv[1:3]
    failed, looked = 0, 0
    for name in _MODELS:
        path = os.path.join(models, name, "model.onnx")
        if not os.path.exists(path):
            print(f"SKIPPED: there is no {path}")
            continue
        looked += 1
        for form in _FORMS_OF.get(name, _FORMS):
            with tempfile.TemporaryDirectory() as folder:
                for problem in check(program, name, path, form, folder):
                    print(f"{name} {form}: {problem}")
                    failed += 1
    return 1 if failed else 0 if looked else 77


if __name__ == "__main__":
    sys.exit(main())
