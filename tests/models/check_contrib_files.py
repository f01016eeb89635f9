# Model files that onnxruntime optimized and saved, with com.microsoft operators: run by ortool and by onnxruntime.
"""Usage: check_contrib_files.py PROGRAM [MODEL…]   (exit 77: nothing to check)

Each operator alone, in the variants that its attributes and optional inputs allow, and each MODEL as onnxruntime saves
it at its extended level: ortool must give the same outputs as onnxruntime, and so must onnxruntime with the file that
'optimize --target onnx' makes of it, which has ONNX's operators only. What 'optimize --target onnxruntime' makes of each
MODEL must give the same outputs in onnxruntime, too.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
    from onnxruntime_saturation import onnxruntime_saturates
except ImportError:
    print("SKIPPED: this Python has no onnx or onnxruntime package")
    sys.exit(77)

_SHARE_OF_MAX = 1e-4
_TIMEOUT_SECONDS = 60
_random = numpy.random.default_rng(0)


def floats(*shape):
    return _random.standard_normal(shape).astype(numpy.float32)


def one_node(operator, inputs, weights, outputs=("y",), domain="com.microsoft", opset=12, **attributes):
    """A model of one node whose inputs are `inputs` and `weights` in alphabetical order."""
    operands = {**inputs, **weights}
    names = sorted(operands)
    node = helper.make_node(operator, names, list(outputs), name="node", domain=domain, **attributes)
    described = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                 for name, value in inputs.items()]
    is_bytes = operator.startswith("QLinear")
    results = [helper.make_tensor_value_info(name, onnx.TensorProto.UINT8 if is_bytes else onnx.TensorProto.FLOAT, None)
               for name in outputs if name]
    graph = helper.make_graph([node], "g", described, results,
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8), inputs


def operators():
    """Pairs of a name and the result of one_node()."""
    image = {"a": floats(2, 3, 6, 6)}
    kernel = {"b": floats(4, 3, 3, 3), "c": floats(4)}
    for activation, numbers in (("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.2]),
                                ("Clip", [-0.5, 0.7]), ("HardSigmoid", [0.2, 0.4])):
        more = {"activation_params": numbers} if numbers else {}
        yield f"FusedConv {activation}", one_node("FusedConv", image, kernel, pads=[1] * 4, activation=activation,
                                                  **more)
    yield "FusedConv before opset 11", one_node("FusedConv", image, kernel, opset=10, activation="Clip",
                                                activation_params=[-0.5, 0.7])
    yield "FusedConv and a sum", one_node("FusedConv", {**image, "d": floats(2, 4, 6, 6)}, kernel, pads=[1] * 4,
                                          activation="Relu")
    yield "FusedGemm", one_node("FusedGemm", {"a": floats(3, 4)}, {"b": floats(5, 4), "c": floats(5)}, alpha=0.5,
                                transB=1, activation="LeakyRelu", activation_alpha=0.3)
    yield "FusedMatMul", one_node("FusedMatMul", {"a": floats(5, 4)}, {"b": floats(6, 5)}, alpha=0.5, transA=1,
                                    transB=1)
    yield "FusedMatMul of a batch", one_node("FusedMatMul", {"a": floats(2, 3, 5, 4), "b": floats(2, 3, 7, 4)}, {},
                                             alpha=0.125, transB=1)
    rows = {"a": floats(2, 3, 8)}
    for operator in ("Gelu", "FastGelu", "QuickGelu"):
        yield operator, one_node(operator, rows, {})
    yield "QuickGelu with a factor", one_node("QuickGelu", rows, {}, alpha=1.5)
    for operator in ("BiasGelu", "FastGelu"):
        yield f"{operator} with a bias", one_node(operator, rows, {"b": floats(8)})
    both = {**rows, "b": floats(2, 3, 8)}
    scale = {"c": floats(8)}
    yield "SkipLayerNormalization", one_node("SkipLayerNormalization", both, {**scale, "d": floats(8)}, epsilon=1e-3)
    yield "SkipLayerNormalization, its sum and a bias", one_node(
        "SkipLayerNormalization", both, {**scale, "d": floats(8), "e": floats(8)}, ("y", "", "", "sum"))
    yield "SkipLayerNormalization of one row", one_node("SkipLayerNormalization", {**rows, "b": floats(3, 8)}, scale)
    yield "SkipSimplifiedLayerNormalization", one_node("SkipSimplifiedLayerNormalization", both, scale,
                                                       ("y", "", "", "sum"))
    yield "SimplifiedLayerNormalization", one_node("SimplifiedLayerNormalization", rows, {"b": floats(8)}, domain="",
                                                   axis=-1)
    yield "LayerNormalization before opset 17", one_node("LayerNormalization", rows, {"b": floats(8), "c": floats(8)},
                                                         domain="", axis=-1)


def integer_operators():
    """The same for operators on 8-bit integers, whose sums are exact, so results must be equal.

    Weights have 7 bits where onnxruntime's sums of larger ones are not exact.
    """
    weight_bits = 7 if onnxruntime_saturates() else 8
    print(f"int8 weights of {weight_bits} bits")

    def levels(*shape, kind=numpy.uint8):
        limits = numpy.iinfo(kind)
        unused = 8 - weight_bits if kind == numpy.int8 else 0
        return _random.integers(limits.min >> unused, limits.max >> unused, shape, dtype=kind, endpoint=True)

    def scale(value, zero, kind=numpy.uint8):
        return numpy.float32(value), kind(zero)

    first = dict(zip("bc", scale(0.05, 120)))
    for operator in ("QLinearAdd", "QLinearMul"):
        yield operator, one_node(operator, {"a": levels(2, 3, 4)},
                                 {**first, "d": levels(4), **dict(zip("ef", scale(0.03, 100))),
                                  **dict(zip("gh", scale(0.07, 90)))})
    yield "QLinearSigmoid", one_node("QLinearSigmoid", {"a": levels(2, 40)},
                                     {**first, **dict(zip("de", scale(1 / 256, 0)))})
    yield "QLinearLeakyRelu", one_node("QLinearLeakyRelu", {"a": levels(2, 40)},
                                       {**first, **dict(zip("de", scale(0.04, 30)))}, alpha=0.25)
    yield "QLinearGlobalAveragePool", one_node("QLinearGlobalAveragePool", {"a": levels(2, 3, 4, 4)},
                                               {**first, **dict(zip("de", scale(0.04, 110)))})
    yield "QLinearConcat", one_node("QLinearConcat", {"c": levels(2, 3)},
                                    {**dict(zip("ab", scale(0.06, 100))), **dict(zip("de", scale(0.05, 120))),
                                     "f": levels(2, 2), **dict(zip("gh", scale(0.06, 100)))}, axis=1)
    weights = levels(4, 5, kind=numpy.int8)
    bias = levels(5, kind=numpy.int32) // 100000
    matrix = {**first, "d": weights, "g": bias}
    yield "QGemm", one_node("QGemm", {"a": levels(3, 4)}, {**matrix, **dict(zip("ef", scale(0.02, 0, numpy.int8)))},
                            alpha=0.5)
    columns = {"e": numpy.abs(floats(5)) / 100, "f": numpy.zeros(5, numpy.int8)}
    yield "QGemm a column", one_node("QGemm", {"a": levels(3, 4)}, {**matrix, **columns}, opset=13)
    yield "MatMulIntegerToFloat", one_node(
        "MatMulIntegerToFloat", {"a": levels(3, 4)},
        {"b": weights, "c": numpy.float32(0.05), "d": columns["e"], "e": numpy.uint8(120), "f": numpy.int8(0),
         "g": floats(5)})
    yield "DynamicQuantizeMatMul", one_node("DynamicQuantizeMatMul", {"a": floats(3, 4)},
                                            {"b": weights, "c": columns["e"], "d": columns["f"], "e": floats(5)})


def open_session(path, saved=None):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED if saved else levels.ORT_DISABLE_ALL
    if saved:
        options.optimized_model_filepath = saved
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def random_inputs(session):
    """Floats; free dimensions are 1."""
    return {value.name: floats(*[size if isinstance(size, int) else 1 for size in value.shape])
            for value in session.get_inputs()}


def compare(program, path, inputs, expected, folder):
    """What is wrong, or None."""
    given, results = os.path.join(folder, "in.npz"), os.path.join(folder, "out")
    numpy.savez(given, **inputs)
    done = subprocess.run([program, "run", path, "--inputs", given, "--output-dir", results, "-q"],
                          capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[0]
    for index, wanted in enumerate(expected):
        found = numpy.load(os.path.join(results, f"output_{index}.npy"))
        if found.shape != wanted.shape or not numpy.allclose(found, wanted, rtol=0,
                                                             atol=_SHARE_OF_MAX * numpy.abs(wanted).max()):
            return f"output {index} differs"
    return None


def has_shares(found, expected):
    """What differs between onnxruntime's outputs and those expected, or None."""
    for index, (one, wanted) in enumerate(zip(found, expected)):
        if one.shape != wanted.shape or not numpy.allclose(one, wanted, rtol=0,
                                                           atol=_SHARE_OF_MAX * numpy.abs(wanted).max()):
            return f"output {index} differs"
    return None


