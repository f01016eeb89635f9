# Plan search on a network with one layer that int8 breaks: it must find this layer and keep only it in float.
"""usage: check_search.py PROGRAM

Four layers of matrix products. The input of the second one has a channel 4,000 times as large as all others, which the
layer ignores: a scale that covers this channel loses the others. The other layers quantize well.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "benchmark"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
import make_sets  # noqa: E402
from wire import field  # noqa: E402

_WIDTH = 16
_CLASSES = 10
_SAMPLES = 300
_TRIED = 8


def floats(name, shape, values):
    """A TensorProto of floats."""
    return b"".join(field(1, size) for size in shape) + field(2, 1) + field(8, name) + field(9, struct.pack(f"<{len(values)}f", *values))


def typed(name, shape):
    """A ValueInfoProto of floats."""
    sizes = b"".join(field(1, field(1, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, sizes)))


def node(name, op_type, inputs, output):
    return b"".join(field(1, each) for each in inputs) + field(2, output) + field(3, name) + field(4, op_type)


def make_model(path):
    """Returns what the model computes as a function of a list of floats."""
    draw = random.Random(7)
    sizes = [(_WIDTH, _WIDTH + 1), (_WIDTH + 1, _WIDTH), (_WIDTH, _WIDTH), (_WIDTH, _CLASSES)]
    names = ["first", "fragile", "third", "last"]
    layers = []
    for rows, columns in sizes:
        weights = [[draw.gauss(0, 1 / rows**0.5) for _ in range(columns)] for _ in range(rows)]
        layers.append((weights, [draw.gauss(0, 0.1) for _ in range(columns)]))
    layers[0][1][_WIDTH] = 4000.0
    layers[1][0][_WIDTH] = [0.0] * _WIDTH
    nodes, constants, value = [], [], "x"
    for name, (weights, bias) in zip(names, layers):
        constants.append(floats(name + "_w", (len(weights), len(bias)), [each for row in weights for each in row]))
        constants.append(floats(name + "_b", (len(bias),), bias))
        nodes.append(node(name, "Gemm", [value, name + "_w", name + "_b"], "scores" if name == "last" else name + "_sums"))
        if name != "last":
            nodes.append(node(name + "_relu", "Relu", [name + "_sums"], name + "_out"))
        value = name + "_out"
    graph = b"".join(field(1, each) for each in nodes) + field(2, "fragile") + b"".join(field(5, each) for each in constants)
    graph += field(11, typed("x", (1, _WIDTH))) + field(12, typed("scores", (1, _CLASSES)))
    with open(path, "wb") as file:
        file.write(field(1, 8) + field(7, graph) + field(8, field(2, 13)))

    def compute(values):
        for name, (weights, bias) in zip(names, layers):
            values = [sum(v * w[column] for v, w in zip(values, weights)) + b for column, b in enumerate(bias)]
            if name != "last":
                values = [max(0.0, each) for each in values]
        return values

    return compute


def make_set(path, compute, count=_SAMPLES):
    draw = random.Random(3)
    samples = [[draw.gauss(0, 1) for _ in range(_WIDTH)] for _ in range(count)]
    labels = []
    for sample in samples:
        scores = compute(sample)
        labels.append(scores.index(max(scores)))
    make_sets.write_npz(path, {
        "x": make_sets.npy("<f4", (count, _WIDTH), struct.pack(f"<{count * _WIDTH}f", *sum(samples, []))),
        "labels": make_sets.npy("<i8", (count,), struct.pack(f"<{count}q", *labels))})


def quantize(program, model, data, output, *options, recipe="fast"):
    done = subprocess.run([program, "quantize", model, "-o", output, "--calibration-data", data, "--recipe", recipe, "--json", "-q",
                           *options], capture_output=True, check=False)
    return json.loads(done.stdout), done.returncode


def without(program, model, data, output, name, options):
    """The signal-to-noise ratio in the plan next to `output`, with the node in float."""
    with open(output + ".json", encoding="utf-8") as file:
        plan = json.load(file)
    for each in plan["nodes"]:
        if each["node"] == name:
            each["quantized"] = False
    with open(output + ".less.json", "w", encoding="utf-8") as file:
        json.dump(plan, file)
    told, _ = quantize(program, model, data, output + ".less", *options, "--plan", output + ".less.json", recipe="accurate")
    return told["end_to_end"][0]["sqnr_db"]


def check(what, holds):
    print(("ok: " if holds else "NOT SO: ") + what)
    return holds


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        model, data, output = (os.path.join(folder, name) for name in ("model.onnx", "set.npz", "out.onnx"))
        make_set(data, make_model(model))
        whole, _ = quantize(program, model, data, output, "--metric", "top1")
        os.remove(output)
        found, code = quantize(program, model, data, output, "--max-drop", "3%", "--metric", "top1", "--plan-out", output + ".json")
        left = [each["node"] for each in found["search"]["kept_float"]]
        products = {each["node"]: each for each in found["float_reasons"] if each["op_type"] == "Gemm"}
        print(f"whole: {whole['accuracy']}\nwith a budget: {found['accuracy']}\nsearch: {found['search']}")
        good = check("fully quantized, it loses far more", whole["accuracy"]["after"] < 0.8)
        good &= check("the search succeeds", code == 0 and os.path.exists(output))
        good &= check("only the fragile layer is left", left == ["fragile"] and list(products) == ["fragile"])
        good &= check("the budget is kept", found["accuracy"]["after"] >= found["accuracy"]["before"] - 0.03)
        good &= check("few plans were evaluated", found["search"]["candidates"] <= 5)
        again = output + ".again"
        quantize(program, model, data, again, "--plan", output + ".json")
        with open(output, "rb") as one, open(again, "rb") as other:
            good &= check("its plan gives the same bytes", one.read() == other.read())
        os.remove(output)
        none, code = quantize(program, model, data, output, "--max-drop", "0", "--metric", "sqnr", "--plan-out", output + ".json")
        good &= check("an unreachable budget gives exit 1 and no file", code == 1 and not os.path.exists(output) and
                      not none["search"]["within_budget"])
        command = os.path.join(folder, "judge.sh")
        with open(command, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n"{program}" run "$1" --data "{data}" --json | sed -n \'s/.*"value": \\([0-9.]*\\).*/\\1/p\'\n')
        os.chmod(command, 0o755)
        told, code = quantize(program, model, data, output, "--max-drop", "0.03", "--metric", "cmd:" + command)
        good &= check("a command gives the same verdicts as the metric", code == 0 and
                      [each["node"] for each in told["search"]["kept_float"]] == ["fragile"])
        told, code = quantize(program, model, data, output, recipe="accurate")
        reasons = {each["node"]: each["reason"] for each in told["float_reasons"]}
        print(f"by itself: {told['end_to_end'][0]}\n{reasons}\n{told['warnings']}\n{told['suggestions']}")
        good &= check("the default recipe leaves the unusable layer in float, and says so", code == 0 and
                      "unusable" in reasons.get("fragile", "") and any("fragile" in each for each in told["warnings"]))
        good &= check("and quantizes the others", not {"first", "third", "last"} & set(reasons))
        good &= check("suggestions were measured", all(each["sqnr_gain_db"] > 0 for each in told["suggestions"]))
        # The number of samples that suggestions are measured on.
        make_set(data + ".few.npz", make_model(model), _TRIED)
        few = ("--validation-data", data + ".few.npz")
        told, _ = quantize(program, model, data, output, *few, "--plan-out", output + ".json", recipe="accurate")
        good &= check("there is a suggestion", bool(told["suggestions"]))
        for each in told["suggestions"]:
            found = without(program, model, data, output, each["exclude"], few)
            print(f"without {each['exclude']}: {each['sqnr_before_db']} -> {each['sqnr_after_db']} promised, {found} found")
            good &= check("the promised gain is the actual one", abs(found - each["sqnr_after_db"]) < 0.1 and
                          abs(told["end_to_end"][0]["sqnr_db"] - each["sqnr_before_db"]) < 0.1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
