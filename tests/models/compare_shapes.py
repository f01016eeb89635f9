#!/usr/bin/env python3
# Compares inferred types and shapes of whole models with the tensors that ONNX Runtime computes.
"""Usage: compare_shapes.py DUMP_PROGRAM FOLDER [MODEL...]   (exit 77: nothing to compare)

ONNX Runtime runs every model of FOLDER, unoptimized, on its stored inputs, with every value of its
main graph as an output. Then inference runs twice:

- with fixed input shapes: every dimension must be the number from ONNX Runtime, or unknown (perhaps
  under a name from the file) with a cause;
- with symbols: every formula must evaluate to that number, with the inputs' dimensions substituted
  for the symbols.

A cause must be the name of a node of the model whose operator may make a shape depend on data.
"""
import glob
import json
import math
import os
import re
import subprocess
import sys

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import numpy_helper
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

# Operators whose output shape may depend on the contents of an input, or of values in a body.
DATA_DEPENDENT = {
    "Compress", "ConstantOfShape", "Expand", "If", "Loop", "NonMaxSuppression", "NonZero", "OneHot", "Pad",
    "Range", "Reshape", "Resize", "Scan", "Slice", "Split", "SplitToSequence", "Squeeze", "StringSplit",
    "Tile", "TopK", "Unique", "Unsqueeze", "Upsample", "SequenceAt", "CenterCropPad", "ZipMap",
}
NAMES = {"bool": "bool", "str": "string", "object": "string"}


def nodes_of(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                yield from nodes_of(inner)


def node_types(model):
    """Names as in ortool's output: an unnamed node is <OpType>_<index in its graph>."""
    types = {}

    def visit(graph):
        for index, node in enumerate(graph.node):
            types[node.name or f"{node.op_type}_{index}"] = node.op_type
            for attribute in node.attribute:
                for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                    visit(inner)

    visit(model.graph)
    for function in model.functions:
        visit(function)
    return types


def test_inputs(folder):
    feeds = {}
    for path in sorted(glob.glob(os.path.join(folder, "test_data_set_0", "input_*.pb"))):
        tensor = onnx.TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        feeds[tensor.name] = numpy_helper.to_array(tensor)
    return feeds


def run_all_values(path, model, feeds):
    """Type and shape of every value of the main graph, as computed by ONNX Runtime."""
    made = [name for node in model.graph.node for name in node.output if name]
    declared = {output.name for output in model.graph.output}
    for name in made:
        if name not in declared:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in model.graph.initializer):
        onnx.load_external_data_for_model(model, os.path.dirname(path))
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    results = session.run(names, feeds)
    return dict(zip(names, results))


def type_and_shape(value):
    if not isinstance(value, numpy.ndarray):
        return None, None
    name = value.dtype.name
    name = "string" if value.dtype.kind in "OUS" else name
    return name, list(value.shape)


