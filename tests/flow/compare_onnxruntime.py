"""Compares ortool with onnxruntime on the models written by flow_graphs --write, which ortool ran node by node.

compare_onnxruntime.py FOLDER: FOLDER/case_NUMBER.onnx (single cases) and FOLDER/SEED.onnx (models of several cases,
listed in FOLDER/SEED.txt), each with NAME.RUN.npz. Exit code 1 if a model or a case differs without a reason in
known_differences.txt, or if a case listed there agrees.
"""

import collections
import os
import pathlib
import re
import sys

import numpy
import onnx

_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(_HERE, "..", "support"))
import onnxruntime_worker

# Two runtimes draw different numbers, even with the same seed.
RANDOM_OPERATORS = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}

# As between ortool's optimization levels: rounding of 32-bit floats, of 16-bit floats, one step of quantized values.
FLOATS, HALVES, STEPS = 1e-4, 2e-2, 5e-2


def tolerance_of(graph):
    """The loosest tolerance required by a type in the graph or its subgraphs."""
    types = {tensor.data_type for tensor in graph.initializer}
    types |= {value.type.tensor_type.elem_type for value in [*graph.input, *graph.output, *graph.value_info]}
    tensor = onnx.TensorProto
    result = FLOATS
    if types & {tensor.INT8, tensor.UINT8, tensor.INT16, tensor.UINT16, tensor.INT4, tensor.UINT4}:
        result = STEPS
    elif types & {tensor.FLOAT16, tensor.BFLOAT16}:
        result = HALVES
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                result = max(result, tolerance_of(attribute.g))
    return result


def draws_random_numbers(graph):
    return any(node.op_type in RANDOM_OPERATORS or any(draws_random_numbers(attribute.g) for attribute in node.attribute
                                                       if attribute.type == onnx.AttributeProto.GRAPH)
               for node in graph.node)


def difference(found, expected, tolerance):
    """A description of the difference, or None."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{found.shape} where ortool has {expected.dtype}{expected.shape}"
    if found.dtype == bool or found.size == 0:
        return None if (found == expected).all() else "booleans differ"
    a, b = found.astype(numpy.float64), expected.astype(numpy.float64)
    if not numpy.issubdtype(found.dtype, numpy.floating):
        step = 1 if tolerance == STEPS else 0
        return None if (abs(a - b) <= step).all() else f"{(abs(a - b) > step).sum()} of {a.size} integers"
    finite = numpy.isfinite(b)
    if not numpy.array_equal(a[~finite], b[~finite], equal_nan=True):
        return "non-finite elements differ"
    largest = abs(b[finite]).max(initial=0)
    distance = abs(a[finite] - b[finite])
    wrong = ~(distance <= tolerance * abs(b[finite]) + tolerance * largest)
    return f"{wrong.sum()} of {a.size} elements, by {distance.max()}" if wrong.any() else None


def load_runs(path):
    """The model's inputs and ortool's outputs, by run."""
    feeds_of_runs, expected_of_runs = [], []
    for data in sorted(path.parent.glob(path.stem + ".*.npz")):
        with numpy.load(data) as arrays:
            feeds_of_runs.append({name[3:]: arrays[name] for name in arrays if name.startswith("in:")})
            expected_of_runs.append({name[4:]: arrays[name] for name in arrays if name.startswith("out:")})
    return feeds_of_runs, expected_of_runs


def outcome(worker, path):
    """onnxruntime's verdict on one model with all its inputs: "agree", "differs: ..." or why there is nothing
    to compare."""
    graph = onnx.load(str(path)).graph
    if draws_random_numbers(graph):
        return "draws random numbers"
    feeds_of_runs, expected_of_runs = load_runs(path)
    try:
        found_of_runs = worker.run(path, feeds_of_runs)
    except onnxruntime_worker.PeerError as error:
        return str(error)
    tolerance = tolerance_of(graph)
    for run, (found, expected) in enumerate(zip(found_of_runs, expected_of_runs)):
        for name, array in expected.items():
            what = difference(found[name], array, tolerance)
            if what:
                return f"differs: run {run}, {name}: {what}"
    return "agree"


def wording(what):
    """An error message without names and numbers."""
    kind, _, rest = what.partition(": ")
    return kind if kind == "differs" else f"{kind}: {re.sub(r'[0-9]+', '#', rest.split(': ', 3)[-1])[:90]}".rstrip(": ")


def load_known():
    """Reasons by case."""
    with open(os.path.join(_HERE, "known_differences.txt"), encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return dict(line.split("  ", 1) for line in lines)


def compare_cases(worker, folder, names, known, tally):
    """The outcome of each single case by stem, and the failures."""
    alone, wrong = {}, []
    for stem, name in sorted(names.items(), key=lambda each: each[1]):
        path = folder / f"{stem}.onnx"
        what = alone[stem] = outcome(worker, path) if path.exists() else "not written: numpy lacks a type"
        is_different = what.startswith("differs")
        tally["differs, known" if is_different and name in known else wording(what)] += 1
        if is_different and name not in known:
            wrong.append(f"{name} ({stem}): {what}")
        if what == "agree" and name in known:
            wrong.append(f"{name} ({stem}): agrees now; remove its line from known_differences.txt")
    return alone, wrong


def main():
    folder = pathlib.Path(sys.argv[1])
    paths = sorted(folder.glob("[0-9]*.onnx"), key=lambda each: int(each.stem))
    cases_of = {path: dict(line.split(" ", 1) for line in path.with_suffix(".txt").read_text().splitlines()) for path in paths}
    names = {stem: name for cases in cases_of.values() for stem, name in cases.items()}
    case_tally, tally = collections.Counter(), collections.Counter()
    with onnxruntime_worker.OnnxRuntimeWorker() as worker:
        alone, wrong = compare_cases(worker, folder, names, load_known(), case_tally)
        for path in paths:
            cases = cases_of[path]
            if all(alone[case] == "agree" for case in cases):
                what = outcome(worker, path)
                tally[wording(what)] += 1
                if what.startswith("differs"):
                    wrong.append(f"{path.stem} ({', '.join(cases.values())}): {what}")
            else:
                tally["a single case differs or does not run"] += 1
    for title, counter in (("cases alone", case_tally), ("models", tally)):
        print(f"{title}:")
        for what, count in counter.most_common():
            print(f"{count:6} {what}")
    for each in wrong:
        print(f"WRONG: {each}")
    return 1 if wrong or not tally["agree"] else 0


if __name__ == "__main__":
    sys.exit(main())
