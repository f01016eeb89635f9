# MaxPool, AveragePool and LpPool with ceil_mode and windows wider than the image, in every layout, type and provider.
"""usage: check_pools.py PROGRAM [--count N] [--seed N] [--onnxruntime]

Outputs must follow the specification, with sizes as in ONNX's shape inference, which divides toward zero. With
--onnxruntime, the oracle's sizes are checked against onnx.shape_inference and its values against onnxruntime; sizes
that differ in onnxruntime or onnx's ReferenceEvaluator are counted. Prints the seed; exit 1: a pool is wrong.
"""
import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

from pool_case import NoSuchPool, draw_pool

_TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16,
          "uint8": TensorProto.UINT8, "int8": TensorProto.INT8}
# Form: element type, number of axes (0: any), channels, provider.
_FORMS = {
    "plain": ("float32", 0, 2, "cpu"), "onednn": ("float32", 0, 3, "onednn"), "float64": ("float64", 0, 2, "cpu"),
    "float16": ("float16", 0, 2, "cpu"), "uint8": ("uint8", 0, 2, "cpu"), "int8": ("int8", 0, 2, "cpu"),
    "blocked": ("float32", 2, 32, "cpu"), "blocked onednn": ("float32", 2, 32, "onednn"),
    "blocked uint8": ("uint8", 2, 32, "cpu"), "blocked int8": ("int8", 2, 32, "cpu"),
}


class Model:
    """A pool, between identity convolutions if its input and output should have a blocked layout."""

    def __init__(self, pool, shape, form, dtype, has_places):
        self.initializers = []
        nodes, before = [], "x"
        if form.startswith("blocked"):
            nodes.append(self.convolve("x", "front", shape[1], dtype))
            before = "front"
        after = "middle" if form.startswith("blocked") else "y"
        nodes.append(helper.make_node(pool.op_type, [before], [after] + (["places"] if has_places else []),
                                      **pool.attributes()))
        if form.startswith("blocked"):
            nodes.append(self.convolve("middle", "y", shape[1], dtype))
        x = helper.make_tensor_value_info("x", _TYPES[dtype], random.choice([shape, [f"d{i}" for i in range(len(shape))]])
                                          if not form.startswith("blocked") else shape)
        outputs = [helper.make_empty_tensor_value_info(name) for name in (["y", "places"] if has_places else ["y"])]
        graph = helper.make_graph(nodes, "pool", [x], outputs, self.initializers)
        self.proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", pool.opset)])
        self.proto.ir_version = 9

    def constant(self, name, array):
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def convolve(self, source, target, channels, dtype):
        eye = np.eye(channels)[:, :, None, None]
        if dtype == "float32":
            return helper.make_node("Conv", [source, self.constant(target + "_w", eye.astype(np.float32))], [target])
        one = self.constant(target + "_s", np.array(1, dtype=np.float32))
        zero = self.constant(target + "_z", np.array(0, dtype=dtype))
        weight_zero = self.constant(target + "_wz", np.array(0, dtype=np.int8))
        weights = self.constant(target + "_w", eye.astype(np.int8))
        return helper.make_node("QLinearConv", [source, one, zero, weights, one, weight_zero, one, zero], [target])


def run_program(program, provider, model, x, folder):
    """The exit code, and the outputs or the message."""
    onnx.save(model, os.path.join(folder, "model.onnx"))
    np.savez(os.path.join(folder, "in.npz"), x=x)
    result = subprocess.run([program, "run", os.path.join(folder, "model.onnx"), "--inputs", os.path.join(folder, "in.npz"),
                             "--provider", provider, "--output-dir", folder, "--output-format", "npz", "-q"],
                            capture_output=True, check=False)
    if result.returncode != 0:
        return result.returncode, result.stderr.decode(errors="replace").strip()
    with np.load(os.path.join(folder, "outputs.npz")) as stored:
        return 0, {name: stored[name] for name in stored.files}


def judge(code, found, expected, places, dtype):
    if expected is None:
        return "" if code == 2 else f"exit {code} for an output of a negative size"
    if code != 0:
        return f"exit {code}: {found}"
    if found["y"].shape != expected.shape:
        return f"the output has the shape {found['y'].shape} (expected {expected.shape})"
    tolerance = 2e-3 if dtype == "float16" else 1e-5
    if not np.allclose(found["y"].astype(np.float64), expected, rtol=tolerance, atol=tolerance):
        return f"the output is {found['y'].reshape(-1)[:8]} (expected {expected.reshape(-1)[:8]})"
    if "places" in found and not np.array_equal(found["places"], places):
        return f"the places are {found['places'].reshape(-1)[:8]} (expected {places.reshape(-1)[:8]})"
    return ""