def compare_target(program, target, path, inputs, expected, folder):
    """What is wrong with the file for a target, or None."""
    written = os.path.join(folder, "target.onnx")
    done = subprocess.run([program, "optimize", path, "--target", target, "--output", written, "--force", "-q"],
                          capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        return f"--target {target}: {(done.stderr or done.stdout).strip().splitlines()[-1]}"
    foreign = {node.op_type for node in onnx.load(written).graph.node if node.domain}
    if target == "onnx" and foreign:
        return f"--target onnx left {', '.join(sorted(foreign))}"
    problem = has_shares(open_session(written).run(None, inputs), expected)
    return f"--target {target}: {problem}" if problem else None


def main():
    program, models = sys.argv[1], [path for path in sys.argv[2:] if os.path.exists(path)]
    count = failed = 0

    def check(name, make, plain=None):
        nonlocal count, failed
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            inputs, expected = make(path)
            problem = compare(program, path, inputs, expected, folder) or \
                compare_target(program, "onnx", path, inputs, expected, folder)
            if plain and not problem:
                problem = compare_target(program, "onnxruntime", plain, inputs, expected, folder)
        count += 1
        failed += problem is not None
        if problem:
            print(f"{name}: {problem}")

    for name, (model, inputs) in [*operators(), *integer_operators()]:
        def write(path, model=model, inputs=inputs):
            onnx.save(model, path)
            return inputs, open_session(path).run(None, inputs)
        check(name, write)
    for original in models:
        def save(path, original=original):
            session = open_session(original, saved=path)
            inputs = random_inputs(session)
            return inputs, session.run(None, inputs)
        check(original, save, plain=original)
    print(f"{count} files, {failed} findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
