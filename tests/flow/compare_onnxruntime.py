"""Compares the models that flow_graphs --write made, node by node in ortool, with ONNX Runtime.

compare_onnxruntime.py FOLDER: FOLDER/SEED.onnx with FOLDER/SEED.RUN.npz. Exit code 1 when outputs differ.
"""

import collections
import os
import pathlib
import re
import sys

import numpy
import onnx
import onnxruntime

# As between ortool's own levels: rounding of 32-bit floats, of 16-bit floats, a step of quantized numbers.
FLOATS, HALVES, STEPS = 1e-4, 2e-2, 5e-2


def tolerance_of(graph):
    """The loosest that a type in the graph or the graphs inside it asks for."""
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


def difference(found, expected, tolerance):
    """What differs in words, or None."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{found.shape} where ortool has {expected.dtype}{expected.shape}"
    if found.dtype == bool or found.size == 0:
        return None if (found == expected).all() else "other truths"
    a, b = found.astype(numpy.float64), expected.astype(numpy.float64)
    if not numpy.issubdtype(found.dtype, numpy.floating):
        step = 1 if tolerance == STEPS else 0
        return None if (abs(a - b) <= step).all() else f"{(abs(a - b) > step).sum()} of {a.size} integers"
    finite = numpy.isfinite(b)
    if not numpy.array_equal(a[~finite], b[~finite], equal_nan=True):
        return "other infinities"
    largest = abs(b[finite]).max(initial=0)
    wrong = ~(abs(a[finite] - b[finite]) <= tolerance * abs(b[finite]) + tolerance * largest)
    return f"{wrong.sum()} of {a.size} elements, by {abs(a - b)[finite].max()}" if wrong.any() else None


def wording(error):
    """An error without names and numbers."""
    return re.sub(r"[\d']+\S*", "#", str(error).split(":", 3)[-1])[:60]


def outcome(path, shows):
    """What ONNX Runtime makes of one model with all its inputs, in words; prints what differs."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions share no other base
        return "not loaded: " + wording(error)
    tolerance = tolerance_of(onnx.load(str(path)).graph)
    for data in sorted(path.parent.glob(path.stem + ".*.npz")):
        with numpy.load(data) as arrays:
            feeds = {value.name: arrays["in:" + value.name] for value in session.get_inputs()}
            expected = [arrays["out:" + value.name] for value in session.get_outputs()]
        try:
            found = session.run(None, feeds)
        except Exception as error:
            return "not run: " + wording(error)
        for value, one, other in zip(session.get_outputs(), found, expected):
            what = difference(one, other, tolerance)
            if what and shows:
                print(f"{data.name}: {value.name}: {what}")
            if what:
                return "DIFFERENT"
    return "agree"


def safe_outcome(path, shows):
    """The same from a child process: ONNX Runtime aborts on some models."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.write(writer, outcome(path, shows).encode())
        sys.stdout.flush()
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text or "ONNX Runtime aborts"


def main():
    tally = collections.Counter()
    folder = pathlib.Path(sys.argv[1])
    alone = {path.stem: safe_outcome(path, False) for path in folder.glob("case_*.onnx")}
    for path in sorted(folder.glob("[0-9]*.onnx"), key=lambda each: int(each.stem)):
        cases = path.with_suffix(".txt").read_text().split()
        if all(alone.get(case) == "agree" for case in cases):
            tally[safe_outcome(path, True)] += 1
        else:
            tally["a case differs, or does not run, alone"] += 1
    for what, count in tally.most_common():
        print(f"{count:6} {what}")
    return 1 if tally["DIFFERENT"] or not tally["agree"] else 0


if __name__ == "__main__":
    sys.exit(main())