def peers():
    """A function that checks the oracle against onnx and onnxruntime."""
    import onnxruntime
    from onnx import shape_inference
    from onnx.reference import ReferenceEvaluator
    onnxruntime.set_default_logger_severity(4)

    def check(pool, model, x, expected, counts):
        fixed = onnx.ModelProto()
        fixed.CopyFrom(model)
        for dimension, size in zip(fixed.graph.input[0].type.tensor_type.shape.dim, x.shape):
            dimension.dim_value = size
        inferred = shape_inference.infer_shapes(fixed).graph.output[0].type.tensor_type.shape
        sizes = tuple(dimension.dim_value for dimension in inferred.dim)
        if expected is None:
            return "" if min(sizes) < 0 else f"onnx infers {sizes}, the oracle refuses"
        # Before opset 22, ceil_mode counted too many windows that start after the image, and too many with SAME.
        if sizes != expected.shape and pool.opset < 22 and pool.ceil_mode and np.all(np.array(sizes) >= expected.shape):
            counts["onnx, before opset 22: a larger size"] += 1
        elif sizes != expected.shape:
            return f"onnx infers {sizes}, the oracle {expected.shape}"
        try:
            theirs = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(
                None, {"x": x})[0]
            counts["onnxruntime: " + ("the same size" if theirs.shape == expected.shape else "another size")] += 1
            if theirs.shape == expected.shape and pool.has_peer(x.shape[2:]) and not np.allclose(theirs.astype(np.float64), expected, rtol=2e-3, atol=2e-3):
                return f"onnxruntime gives {theirs.reshape(-1)[:8]}, the oracle {expected.reshape(-1)[:8]}"
        except Exception:  # onnxruntime raises many types
            counts["onnxruntime: refused"] += 1
        try:
            theirs = ReferenceEvaluator(model).run(None, {"x": x})[0]
            agrees = theirs.shape == expected.shape
            counts["ReferenceEvaluator: " + ("the same size" if agrees else "another size")] += 1
            if agrees and not np.allclose(theirs.astype(np.float64), expected, rtol=2e-3, atol=2e-3, equal_nan=True):
                counts["ReferenceEvaluator: other numbers"] += 1
        except Exception:
            counts["ReferenceEvaluator: refused"] += 1
        return ""
    return check


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--onnxruntime", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.count} pools")
    random.seed(options.seed)
    check_peers = peers() if options.onnxruntime else None
    listed = subprocess.run([options.program, "providers"], capture_output=True, check=True, text=True).stdout
    forms = [form for form in _FORMS if _FORMS[form][3] in listed]
    counts, failures = collections.Counter(), 0
    for index in range(options.count):
        form = forms[index % len(forms)]
        dtype, axes, channels, provider = _FORMS[form]
        op_types = ("MaxPool",) if "int8" in form else ("MaxPool", "AveragePool") if form.startswith("blocked") \
            else ("MaxPool", "AveragePool", "LpPool")
        pool, sizes = draw_pool(random, axes or random.randint(1, 3), op_types)
        shape = [random.randint(1, 2), channels] + sizes
        x = np.random.default_rng(options.seed * 1000003 + index).integers(0 if dtype == "uint8" else -9, 100, size=shape)
        has_places = pool.op_type == "MaxPool" and not form.startswith("blocked") and random.random() < 0.3
        x = x.astype(dtype)
        try:
            expected, places = pool.compute(x)
            if expected is None:
                counts["a window without a pixel: skipped"] += 1
                continue
        except NoSuchPool:
            expected, places = None, None
        model = Model(pool, shape, form, dtype, has_places).proto
        with tempfile.TemporaryDirectory() as folder:
            code, found = run_program(options.program, provider, model, x, folder)
        problem = judge(code, found, expected, places, dtype)
        if check_peers is not None and not problem and not form.startswith("blocked"):
            problem = check_peers(pool, model, x, expected, counts)
        counts[f"{form}: {'refused' if expected is None else 'right'}"] += not problem
        if problem:
            failures += 1
            print(f"pool {index}, {form}, {dtype}{shape}, {pool}: {problem}\n")
    for what, count in sorted(counts.items()):
        print(f"{count:6} {what}")
    print(f"{failures} of {options.count} pools failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