def run_dump(program, path, shapes):
    arguments = [f"{name}={'x'.join(map(str, shape))}" for name, shape in shapes.items()]
    result = subprocess.run([program, path, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    return [json.loads(line) for line in result.stdout.splitlines()]


def broadcast(*sizes):
    others = {size for size in sizes if size != 1}
    return others.pop() if len(others) == 1 else 1


def evaluate(text, symbols):
    """The number that a formula evaluates to, or None if a symbol is unknown."""
    if text in symbols:
        return symbols[text]
    if re.fullmatch(r"[A-Za-z_][\w.]*", text):
        return None
    code = re.sub(r"'((?:[^'\\]|\\.)*)'|([A-Za-z_][\w.]*)",
                  lambda m: m[2] if m[2] in ("floor", "ceil", "min", "max", "broadcast")
                  else f"symbols[{(m[1] or m[2])!r}]", text)
    code = code.replace("^", "**")
    names = {"symbols": symbols, "floor": math.floor, "ceil": math.ceil, "min": min, "max": max,
             "broadcast": broadcast}
    try:
        return eval(code, {"__builtins__": {}}, names)  # pylint: disable=eval-used
    except KeyError:
        return None


class Comparison:
    def __init__(self, name, types):
        self.name = name
        self.types = types
        self.failures = []
        self.values = 0
        self.equal = 0
        self.dependent = 0

    def fail(self, text):
        self.failures.append(f"{self.name}: {text}")

    def check_cause(self, value, cause):
        operator = self.types.get(cause)
        if operator is None:
            self.fail(f"{value['name']}: the cause '{cause}' is not a node of the model")
        elif operator not in DATA_DEPENDENT:
            self.fail(f"{value['name']}: the cause '{cause}' is {operator}, whose shapes follow from input shapes")

    def check(self, value, made, symbols):
        dtype, shape = type_and_shape(made)
        self.values += 1
        if dtype is None:
            if not value["dtype"].startswith(("sequence", "map", "optional")):
                self.fail(f"{value['name']}: {value['dtype']}, but ONNX Runtime produces no tensor")
            else:
                self.equal += 1
            return
        if value["dtype"] != dtype:
            self.fail(f"{value['name']}: {value['dtype']} (ONNX Runtime: {dtype})")
            return
        if value["shape"] is None:
            self.dependent += 1
            self.check_cause(value, value["cause"])
            return
        if len(value["shape"]) != len(shape):
            self.fail(f"{value['name']}: {value['shape']} (ONNX Runtime: {shape})")
            return
        is_open = False
        for dimension, cause, size in zip(value["shape"], value["causes"], shape):
            number = dimension
            if isinstance(dimension, str):
                number = evaluate(dimension, symbols)
            if number is None:
                is_open = True
                if isinstance(dimension, str) and not re.fullmatch(r"[\w.]+", dimension):
                    continue  # arithmetic on a name whose own value gives the cause
                self.check_cause(value, cause)
            elif number != size:
                self.fail(f"{value['name']}: {value['shape']} (ONNX Runtime: {shape}; symbols {symbols})")
                return
        if is_open:
            self.dependent += 1
        else:
            self.equal += 1


def bind(values, feeds):
    symbols = {}
    for value in values:
        if value["role"] != "input" or value["name"] not in feeds or value["graph"] != 0:
            continue
        for axis, (dimension, size) in enumerate(zip(value["shape"] or [], feeds[value["name"]].shape)):
            if isinstance(dimension, str) and dimension != "?":
                symbols.setdefault(dimension, size)
            symbols[f"{value['name']}_dim_{axis}"] = size
    return symbols


def compare(program, folder, name):
    path = os.path.join(folder, name, "model.onnx")
    model = onnx.load(path, load_external_data=False)
    types = node_types(model)
    feeds = test_inputs(os.path.join(folder, name))
    for value in model.graph.input:
        # ONNX Runtime accepts a vector of one element as a scalar.
        if value.name in feeds and value.type.tensor_type.HasField("shape") and not value.type.tensor_type.shape.dim:
            feeds[value.name] = feeds[value.name].reshape(())
    made = run_all_values(path, model, feeds)
    results = []
    for label, shapes in (("fixed", {key: value.shape for key, value in feeds.items()}), ("symbols", {})):
        comparison = Comparison(f"{name} ({label})", types)
        values = run_dump(program, path, shapes)
        symbols = {} if shapes else bind(values, feeds)
        seen = set()
        for value in values:
            if value["graph"] == 0 and value["name"] in made:
                seen.add(value["name"])
                comparison.check(value, made[value["name"]], symbols)
            elif value["role"] == "value" and value["shape"] is None and value["cause"]:
                comparison.check_cause(value, value["cause"])
        for missing in sorted(set(made) - seen):
            comparison.fail(f"{missing} is not among the values")
        results.append(comparison)
    return results


def main():
    program, folder = sys.argv[1:3]
    names = sys.argv[3:] or sorted(os.path.basename(os.path.dirname(path))
                                   for path in glob.glob(os.path.join(folder, "*", "model.onnx")))
    if not names:
        print(f"SKIPPED: there are no models in {folder}")
        return 77
    totals = {"fixed": [0, 0, 0], "symbols": [0, 0, 0]}
    failures = []
    for name in names:
        try:
            comparisons = compare(program, folder, name)
        except Exception as error:  # pylint: disable=broad-except
            failures.append(f"{name}: {type(error).__name__}: {str(error)[:400]}")
            continue
        for comparison, total in zip(comparisons, totals.values()):
            failures += comparison.failures
            for index, count in enumerate((comparison.values, comparison.equal, comparison.dependent)):
                total[index] += count
            print(f"{comparison.name}: {comparison.values} values, {comparison.equal} equal, "
                  f"{comparison.dependent} open with a cause, {len(comparison.failures)} wrong")
    for label, (values, equal, dependent) in totals.items():
        print(f"{label}: {len(names)} models, {values} values, {equal} equal, {dependent} open with a cause")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
