# Optimizes whole models, and compares the results with the originals, in ortool and onnxruntime.
"""Usage: check_optimize.py PROGRAM FOLDER...   (exit 77: nothing to check)

Each model in the folders goes through `ortool optimize` at both levels that write portable files, and with
`--target ortool`, whose files only ortool reads. Then:

- ortool's own comparison passes, bit for bit at `basic`;
- onnx's checker accepts the file, and names and declared types of inputs and outputs are unchanged;
- onnxruntime runs it on the inputs of test_data_set_0, or on generated ones, with the results of the original;
- a second run writes the same bytes.

A model that onnxruntime cannot run is only checked by ortool. ORTOOL_OPTIMIZE_ONLY is a comma-separated list of models.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError:
    print("SKIPPED: this Python has no onnx or onnxruntime package")
    sys.exit(77)

_LEVELS = ("basic", "extended", "target")
# Tolerance for fusions and for onnxruntime's kernels of other operators, relative to the largest element.
_SHARE_OF_MAX = {"basic": 1e-5, "extended": 1e-5}
_TIMEOUT_SECONDS = 300


def find_models(folders):
    only = [name for name in os.environ.get("ORTOOL_OPTIMIZE_ONLY", "").split(",") if name]
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True)):
            if only and not any(name in path for name in only):
                continue
            yield path


def interface(model):
    """Declarations that remain: inputs with a default value become constants."""
    defaults = {tensor.name for tensor in model.graph.initializer}
    return [(value.name, value.type.SerializeToString(deterministic=True))
            for value in list(model.graph.input) + list(model.graph.output) if value.name not in defaults]


def read_inputs(folder, names):
    inputs = {}
    for index, name in enumerate(names):
        path = os.path.join(folder, f"input_{index}.pb")
        if not os.path.exists(path):
            return None
        tensor = onnx.TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        inputs[tensor.name if tensor.name in names else name] = onnx.numpy_helper.to_array(tensor)
    return inputs


def random_inputs(session):
    """Small numbers, so that they are valid as indices; free dimensions are 1."""
    random = numpy.random.default_rng(0)
    types = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(double)": numpy.float64,
             "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(uint8)": numpy.uint8,
             "tensor(int8)": numpy.int8, "tensor(bool)": numpy.bool_}
    inputs = {}
    for value in session.get_inputs():
        if value.type not in types:
            return None
        shape = [size if isinstance(size, int) else 1 for size in value.shape]
        kind = types[value.type]
        if numpy.issubdtype(kind, numpy.floating):
            inputs[value.name] = random.random(shape).astype(kind)
        else:
            inputs[value.name] = random.integers(0, 2, shape).astype(kind)
    return inputs


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def reference(path):
    """The inputs and onnxruntime's outputs, or None if it does not run the model."""
    try:
        session = open_session(path)
        names = [value.name for value in session.get_inputs()]
        inputs = read_inputs(os.path.join(os.path.dirname(path), "test_data_set_0"), names) or random_inputs(session)
        return None if inputs is None else (inputs, session.run(None, inputs))
    except Exception:  # onnxruntime raises many types
        return None


def compare(found, expected, share):
    for one, other in zip(found, expected):
        if not isinstance(other, numpy.ndarray) or not numpy.issubdtype(other.dtype, numpy.floating):
            if repr(one) != repr(other):
                return "an output differs in type"
            continue
        if one.shape != other.shape or one.dtype != other.dtype:
            return f"{one.dtype}{one.shape} instead of {other.dtype}{other.shape}"
        factor = 100 if other.dtype == numpy.float16 else 1
        finite = numpy.abs(other[numpy.isfinite(other)])
        most = float(finite.max()) if finite.size else 0.0
        if not numpy.allclose(one, other, rtol=1e-4 * factor, atol=share * most * factor, equal_nan=True):
            return f"off by {numpy.nanmax(numpy.abs(one.astype(float) - other.astype(float)))} of {most}"
    return None


def optimize(program, path, output, level):
    options = ["--target", "ortool"] if level == "target" else ["--level", level]
    return subprocess.run([program, "optimize", path, "-o", output, *options, "--json", "-q"],
                          capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False)


def same_bytes(one, other):
    with open(one, "rb") as first, open(other, "rb") as second:
        return first.read() == second.read()


def check_level(program, path, level, folder, expected):
    """The problems, and details for the report."""
    output, again = os.path.join(folder, f"{level}.onnx"), os.path.join(folder, f"{level}2.onnx")
    done = optimize(program, path, output, level)
    document = json.loads(done.stdout)
    if done.returncode == 5:
        return [], "refused: " + document["errors"][0]["message"]
    if done.returncode != 0:
        words = document["errors"][0]["message"] if document["errors"] else json.dumps(document["verification"])
        return [f"exit code {done.returncode}: {words}"], ""
    problems = []
    verification = document["verification"]
    told = f"{document['before']['node_count']} -> {document['after']['node_count']}"
    if verification["passed"] is None:
        told += f" (not verified: {verification['reason']:.60})"
    elif level == "basic" and verification["max_abs_error"] != 0:
        problems.append("other bits")
    try:
        if level != "target":
            onnx.checker.check_model(output)
    except Exception as error:  # the checker raises many types
        try:
            onnx.checker.check_model(path)
            problems.append(f"onnx's checker: {str(error).splitlines()[0]:.200}")
        except Exception:
            told += " (the original is not valid for onnx either)"
    before = onnx.load(path, load_external_data=False)
    after = onnx.load(output, load_external_data=False)
    if interface(before) != interface(after) and before.ir_version >= 4:
        problems.append("the declarations of inputs or outputs changed")
    if expected is not None and level != "target":
        try:
            problem = compare(open_session(output).run(None, expected[0]), expected[1], _SHARE_OF_MAX[level])
        except Exception as error:  # onnxruntime raises many types
            problem = str(error)[:200]
        if problem:
            problems.append(f"onnxruntime: {problem}")
    if optimize(program, output, again, level).returncode != 0 or not same_bytes(output, again):
        problems.append("a second run changes the file")
    return problems, told


def main():
    program, folders = sys.argv[1], [folder for folder in sys.argv[2:] if os.path.isdir(folder)]
    count = failed = 0
    for path in find_models(folders):
        name = os.path.relpath(path, os.path.commonpath(folders))
        expected = reference(path)
        with tempfile.TemporaryDirectory() as folder:
            told = []
            for level in _LEVELS:
                problems, words = check_level(program, path, level, folder, expected)
                told.append(f"{level} {words}")
                for problem in problems:
                    print(f"{name}: {level}: {problem}", flush=True)
                failed += bool(problems)
        count += 1
        print(f"{name}: {', '.join(told)}{'' if expected else ', not run by onnxruntime'}", flush=True)
    if count == 0:
        print("SKIPPED: no models")
        return 77
    print(f"{count} models, {failed} findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
